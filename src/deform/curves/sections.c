#include "deform/curves/sections.h"

#include "base/internal.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define SPACING 0.02f // of stations, in diagonals: a forearm gets about ten
#define EXPLAINED 0.8 // of the squared displacements of a limb: noise at six points leaves this much once a rotation is removed
// Radians (half a degree): a section that rotates less does not define a pole. STILL is its square, in square radians: added to
// the sum of squares, it holds sections in place that hardly rotate in any example.
#define TURN_LEAST 0.01f
#define STILL 1e-4f
// Below these the sine and the quotients of an angle equal their limits at 0 to float precision.
#define SINE_LEAST 1e-9
#define ANGLE_LEAST 1e-6
enum { POINTS_LEAST = 6 }; // a section of fewer has no rotation of its own
enum { FINER = 2 };        // stations per fitted one

typedef struct section_maker {
    const sup_character* character;
    const sup_curves*    curves;
    sup_segments*        segments;
    sup_arena*           arena;
    sup_arena*           beside;
    uint32_t*            first; ///< per limb: its first station, and their number
    uint32_t*            count;
    uint32_t*            station; ///< per point
    float*               ratio;
    sup_vec3*            centers;
    float*               turns;
    double*              mass; ///< per station
    uint32_t*            members;
    float*               radius; ///< per station: mean distance of its points from the center
    uint32_t             total;
} section_maker;

static bool place_stations(section_maker* m)
{
    const sup_curves* c = m->curves;
    uint32_t          n = m->character->mesh.point_count;
    float             spacing = SPACING * m->character->mesh.diagonal;
    m->first = SUP_NEW(m->beside, uint32_t, (size_t)c->limb_count + 1);
    m->count = SUP_NEW(m->beside, uint32_t, (size_t)c->limb_count + 1);
    m->station = SUP_NEW(m->arena, uint32_t, n);
    m->ratio = SUP_NEW(m->arena, float, n);
    if (!m->first || !m->count || !m->station || !m->ratio) return false;
    for (uint32_t l = 0; l < c->limb_count; ++l) {
        float wanted = spacing > 0 ? c->lengths[l] / spacing : 0;
        m->first[l] = m->total;
        // A part too short to rotate is negligible; a branch of the coordinate that short is a thumb, one section.
        m->count[l] = wanted >= 2 ? (uint32_t)sup_clampf(wanted, 2, 512) + 1 : c->below && wanted > 0 ? 2 : 0;
        m->total += m->count[l];
    }
    for (uint32_t p = 0; p < n; ++p) {
        uint32_t l = c->limbs[p];
        m->station[p] = SUP_NONE;
        if (l == SUP_NONE || m->count[l] == 0) continue;
        float    at = c->heights[p] / c->lengths[l] * (float)(m->count[l] - 1);
        uint32_t i = (uint32_t)at < m->count[l] - 1 ? (uint32_t)at : m->count[l] - 2;
        m->station[p] = m->first[l] + i;
        m->ratio[p] = sup_clampf(at - (float)i, 0, 1);
    }
    return true;
}

