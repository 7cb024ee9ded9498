// A substep: which pairs need a plane, the clusters they form and how those move, and how far each point may go.
#include "base/sets.h"
#include "math/rotation.h"
#include "solve/contact/planes_internal.h"

#include <math.h>
#include <string.h>

enum { GRAIN_BLOCKS = 16, GRAIN_LOOKS = 16 };
enum { AGAIN_MOST = 8 }; // one point in this many may stray while the others stay in the list
enum { ROUNDS = 4, PASSES = 4 };
static const float within_half = 0.95f; // a point nearer than the gap keeps this share of its distance to the plane
static const float upright = 1e-3f;     // share of a cluster's size that damps its rotation: a line turns freely about itself
// A cluster is released when its planes have held back this share of what its points can give: the mean over the points they
// stopped, averaged over substeps at this rate. Planes come back after this many substeps without a crossing there.
static const float release_held = 0.9f, held_rate = 0.05f, held_most = 10;
enum { RELEASE_CLEAR = 16 };

// ---------------------------------------------------------------------------------------------- which pairs

static sup_vec3 place(const sup_vec4* x, uint32_t i) { return v3(x[i].x, x[i].y, x[i].z); }

static void places_of(const uint32_t corners[6], const sup_vec4* x, sup_vec3 out[6])
{
    for (int k = 0; k < 6; ++k) out[k] = place(x, corners[k]);
}

static bool is_released(const planes_run* r, const uint32_t corners[6])
{
    for (int k = 0; k < 6; ++k)
        if (r->burdens[corners[k]].released) return true;
    return false;
}

static float gap_along(const sup_vec3 x[6], sup_vec3 n)
{
    float low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        low = fminf(low, v3_dot(x[k], n));
        high = fmaxf(high, v3_dot(x[k + 3], n));
    }
    return low - high;
}

/// What a closer test of a pair finds; a plane has half the distance of its triangles.
#define LOOK_CROSSES 0.0f           // already crossing: it spoils the planes of its cluster
#define LOOK_APART -1.0f            // it is apart
#define LOOK_RELEASED_CROSSES -2.0f // where planes are released, only present crossings are reported

/// A pair that its direction does not prove apart finds a better direction, or it crosses.
static void look_closer(const planes_run* r, uint32_t look, planes_plane* out)
{
    planes_block* b = &r->m.blocks[look / SUP_LANES];
    uint32_t      lane = look % SUP_LANES;
    sup_vec3      x[6];
    float         distance;
    planes_corners(r->p, b->a[lane], b->b[lane], out->corners);
    bool released = is_released(r, out->corners);
    out->gap = planes_gap(r->p, b->a[lane], b->b[lane]);
    out->half = LOOK_APART;
    if (released && !r->final) return;
    places_of(out->corners, released ? r->x : r->from, x);
    if (!sup_planes_between(x, x + 3, &distance, &out->normal, &out->at)) {
        out->half = released ? LOOK_RELEASED_CROSSES : LOOK_CROSSES;
        return;
    }
    b->axis[0][lane] = (int16_t)(PLANES_AXIS * out->normal.x);
    b->axis[1][lane] = (int16_t)(PLANES_AXIS * out->normal.y);
    b->axis[2][lane] = (int16_t)(PLANES_AXIS * out->normal.z);
    if (released) return;
    places_of(out->corners, r->x, x);
    float gap = gap_along(x, out->normal);
    if (!(gap > 0 && (r->final || gap >= out->gap))) out->half = 0.5f * distance;
}

static uint32_t block_count(const planes_run* r) { return (r->m.header->pair_count + SUP_LANES - 1) / SUP_LANES; }

static void test_task(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_planes_test)(data, begin, end); }

static void look_task(void* data, uint32_t begin, uint32_t end)
{
    const planes_run* r = data;
    for (uint32_t i = begin; i < end; ++i) look_closer(r, r->m.looks[i], &r->m.planes[r->plane_count + i]);
}

static void touch(planes_run* r, uint32_t point)
{
    planes_memory* m = &r->m;
    if (m->place_of[point] != SUP_NONE) return;
    uint32_t i = r->touched_count++;
    m->place_of[point] = i;
    m->touched[i] = point;
    m->wanted[i] = place(r->x, point);
    m->cluster[i] = i;
}

