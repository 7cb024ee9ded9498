// A substep: which pairs need a plane, the clusters they form and their motion, and how far each point may go.
#include "math/rotation.h"
#include "solve/planes_internal.h"

#include <math.h>
#include <string.h>

enum { GRAIN_POINTS = 512, GRAIN_BLOCKS = 16 };
enum { ROUNDS = 4, PASSES = 4 };
static const float within_half = 0.95f; // of the distance to the plane, that a point keeps of it when it is nearer than the gap
static const float upright = 1e-3f;     // share of a cluster's size by which it turns less: a line turns about itself at will
// A cluster is released when its planes have held it back by so many mean edges, in the mean over the points that they stopped
// and over as many substeps as the rate says; planes come back when nothing has crossed there for so many.
static const float release_held = 0.9f, held_rate = 0.05f, held_most = 10;
enum { RELEASE_CLEAR = 16, RELEASE_LONG = 240 };

// ---------------------------------------------------------------------------------------------- which pairs

static sup_vec3 place(const sup_vec4* x, uint32_t i) { return v3(x[i].x, x[i].y, x[i].z); }

static void corners_of(const planes_block* b, uint32_t lane, const sup_vec4* x, sup_vec3 out[6])
{
    for (int k = 0; k < 6; ++k) out[k] = place(x, b->corners[k][lane]);
}

static bool is_released(const planes_run* r, const planes_block* b, uint32_t lane)
{
    for (int k = 0; k < 6; ++k)
        if (r->burdens[b->corners[k][lane]].released) return true;
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

/// A pair that its direction does not show to be apart finds a better one, or is open: not apart to begin with. True: it needs
/// a plane, or it is open and spoils those of its cluster. Of what is released only what crosses now is told.
static bool look_closer(const planes_run* r, uint32_t block, uint32_t lane)
{
    planes_block* b = &r->m.blocks[block];
    sup_vec3      x[6], normal, middle;
    float         distance;
    bool          released = is_released(r, b, lane);
    if (released && !r->final) return false;
    corners_of(b, lane, released ? r->x : r->from, x);
    if (!sup_planes_between(x, x + 3, &distance, &normal, &middle)) {
        r->m.open[block] = (uint8_t)(r->m.open[block] | 1u << lane);
        b->distance[lane] = 0;
        return !released;
    }
    b->axis[0][lane] = normal.x, b->axis[1][lane] = normal.y, b->axis[2][lane] = normal.z;
    b->middle[0][lane] = middle.x, b->middle[1][lane] = middle.y, b->middle[2][lane] = middle.z;
    b->distance[lane] = distance;
    if (released) return false;
    corners_of(b, lane, r->x, x);
    float gap = gap_along(x, normal);
    return !(gap > 0 && (r->final || gap >= b->gap[lane]));
}

static uint32_t block_count(const planes_run* r) { return (r->m.header->pair_count + SUP_LANES - 1) / SUP_LANES; }

static void test_task(void* data, uint32_t begin, uint32_t end)
{
    const planes_run* r = data;
    SUP_WIDE_PICK(sup_planes_test)(r, begin, end);
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t real = r->m.header->pair_count - SUP_LANES * k, bits = r->m.doubtful[k] & ~r->m.planar[k];
        if (real < SUP_LANES) bits &= (1u << real) - 1;
        r->m.open[k] = 0;
        r->m.doubtful[k] = 0;
        for (; bits; bits &= bits - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits);
            if (look_closer(r, k, lane)) r->m.doubtful[k] = (uint8_t)(r->m.doubtful[k] | 1u << lane);
        }
    }
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

