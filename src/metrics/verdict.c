// The verdict on a motion: its worst part, its crossings, and the sentence about both.
#include "base/internal.h"
#include "metrics/meter.h"

#include <math.h>
#include <string.h>

// Parts smaller than this share of the whole (fingertips, buttons) would fill the verdict with percentages nobody sees.
static const double PART_SHARE_MIN = 1e-3;
// Below this there is nothing to fix.
static const double FINE = 0.01;

static size_t volumes_size(const sup_meter* meter) { return sup_align(sup_meter_part_count(meter) * sizeof(double), 64); }

size_t sup_verdict_scratch(const sup_meter* meter) { return 2 * volumes_size(meter) + sup_meter_scratch(meter); }

void sup_verdict_begin(const sup_meter* meter, void* scratch, const sup_tasks* tasks, sup_verdict* out)
{
    *out = (sup_verdict){ .frames = 0 };
    uint8_t* at = (uint8_t*)scratch + 2 * volumes_size(meter);
    out->crossings_rest = sup_meter_intersections(meter, meter->character->mesh.points, at, tasks, NULL, 0);
}

bool sup_verdict_takes(uint32_t frame, uint32_t count)
{
    if (count <= SUP_VERDICT_FRAMES) return true;
    for (uint64_t i = 0; i < SUP_VERDICT_FRAMES; ++i)
        if (i * (count - 1) / (SUP_VERDICT_FRAMES - 1) == frame) return true;
    return false;
}

// A loss looks like a collapse; the same gain only looks rounder.
static double badness(double change) { return change < 0 ? -change : 0.5 * change; }

// NAN if the part has no volume worth a percentage.
static double part_change(const sup_meter* meter, uint32_t part, const double* volumes)
{
    double rest = sup_meter_part_at(meter, part)->rest_volume;
    double whole = sup_meter_rest_volume(meter); // negative if the mesh is inside out; so are its parts then
    return rest * whole > PART_SHARE_MIN * whole * whole ? volumes[part] / rest - 1 : NAN;
}

static void push_volumes(const sup_meter* meter, double time, const sup_pose* pose, const sup_vec3* points,
                         const sup_vec3* linear, double* volumes, sup_verdict* v)
{
    double*  volumes_linear = volumes + volumes_size(meter) / sizeof *volumes;
    uint32_t worst = SUP_NONE;
    sup_meter_part_volumes(meter, pose, points, volumes);
    for (uint32_t p = 0; p < sup_meter_part_count(meter); ++p) {
        double change = part_change(meter, p, volumes);
        if (!isfinite(change) || (v->part && badness(change) <= badness(v->volume))) continue;
        worst = p;
        v->volume = change;
        v->volume_time = time;
        v->part = sup_meter_part_at(meter, p)->name;
    }
    if (worst == SUP_NONE || !linear) return;
    sup_meter_part_volumes(meter, pose, linear, volumes_linear);
    v->volume_linear = part_change(meter, worst, volumes_linear);
}

void sup_verdict_push(const sup_meter* meter, double time, const sup_pose* pose, const sup_vec3* points, const sup_vec3* linear,
                      void* scratch, const sup_tasks* tasks, sup_verdict* v)
{
    uint8_t* rest = (uint8_t*)scratch + 2 * volumes_size(meter);
    push_volumes(meter, time, pose, points, linear, scratch, v);
    // A search that gives up costs as much as dozens that succeed: one is enough to know.
    bool     countable = v->crossings_rest != SUP_METER_UNCOUNTED && v->crossings != SUP_METER_UNCOUNTED;
    uint32_t crossings = SUP_METER_UNCOUNTED, before = linear ? SUP_METER_UNCOUNTED : 0;
    if (countable) crossings = sup_meter_intersections(meter, points, rest, tasks, NULL, 0);
    if (linear && crossings != SUP_METER_UNCOUNTED) before = sup_meter_intersections(meter, linear, rest, tasks, NULL, 0);
    // If nothing crosses with the chain, report the frame that would be worst without it.
    bool more = crossings > v->crossings || (crossings == v->crossings && before > v->crossings_linear);
    if (v->frames == 0 || more) {
        v->crossings = crossings;
        v->crossings_linear = before;
        v->crossings_time = time;
    }
    v->compared |= linear != NULL;
    v->frames++;
}

