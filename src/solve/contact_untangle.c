// Untangling. Contacts look ahead and push a little; what has slipped through them all the same by the end of a step, at the
// bottom of a crease sharper than its edges, in a fold thrown up by a jolt, where bones press limbs into each other, has no
// sides any more for a contact to know. It is smoothed away before anyone sees it: corners of triangles that cross, and to a
// lesser degree points around them, go towards the middle of their neighbors, and contacts are solved again there, until
// nothing crosses or the rounds are over; then as much of that way is taken back as can be. The motion goes on from where the
// step left it: smoothing what moves throws tissue about. (Displacements smoothed against the skinned pose, which were tried
// first, bring its own crossings back.) What is left then retreats: contact_retreat.c.
#include "solve/contact_untangle.h"
#include "geom/intersect.h"

#include <math.h>
#include <string.h>

static const float warmth = 0.5f;   // of the way to the middle, where triangles cross
static const float spread = 0.25f;  // of that for each edge away, each round
static const float least = 0.02f;   // colder points stay
static const float squeezed = 0.5f; // of its length at rest that an edge keeps
static const float squeezed_least = 0.12f;
static const float yielding = 0.05f; // each round
static const float rounding = 1e-4f; // mean edges that a corner may seem to be off a plane
// More pairs than this, or what is still there after so many rounds, is no knot but limbs that bones hold in each other, or
// clothes. To part them is to flatten them: they are smoothed only as long as they cross in more places than skinning does.
enum { KNOT_PAIRS = 24, KNOT_ROUNDS = 2 };
// Pairs of packs and of triangles that a step may look at, for each triangle; characters with clothes ask for up to 120. A skin
// that is crumpled into one place, as by a joint of scale 0, would ask for all its pairs in each of the rounds. It is left as
// it is, and neither searched nor looked at again for one step, three, seven, and so on.
enum { TESTS_MOST = 500, WAITS_MOST = 63 };
enum { LOOK_EVERY = 8 }; // steps: then all is looked at, as what looks one way is not searched
enum { ROUNDS = 16, SWEEPS = 2, HALVINGS = 4, GRAIN_PACKS = 64, STACK = 64 };

/// Packs that are in a pair; those that have moved since they were measured; hot ones, which are paired with all
/// around them; and of these the ones that are not yet.
enum { WATCHED = 1, MOVED = 2, HOT = 4, NEW = 8 };

// ---------------------------------------------------------------------------------------------- what crosses

static void measure_pack(const untangling* u, uint32_t p)
{
    const sup_contact* c = u->c;
    contact_pack*      pack = &u->m.packs[p];
    uint32_t           first = contact_pack_begin(c, p), count = contact_pack_begin(c, p + 1) - first;
    memset(pack, 0, sizeof *pack);
    for (uint32_t lane = 0; lane < CONTACT_PACK; ++lane) {
        for (int k = 0; k < 3; ++k) pack->min[k][lane] = INFINITY, pack->max[k][lane] = -INFINITY;
        if (lane >= count || c->owns[first + lane] & OWN_FLAT) continue;
        const uint32_t* q = c->bvh.corners + 3 * (size_t)(first + lane);
        const sup_vec3  x[3] = { sup_particle_place(&u->x[q[0]]), sup_particle_place(&u->x[q[1]]),
                                 sup_particle_place(&u->x[q[2]]) };
        sup_vec3        low = v3_min(v3_min(x[0], x[1]), x[2]), high = v3_max(v3_max(x[0], x[1]), x[2]);
        sup_vec3        normal = v3_normalize(v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0])), v3(0, 0, 0));
        if (!v3_finite(x[0]) || !v3_finite(x[1]) || !v3_finite(x[2])) continue;
        for (int k = 0; k < 3; ++k) {
            pack->min[k][lane] = (&low.x)[k];
            pack->max[k][lane] = (&high.x)[k];
            pack->normal[k][lane] = (&normal.x)[k];
            for (int corner = 0; corner < 3; ++corner) pack->corners[corner][k][lane] = (&x[corner].x)[k];
        }
        pack->offset[lane] = v3_dot(normal, x[0]);
        pack->unit[lane] = c->slot_units[first + lane];
    }
}

