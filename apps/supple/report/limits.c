// Limits as people write them: 2%, 0.02, 1.5.
#include "limits.h"

#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A number, with or without a percent sign. False: it is not one.
static bool read_amount(const char* text, double* value, bool* percent)
{
    char* end = NULL;
    *value = strtod(text, &end);
    if (end == text || !isfinite(*value) || *value < 0.0) return false;
    while (*end == ' ') end++;
    *percent = *end == '%';
    return !end[*percent];
}

static int refuse(flag_id id, const char* text, const char* cure)
{
    report_error("--%s '%s' is not a limit; %s", options_flag_name(id), text, cure);
    return EXIT_USAGE;
}

int limits_read(const options* o, double diagonal, limits* out)
{
    *out = (limits){ INFINITY, INFINITY, INFINITY, INFINITY };
    double      value;
    bool        percent;
    const char* text = options_text(o, FLAG_MAX_VOLUME_LOSS, NULL);
    if (text) {
        // 2 without a sign could mean 2 % or a factor: ask.
        if (!read_amount(text, &value, &percent) || (!percent && value > 1.0))
            return refuse(FLAG_MAX_VOLUME_LOSS, text, "write a percentage like 2%, or a fraction like 0.02");
        out->volume_loss = percent ? value / 100.0 : value;
    }
    if ((text = options_text(o, FLAG_MAX_ERROR, NULL))) {
        if (!read_amount(text, &value, &percent))
            return refuse(FLAG_MAX_ERROR, text, "write a distance in file units, or a percentage of the diagonal like 0.5%");
        out->error = percent ? value / 100.0 * diagonal : value;
    }
    if ((text = options_text(o, FLAG_MAX_INTERSECTIONS, NULL))) {
        if (!read_amount(text, &value, &percent) || percent || value != floor(value))
            return refuse(FLAG_MAX_INTERSECTIONS, text, "write a whole number of triangle pairs, like 0");
        out->intersections = value;
    }
    if ((text = options_text(o, FLAG_MAX_STRETCH, NULL))) {
        bool good = read_amount(text, &value, &percent);
        if (good && percent) value = 1.0 + value / 100.0;
        if (!good || value < 1.0)
            return refuse(FLAG_MAX_STRETCH, text, "write a ratio from 1 up like 1.5, or a percentage like 50%");
        out->stretch = value;
    }
    return EXIT_DONE;
}

bool worse_than(double value, double other) { return value > other || (isnan(value) && !isnan(other)); }

void verdict_add(verdict* v, const char* format, ...)
{
    char    sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    report_error("%s", sentence);
    size_t size = (v->text ? strlen(v->text) + 1 : 0) + strlen(sentence) + 1;
    char*  text = sup_arena_alloc(v->arena, size, 1);
    if (!text) return; // it was already printed
    snprintf(text, size, "%s%s%s", v->text ? v->text : "", v->text ? "\n" : "", sentence);
    v->text = text;
}