/// Weighted sums over the points of every station; a point counts at both of its stations, by proximity.
static bool find_centers(section_maker* m)
{
    const sup_vec3* rest = m->character->mesh.points;
    double*         sums = SUP_NEW(m->beside, double, 3 * (size_t)m->total);
    m->centers = SUP_NEW(m->arena, sup_vec3, m->total);
    m->mass = SUP_NEW(m->beside, double, m->total);
    m->members = SUP_NEW(m->beside, uint32_t, m->total);
    m->radius = SUP_NEW(m->beside, float, m->total);
    if (!sums || !m->centers || !m->mass || !m->members || !m->radius) return false;
    for (uint32_t p = 0; p < m->character->mesh.point_count; ++p)
        for (uint32_t k = 0; m->station[p] != SUP_NONE && k < 2; ++k) {
            uint32_t s = m->station[p] + k;
            double   w = k ? m->ratio[p] : 1 - (double)m->ratio[p];
            sums[3 * s] += w * rest[p].x, sums[3 * s + 1] += w * rest[p].y, sums[3 * s + 2] += w * rest[p].z;
            m->mass[s] += w;
            ++m->members[s];
        }
    for (uint32_t s = 0; s < m->total; ++s)
        if (m->mass[s] > 0)
            m->centers[s] = v3((float)(sums[3 * s] / m->mass[s]), (float)(sums[3 * s + 1] / m->mass[s]),
                               (float)(sums[3 * s + 2] / m->mass[s]));
    for (uint32_t p = 0; p < m->character->mesh.point_count; ++p)
        for (uint32_t k = 0; m->station[p] != SUP_NONE && k < 2; ++k) {
            float d = v3_distance(rest[p], m->centers[m->station[p] + k]);
            if (d > m->radius[m->station[p] + k]) m->radius[m->station[p] + k] = d;
        }
    return true;
}

/// The rotation vector of a rotation; of its two forms (angle, and angle - 2 pi) the one closer to `like`.
static sup_vec3 rotation_vector(sup_quat q, sup_vec3 like)
{
    if (q.w < 0) q = quat(-q.x, -q.y, -q.z, -q.w);
    double s = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z), angle = 2 * sup_atan2(s, q.w);
    float scale = s > SINE_LEAST ? (float)(angle / s) : 2.0f, other = s > SINE_LEAST ? (float)((angle - 2 * SUP_PI) / s) : 2.0f;
    sup_vec3 a = v3(q.x * scale, q.y * scale, q.z * scale), b = v3(q.x * other, q.y * other, q.z * other);
    return v3_distance(a, like) <= v3_distance(b, like) ? a : b;
}

/// Rotations and shifts of all stations at one example.
static bool fit_example(section_maker* m, uint32_t example, float* turns)
{
    const sup_vec3 *rest = m->character->mesh.points, *q = m->segments->q[example];
    double *sums = SUP_NEW(m->beside, double, 3 * (size_t)m->total), *cross = SUP_NEW(m->beside, double, 9 * (size_t)m->total);
    sup_quat* found = SUP_NEW(m->beside, sup_quat, m->total);
    if (!sums || !cross || !found) return false;
    for (uint32_t p = 0; p < m->character->mesh.point_count; ++p)
        for (uint32_t k = 0; m->station[p] != SUP_NONE && k < 2; ++k) {
            uint32_t s = m->station[p] + k;
            double   w = k ? m->ratio[p] : 1 - (double)m->ratio[p];
            sup_vec3 x = v3_sub(rest[p], m->centers[s]);
            double   from[3] = { x.x, x.y, x.z }, to[3] = { x.x + (double)q[p].x, x.y + (double)q[p].y, x.z + (double)q[p].z };
            for (int i = 0; i < 3; ++i) { // the sum of x is 0, so the moved center need not be known here
                sums[3 * s + i] += w * (i == 0 ? q[p].x : i == 1 ? q[p].y : q[p].z);
                for (int j = 0; j < 3; ++j) cross[9 * s + 3 * i + j] += w * to[i] * from[j];
            }
        }
    for (uint32_t l = 0; l < m->curves->limb_count; ++l) {
        uint32_t begin = m->first[l], end = begin + m->count[l], stillest = SUP_NONE;
        for (uint32_t s = begin; s < end; ++s) {
            found[s] = quat_identity();
            if (m->members[s] < POINTS_LEAST || !(m->mass[s] > 0)) continue;
            sup_mat3 a;
            for (int i = 0; i < 9; ++i) a.m[i / 3][i % 3] = (float)(cross[9 * s + i] / m->mass[s]);
            rotation_cold(&a, &found[s]);
            for (int i = 0; i < 3; ++i) turns[6 * s + 3 + i] = (float)(sums[3 * s + i] / m->mass[s]);
            if (stillest == SUP_NONE || fabsf(found[s].w) > fabsf(found[stillest].w)) stillest = s;
        }
        // Starts from the section that rotates least and works outward, so that a full turn along the limb stays one.
        for (int side = 0; stillest != SUP_NONE && side < 2; ++side) {
            sup_vec3 like = v3(0, 0, 0);
            for (uint32_t s = stillest; side ? s < end : s + 1 > begin && s != SUP_NONE; side ? ++s : --s) {
                bool     own = m->members[s] >= POINTS_LEAST && m->mass[s] > 0;
                sup_vec3 w = own ? rotation_vector(found[s], like) : like; // an empty section follows its neighbor
                uint32_t back = side ? s - 1 : s + 1;
                for (int i = 0; i < 3 && !own && s != stillest; ++i) turns[6 * s + 3 + i] = turns[6 * back + 3 + i];
                turns[6 * s] = w.x, turns[6 * s + 1] = w.y, turns[6 * s + 2] = w.z;
                like = w;
            }
        }
    }
    return true;
}