static void measure_packs(void* data, uint32_t begin, uint32_t end)
{
    const untangling* u = data;
    for (uint32_t p = begin; p < end; ++p)
        if (u->m.watched[p] & MOVED) measure_pack(u, p);
}

static bool cross_now(const untangling* u, uint32_t a, uint32_t b)
{
    const sup_contact* c = u->c;
    const uint32_t *   p = c->bvh.corners + 3 * (size_t)a, *q = c->bvh.corners + 3 * (size_t)b;
    for (int i = 0; i < 3; ++i)
        if (p[i] == q[0] || p[i] == q[1] || p[i] == q[2]) return false;
    if (!u->all && c->crossing[a] && c->crossing[b]) return false;        // as they are at rest
    if (!u->all && sup_contact_pass_through(c, p[0], q[0])) return false; // tied
    sup_vec3 x[3], y[3];
    for (int k = 0; k < 3; ++k) x[k] = sup_particle_place(&u->x[p[k]]), y[k] = sup_particle_place(&u->x[q[k]]);
    return sup_triangles_cross(x, y);
}

/// Chunks [begin, end) of a wave, CHUNK pairs of packs each.
static void test_pairs(void* data, uint32_t begin, uint32_t end)
{
    const untangling* u = data;
    uint32_t          may[CONTACT_PACK];
    for (uint32_t chunk = begin; chunk < end; ++chunk) {
        uint32_t  first = u->first + chunk * CHUNK, last = first + CHUNK, count = 0, tests = 0;
        uint32_t* out = u->m.knots + 2 * (size_t)KNOTS * chunk;
        for (uint32_t i = first; i < last && i < u->pair_count; ++i) {
            uint32_t a = u->pairs[2 * (size_t)i], b = u->pairs[2 * (size_t)i + 1];
            if (!((u->m.watched[a] | u->m.watched[b]) & MOVED)) continue;
            ++tests;
            SUP_WIDE_PICK(sup_contact_sift_now)(&u->m.packs[a], &u->m.packs[b], rounding, may);
            for (uint32_t lane = 0; lane < CONTACT_PACK; ++lane)
                for (uint32_t k = a == b ? lane + 1 : 0; may[lane] >> k; ++k) {
                    uint32_t s = contact_pack_begin(u->c, a) + lane, t = contact_pack_begin(u->c, b) + k;
                    if (!(may[lane] >> k & 1)) continue;
                    ++tests;
                    if (!cross_now(u, s, t) || ++count > KNOTS) continue;
                    out[2 * count - 2] = s;
                    out[2 * count - 1] = t;
                }
        }
        u->m.counts[chunk] = count;
        u->m.counts[WAVE + chunk] = tests;
    }
}

// ---------------------------------------------------------------------------------------------- where it is smoothed

void sup_untangle_heat(untangling* u, uint32_t point, float to)
{
    float* h = &u->m.hot[point];
    if (!(to > *h)) return;
    if (*h <= CONTACT_TEPID) u->m.hot_list[u->hot_count++] = point;
    *h = to;
}

void sup_untangle_heat_pair(untangling* u, const uint32_t slots[2], float to)
{
    for (uint32_t i = 0; i < 6; ++i) sup_untangle_heat(u, u->c->bvh.corners[3 * (size_t)slots[i / 3] + i % 3], to);
}

static void heat_crossed(untangling* u, const uint32_t slots[2]) { sup_untangle_heat_pair(u, slots, warmth); }