static uint32_t root_of(uint32_t* up, uint32_t i)
{
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

static void add_plane(planes_run* r, const planes_block* b, uint32_t lane)
{
    planes_plane* p = &r->m.planes[r->plane_count++];
    p->normal = v3(b->axis[0][lane], b->axis[1][lane], b->axis[2][lane]);
    p->at = v3(b->middle[0][lane], b->middle[1][lane], b->middle[2][lane]);
    p->half = 0.5f * b->distance[lane];
    p->gap = b->gap[lane];
    uint32_t root = SUP_NONE;
    for (int k = 0; k < 6; ++k) {
        touch(r, b->corners[k][lane]);
        p->corners[k] = r->m.place_of[b->corners[k][lane]];
        uint32_t other = root_of(r->m.cluster, p->corners[k]);
        if (root != SUP_NONE && other != root) r->m.cluster[other > root ? other : root] = other < root ? other : root;
        root = root == SUP_NONE || other < root ? other : root;
    }
}

/// Returns how many pairs have got a plane.
static uint32_t find_planes(planes_run* r)
{
    uint32_t count = 0, most = r->p->plane_room;
    sup_tasks_run(r->call->tasks, block_count(r), GRAIN_BLOCKS, test_task, r);
    for (uint32_t k = 0; k < block_count(r); ++k)
        for (uint32_t bits = r->m.doubtful[k]; bits && r->plane_count < most; bits &= bits - 1, ++count)
            add_plane(r, &r->m.blocks[k], (uint32_t)__builtin_ctz(bits));
    for (uint32_t k = 0; k < block_count(r); ++k) r->m.planar[k] |= r->m.doubtful[k];
    return count;
}

// ---------------------------------------------------------------------------------------------- clusters

static planes_group* group_of(const planes_run* r, uint32_t i) { return &r->m.groups[root_of(r->m.cluster, i)]; }

static void fit_groups(planes_run* r)
{
    const planes_memory* m = &r->m;
    memset(m->groups, 0, r->touched_count * sizeof *m->groups);
    for (uint32_t i = 0; i < r->touched_count; ++i) {
        planes_group*   g = group_of(r, i);
        const sup_vec4* f = &r->from[m->touched[i]];
        g->before[0] += (double)f->x, g->before[1] += (double)f->y, g->before[2] += (double)f->z;
        g->after[0] += (double)m->wanted[i].x, g->after[1] += (double)m->wanted[i].y, g->after[2] += (double)m->wanted[i].z;
        g->count++;
    }
    for (uint32_t i = 0; i < r->touched_count; ++i)
        for (int k = 0; k < 3 && m->groups[i].count; ++k)
            m->groups[i].before[k] /= m->groups[i].count, m->groups[i].after[k] /= m->groups[i].count;
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
    for (uint32_t i = 0; i < r->plane_count; ++i)
        if (!(m->planes[i].half > 0)) group_of(r, m->planes[i].corners[0])->open = true;
    for (uint32_t i = 0; i < r->touched_count; ++i) {
        planes_group* g = &m->groups[i];
        sup_mat3      a;
        if (!g->count) continue;
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

/// In its place, shifted to where both sides want it as far as there is room between them at the carried places.
static planes_plane carried_plane(const planes_run* r, const planes_plane* from)
{
    const planes_group* g = group_of(r, from->corners[0]);
    planes_plane        p = *from;
    p.normal = quat_rotate(g->turn, from->normal);
    p.at = carry(g, from->at);
    p.push = 0.5f * from->gap;
    p.gap = fminf(p.push, within_half * from->half);
    float low = INFINITY, high = -INFINITY, mass[2] = { 0, 0 };
    for (int k = 0; k < 6; ++k) {
        float h = v3_dot(p.normal, v3_sub(r->m.wanted[p.corners[k]], p.at));
        mass[k / 3] += r->x[r->m.touched[p.corners[k]]].w;
        if (k < 3) low = fminf(low, h);
        else high = fmaxf(high, h);
    }
    float all = mass[0] + mass[1], shift = all > 0 ? (mass[1] * low + mass[0] * high) / all : 0, most = p.half - p.gap;
    p.at = v3_mad(p.at, sup_clampf(shift, -most, most), p.normal);
    return p;
}

/// How far corner k is beyond what it must keep, below 0: on the wrong side.
static float room_of(const planes_plane* p, int k, sup_vec3 x)
{
    float h = v3_dot(p->normal, v3_sub(x, p->at));
    return (k < 3 ? h : -h) - p->gap;
}

static bool is_open(const planes_run* r, const planes_plane* p) { return group_of(r, p->corners[0])->open; }

static void project(planes_run* r, const planes_plane* p)
{
    if (is_open(r, p)) return;
    for (int k = 0; k < 6; ++k) {
        sup_vec3* x = &r->m.fixed[p->corners[k]];
        float     room = room_of(p, k, *x) + p->gap - p->push;
        if (room < 0 && is_free(r, p->corners[k])) *x = v3_mad(*x, k < 3 ? -room : room, p->normal);
    }
}

static void shorten(planes_run* r, const planes_plane* p)
{
    if (is_open(r, p)) return;
    for (int k = 0; k < 6; ++k) {
        uint32_t i = p->corners[k];
        float    there = room_of(p, k, r->m.fixed[i]), here = room_of(p, k, r->m.carried[i]);
        if (there >= 0 || !is_free(r, i)) continue;
        float share = here > 0 ? here / (here - there) : 0;
        r->m.share[i] = fminf(r->m.share[i], share);
    }
}

static void keep_sides(planes_run* r)
{
    planes_memory* m = &r->m;
    planes_plane*  placed = m->placed;
    fit_groups(r);
    for (uint32_t i = 0; i < r->touched_count; ++i) {
        m->carried[i] = carry(group_of(r, i), place(r->from, m->touched[i]));
        m->fixed[i] = m->wanted[i];
        m->share[i] = 1;
    }
    for (uint32_t i = 0; i < r->plane_count; ++i) placed[i] = carried_plane(r, &m->planes[i]);
    for (int pass = 0; pass < PASSES; ++pass)
        for (uint32_t i = 0; i < r->plane_count; ++i) project(r, &placed[i]);
    for (uint32_t i = 0; i < r->plane_count; ++i) shorten(r, &placed[i]);
    for (uint32_t i = 0; i < r->touched_count; ++i) {
        sup_vec3  to = m->share[i] < 1 ? v3_lerp(m->carried[i], m->fixed[i], m->share[i]) : m->fixed[i];
        sup_vec4* x = &r->x[m->touched[i]];
        if (is_free(r, i) && v3_finite(to)) x->x = to.x, x->y = to.y, x->z = to.z;
    }
}

// ---------------------------------------------------------------------------------------------- release

static void release(planes_run* r, sup_planes_report* report)
{
    const planes_memory* m = &r->m;
    for (uint32_t i = 0; i < r->p->point_count; ++i) {
        planes_burden* b = &r->burdens[i];
        b->held *= 1 - held_rate;
        b->since = b->released ? b->since + 1 : 0;
        if (b->released) b->released--;
    }
    for (uint32_t i = 0; i < r->touched_count; ++i) {
        uint32_t       point = m->touched[i];
        planes_burden* b = &r->burdens[point];
        float          held = v3_distance(place(r->x, point), m->wanted[i]) / r->p->units[point];
        b->held += held_rate * fminf(held, held_most);
        report->held += held > 0;
        if (m->share[i] < 1) {
            planes_group* g = group_of(r, i);
            g->held += b->held;
            g->held_count++;
        }
    }
    for (uint32_t i = 0; i < r->touched_count; ++i) {
        const planes_group* g = group_of(r, i);
        if (g->open || (g->held_count && g->held > release_held * (float)g->held_count))
            r->burdens[m->touched[i]].released = RELEASE_CLEAR;
    }
    for (uint32_t i = 0; i < r->plane_count; ++i) report->crossing += !(m->planes[i].half > 0);
    for (uint32_t k = 0; k < block_count(r); ++k)
        for (uint32_t bits = m->open[k] & ~m->planar[k]; bits; bits &= bits - 1) {
            const planes_block* b = &m->blocks[k];
            uint32_t            lane = (uint32_t)__builtin_ctz(bits);
            report->crossing++;
            for (int c = 0; c < 6; ++c) r->burdens[b->corners[c][lane]].released = RELEASE_CLEAR;
        }
    for (uint32_t i = 0; i < r->p->point_count; ++i) report->released += r->burdens[i].released > 0;
}

// ---------------------------------------------------------------------------------------------- a substep

static void stray_task(void* data, uint32_t begin, uint32_t end)
{
    planes_run* r = data;
    uint32_t    even = end - (end - begin) % SUP_LANES;
    float       most = SUP_WIDE_PICK(sup_planes_stray)(r, begin, even);
    for (uint32_t i = even; i < end; ++i) {
        sup_vec4 w = r->m.way[i];
        sup_vec3 off = v3_sub(place(r->x, i), v3_mad(place(r->m.begin, i), r->passed, v3(w.x, w.y, w.z)));
        float    over = v3_length2(off) - w.w;
        if (over > most) most = over;
    }
    r->m.strays[begin / GRAIN_POINTS] = most;
}

/// Is some point further from its expected way than the list allows for?
static bool strays(planes_run* r)
{
    bool any = false;
    r->passed = (float)(r->m.header->done - r->m.header->first);
    sup_tasks_run(r->call->tasks, r->p->point_count, GRAIN_POINTS, stray_task, r);
    for (uint32_t i = 0; i * GRAIN_POINTS < r->p->point_count; ++i) any |= r->m.strays[i] > 0;
    return any;
}

static bool list(planes_run* r, sup_planes_report* report)
{
    planes_header* h = r->m.header;
    if (h->listed && !strays(r)) return true;
    h->first = h->done - 1;
    r->ahead = (float)(h->substeps - h->first);
    h->listed = sup_planes_search(r);
    report->searches++;
    memset(r->m.planar, 0, block_count(r));
    return h->listed;
}

void sup_planes_released(const sup_planes* p, const void* state, bool* out)
{
    const planes_burden* burdens = state;
    for (uint32_t i = 0; i < p->point_count; ++i) out[i] = burdens[i].since > RELEASE_LONG;
    for (uint32_t i = 0; i < p->twin_count; ++i) out[p->twins[2 * i]] = out[p->twins[2 * i + 1]];
}

void sup_planes_begin(const sup_planes* p, const sup_planes_call* call, uint32_t substeps)
{
    planes_memory m = sup_planes_divide(p, call->scratch, NULL);
    *m.header = (planes_header){ .substeps = substeps };
}

static void settle(planes_run* r, sup_planes_report* report)
{
    memset(r->m.place_of, 0xff, r->p->point_count * sizeof *r->m.place_of);
    memset(r->m.planar, 0, block_count(r));
    find_planes(r);
    for (int round = 0; round < ROUNDS && r->plane_count > 0; ++round) {
        keep_sides(r);
        if (!list(r, report)) break;
        r->final = true;
        if (find_planes(r) == 0) break;
    }
    if (!r->final) {
        r->final = true;
        find_planes(r);
    }
    report->kept = r->plane_count;
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
    release(&r, &report);
    for (uint32_t i = 0; i < p->twin_count; ++i) {
        sup_vec4  to = x[p->twins[2 * i + 1]];
        sup_vec4* at = &x[p->twins[2 * i]];
        at->x = to.x, at->y = to.y, at->z = to.z;
    }
    return report;
}
