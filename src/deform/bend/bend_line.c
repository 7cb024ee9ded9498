// Curves across a center line: through bones whose joints a glob names, or through places given in meters, at stations that may
// be spaced unevenly (You et al., 3.1). The text is on the command line or in a file, one piece per line:
//     0 0.475 -0.35             # a place; or a glob of bones
//     0 0.518 -0.44
//     stations 0.1 0.3 0.45     # or: stations places
#include "deform/bend/bend.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { NUMBERS_MAX = 768, STATIONS_MAX = 256 };
/// Skin belongs to the line up to this many times the distance of its curves from it.
#define TUBE_REACH 1.5f
/// A station cuts another limb where the skin is this many times as far from it as from the median station.
#define FAR_SKIN 4.0f
/// Skin past an end of the line belongs to it within this many reaches; if there is more skin up to the second limit, the body
/// continues.
#define END_REACH 1.2f
#define BEYOND_REACH 2.4f
/// Meters or a station: larger values are mistakes.
#define STATION_MOST 1e9

/// Parses numbers separated by blanks, commas or semicolons. Returns how many, SUP_NONE if the text contains anything else.
static uint32_t numbers_of(const char* text, double* out, uint32_t most)
{
    uint32_t count = 0;
    size_t   length = strlen(text), at = 0;
    for (;;) {
        while (at < length && strchr(" ,;\t\n", text[at])) ++at;
        if (at == length) return count;
        double value;
        size_t took = sup_parse_double(text + at, length - at, false, &value);
        if (took == 0 || count == most || !(fabs(value) < STATION_MOST)) return SUP_NONE;
        out[count++] = value;
        at += took;
    }
}

typedef struct polyline {
    uint32_t count;
    sup_vec3 at[NUMBERS_MAX / 3 + 1];
} polyline;

static void add_place(polyline* l, sup_vec3 p)
{
    if (l->count > 0 && v3_distance(l->at[l->count - 1], p) <= 0) return;
    if (l->count < SUP_COUNT_OF(l->at)) l->at[l->count++] = p;
}

/// The bone of a joint that continues along the line; if several or none does, the first.
static uint32_t bone_of(const sup_skeleton* s, uint32_t joint, const char* glob)
{
    uint32_t best = SUP_NONE;
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        if (s->bones[i].joint != joint) continue;
        const char* child = s->bones[i].child == SUP_NONE ? NULL : s->joints[s->bones[i].child].name;
        if (child && sup_glob_match(glob, child)) return i;
        if (best == SUP_NONE) best = i;
    }
    return best;
}

static sup_result line_of_bones(const sup_bind_input* in, const char* glob, polyline* out, sup_error* error)
{
    const sup_skeleton* s = &in->character->skeleton;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        if (!s->joints[j].name || !sup_glob_match(glob, s->joints[j].name)) continue;
        uint32_t bone = bone_of(s, j, glob);
        if (bone == SUP_NONE) continue;
        if (out->count == 0) add_place(out, s->bones[bone].head);
        add_place(out, s->bones[bone].tail);
    }
    if (out->count >= 2) return SUP_OK;
    char names[512] = "";
    for (uint32_t j = 0, n = 0; j < s->joint_count && n < 400; ++j)
        if (s->joints[j].skin_joint && s->joints[j].name)
            n += (uint32_t)sup_format(names + n, sizeof names - n, "%s%s", n ? ", " : "", s->joints[j].name);
    return sup_fail(error, SUP_ERROR_INPUT, "bend: line '%s': no bone of '%s' has such a name; there are: %s", glob,
                    in->character->name, names);
}

/// How much of a possibly long line a message shows.
static int shown(const char* text) { return (int)(strlen(text) < 60 ? strlen(text) : 60); }