/// The pairs of packs in u, those that have moved. What crosses is shown to `seen`.
static uint32_t test_all(untangling* u)
{
    uint32_t total = 0;
    for (u->first = 0; u->first < u->pair_count && !sup_untangle_crowded(u); u->first += PAIRS) {
        uint32_t left = u->pair_count - u->first, chunks = ((left < PAIRS ? left : PAIRS) + CHUNK - 1) / CHUNK;
        sup_tasks_run(u->call->tasks, chunks, 1, test_pairs, u);
        for (uint32_t k = 0; k < chunks; ++k) {
            total += u->m.counts[k];
            u->tests += u->m.counts[WAVE + k];
            for (uint32_t i = 0; i < u->m.counts[k] && i < KNOTS && u->seen; ++i)
                u->seen(u, u->m.knots + 2 * ((size_t)KNOTS * k + i));
        }
    }
    return total;
}

/// Of all that is watched.
static uint32_t find_crossings(untangling* u)
{
    sup_tasks_run(u->call->tasks, u->c->pack_count, GRAIN_PACKS, measure_packs, u);
    u->pairs = u->m.near;
    u->pair_count = u->m.header->near_count;
    uint32_t total = test_all(u);
    for (uint32_t p = 0; p < u->c->pack_count; ++p) u->m.watched[p] &= WATCHED | HOT;
    return total;
}

void sup_untangle_spread(untangling* u, float share, float coldest)
{
    const sup_contact* c = u->c;
    for (uint32_t i = 0, count = u->hot_count; i < count; ++i) {
        uint32_t p = u->m.hot_list[i];
        float    there = share * u->m.hot[p];
        if (!(there > coldest)) continue;
        for (uint32_t k = c->fan_begin[p]; k < c->fan_begin[p + 1]; ++k)
            for (uint32_t e = 0; e < 3; ++e) sup_untangle_heat(u, c->bvh.corners[3 * (size_t)c->fan[k] + e], there);
    }
}

static sup_vec3 middle_of(const untangling* u, uint32_t point)
{
    const sup_contact* c = u->c;
    sup_vec3           sum = v3(0, 0, 0);
    uint32_t           count = 0;
    for (uint32_t k = c->fan_begin[point]; k < c->fan_begin[point + 1]; ++k)
        for (uint32_t e = 0; e < 3; ++e) {
            uint32_t p = c->bvh.corners[3 * (size_t)c->fan[k] + e];
            if (p == point) continue;
            sum = v3_add(sum, sup_particle_place(&u->x[p]));
            ++count;
        }
    return v3_scale(sum, 1.0f / (float)count); // hot points are corners of triangles
}

static void smooth(untangling* u)
{
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (uint32_t i = 0; i < u->hot_count; ++i) {
            uint32_t p = u->m.hot_list[i];
            if (u->x[p].w > 0) sup_particle_move(&u->x[p], u->m.hot[p], v3_sub(middle_of(u, p), sup_particle_place(&u->x[p])));
        }
}

/// Edges at hot points that have become too short grow back: smoothing draws points together.
static void ease_edges(untangling* u, float share)
{
    const sup_contact* c = u->c;
    for (uint32_t i = 0; i < u->hot_count; ++i) {
        uint32_t p = u->m.hot_list[i];
        for (uint32_t k = c->fan_begin[p]; k < c->fan_begin[p + 1]; ++k)
            for (uint32_t e = 0; e < 3; ++e) {
                uint32_t q = c->bvh.corners[3 * (size_t)c->fan[k] + e];
                if (q == p) continue;
                sup_vec3 d = v3_sub(sup_particle_place(&u->x[p]), sup_particle_place(&u->x[q]));
                float    w = u->x[p].w + u->x[q].w, rest = share * v3_distance(c->rest[p], c->rest[q]), square = v3_length2(d);
                if (!(square < rest * rest) || !(square > 1e-12f * rest * rest) || !(w > 0)) continue;
                float grow = (rest / sqrtf(square) - 1) / w;
                sup_particle_move(&u->x[p], u->x[p].w * grow, d);
                sup_particle_move(&u->x[q], -u->x[q].w * grow, d);
            }
    }
}

/// The hottest corner of a pack.
static float pack_heat(const untangling* u, uint32_t p)
{
    uint32_t end = 3 * contact_pack_begin(u->c, p + 1);
    float    most = 0;
    for (uint32_t i = 3 * contact_pack_begin(u->c, p); i < end; ++i) most = contact_max(most, u->m.hot[u->c->bvh.corners[i]]);
    return most;
}

