// Retreat. In the end nobody shall get more crossings than skinning alone has. Where untangling leaves more, the skin goes back
// towards the skinned one: there first, then in wider surroundings, and were it all in vain, everywhere.
//
// Pairs that cross are told apart by clusters: triangles that hang together by pairs or corners, of the skin and of the skinned
// one alike. Clusters of more pairs than skinning has there retreat, by the corners of those pairs that skinning does not
// cross. (All such corners of the body, and what was won at a knee is lost for a few pairs in a toe. All such clusters, even
// while the body as a whole is less crossed than the skinned one, and limbs that contacts hold apart go into each other.)
//
// What a body of the world presses in stays: skinning knows nothing of bodies, and would put it inside.
#include "geom/intersect.h"
#include "solve/contact_untangle.h"

#include <string.h>

static const float step = 0.25f;  // of the way to the skinned skin, each round
static const float spread = 0.7f; // of that for each edge away
static const float least = 0.05f; // colder points stay
static const float close = 0.02f; // mean edges: what is nearer goes all the way, or the rounding of places decides what crosses
enum { ROUNDS = 16 };

static uint32_t cluster_of(const untangling* u, uint32_t point)
{
    uint32_t* to = u->m.clusters;
    while (to[point] != point) point = to[point] = to[to[point]];
    return point;
}

static void join_corners(untangling* u, const uint32_t slots[2])
{
    const uint32_t* corners = u->c->bvh.corners;
    uint32_t        root = cluster_of(u, corners[3 * (size_t)slots[0]]);
    for (uint32_t i = 1; i < 6; ++i) {
        uint32_t other = cluster_of(u, corners[3 * (size_t)slots[i / 3] + i % 3]);
        uint32_t low = other < root ? other : root, high = other < root ? root : other;
        u->m.clusters[high] = low;
        root = low;
    }
}

static void weigh_skinned(untangling* u, const uint32_t slots[2])
{
    join_corners(u, slots);
    ++u->m.crossed_skinned[u->c->bvh.corners[3 * (size_t)slots[0]]];
}

static bool cross_skinned(const untangling* u, const uint32_t slots[2])
{
    const uint32_t *p = u->c->bvh.corners + 3 * (size_t)slots[0], *q = u->c->bvh.corners + 3 * (size_t)slots[1];
    const sup_vec3  x[3] = { u->skinned[p[0]], u->skinned[p[1]], u->skinned[p[2]] };
    const sup_vec3  y[3] = { u->skinned[q[0]], u->skinned[q[1]], u->skinned[q[2]] };
    return sup_triangles_cross(x, y);
}

static void weigh_now(untangling* u, const uint32_t slots[2])
{
    join_corners(u, slots);
    ++u->m.added[u->c->bvh.corners[3 * (size_t)slots[0]]];
    if (!cross_skinned(u, slots)) sup_untangle_heat_pair(u, slots, step);
}

/// The points at bodies, and how many there are.
static uint32_t find_pressed(const untangling* u)
{
    const contact_memory* m = &u->m;
    memset(m->pressed, 0, u->c->point_count * sizeof *m->pressed);
    for (uint32_t i = 0; i < m->header->body_count; ++i) {
        const contact_body* b = &m->bodies[i];
        m->pressed[b->point] = true;
        for (int k = 0; k < 2; ++k)
            if (b->others[k] != SUP_NONE) m->pressed[b->others[k]] = true;
    }
    return m->header->body_count;
}

/// Leaves those points hot that shall go on. Returns how many pairs cross.
static uint32_t find_added(untangling* u)
{
    uint32_t n = u->c->point_count, kept = 0;
    int32_t* added = u->m.added;
    memset(u->m.hot, 0, n * sizeof *u->m.hot);
    memset(added, 0, n * sizeof *added);
    u->hot_count = 0;
    sup_untangle_refit(u, 0);
    u->seen = weigh_now;
    uint32_t count = sup_untangle_count(u);
    for (uint32_t i = 0; i < n; ++i) added[i] -= u->m.crossed_skinned[i];
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t root = cluster_of(u, i);
        if (root == i) continue;
        added[root] += added[i];
        added[i] = 0;
    }
    for (uint32_t i = 0; i < n; ++i)
        if (u->m.pressed[i]) added[cluster_of(u, i)] = 0;
    for (uint32_t i = 0; i < u->hot_count; ++i) {
        uint32_t p = u->m.hot_list[i];
        if (added[cluster_of(u, p)] > 0) u->m.hot_list[kept++] = p;
        else u->m.hot[p] = 0;
    }
    u->hot_count = kept;
    return count;
}

static void go_back(untangling* u, uint32_t p, float share)
{
    sup_vec3 way = v3_sub(u->skinned[p], sup_particle_place(&u->x[p]));
    if (!(u->x[p].w > 0) || u->m.pressed[p] || !v3_finite(way)) return;
    if (share < 1 && v3_length2(way) > close * close * u->c->units[p] * u->c->units[p]) sup_particle_move(&u->x[p], share, way);
    else sup_particle_pin(&u->x[p], u->skinned[p]);
}

uint32_t sup_contact_retreat(untangling* u, contact_heat* heats)
{
    uint32_t n = u->c->point_count, count = 0;
    for (uint32_t i = 0; i < n; ++i) u->m.clusters[i] = i;
    memset(u->m.crossed_skinned, 0, n * sizeof *u->m.crossed_skinned);
    uint32_t rounds = find_pressed(u) ? ROUNDS : ROUNDS + 1;
    u->all = true;
    u->seen = weigh_skinned;
    uint32_t most = sup_untangle_count_skinned(u);
    for (uint32_t i = 0; i < n; ++i)
        if (heats[i].retreated > 0) go_back(u, i, heats[i].retreated);
    for (uint32_t round = 0; round < rounds && find_added(u) > most && u->hot_count > 0 && !sup_untangle_crowded(u); ++round) {
        for (uint32_t ring = 0; ring < round + 2 && round < ROUNDS; ++ring) sup_untangle_spread(u, spread, least);
        for (uint32_t i = 0; i < n && round == ROUNDS; ++i) sup_untangle_heat(u, i, 1);
        for (uint32_t i = 0; i < u->hot_count; ++i) {
            uint32_t p = u->m.hot_list[i];
            go_back(u, p, u->m.hot[p]);
            heats[p].retreated += u->m.hot[p] * (1 - heats[p].retreated);
        }
    }
    for (uint32_t i = 0; i < n; ++i) count += heats[i].retreated > 0;
    u->all = false;
    u->seen = NULL;
    return count;
}