static sup_affine between(const sup_station* a, const sup_station* b, float t)
{
    sup_affine r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) r.m[i][j] = a->column[j][i] + t * (b->column[j][i] - a->column[j][i]);
    return r;
}

/// Moves every center to the pole of its section's motions, the place that only rotates: a section with a thumb has its own
/// center off the axis, and its arc, as a shift, would be extrapolated along its tangent.
static void move_to_poles(section_maker* m)
{
    for (uint32_t s = 0; s < m->total; ++s) {
        sup_vec3 sum = v3(0, 0, 0);
        float    total = STILL; // sections that hardly rotate keep their center
        for (uint32_t j = 0; j < m->segments->count; ++j) {
            const float* t = m->turns + ((size_t)j * m->total + s) * 6;
            sup_vec3     w = v3(t[0], t[1], t[2]), d = v3(t[3], t[4], t[5]);
            float        angle = v3_length(w);
            if (!(angle > TURN_LEAST)) continue;
            sup_vec3 n = v3_scale(w, 1.0f / angle);
            d = v3_mad(d, -v3_dot(d, n), n);
            double   half = 0.5 * (double)angle;
            float    slope = (float)(sup_cos(half) / sup_sin(half));
            sup_vec3 pole = v3_scale(v3_mad(d, slope, v3_cross(n, d)), 0.5f);
            // It slides rather than rotates. A thumb rotates about its arm.
            if (!(v3_length(pole) < (m->curves->below ? 4 : 2) * m->radius[s])) continue;
            sum = v3_mad(sum, angle * angle, pole);
            total += angle * angle;
        }
        sup_vec3 off = v3_scale(sum, 1.0f / total);
        for (uint32_t j = 0; j < m->segments->count; ++j) { // the shift relative to the pole: (R - I) off + shift
            float*       t = m->turns + ((size_t)j * m->total + s) * 6;
            sup_sections one = { .station_count = 1, .centers = &(sup_vec3){ 0, 0, 0 }, .turns = t };
            sup_station  station;
            sup_sections_prepare(&one, &(uint32_t){ 0 }, &(float){ 1 }, 1, NULL, &station);
            sup_affine a = between(&station, &station, 0);
            sup_vec3   moved = affine_point(&a, off);
            t[3] = moved.x, t[4] = moved.y, t[5] = moved.z;
        }
        m->centers[s] = v3_add(m->centers[s], off);
    }
}