static void mark_moved(untangling* u)
{
    for (uint32_t p = 0; p < u->c->pack_count; ++p)
        if (u->m.watched[p] && pack_heat(u, p) > 0) u->m.watched[p] |= MOVED;
}

/// Pairs of a hot pack with all that its box of the search overlaps, but for hot ones that have been there.
static void pair_around(untangling* u, uint32_t pack)
{
    const sup_contact*  c = u->c;
    const contact_node *nodes = u->m.nodes, *own = &nodes[c->pack_count + pack];
    uint32_t            stack[STACK], depth = 0, *count = &u->m.header->near_count;
    stack[depth++] = 1;
    while (depth > 0) {
        uint32_t node = stack[--depth], other = node - c->pack_count;
        if (!contact_overlap(own->min, own->max, nodes[node].min, nodes[node].max)) continue;
        if (node < c->pack_count) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        bool been = u->m.watched[other] & HOT && !(u->m.watched[other] & NEW);
        if ((been && other != pack) || *count == contact_near_room(c)) continue;
        u->m.watched[other] |= WATCHED | MOVED;
        u->m.near[2 * (size_t)*count] = pack;
        u->m.near[2 * (size_t)(*count)++ + 1] = other;
    }
}

/// New hot packs are paired with all around them, instead of what the search has found for them.
static void watch_new(untangling* u)
{
    uint32_t *near = u->m.near, kept = 0;
    uint8_t*  watched = u->m.watched;
    for (uint32_t i = 0; i < u->m.header->near_count; ++i) {
        if ((watched[near[2 * i]] | watched[near[2 * i + 1]]) & NEW) continue;
        near[2 * kept] = near[2 * i];
        near[2 * kept++ + 1] = near[2 * i + 1];
    }
    u->m.header->near_count = kept;
    for (uint32_t p = 0; p < u->c->pack_count; ++p) {
        if (!(watched[p] & NEW)) continue;
        watched[p] &= (uint8_t)~NEW;
        pair_around(u, p);
    }
}

/// The search leaves out what looks one way, and of a crumpled place some does: where it is hot all is looked at.
static void watch_hot(untangling* u)
{
    bool any = false;
    for (uint32_t p = 0; p < u->c->pack_count; ++p)
        if (!(u->m.watched[p] & HOT) && pack_heat(u, p) > least) u->m.watched[p] |= HOT | NEW, any = true;
    if (any) watch_new(u);
}

static bool apart(sup_vec4 a, sup_vec4 b) { return a.x != b.x || a.y != b.y || a.z != b.z; }

/// Nor does it know of what begins elsewhere than where it expected it. And what was crossed before, without its knowing, is
/// warm.
static void watch_suspects(untangling* u, const sup_vec4* expected, const contact_heat* heats)
{
    bool any = false;
    for (uint32_t p = 0; p < u->c->pack_count; ++p) {
        uint32_t end = 3 * contact_pack_begin(u->c, p + 1);
        for (uint32_t i = 3 * contact_pack_begin(u->c, p); i < end && !(u->m.watched[p] & NEW); ++i) {
            uint32_t point = u->c->bvh.corners[i];
            if (heats[point].wanted > 0 || apart(u->x[point], expected[point])) u->m.watched[p] |= HOT | NEW, any = true;
        }
    }
    if (any) watch_new(u);
}

// ---------------------------------------------------------------------------------------------- all of it

/// A share of the way from where the step left the skin to where smoothing has brought it.
static void go_back(untangling* u, const sup_vec4* from, const sup_vec4* smoothed, float share)
{
    for (uint32_t i = 0; i < u->c->point_count; ++i)
        if (u->m.hot[i] > 0)
            sup_particle_pin(&u->x[i], v3_lerp(sup_particle_place(&from[i]), sup_particle_place(&smoothed[i]), share));
    mark_moved(u);
}