/// Removes comments and splits off the stations: *stations or NULL.
static char* take_apart(const char* text, sup_arena* arena, const char** stations)
{
    size_t length = strlen(text), to = 0;
    char * places = SUP_NEW(arena, char, length + 2), *rest = SUP_NEW(arena, char, length + 2);
    *stations = NULL;
    if (!places || !rest) return NULL;
    for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, ";\n");
        size_t n = strcspn(at, "#;\n"), blank = strspn(at, " \t\r");
        if (*(at + n) == '#') end = at + strcspn(at, "\n"); // a comment continues past ;
        if (blank >= n) continue;
        while (at[n - 1] == ' ' || at[n - 1] == '\t' || at[n - 1] == '\r') --n;
        at += blank, n -= blank;
        if (n > 8 && memcmp(at, "stations", 8) == 0 && strchr(" \t:=", at[8])) {
            memcpy(rest, at + 9, n - 9);
            rest[n - 9] = 0;
            *stations = rest;
            continue;
        }
        if (to) places[to++] = ';';
        memcpy(places + to, at, n);
        to += n;
    }
    return places;
}

static sup_result line_of_places(const sup_bind_input* in, const char* text, polyline* out, sup_error* error)
{
    double   numbers[NUMBERS_MAX];
    uint32_t n = numbers_of(text, numbers, NUMBERS_MAX);
    if (n == SUP_NONE || n % 3 != 0)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "bend: line '%.*s' must be a glob of bones, or places of three numbers in meters each, at most %d",
                        shown(text), text, NUMBERS_MAX / 3);
    for (uint32_t i = 0; i + 2 < n; i += 3)
        add_place(out, v3_scale(v3((float)numbers[i], (float)numbers[i + 1], (float)numbers[i + 2]),
                                1.0f / (float)sup_character_physics_unit(in->character)));
    if (out->count < 2)
        return sup_fail(error, SUP_ERROR_INPUT, "bend: line '%.*s' needs two different places", shown(text), text);
    return SUP_OK;
}

static sup_vec3 along(const polyline* l, float ratio)
{
    float total = 0, walked = 0;
    for (uint32_t i = 1; i < l->count; ++i) total += v3_distance(l->at[i - 1], l->at[i]);
    for (uint32_t i = 1; i < l->count; ++i) {
        float step = v3_distance(l->at[i - 1], l->at[i]);
        if (walked + step >= ratio * total || i + 1 == l->count)
            return v3_lerp(l->at[i - 1], l->at[i], sup_clampf((ratio * total - walked) / step, 0, 1));
        walked += step;
    }
    return l->at[0];
}

static void stations_of_places(const polyline* l, double* out, uint32_t* count)
{
    double total = 0, walked = 0;
    for (uint32_t i = 1; i < l->count; ++i) total += (double)v3_distance(l->at[i - 1], l->at[i]);
    for (*count = 0; *count < l->count && *count < STATIONS_MAX; ++*count) {
        if (*count) walked += (double)v3_distance(l->at[*count - 1], l->at[*count]);
        out[*count] = *count + 1 == l->count ? 1 : walked / total;
    }
}