/// Maps its corners to touched points.
static void add_plane(planes_run* r, planes_plane plane)
{
    for (int k = 0; k < 6; ++k) {
        touch(r, plane.corners[k]);
        plane.corners[k] = r->m.place_of[plane.corners[k]];
        sup_sets_join(r->m.cluster, plane.corners[0], plane.corners[k]);
    }
    r->m.planes[r->plane_count++] = plane;
}

/// Returns how many pairs got a plane.
static uint32_t find_planes(planes_run* r)
{
    uint32_t before = r->plane_count, most = r->p->plane_capacity - before;
    sup_tasks_run(r->call->tasks, block_count(r), GRAIN_BLOCKS, test_task, r);
    memset(r->m.open, 0, block_count(r));
    r->look_count = 0;
    for (uint32_t k = 0; k < block_count(r); ++k)
        for (uint32_t bits = r->m.doubtful[k]; bits && r->look_count < most; bits &= bits - 1)
            r->m.looks[r->look_count++] = SUP_LANES * k + (uint32_t)__builtin_ctz(bits);
    sup_tasks_run(r->call->tasks, r->look_count, GRAIN_LOOKS, look_task, r);
    for (uint32_t i = 0; i < r->look_count; ++i) {
        uint32_t     k = r->m.looks[i] / SUP_LANES, bit = 1u << r->m.looks[i] % SUP_LANES;
        planes_plane found = r->m.planes[before + i];
        if (found.half == LOOK_CROSSES || found.half == LOOK_RELEASED_CROSSES) r->m.open[k] = (uint8_t)(r->m.open[k] | bit);
        if (found.half < 0) continue;
        add_plane(r, found);
        r->m.planar[k] = (uint8_t)(r->m.planar[k] | bit);
    }
    return r->plane_count - before;
}

// ---------------------------------------------------------------------------------------------- clusters

static planes_group* group_of(const planes_run* r, uint32_t i) { return &r->m.groups[r->m.group_of[i]]; }

static void list_groups(planes_run* r)
{
    const planes_memory* m = &r->m;
    r->group_count = 0;
    r->grouped_count = r->touched_count;
    for (uint32_t i = 0; i < r->touched_count; ++i) { // a root comes before the rest of its cluster
        uint32_t root = sup_sets_find(m->cluster, i);
        m->group_of[i] = root == i ? r->group_count++ : m->group_of[root];
    }
    memset(m->groups, 0, r->group_count * sizeof *m->groups);
    for (uint32_t i = 0; i < r->plane_count; ++i)
        if (!(m->planes[i].half > 0)) group_of(r, m->planes[i].corners[0])->open = true;
}

static void fit_groups(planes_run* r)
{
    const planes_memory* m = &r->m;
    for (uint32_t i = 0; i < r->touched_count; ++i) {
        planes_group*   g = group_of(r, i);
        const sup_vec4* f = &r->from[m->touched[i]];
        g->before[0] += (double)f->x, g->before[1] += (double)f->y, g->before[2] += (double)f->z;
        g->after[0] += (double)m->wanted[i].x, g->after[1] += (double)m->wanted[i].y, g->after[2] += (double)m->wanted[i].z;
        g->count++;
    }
    for (uint32_t i = 0; i < r->group_count; ++i)
        for (int k = 0; k < 3; ++k) m->groups[i].before[k] /= m->groups[i].count, m->groups[i].after[k] /= m->groups[i].count;
    for (uint32_t i = 0; i < r->touched_count; ++i) {
        planes_group*   g = group_of(r, i);
        const sup_vec4* f = &r->from[m->touched[i]];
        double          p[3] = { (double)f->x - g->before[0], (double)f->y - g->before[1], (double)f->z - g->before[2] };
        double          q[3] = { (double)m->wanted[i].x - g->after[0], (double)m->wanted[i].y - g->after[1],
                                 (double)m->wanted[i].z - g->after[2] };
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) g->moment[3 * a + b] += q[a] * p[b];
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) g->moment[4 * a] += (double)upright * p[b] * p[b];
    }
    for (uint32_t i = 0; i < r->group_count; ++i) {
        planes_group* g = &m->groups[i];
        sup_mat3      a;
        for (int k = 0; k < 9; ++k) (&a.m[0][0])[k] = (float)g->moment[k];
        g->turn = quat_identity();
        rotation_extract(&a, &g->turn);
    }
}