void sup_sections_prepare(const sup_sections* sections, const uint32_t* examples, const float* shares, uint32_t count,
                          const sup_sections_trust* trust, sup_station* out)
{
    for (uint32_t s = 0; s < sections->station_count; ++s) {
        double w[6] = { 0 };
        for (uint32_t k = 0; k < count; ++k) {
            const float* t = sections->turns + ((size_t)examples[k] * sections->station_count + s) * 6;
            for (int i = 0; i < 6; ++i) w[i] += (double)shares[k] * t[i];
        }
        if (trust) {
            const float* from = sections->turns + ((size_t)trust->from * sections->station_count + s) * 6;
            const float* to = sections->turns + ((size_t)trust->to * sections->station_count + s) * 6;
            for (int i = 0; i < 6; ++i)
                w[i] = (double)trust->trusted.share[s] * (w[i] + (double)trust->trusted.shift[s] * ((double)to[i] - from[i]));
        }
        // R - I = sin(a)/a [w] + (1 - cos a)/a^2 [w]^2
        double a = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        double one = a > ANGLE_LEAST ? sup_sin(a) / a : 1, half = a > ANGLE_LEAST ? sup_sin(0.5 * a) / a : 0.5,
               two = 2 * half * half;
        double k[3][3] = { { 0, -w[2], w[1] }, { w[2], 0, -w[0] }, { -w[1], w[0], 0 } },
               c[3] = { sections->centers[s].x, sections->centers[s].y, sections->centers[s].z };
        for (int i = 0; i < 3; ++i) {
            double move = w[3 + i];
            for (int j = 0; j < 3; ++j) {
                double square = k[i][0] * k[0][j] + k[i][1] * k[1][j] + k[i][2] * k[2][j], r = one * k[i][j] + two * square;
                out[s].column[j][i] = (float)r;
                move -= r * c[j];
            }
            out[s].column[3][i] = (float)move;
        }
    }
}

/// r = A^-1 (p + q) - p.
static sup_vec3 left_over(const section_maker* m, const sup_station* stations, uint32_t i, sup_vec3 q)
{
    uint32_t   k = m->station[i];
    sup_affine a = between(&stations[k], &stations[k + 1], m->ratio[i]), whole = a, inverse;
    for (int d = 0; d < 3; ++d) whole.m[d][d] += 1;
    if (!affine_invert(&whole, &inverse)) return q;
    // r = q - A^-1 (A - I)(p + q) is the same without subtracting large numbers.
    return v3_sub(q, affine_direction(&inverse, affine_point(&a, v3_add(m->character->mesh.points[i], q))));
}

/// Leaves out limbs whose displacements are bumps rather than rotations: where rotations explain no more of the sections'
/// motion beyond shifts than they would of noise, they fit noise, and noise interpolated as rotation is worse than along a
/// line.
static sup_result drop_limbs(section_maker* m, const sup_sections* s, sup_error* error)
{
    uint32_t     n = m->character->mesh.point_count, limbs = m->curves->limb_count;
    sup_station* stations = SUP_NEW(m->beside, sup_station, m->total);
    double *     before = SUP_NEW(m->beside, double, limbs), *behind = SUP_NEW(m->beside, double, limbs);
    if (!stations || !before || !behind) return sup_fail_memory(error, "example shapes");
    for (uint32_t j = 0; j < m->segments->count; ++j) {
        const float* turns = m->turns + (size_t)j * m->total * 6;
        sup_sections_prepare(s, &j, &(float){ 1 }, 1, NULL, stations);
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t k = m->station[i];
            if (k == SUP_NONE) continue;
            const float *a = turns + 6 * (size_t)k, *b = a + 6;
            sup_vec3     q = m->segments->q[j][i], r = left_over(m, stations, i, q);
            q = v3_sub(q, v3_lerp(v3(a[3], a[4], a[5]), v3(b[3], b[4], b[5]), m->ratio[i]));
            before[m->curves->limbs[i]] += (double)v3_dot(q, q), behind[m->curves->limbs[i]] += (double)v3_dot(r, r);
        }
    }
    for (uint32_t i = 0; i < n; ++i)
        if (m->station[i] != SUP_NONE && !(behind[m->curves->limbs[i]] < EXPLAINED * before[m->curves->limbs[i]]))
            m->station[i] = SUP_NONE;
    for (uint32_t l = 0; l < limbs; ++l)
        for (uint32_t j = 0; !(behind[l] < EXPLAINED * before[l]) && j < m->segments->count; ++j)
            memset(m->turns + ((size_t)j * m->total + m->first[l]) * 6, 0, m->count[l] * 6 * sizeof(float));
    return SUP_OK;
}