static sup_result read_stations(const bend_params* p, const char* said, const polyline* l, double* out, uint32_t* count,
                                sup_error* error)
{
    bool own = p->stations && p->stations[0]; // they override those of a file
    if (own) said = p->stations;
    if (said && strcmp(said + strspn(said, " "), "places") == 0) {
        stations_of_places(l, out, count);
        return SUP_OK;
    }
    *count = said ? numbers_of(said, out, STATIONS_MAX) : 0;
    if (*count == SUP_NONE)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "bend: stations '%s' must be numbers from 0 to 1, at most %d, or the word places", said, STATIONS_MAX);
    for (uint32_t i = 0; i < *count; ++i) {
        if (!(out[i] >= 0 && out[i] <= 1))
            return sup_fail(error, SUP_ERROR_INPUT, "bend: station %u is %g; stations go from 0 to 1 along the line", i,
                            out[i]);
        if (i > 0 && !(out[i] > out[i - 1]))
            return sup_fail(error, SUP_ERROR_INPUT,
                            "bend: station %u (%g) does not lie behind station %u (%g); put them in order", i, out[i], i - 1,
                            out[i - 1]);
    }
    if (*count == 0) {
        *count = (uint32_t)p->curves;
        for (uint32_t i = 0; i < *count; ++i) out[i] = (i + 0.5) / *count;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- which skin

typedef struct tube {
    const sup_mesh* mesh;
    const polyline* line;
    float           reach;     ///< largest distance of a curve point from the line, times 1.5
    float           low, high; ///< the first and the last station, as lengths
} tube;

/// Distance from the line and position along it; *past: the closest point is an end, and p is on its far side.
static float to_line(const tube* t, sup_vec3 p, float* height, int* past)
{
    float least = 3e38f, walked = 0;
    for (uint32_t i = 1; i < t->line->count; ++i) {
        sup_vec3 a = t->line->at[i - 1], d = v3_sub(t->line->at[i], a);
        float    l2 = v3_length2(d), x = v3_dot(v3_sub(p, a), d) / l2, u = sup_clampf(x, 0, 1);
        float    away = v3_distance(p, v3_mad(a, u, d));
        if (away < least) {
            least = away;
            *height = walked + u * sqrtf(l2);
            *past = i == 1 && x < 0 ? -1 : i + 1 == t->line->count && x > 1 ? 1 : 0;
        }
        walked += sqrtf(l2);
    }
    return least;
}

/// Skin around the line is one limb. Beyond the first and the last station it belongs to the limb only where the body ends
/// there; elsewhere it fades out.
static void mark_limb(const tube* t, uint32_t* limbs, float* heights)
{
    bool goes_on[2] = { false, false };
    for (uint32_t i = 0; i < t->mesh->point_count; ++i) {
        float height;
        int   past;
        float away = to_line(t, t->mesh->points[i], &height, &past);
        limbs[i] = SUP_NONE;
        heights[i] = height;
        if (past != 0 && away > END_REACH * t->reach && away < BEYOND_REACH * t->reach) goes_on[past > 0] = true;
        if (past == 0 && away < t->reach) limbs[i] = 0;
        if (past != 0 && away < END_REACH * t->reach) limbs[i] = past > 0 ? 3 : 2;
        if (limbs[i] == 0 && height < t->low) limbs[i] = 2;
        if (limbs[i] == 0 && height > t->high) limbs[i] = 3;
    }
    for (uint32_t i = 0; i < t->mesh->point_count; ++i)
        if (limbs[i] == 2 || limbs[i] == 3) limbs[i] = goes_on[limbs[i] - 2] ? SUP_NONE : 0;
}

/// Distance from a station to the skin that its plane cuts; 3e38: none.
static sup_result nearest_skin(const sup_mesh* mesh, sup_vec3 center, sup_vec3 normal, sup_arena* arena, float* out,
                               sup_error* error)
{
    sup_curve_mesh cut = sup_curve_mesh_of(mesh);
    sup_curves     one;
    sup_arena*     beside = sup_arena_beside(arena);
    sup_result     r = beside ? sup_curves_cut(&cut, &(sup_curve_line){ 1, &center, &normal }, 0, beside, &one, error)
                              : sup_fail_memory(error, "bend");
    *out = 3e38f;
    for (uint32_t i = 0; !r && i < one.point_count; ++i) {
        sup_curve_point c = one.points[i];
        float           d = v3_distance(center, v3_lerp(mesh->points[c.a], mesh->points[c.b], c.ratio));
        if (d < *out) *out = d;
    }
    sup_arena_destroy(beside);
    return r == SUP_ERROR_INPUT ? SUP_OK : r;
}

/// A station beyond the tip of a limb cuts whatever else its plane meets, the head from the tail: it is dropped.
static sup_result leave_out_misses(const sup_bind_input* in, sup_arena* arena, double* stations, sup_vec3* centers,
                                   sup_vec3* normals, uint32_t* count, sup_error* error)
{
    float    away[STATIONS_MAX], sorted[STATIONS_MAX];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; ++i) {
        sup_result r = nearest_skin(&in->character->mesh, centers[i], normals[i], arena, &away[i], error);
        if (r) return r;
        uint32_t k = i;
        for (; k > 0 && sorted[k - 1] > away[i]; --k) sorted[k] = sorted[k - 1];
        sorted[k] = away[i];
    }
    for (uint32_t i = 0; i < *count; ++i) {
        if (away[i] > FAR_SKIN * sorted[*count / 2]) {
            if (away[i] < 3e38f)
                sup_note(in->notes, "station %g misses its limb and is left out: the skin across it is %g m away", stations[i],
                         (double)away[i] * sup_character_physics_unit(in->character));
            else sup_note(in->notes, "station %g cuts no skin and is left out", stations[i]);
            continue;
        }
        stations[kept] = stations[i], centers[kept] = centers[i], normals[kept] = normals[i];
        ++kept;
    }
    *count = kept;
    return SUP_OK;
}