static sup_vec3 carry(const planes_group* g, sup_vec3 x)
{
    sup_vec3 before = v3((float)g->before[0], (float)g->before[1], (float)g->before[2]);
    sup_vec3 after = v3((float)g->after[0], (float)g->after[1], (float)g->after[2]);
    return v3_add(quat_rotate(g->turn, v3_sub(x, before)), after);
}

// ---------------------------------------------------------------------------------------------- how far each point may go

static bool is_free(const planes_run* r, uint32_t i) { return r->x[r->m.touched[i]].w > 0; }

/// The plane carried along, then shifted toward where both sides want it as far as the gap at the carried places allows.
static planes_placed carried_plane(const planes_run* r, const planes_plane* from)
{
    const planes_group* g = group_of(r, from->corners[0]);
    planes_placed p = { .normal = quat_rotate(g->turn, from->normal), .at = carry(g, from->at), .push = 0.5f * from->gap };
    p.gap = fminf(p.push, within_half * from->half);
    float low = INFINITY, high = -INFINITY, mass[2] = { 0, 0 };
    for (int k = 0; k < 6; ++k) {
        float h = v3_dot(p.normal, v3_sub(r->m.wanted[from->corners[k]], p.at));
        mass[k / 3] += r->x[r->m.touched[from->corners[k]]].w;
        if (k < 3) low = fminf(low, h);
        else high = fmaxf(high, h);
    }
    float all = mass[0] + mass[1], shift = all > 0 ? (mass[1] * low + mass[0] * high) / all : 0, most = from->half - p.gap;
    p.at = v3_mad(p.at, sup_clampf(shift, -most, most), p.normal);
    return p;
}

/// By how much corner k clears what it must keep; below 0: it is on the wrong side.
static float clearance_of(const planes_placed* p, int k, sup_vec3 x)
{
    float h = v3_dot(p->normal, v3_sub(x, p->at));
    return (k < 3 ? h : -h) - p->gap;
}

static bool is_open(const planes_run* r, const planes_plane* p) { return group_of(r, p->corners[0])->open; }

static void project(planes_run* r, const planes_plane* plane, const planes_placed* p)
{
    if (is_open(r, plane)) return;
    for (int k = 0; k < 6; ++k) {
        sup_vec3* x = &r->m.fixed[plane->corners[k]];
        float     clearance = clearance_of(p, k, *x) + p->gap - p->push;
        if (clearance < 0 && is_free(r, plane->corners[k])) *x = v3_mad(*x, k < 3 ? -clearance : clearance, p->normal);
    }
}

static void shorten(planes_run* r, const planes_plane* plane, const planes_placed* p)
{
    if (is_open(r, plane)) return;
    for (int k = 0; k < 6; ++k) {
        uint32_t i = plane->corners[k];
        float    there = clearance_of(p, k, r->m.fixed[i]), here = clearance_of(p, k, r->m.carried[i]);
        if (there >= 0 || !is_free(r, i)) continue;
        float share = here > 0 ? here / (here - there) : 0;
        r->m.share[i] = fminf(r->m.share[i], share);
    }
}

static void keep_sides(planes_run* r)
{
    planes_memory* m = &r->m;
    planes_placed* placed = m->placed;
    list_groups(r);
    fit_groups(r);
    for (uint32_t i = 0; i < r->touched_count; ++i) {
        m->carried[i] = carry(group_of(r, i), place(r->from, m->touched[i]));
        m->fixed[i] = m->wanted[i];
        m->share[i] = 1;
    }
    for (uint32_t i = 0; i < r->plane_count; ++i) placed[i] = carried_plane(r, &m->planes[i]);
    for (int pass = 0; pass < PASSES; ++pass)
        for (uint32_t i = 0; i < r->plane_count; ++i) project(r, &m->planes[i], &placed[i]);
    for (uint32_t i = 0; i < r->plane_count; ++i) shorten(r, &m->planes[i], &placed[i]);
    for (uint32_t i = 0; i < r->touched_count; ++i) {
        sup_vec3  to = m->share[i] < 1 ? v3_lerp(m->carried[i], m->fixed[i], m->share[i]) : m->fixed[i];
        sup_vec4* x = &r->x[m->touched[i]];
        if (is_free(r, i) && v3_finite(to)) x->x = to.x, x->y = to.y, x->z = to.z;
    }
}