double sup_verdict_volume(const sup_meter* meter, const sup_verdict* v, const sup_pose* pose, const sup_vec3* points,
                          void* scratch)
{
    sup_meter_part_volumes(meter, pose, points, scratch);
    for (uint32_t p = 0; v->part && p < sup_meter_part_count(meter); ++p)
        if (sup_meter_part_at(meter, p)->name == v->part) return part_change(meter, p, scratch);
    return 0;
}

// ---------------------------------------------------------------------------------------------- words

typedef struct writer {
    char*  text;
    size_t size, at;
} writer;

static void add(writer* w, const char* format, ...) SUP_FORMAT(2, 3);
static void add(writer* w, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool allocated = w->at < w->size;
    w->at += sup_format_list(allocated ? w->text + w->at : NULL, allocated ? w->size - w->at : 0, format, arguments);
    va_end(arguments);
}

static bool volume_complains(const sup_verdict* v) { return v->part && fabs(v->volume) >= FINE; }
static bool uncounted(const sup_verdict* v) { return v->crossings == SUP_METER_UNCOUNTED; }
static bool crossings_complain(const sup_verdict* v) { return uncounted(v) || v->crossings > v->crossings_rest; }

bool sup_verdict_complains(const sup_verdict* v) { return volume_complains(v) || crossings_complain(v); }

static void add_crossings(writer* w, const sup_verdict* v)
{
    if (uncounted(v)) {
        bool rest = v->crossings_rest == SUP_METER_UNCOUNTED;
        add(w, "more triangles lie in one place than can be counted, ");
        if (rest) add(w, "even at rest; merge duplicate faces");
        else add(w, "at %.2f s", v->crossings_time);
        return;
    }
    if (crossings_complain(v))
        add(w, "%u pair%s of triangles cross%s at %.2f s", v->crossings, v->crossings == 1 ? "" : "s",
            v->crossings == 1 ? "es" : "", v->crossings_time);
    else if (v->crossings_rest) add(w, "no triangles cross beyond the %u pairs of the rest shape", v->crossings_rest);
    else add(w, "no triangles cross");
    bool rest = crossings_complain(v) && v->crossings_rest, linear = v->compared && v->crossings_linear != v->crossings;
    if (rest || linear) add(w, " (");
    if (linear && v->crossings_linear == SUP_METER_UNCOUNTED) add(w, "more than can be counted under linear skinning");
    else if (linear) add(w, "%u under linear skinning", v->crossings_linear);
    if (rest) add(w, "%s%u at rest", linear ? ", " : "", v->crossings_rest);
    if (rest || linear) add(w, ")");
}

static void add_better(writer* w, const sup_verdict* v)
{
    add(w, " Try --deform %s:", v->better);
    if (volume_complains(v)) add(w, " %s%.1f %% there", v->better_volume < 0 ? "-" : "+", 100 * fabs(v->better_volume));
    if (crossings_complain(v) && v->better_crossings != SUP_METER_UNCOUNTED)
        add(w, "%s %u crossing%s", volume_complains(v) ? "," : "", v->better_crossings, v->better_crossings == 1 ? "" : "s");
    add(w, ".");
}

size_t sup_verdict_text(const sup_verdict* v, char* text, size_t size)
{
    writer w = { text, size, 0 };
    if (size) text[0] = 0;
    if (volume_complains(v)) {
        add(&w, "Worst at %.2f s: the skin around '%s' ", v->volume_time, v->part);
        if (v->volume < -1) add(&w, "turns inside out (%.1f %% of its volume)", 100 * v->volume); // it cannot lose more
        else add(&w, "%s %.1f %% of its volume", v->volume < 0 ? "loses" : "gains", 100 * fabs(v->volume));
        if (v->compared)
            add(&w, " (%s%.1f %% under linear skinning)", v->volume_linear < 0 ? "-" : "+", 100 * fabs(v->volume_linear));
        add(&w, "; ");
    } else if (v->part) add(&w, "Every part keeps its volume within %.1f %%; ", 100 * fmax(fabs(v->volume), 0.0005));
    add_crossings(&w, v);
    add(&w, ".");
    if (!v->part && w.size > 1) text[0] = (char)(text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0]);
    if (v->better) add_better(&w, v);
    return w.at;
}
