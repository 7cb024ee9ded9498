// Numbers with units.
#include "amounts.h"

#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool amount_read(const char* text, const unit_row* units, size_t count, double* value, const unit_row** unit)
{
    char* end = NULL;
    *value = strtod(text, &end);
    if (end == text || !isfinite(*value) || *value <= 0.0) return false;
    while (*end == ' ') end++;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(end, units[i].name) != 0) continue;
        *unit = &units[i];
        return true;
    }
    return false;
}

static int read_flag(const options* o, flag_id id, const unit_row* units, size_t count, double min, double max,
                     const char* cure, double* out)
{
    const char*     text = options_text(o, id, NULL);
    const unit_row* unit;
    double          value;
    if (!text) return EXIT_DONE;
    if (amount_read(text, units, count, &value, &unit) && value * unit->value >= min && value * unit->value <= max) {
        *out = value * unit->value;
        return EXIT_DONE;
    }
    report_error("--%s '%s' is not a %s", options_flag_name(id), text, cure);
    return EXIT_USAGE;
}

int amount_size(const options* o, flag_id id, double min, double max, double* out)
{
    static const unit_row units[] = { { "", 1.0 },       { "B", 1.0 },         { "kB", 1e3 },
                                      { "KB", 1e3 },     { "MB", 1e6 },        { "GB", 1e9 },
                                      { "KiB", 1024.0 }, { "MiB", 1048576.0 }, { "GiB", 1024.0 * 1048576.0 } };
    return read_flag(o, id, units, sizeof units / sizeof *units, min, max, "size; write one like 2MB, 500kB or 250000", out);
}

int amount_time(const options* o, flag_id id, double min, double max, double* out)
{
    static const unit_row units[] = { { "", 1.0 },   { "s", 1.0 },    { "ms", 0.001 },
                                      { "m", 60.0 }, { "min", 60.0 }, { "h", 3600.0 } };
    return read_flag(o, id, units, sizeof units / sizeof *units, min, max, "time; write one like 90s, 10m or 2h", out);
}