// ---------------------------------------------------------------------------------------------- release

/// Points that a plane touched after the last round were not carried and are in no group yet: the next substep includes them.
static void release(planes_run* r, sup_planes_report* report)
{
    const planes_memory* m = &r->m;
    for (uint32_t i = 0; i < r->p->point_count; ++i) {
        planes_burden* b = &r->burdens[i];
        b->held *= 1 - held_rate;
        if (b->released) b->released--;
    }
    for (uint32_t i = 0; i < r->grouped_count; ++i) {
        uint32_t       point = m->touched[i];
        planes_burden* b = &r->burdens[point];
        float          held = v3_distance(place(r->x, point), m->wanted[i]) / r->p->gives[point];
        b->held += held_rate * fminf(held, held_most);
        report->held += held > 0;
        if (m->share[i] < 1) {
            planes_group* g = group_of(r, i);
            g->held += b->held;
            g->held_count++;
        }
    }
    for (uint32_t i = 0; i < r->grouped_count; ++i) {
        const planes_group* g = group_of(r, i);
        if (g->open || (g->held_count && g->held > release_held * (float)g->held_count))
            r->burdens[m->touched[i]].released = RELEASE_CLEAR;
    }
    for (uint32_t i = 0; i < r->plane_count; ++i) report->crossing += !(m->planes[i].half > 0);
    for (uint32_t k = 0; k < block_count(r); ++k)
        for (uint32_t bits = m->open[k] & ~m->planar[k]; bits; bits &= bits - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits), corners[6];
            planes_corners(r->p, m->blocks[k].a[lane], m->blocks[k].b[lane], corners);
            report->crossing++;
            for (int c = 0; c < 6; ++c) r->burdens[corners[c]].released = RELEASE_CLEAR;
        }
    for (uint32_t i = 0; i < r->p->point_count; ++i) report->released += r->burdens[i].released > 0;
    m->header->released = report->released;
}

// ---------------------------------------------------------------------------------------------- a substep

/// Squared distance of a point from its expected path, over what it may stray.
static float stray_of(const planes_run* r, uint32_t i)
{
    sup_vec4 w = r->m.way[i];
    sup_vec3 off = v3_sub(place(r->x, i), v3_mad(place(r->m.begin, i), r->passed, v3(w.x, w.y, w.z)));
    return v3_length2(off) - w.w;
}

static void stray_task(void* data, uint32_t begin, uint32_t end)
{
    planes_run* r = data;
    uint32_t    even = end - (end - begin) % SUP_LANES;
    float       most = SUP_WIDE_PICK(sup_planes_stray)(r, begin, even);
    for (uint32_t i = even; i < end; ++i) most = fmaxf(most, stray_of(r, i));
    r->m.strays[begin / PLANES_GRAIN] = most;
}

/// Which points have strayed farther than the list allows for, and how many.
static uint32_t find_strays(planes_run* r)
{
    uint32_t count = 0, points = r->p->point_count;
    r->passed = (float)(r->m.header->done - r->m.header->first);
    sup_tasks_run(r->call->tasks, points, PLANES_GRAIN, stray_task, r);
    for (uint32_t begin = 0; begin < points; begin += PLANES_GRAIN) {
        uint32_t end = begin + PLANES_GRAIN < points ? begin + PLANES_GRAIN : points;
        bool     any = r->m.strays[begin / PLANES_GRAIN] > 0;
        for (uint32_t i = begin; i < end; ++i) {
            r->m.stirred[i] = any && stray_of(r, i) > 0;
            count += r->m.stirred[i];
        }
    }
    return count;
}