/// A value at `at` stations, smooth through all stations of a limb: Catmull-Rom, ends repeated.
static float smooth_at(const float* values, size_t stride, uint32_t count, uint32_t i, float t)
{
    float b = values[i * stride], c = values[(i + 1) * stride], a = i ? values[(i - 1) * stride] : b;
    float d = i + 2 < count ? values[(i + 2) * stride] : c;
    return b + 0.5f * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

/// Between two stations points move by a linear mix of both, so that a limb has a kink at every station. More stations, smooth
/// through the fitted ones, make each kink smaller.
static bool refine(section_maker* m)
{
    uint32_t total = 0, limbs = m->curves->limb_count, examples = m->segments->count;
    for (uint32_t l = 0; l < limbs; ++l) total += m->count[l] ? (m->count[l] - 1) * FINER + 1 : 0;
    sup_vec3* centers = SUP_NEW(m->arena, sup_vec3, total);
    float*    turns = SUP_NEW(m->arena, float, 6 * (size_t)total * examples);
    if (!centers || !turns) return false;
    for (uint32_t l = 0, first = 0; l < limbs; ++l) {
        uint32_t count = m->count[l], fine = count ? (count - 1) * FINER + 1 : 0, old = m->first[l];
        for (uint32_t k = 0; k < fine; ++k) {
            uint32_t i = k / FINER < count - 1 ? k / FINER : count - 2;
            float    t = (float)(k - i * FINER) / FINER;
            centers[first + k] =
                v3(smooth_at(&m->centers[old].x, 3, count, i, t), smooth_at(&m->centers[old].y, 3, count, i, t),
                   smooth_at(&m->centers[old].z, 3, count, i, t));
            for (uint32_t j = 0; j < examples; ++j)
                for (uint32_t n = 0; n < 6; ++n)
                    turns[((size_t)j * total + first + k) * 6 + n] =
                        smooth_at(m->turns + ((size_t)j * m->total + old) * 6 + n, 6, count, i, t);
        }
        m->first[l] = first, m->count[l] = fine;
        first += fine;
    }
    for (uint32_t p = 0; p < m->character->mesh.point_count; ++p) {
        if (m->station[p] == SUP_NONE) continue;
        uint32_t l = m->curves->limbs[p];
        float    at = m->curves->heights[p] / m->curves->lengths[l] * (float)(m->count[l] - 1);
        uint32_t i = (uint32_t)at < m->count[l] - 1 ? (uint32_t)at : m->count[l] - 2;
        m->station[p] = m->first[l] + i, m->ratio[p] = sup_clampf(at - (float)i, 0, 1);
    }
    m->total = total, m->centers = centers, m->turns = turns;
    return true;
}

static sup_result take_out(section_maker* m, const sup_sections* s, sup_error* error)
{
    uint32_t     n = m->character->mesh.point_count;
    sup_station* stations = SUP_NEW(m->beside, sup_station, m->total);
    sup_vec3**   replaced = SUP_NEW(m->arena, sup_vec3*, m->segments->count);
    if (!stations || !replaced) return sup_fail_memory(error, "example shapes");
    for (uint32_t j = 0; j < m->segments->count; ++j) {
        float share = 1;
        replaced[j] = SUP_NEW(m->arena, sup_vec3, (size_t)n + SUP_LANES);
        if (!replaced[j]) return sup_fail_memory(error, "example shapes");
        sup_sections_prepare(s, &j, &share, 1, NULL, stations);
        for (uint32_t i = 0; i < n; ++i) {
            sup_vec3 q = m->segments->q[j][i];
            replaced[j][i] = m->station[i] == SUP_NONE ? q : left_over(m, stations, i, q);
        }
    }
    m->segments->q = (const sup_vec3* const*)replaced;
    return SUP_OK;
}

/// Treats limbs that continue each other after forks as one: a twist continues from the arm into the hand.
static bool join_limbs(const sup_curves* c, uint32_t point_count, sup_arena* beside, sup_curves* out)
{
    uint32_t *root = SUP_NEW(beside, uint32_t, c->limb_count), *limbs = SUP_NEW(beside, uint32_t, point_count);
    float *   from = SUP_NEW(beside, float, c->limb_count), *lengths = SUP_NEW(beside, float, c->limb_count);
    float*    heights = SUP_NEW(beside, float, point_count);
    if (!root || !limbs || !from || !lengths || !heights) return false;
    for (uint32_t l = 0; l < c->limb_count; ++l) {
        root[l] = l;
        for (uint32_t k = 0; k < c->limb_count && c->follows[root[l]] != SUP_NONE; ++k)
            root[l] = c->follows[root[l]], from[l] += c->lengths[root[l]];
        lengths[root[l]] = fmaxf(lengths[root[l]], from[l] + c->lengths[l]);
    }
    for (uint32_t p = 0; p < point_count; ++p) {
        limbs[p] = c->limbs[p] == SUP_NONE ? SUP_NONE : root[c->limbs[p]];
        heights[p] = c->limbs[p] == SUP_NONE ? 0 : from[c->limbs[p]] + c->heights[p];
    }
    *out = *c;
    out->limbs = limbs, out->heights = heights, out->lengths = lengths;
    return true;
}

sup_result sup_sections_create(const sup_character* character, const sup_curves* curves, float least_angle,
                               sup_segments* segments, sup_arena* arena, sup_sections* out, sup_error* error)
{
    section_maker m = { .character = character, .curves = curves, .segments = segments, .arena = arena };
    sup_sections  made = { 0 };
    *out = made;
    if (!curves->heights) return SUP_OK;
    m.beside = sup_arena_beside(arena);
    sup_curves joined;
    bool       good = m.beside && (!curves->follows || join_limbs(curves, character->mesh.point_count, m.beside, &joined));
    if (good && curves->follows) m.curves = &joined;
    sup_result r = good && place_stations(&m) && find_centers(&m) ? SUP_OK : sup_fail_memory(error, "example shapes");
    if (!r) {
        m.turns = SUP_NEW(arena, float, (size_t)m.total * segments->count * 6);
        if (!m.turns) r = sup_fail_memory(error, "example shapes");
    }
    for (uint32_t j = 0; !r && j < segments->count; ++j)
        if (!fit_example(&m, j, m.turns + (size_t)j * m.total * 6)) r = sup_fail_memory(error, "example shapes");
    if (!r) {
        sup_sections all = { .station_count = m.total, .centers = m.centers, .turns = m.turns };
        r = drop_limbs(&m, &all, error);
    }
    for (size_t i = 0; !r && i < (size_t)m.total * segments->count; ++i) {
        float a = v3_length(v3(m.turns[6 * i], m.turns[6 * i + 1], m.turns[6 * i + 2]));
        if (a > made.angle) made.angle = a;
    }
    if (!r && made.angle >= least_angle) {
        move_to_poles(&m);
        if (!refine(&m)) r = sup_fail_memory(error, "example shapes");
        made.station_count = m.total;
        made.centers = m.centers;
        made.turns = m.turns;
        made.station = m.station;
        made.ratio = m.ratio;
        if (!r) r = take_out(&m, &made, error);
    }
    sup_arena_destroy(m.beside);
    if (!r) *out = made;
    return r;
}