/// Smoothing overshoots. As much of its way is taken back as leaves no more than `count` pairs.
static uint32_t take_least(untangling* u, const sup_vec4* from, uint32_t count)
{
    sup_vec4* smoothed = u->m.smoothed;
    float     low = 0, high = 1;
    memcpy(smoothed, u->x, u->c->point_count * sizeof *smoothed);
    u->seen = NULL;
    for (int i = 0; i < HALVINGS; ++i) {
        float middle = 0.5f * (low + high);
        go_back(u, from, smoothed, middle);
        uint32_t there = find_crossings(u);
        if (there <= count) high = middle, count = there;
        else low = middle;
    }
    go_back(u, from, smoothed, high);
    return count;
}

void sup_untangle_refit(untangling* u, float room)
{
    const sup_contact* c = u->c;
    contact_node*      nodes = u->m.nodes;
    memset(u->m.watched, MOVED, c->pack_count);
    sup_tasks_run(u->call->tasks, c->pack_count, GRAIN_PACKS, measure_packs, u);
    for (uint32_t n = 2 * c->pack_count; n-- > 1;)
        for (int k = 0; k < 3; ++k) {
            const contact_pack* p = n < c->pack_count ? NULL : &u->m.packs[n - c->pack_count];
            float               low = p ? INFINITY : contact_min(nodes[2 * (size_t)n].min[k], nodes[2 * (size_t)n + 1].min[k]);
            float high = p ? -INFINITY : contact_max(nodes[2 * (size_t)n].max[k], nodes[2 * (size_t)n + 1].max[k]);
            for (int lane = 0; lane < CONTACT_PACK && p; ++lane) {
                float more = room * p->unit[lane];
                low = contact_min(low, p->min[k][lane] - more);
                high = contact_max(high, p->max[k][lane] + more);
            }
            nodes[n].min[k] = low;
            nodes[n].max[k] = high;
        }
}

uint32_t sup_untangle_count(untangling* u)
{
    const sup_contact*  c = u->c;
    const contact_node* nodes = u->m.nodes;
    uint32_t            stack[3 * STACK][2] = { { 1, 1 } }, depth = 1, total = 0;
    u->pairs = u->m.pairs;
    u->pair_count = 0;
    while (depth > 0 && !sup_untangle_crowded(u)) {
        uint32_t a = stack[--depth][0], b = stack[depth][1];
        if (a != b && !contact_overlap(nodes[a].min, nodes[a].max, nodes[b].min, nodes[b].max)) continue;
        for (uint32_t k = 4; k-- > 0 && a < c->pack_count;) {
            if (a == b && k == 2) continue; // the same pair the other way round
            stack[depth][0] = 2 * a + k / 2;
            stack[depth++][1] = 2 * b + k % 2;
        }
        if (a < c->pack_count) continue;
        u->m.pairs[2 * (size_t)u->pair_count] = a - c->pack_count;
        u->m.pairs[2 * (size_t)u->pair_count++ + 1] = b - c->pack_count;
        if (u->pair_count < PAIRS) continue;
        total += test_all(u);
        u->pair_count = 0;
    }
    return total + test_all(u);
}

static void watch_near(untangling* u)
{
    memset(u->m.watched, 0, u->c->pack_count);
    for (uint32_t i = 0; i < 2 * u->m.header->near_count; ++i) u->m.watched[u->m.near[i]] = WATCHED | MOVED;
}

uint32_t sup_untangle_count_skinned(untangling* u)
{
    sup_vec4* x = u->x;
    u->x = u->m.smoothed;
    for (uint32_t i = 0; i < u->c->point_count; ++i)
        u->x[i] = (sup_vec4){ u->skinned[i].x, u->skinned[i].y, u->skinned[i].z, 0 };
    sup_untangle_refit(u, 0);
    uint32_t count = sup_untangle_count(u);
    u->x = x;
    return count;
}

static uint32_t skinned_crossings(untangling* u)
{
    u->seen = NULL;
    uint32_t count = sup_untangle_count_skinned(u);
    sup_untangle_refit(u, 2 * u->c->grow);
    watch_near(u);
    u->seen = heat_crossed;
    return count;
}