sup_result bend_line_cut(const sup_bind_input* in, const bend_params* p, sup_arena* arena, sup_curves* out, sup_error* error)
{
    const sup_mesh* mesh = &in->character->mesh;
    polyline        l = { .count = 0 };
    double          stations[STATIONS_MAX];
    uint32_t        count = 0;
    const char *    said, *line = take_apart(p->line, arena, &said);
    if (!line) return sup_fail_memory(error, "bend");
    bool       numbers = line[0] && strchr("0123456789+-.", line[0]) != NULL;
    sup_result r = numbers ? line_of_places(in, line, &l, error) : line_of_bones(in, line, &l, error);
    if (!r) r = read_stations(p, said, &l, stations, &count, error);
    if (r) return r;
    sup_vec3 *centers = SUP_NEW(arena, sup_vec3, count), *normals = SUP_NEW(arena, sup_vec3, count);
    uint32_t* limbs = SUP_NEW(arena, uint32_t, mesh->point_count);
    float *   heights = SUP_NEW(arena, float, mesh->point_count), *length = SUP_NEW(arena, float, 1);
    if (!centers || !normals || !limbs || !heights || !length) return sup_fail_memory(error, "bend");
    float total = 0, half = 0.5f / (float)l.count;
    for (uint32_t i = 1; i < l.count; ++i) total += v3_distance(l.at[i - 1], l.at[i]);
    for (uint32_t i = 0; i < count; ++i) {
        float at = (float)stations[i];
        centers[i] = along(&l, at);
        normals[i] = v3_sub(along(&l, sup_clampf(at + half, 0, 1)), along(&l, sup_clampf(at - half, 0, 1)));
    }
    r = leave_out_misses(in, arena, stations, centers, normals, &count, error);
    if (r) return r;
    sup_curve_mesh cut = sup_curve_mesh_of(mesh);
    sup_error      reason;
    r = sup_curves_cut(&cut, &(sup_curve_line){ count, centers, normals }, p->snap, arena, out, &reason);
    if (r) return sup_fail(error, r, "bend: line '%.*s' of '%s': %s", shown(line), line, in->character->name, reason.text);
    if (out->curve_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "bend: line '%.*s' misses the skin of '%s'; its places are in meters at rest",
                        shown(line), line, in->character->name);
    tube t = { mesh, &l, 0, (float)stations[0] * total, (float)stations[count - 1] * total };
    for (uint32_t i = 0; i < out->point_count; ++i) {
        sup_curve_point c = out->points[i];
        float           height;
        int             past;
        float           away = to_line(&t, v3_lerp(mesh->points[c.a], mesh->points[c.b], c.ratio), &height, &past);
        if (away > t.reach) t.reach = away;
    }
    t.reach *= TUBE_REACH;
    mark_limb(&t, limbs, heights);
    *length = total;
    out->limbs = limbs;
    out->limb_count = 1;
    out->heights = heights;
    out->lengths = length;
    return SUP_OK;
}