/// False: too much to list.
static bool list(planes_run* r, sup_planes_report* report)
{
    planes_header* h = r->m.header;
    uint32_t       strays = h->listed ? find_strays(r) : r->p->point_count;
    if (strays == 0) return true;
    r->ahead = (float)(h->substeps - h->first);
    if (strays <= r->p->point_count / AGAIN_MOST && sup_planes_search_again(r)) return true;
    h->first = h->done - 1;
    r->ahead = (float)(h->substeps - h->first);
    r->span = 1;
    h->listed = sup_planes_search(r);
    r->relisted = true;
    report->searches++;
    return h->listed;
}

uint32_t sup_planes_begin(const sup_planes* p, const sup_planes_call* call, uint32_t substeps, const sup_vec4* from,
                          const sup_vec4* to)
{
    planes_memory        m = sup_planes_divide(p, call->scratch, NULL);
    const planes_burden* burdens = call->state;
    // Only what belongs to keeping a substep is written.
    planes_run r = { .p = p, .call = call, .from = from, .x = (sup_vec4*)(uintptr_t)to, .burdens = call->state, .m = m };
    *m.header = (planes_header){ .substeps = substeps };
    for (uint32_t i = 0; i < p->point_count; ++i) m.header->released += burdens[i].released > 0;
    r.ahead = r.span = (float)substeps;
    m.header->listed = sup_planes_search(&r);
    m.header->crowded = !m.header->listed;
    if (m.header->listed) sup_planes_find_presses(&r);
    return m.header->lost;
}

/// What to test again after planes have moved points; always includes what is released.
static bool stir(planes_run* r)
{
    if (r->touched_count == 0 && r->m.header->released == 0) return false;
    memset(r->m.stirred, r->relisted, r->p->point_count);
    for (uint32_t i = 0; i < r->touched_count; ++i) r->m.stirred[r->m.touched[i]] = 1;
    for (uint32_t i = 0; i < r->p->point_count && r->m.header->released; ++i) r->m.stirred[i] |= r->burdens[i].released > 0;
    return true;
}

static void settle(planes_run* r, sup_planes_report* report)
{
    memset(r->m.place_of, 0xff, r->p->point_count * sizeof *r->m.place_of);
    memset(r->m.planar, 0, block_count(r));
    r->relisted = false;
    find_planes(r);
    r->final = true;
    for (int round = 0; round < ROUNDS && r->plane_count > 0; ++round) {
        keep_sides(r);
        if (!list(r, report)) break;
        stir(r);
        if (find_planes(r) == 0) break;
    }
    if (r->plane_count == 0 && stir(r)) find_planes(r);
    report->kept = r->plane_count;
}

/// Stiction: while a pose is held, a pressed point that would move by less than a little stays put. Pairs and planes are
/// recomputed in every substep, and what they disagree by would keep it trembling.
static void stick(const planes_run* r)
{
    for (uint32_t k = 0; k < r->p->point_count; ++k) {
        uint32_t* held = &r->burdens[k].held_for;
        *held = !r->m.header->pose_held ? 0 : *held < PLANES_SETTLE ? *held + 1 : *held;
        if (*held < PLANES_SETTLE) continue;
        sup_vec3 from = place(r->from, k);
        bool     pressed = r->m.place_of[k] != SUP_NONE || v3_length2(r->m.pushed[k]) > 0;
        if (pressed && v3_distance(place(r->x, k), from) < PLANES_STICK * r->p->units[k]) sup_particle_pin(&r->x[k], from);
    }
}

sup_planes_report sup_planes_keep(const sup_planes* p, const sup_planes_call* call, const sup_vec4* from, sup_vec4* x)
{
    sup_planes_report report = { 0 };
    planes_run        r = { .p = p, .call = call, .from = from, .x = x, .burdens = call->state };
    r.m = sup_planes_divide(p, call->scratch, NULL);
    r.m.header->done++;
    report.crowded = r.m.header->crowded || !list(&r, &report);
    r.m.header->crowded = report.crowded;
    report.watched = r.m.header->pair_count;
    if (report.crowded) return report;
    settle(&r, &report);
    stick(&r);
    release(&r, &report);
    r.m.header->held_count = r.touched_count;
    for (uint32_t i = 0; i < p->twin_count; ++i) {
        sup_vec4  to = x[p->twins[2 * i + 1]];
        sup_vec4* at = &x[p->twins[2 * i]];
        at->x = to.x, at->y = to.y, at->z = to.z;
    }
    return report;
}