/// Until nothing crosses, or no more than where skinning has it, or the rounds are over. Returns how many pairs still cross.
static uint32_t smooth_knots(untangling* u, const sup_vec4* from, void* state)
{
    const sup_contact* c = u->c;
    uint32_t           most = 0;
    u->seen = heat_crossed;
    memset(u->m.hot, 0, c->point_count * sizeof *u->m.hot);
    for (int round = 0;; ++round) {
        uint32_t count = find_crossings(u);
        if (round == 0) sup_contact_warm(c, state, u->m.hot_list, u->hot_count);
        if ((round == 0 && count > KNOT_PAIRS) || (round == KNOT_ROUNDS && most == 0)) most = skinned_crossings(u);
        if (sup_untangle_crowded(u)) return count;
        if (count <= most || round == ROUNDS) return round ? take_least(u, from, count) : count;
        sup_untangle_spread(u, spread, least);
        watch_hot(u);
        smooth(u);
        ease_edges(u, contact_max(squeezed - yielding * (float)round, squeezed_least));
        sup_contact_project_hot(c, u->call, u->m.hot, u->x);
        mark_moved(u);
    }
}

/// Finds what the search has overlooked, for the steps to come. Returns how many pairs.
static uint32_t look_around(untangling* u, void* state)
{
    memset(u->m.hot, 0, u->c->point_count * sizeof *u->m.hot);
    u->hot_count = 0;
    u->seen = heat_crossed;
    sup_untangle_refit(u, 0);
    uint32_t count = sup_untangle_count(u);
    sup_contact_warm(u->c, state, u->m.hot_list, u->hot_count);
    return count;
}

static bool any_retreated(const sup_contact* c, const contact_heat* heats)
{
    for (uint32_t i = 0; i < c->point_count; ++i)
        if (heats[i].retreated > 0) return true;
    return false;
}

static sup_contact_tangle untangle(untangling* u, const sup_vec4* from, const sup_vec4* begin, void* state)
{
    const sup_contact* c = u->c;
    sup_contact_tangle tangle = { 0 };
    contact_heat*      heats = sup_contact_heat(c, state);
    watch_near(u);
    watch_suspects(u, from, heats);
    if (u->m.header->near_count > 0) tangle.crossing = smooth_knots(u, begin, state);
    if (tangle.crossing == 0 && ((contact_habits*)state)->steps++ % LOOK_EVERY == 0) tangle.crossing = look_around(u, state);
    if (tangle.crossing == 0 && !c->crossed && !any_retreated(c, heats)) return tangle;
    tangle.retreated = sup_contact_retreat(u, heats);
    if (tangle.retreated == 0) return tangle;
    sup_untangle_refit(u, 0);
    tangle.crossing = sup_untangle_count(u);
    return tangle;
}

sup_contact_tangle sup_contact_untangle(const sup_contact* c, const sup_contact_call* call, const sup_vec4* from,
                                        const sup_vec4* begin, const sup_vec3* skinned, sup_vec4* x, void* state)
{
    untangling u = { .c = c, .call = call, .m = sup_contact_divide(c, call->scratch, NULL), .x = x, .skinned = skinned };
    sup_contact_tangle tangle = { .crowded = true };
    contact_habits*    habits = state;
    u.tests_most = TESTS_MOST * (uint64_t)c->bvh.triangle_count;
    if (!begin) begin = from;
    memcpy(x, begin, c->point_count * sizeof *x);
    if (c->crowded || ++habits->waited <= habits->waits) return tangle;
    habits->waited = 0;
    if (u.m.header->crowded) u.tests = u.tests_most + 1;
    else tangle = untangle(&u, from, begin, state);
    habits->waits = !sup_untangle_crowded(&u) ? 0 : habits->waits < WAITS_MOST ? 2 * habits->waits + 1 : WAITS_MOST;
    if (!habits->waits) return tangle;
    memcpy(x, begin, c->point_count * sizeof *x);
    return (sup_contact_tangle){ .crowded = true };
}
