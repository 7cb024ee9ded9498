// Points of the skin against spheres, capsules and meshes, and its triangles against balls and capsules that are smaller than
// its edges and would slip between the points. All tests run in the body's own space, where the body is at rest and a point
// moves along a straight line.
#include "solve/contact/contact_internal.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 32, STACK = 64 };
// Round bodies smaller than this many mean edges also touch triangles: larger ones do not fit between three points.
#define CONTACT_SMALL_BODY 0.75f

struct sup_solid_mesh {
    uint32_t        point_count;
    bool            closed;
    const sup_vec3* points;
    sup_bvh         bvh;
    const sup_box*  nodes; // at rest
};

sup_result sup_solid_mesh_create(const sup_vec3* points, uint32_t point_count, const uint32_t* triangles,
                                 uint32_t triangle_count, bool closed, sup_arena* arena, const sup_solid_mesh** out,
                                 sup_error* error)
{
    sup_solid_mesh* m = SUP_NEW(arena, sup_solid_mesh, 1);
    sup_vec3*       copy = sup_arena_copy(arena, points, point_count, sizeof *points);
    if (!m || !copy) return sup_fail_memory(error, "a body that presses on the skin");
    *m = (sup_solid_mesh){ .point_count = point_count, .closed = closed, .points = copy };
    sup_result result = sup_bvh_create(copy, triangles, triangle_count, arena, &m->bvh, error);
    if (result != SUP_OK) return result;
    sup_box* nodes = SUP_NEW(arena, sup_box, 2 * (size_t)m->bvh.leaf_count);
    sup_box* slots = SUP_NEW(arena, sup_box, triangle_count);
    if (!nodes || !slots) return sup_fail_memory(error, "a body that presses on the skin");
    sup_bvh_refit(&m->bvh, copy, NULL, nodes, slots);
    m->nodes = nodes;
    *out = m;
    return SUP_OK;
}

size_t sup_solid_mesh_bytes(const sup_solid_mesh* m) { return sup_align(2 * (size_t)m->bvh.leaf_count * sizeof(sup_box), 64); }

// ---------------------------------------------------------------------------------------------- one body under search

typedef struct probe {
    const contact_search* s;
    const sup_solid*      solid;
    uint32_t              index;
    sup_affine            from_start, from_end; // the world to the body's space
    const sup_vec3 *      start, *end;          // the mesh's points there
    const sup_box*        nodes;
    sup_box               box; // one per point that may touch; `solid` is SUP_NONE where it does not
    contact_body*         out; // one per point that may touch; `solid` SUP_NONE: it does not
} probe;

static sup_vec3 move_corner(const probe* p, uint32_t point, float time)
{
    return v3_lerp(p->start[point], p->end[point], time);
}

// ---------------------------------------------------------------------------------------------- round bodies

static sup_vec3 core_of(const sup_solid* b, sup_vec3 q)
{
    if (b->kind == SUP_SOLID_SPHERE) return b->a;
    sup_vec3 line = v3_sub(b->b, b->a);
    float    square = v3_length2(line);
    return square > 0 ? v3_mad(b->a, sup_clampf(v3_dot(v3_sub(q, b->a), line) / square, 0, 1), line) : b->a;
}

static float round_distance(const sup_solid* b, sup_vec3 q) { return v3_distance(q, core_of(b, q)) - b->radius; }

/// Where the path enters the body, by sphere tracing: each step is as long as the remaining distance, so none overshoots.
static bool enters_round(const sup_solid* b, sup_vec3 q0, sup_vec3 q1, sup_vec3* at)
{
    enum { STEPS = 48 };
    float length = v3_distance(q0, q1), t = 0, near = 1e-3f * b->radius;
    if (!(length > 0) || !(round_distance(b, q0) > 0)) return false;
    for (int i = 0; i < STEPS; ++i) {
        *at = v3_lerp(q0, q1, t);
        float left = round_distance(b, *at);
        if (left < near) return true;
        t += left / length;
        if (!(t < 1)) return false;
    }
    return true; // grazing: as near as the steps get
}

static bool probe_round(const probe* p, sup_vec3 q0, sup_vec3 q1, float unit, contact_body* out)
{
    const sup_solid* b = p->solid;
    sup_vec3         at, core = core_of(b, q1), normal = v3_normalize(v3_sub(q1, core), v3(0, 0, 0));
    float            left = v3_distance(q1, core) - b->radius;
    bool             entered = enters_round(b, q0, q1, &at), passed = false;
    if (entered) {
        sup_vec3 entry = v3_normalize(v3_sub(at, core_of(b, at)), normal);
        passed = left > 0 || v3_dot(entry, normal) < 0; // through, or past the center
        if (passed) normal = entry;
    }
    if (!passed && !(left < p->s->c->margin * unit)) return false;
    if (!(v3_length2(normal) > 0)) normal = v3_normalize(v3_sub(q0, core), v3(0, 0, 1)); // at the exact center: back
    out->normal = normal;
    out->anchor_start = out->anchor_end = passed ? at : v3_mad(core, b->radius, normal);
    out->round = passed ? 0 : CONTACT_ROUND;
    out->swept = passed;
    return true;
}

// ---------------------------------------------------------------------------------------------- meshes

typedef struct nearest {
    float    square, facing; // facing: how squarely the triangle faces the point, to choose between those that share a corner
    uint32_t slot;
    float    weights[3];
} nearest;

static float box_square(const sup_box* b, sup_vec3 q)
{
    float sum = 0;
    if (!(b->min[0] <= b->max[0])) return INFINITY;
    for (int k = 0; k < 3; ++k) {
        float x = (&q.x)[k], away = x < b->min[k] ? b->min[k] - x : x > b->max[k] ? x - b->max[k] : 0;
        sum += away * away;
    }
    return sum;
}

static void try_triangle(const probe* p, uint32_t slot, sup_vec3 q, nearest* best)
{
    const uint32_t* c = p->solid->mesh->bvh.corners + 3 * (size_t)slot;
    nearest         n = { .slot = slot };
    sup_vec3        x[3] = { p->end[c[0]], p->end[c[1]], p->end[c[2]] };
    n.square = sup_contact_triangle_square(q, x[0], x[1], x[2], n.weights);
    if (!(n.square <= best->square * 1.0001f)) return;
    sup_vec3 at = v3_add(v3_add(v3_scale(x[0], n.weights[0]), v3_scale(x[1], n.weights[1])), v3_scale(x[2], n.weights[2]));
    sup_vec3 face = v3_normalize(v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0])), v3(0, 0, 0));
    n.facing = fabsf(v3_dot(v3_normalize(v3_sub(q, at), face), face));
    if (n.square < best->square * 0.9999f || n.facing > best->facing) *best = n;
}

static nearest find_nearest(const probe* p, sup_vec3 q, float limit)
{
    const sup_bvh* b = &p->solid->mesh->bvh;
    uint32_t       stack[STACK], depth = 0;
    nearest        best = { .square = limit * limit, .facing = -1, .slot = SUP_NONE };
    stack[depth++] = 1;
    while (depth > 0) {
        uint32_t node = stack[--depth];
        if (!(box_square(&p->nodes[node], q) <= best.square * 1.0001f)) continue;
        if (node >= b->leaf_count) {
            for (uint32_t s = b->leaf_begin[node - b->leaf_count]; s < b->leaf_begin[node - b->leaf_count + 1]; ++s)
                try_triangle(p, s, q, &best);
            continue;
        }
        bool right_first = box_square(&p->nodes[2 * (size_t)node + 1], q) < box_square(&p->nodes[2 * (size_t)node], q);
        stack[depth++] = 2 * node + !right_first;
        stack[depth++] = 2 * node + right_first;
    }
    return best;
}

/// The path of a point through a moving triangle, from the front (`turn` 1: from behind).
static bool passes(const probe* p, const uint32_t* c, sup_vec3 q0, sup_vec3 q1, int turn, float* time, sup_touch* touch)
{
    uint32_t       b = turn ? c[2] : c[1], d = turn ? c[1] : c[2];
    const sup_vec3 from[4] = { p->start[c[0]], p->start[b], p->start[d], q0 },
                   to[4] = { p->end[c[0]], p->end[b], p->end[d], q1 };
    if (!sup_contact_crossing(from, to, time)) return false;
    if (!sup_point_triangle(v3_lerp(q0, q1, *time), move_corner(p, c[0], *time), move_corner(p, c[1], *time),
                            move_corner(p, c[2], *time), turn ? -1.0f : 1.0f, touch))
        return false;
    return touch->weights[1] <= CONTACT_SLACK && touch->weights[2] <= CONTACT_SLACK && touch->weights[3] <= CONTACT_SLACK;
}

/// The first triangle on the path, or SUP_NONE.
static uint32_t find_passage(const probe* p, sup_vec3 q0, sup_vec3 q1, int* turn, sup_touch* touch)
{
    const sup_solid_mesh* m = p->solid->mesh;
    uint32_t              stack[STACK], depth = 0, found = SUP_NONE;
    sup_vec3              low = v3_min(q0, q1), high = v3_max(q0, q1);
    const sup_box         way = { { low.x, low.y, low.z }, { high.x, high.y, high.z } };
    float                 first = 2;
    stack[depth++] = 1;
    while (depth > 0) {
        uint32_t node = stack[--depth];
        if (!sup_box_overlap(&p->nodes[node], &way)) continue;
        if (node < m->bvh.leaf_count) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        for (uint32_t s = m->bvh.leaf_begin[node - m->bvh.leaf_count]; s < m->bvh.leaf_begin[node - m->bvh.leaf_count + 1]; ++s)
            for (int side = 0; side < (m->closed ? 1 : 2); ++side) {
                sup_touch t;
                float     time;
                if (!passes(p, m->bvh.corners + 3 * (size_t)s, q0, q1, side, &time, &t) || !(time < first)) continue;
                first = time;
                found = s;
                *turn = side;
                *touch = t;
            }
    }
    return found;
}

static void anchor_at(const probe* p, uint32_t slot, const float weights[3], contact_body* out)
{
    const uint32_t* c = p->solid->mesh->bvh.corners + 3 * (size_t)slot;
    out->anchor_start = out->anchor_end = v3(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        out->anchor_start = v3_mad(out->anchor_start, weights[k], p->start[c[k]]);
        out->anchor_end = v3_mad(out->anchor_end, weights[k], p->end[c[k]]);
    }
}

static sup_vec3 face_at_end(const probe* p, uint32_t slot)
{
    const uint32_t* c = p->solid->mesh->bvh.corners + 3 * (size_t)slot;
    return v3_normalize(v3_cross(v3_sub(p->end[c[1]], p->end[c[0]]), v3_sub(p->end[c[2]], p->end[c[0]])), v3(0, 0, 0));
}

static bool probe_mesh(const probe* p, sup_vec3 q0, sup_vec3 q1, float unit, contact_body* out)
{
    const sup_solid_mesh* m = p->solid->mesh;
    sup_touch             touch = { 0 };
    int                   turn = 0;
    out->round = 0;
    uint32_t slot = find_passage(p, q0, q1, &turn, &touch);
    if (slot != SUP_NONE) {
        const float weights[3] = { -touch.weights[1], -touch.weights[2], -touch.weights[3] };
        anchor_at(p, slot, weights, out);
        out->normal = v3_scale(face_at_end(p, slot), turn ? -1.0f : 1.0f);
        out->swept = v3_dot(v3_sub(q1, out->anchor_end), out->normal) < -p->s->c->reach * unit;
        return v3_length2(out->normal) > 0;
    }
    bool    boxed = m->closed && box_square(&p->box, q1) == 0; // it may be inside, at any depth
    nearest n = find_nearest(p, q1, boxed ? INFINITY : p->s->c->margin * unit);
    if (n.slot == SUP_NONE) return false;
    anchor_at(p, n.slot, n.weights, out);
    sup_vec3 away = v3_sub(q1, out->anchor_end), face = face_at_end(p, n.slot), old = v3_sub(q0, out->anchor_start);
    float    side = m->closed ? v3_dot(away, face) : v3_dot(old, face); // an open mesh pushes toward the side the point was on
    if (m->closed && side >= 0 && !(n.square < p->s->c->margin * unit * p->s->c->margin * unit)) return false;
    if (m->closed) out->normal = v3_scale(v3_normalize(away, face), side < 0 ? -1.0f : 1.0f);
    else out->normal = v3_scale(face, side < 0 ? -1.0f : 1.0f);
    if (n.square < 1e-8f * unit * unit) out->normal = v3_scale(face, m->closed || side >= 0 ? 1.0f : -1.0f);
    out->swept = 0;
    return v3_length2(out->normal) > 0;
}

// ---------------------------------------------------------------------------------------------- all points

static void probe_points(void* data, uint32_t begin, uint32_t end)
{
    const probe* p = data;
    for (uint32_t i = begin; i < end; ++i) {
        contact_body* b = &p->out[i];
        uint32_t      point = b->point;
        sup_vec3      q0 = affine_point(&p->from_start, sup_particle_place(&p->s->from[point]));
        sup_vec3      q1 = affine_point(&p->from_end, sup_particle_place(&p->s->to[point]));
        float         unit = p->s->c->units[point];
        bool          found = v3_finite(q0) && v3_finite(q1);
        *b = (contact_body){
            .point = point, .solid = SUP_NONE, .others = { SUP_NONE, SUP_NONE }, .shares = { 1 }, .unit = unit
        };
        if (found) found = p->solid->kind == SUP_SOLID_MESH ? probe_mesh(p, q0, q1, unit, b) : probe_round(p, q0, q1, unit, b);
        if (found) b->solid = p->index;
    }
}

// ---------------------------------------------------------------------------------------------- small round bodies

/// The place of a triangle nearest to the core of a round body, and its squared distance. A capsule's core is a segment: its
/// projection and the place are found by alternating.
static float nearest_place(const sup_solid* b, const sup_vec3 x[3], float weights[3])
{
    enum { TURNS = 4 };
    sup_vec3 core = core_of(b, v3_scale(v3_add(v3_add(x[0], x[1]), x[2]), 1.0f / 3));
    float    square = 0;
    for (int i = 0; i < (b->kind == SUP_SOLID_SPHERE ? 1 : TURNS); ++i) {
        square = sup_contact_triangle_square(core, x[0], x[1], x[2], weights);
        core = core_of(b, v3_mad(v3_mad(v3_scale(x[0], weights[0]), weights[1], x[1]), weights[2], x[2]));
    }
    return square;
}

/// Where the core meets a triangle, in the body's space: where it passes through during the step (true), otherwise where it
/// comes nearest at one end of the step.
static bool meet(const sup_solid* b, const sup_vec3 from[3], const sup_vec3 to[3], float margin, float weights[3])
{
    float     before[3], time;
    sup_vec3  at[3];
    sup_touch touch;
    nearest_place(b, to, weights);
    if (sqrtf(nearest_place(b, from, before)) < b->radius + margin) memcpy(weights, before, sizeof before);
    sup_vec3 core = core_of(b, v3_mad(v3_mad(v3_scale(to[0], weights[0]), weights[1], to[1]), weights[2], to[2]));
    for (int turn = 0; turn < 2; ++turn) {
        int            k = turn ? 2 : 1, l = turn ? 1 : 2;
        const sup_vec3 begin[4] = { from[0], from[k], from[l], core }, end[4] = { to[0], to[k], to[l], core };
        if (!sup_contact_crossing(begin, end, &time)) continue;
        for (int i = 0; i < 3; ++i) at[i] = v3_lerp(from[i], to[i], time);
        if (!sup_point_triangle(core, at[0], at[1], at[2], turn ? -1.0f : 1.0f, &touch)) continue;
        const float* w = touch.weights;
        if (!(w[1] <= CONTACT_SLACK && w[2] <= CONTACT_SLACK && w[3] <= CONTACT_SLACK)) continue;
        for (int i = 0; i < 3; ++i) weights[i] = -w[i + 1];
        return true;
    }
    return false;
}

/// Skin that leaves springs back, through so small a body, before the step is over: so it is held where it is near at either
/// end, by the plane on the side where it was.
static bool probe_place(const probe* p, sup_vec3 q0, sup_vec3 q1, float unit, bool crossed, contact_body* out)
{
    const sup_solid* b = p->solid;
    sup_vec3         at, first = core_of(b, q0), last = core_of(b, q1);
    sup_vec3         before = v3_normalize(v3_sub(q0, first), v3(0, 0, 0)), after = v3_normalize(v3_sub(q1, last), before);
    float            margin = p->s->c->margin * unit, start = round_distance(b, q0), end = round_distance(b, q1);
    bool             entered = crossed || !(start > 0) || enters_round(b, q0, q1, &at);
    if (!entered && !(start < margin) && !(end < margin)) return false;
    bool stays = !(start < margin) && end < margin && v3_dot(before, after) >= CONTACT_TURNED;
    out->normal = stays ? after : before;
    out->anchor_start = out->anchor_end = v3_mad(stays ? last : first, b->radius, out->normal);
    out->swept = entered && !stays && !(start < margin);
    out->round = out->swept ? 0 : CONTACT_ROUND_IN_FRONT;
    return v3_length2(out->normal) > 0;
}

static void probe_faces(void* data, uint32_t begin, uint32_t end)
{
    const probe* p = data;
    for (uint32_t i = begin; i < end; ++i) {
        contact_body*   b = &p->out[i];
        uint32_t        slot = b->point;
        const uint32_t* c = p->s->c->bvh.corners + 3 * (size_t)slot;
        sup_vec3        from[3], to[3], q0 = v3(0, 0, 0), q1 = v3(0, 0, 0);
        float           unit = p->s->c->slot_units[slot], w[3];
        *b = (contact_body){ .point = c[0], .solid = SUP_NONE, .others = { c[1], c[2] }, .unit = unit };
        for (int k = 0; k < 3; ++k) {
            from[k] = affine_point(&p->from_start, sup_particle_place(&p->s->from[c[k]]));
            to[k] = affine_point(&p->from_end, sup_particle_place(&p->s->to[c[k]]));
        }
        bool crossed = meet(p->solid, from, to, p->s->c->margin * unit, w);
        for (int k = 0; k < 3; ++k) {
            b->shares[k] = w[k];
            q0 = v3_mad(q0, w[k], from[k]), q1 = v3_mad(q1, w[k], to[k]);
        }
        if (v3_finite(q0) && v3_finite(q1) && probe_place(p, q0, q1, unit, crossed, b)) b->solid = p->index;
    }
}

/// The world box around a body's own box at both ends of the step (the start shifted along with the skin).
static sup_box world_box(const probe* p, sup_vec3 low, sup_vec3 high, float grow)
{
    sup_box box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (int corner = 0; corner < 8; ++corner) {
        sup_vec3 q = v3(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z);
        sup_vec3 at[2] = { v3_add(affine_point(&p->solid->start, q), p->s->shift), affine_point(&p->solid->end, q) };
        for (int e = 0; e < 2; ++e)
            for (int k = 0; k < 3; ++k) {
                box.min[k] = fminf(box.min[k], (&at[e].x)[k] - grow);
                box.max[k] = fmaxf(box.max[k], (&at[e].x)[k] + grow);
            }
    }
    return box;
}

static bool lane_overlaps(const contact_pack* p, uint32_t lane, const sup_box* box)
{
    for (int k = 0; k < 3; ++k)
        if (!(p->min[k][lane] <= box->max[k]) || !(box->min[k] <= p->max[k][lane])) return false;
    return true;
}

/// Free points in slots whose boxes overlap the body's, in hierarchy order. With `faces`, the slots themselves in place of
/// points, where the body is smaller than the edges.
static uint32_t collect(const probe* p, const sup_box* own, bool faces, uint32_t capacity, uint32_t* lost)
{
    const contact_search* s = p->s;
    const sup_bvh*        b = &s->c->bvh;
    uint32_t              stack[STACK], depth = 0, count = 0;
    stack[depth++] = 1;
    while (depth > 0) {
        uint32_t node = stack[--depth];
        if (!sup_box_overlap(&s->m.nodes[node], own)) continue;
        if (node < s->c->pack_count) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        uint32_t            pack = node - s->c->pack_count, first = contact_pack_begin(s->c, pack);
        const contact_pack* lanes = &s->m.packs[pack];
        for (uint32_t slot = first; slot < contact_pack_begin(s->c, pack + 1); ++slot) {
            if (!lane_overlaps(lanes, slot - first, own)) continue;
            uint32_t wanted[3], wanted_count = 0;
            bool     flat = s->c->owns[slot] & OWN_FLAT;
            if (faces && !flat && p->solid->radius < CONTACT_SMALL_BODY * s->c->slot_units[slot]) wanted[wanted_count++] = slot;
            for (uint32_t k = 0; k < 3 && !faces; ++k) {
                uint32_t point = b->corners[3 * (size_t)slot + k];
                if (s->c->owns[slot] & OWN_POINT << k && s->from[point].w > 0) wanted[wanted_count++] = point;
            }
            for (uint32_t k = 0; k < wanted_count; ++k)
                if (count < capacity) p->out[count++].point = wanted[k];
                else ++*lost;
        }
    }
    return count;
}

/// Boxes that cover both ends of the step, for a mesh whose points move.
static void sweep_mesh(probe* p, sup_box* nodes)
{
    const sup_bvh* b = &p->solid->mesh->bvh;
    for (uint32_t n = 2 * b->leaf_count; n-- > 1;) {
        sup_box  box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
        uint32_t begin = n >= b->leaf_count ? 3 * b->leaf_begin[n - b->leaf_count] : 0;
        uint32_t end = n >= b->leaf_count ? 3 * b->leaf_begin[n - b->leaf_count + 1] : 0;
        for (uint32_t i = begin; i < end; ++i)
            for (int e = 0; e < 2; ++e) {
                sup_vec3 q = e ? p->end[b->corners[i]] : p->start[b->corners[i]];
                for (int k = 0; k < 3; ++k) {
                    box.min[k] = fminf(box.min[k], (&q.x)[k]);
                    box.max[k] = fmaxf(box.max[k], (&q.x)[k]);
                }
            }
        for (uint32_t c = 2 * n; n < b->leaf_count && c < 2 * n + 2; ++c)
            for (int k = 0; k < 3; ++k) {
                box.min[k] = fminf(box.min[k], nodes[c].min[k]);
                box.max[k] = fmaxf(box.max[k], nodes[c].max[k]);
            }
        nodes[n] = box;
    }
    p->nodes = nodes;
}

/// False if there is no body: no triangles, or an invalid transform.
static bool make_probe(probe* p, sup_box* box, uint8_t** room)
{
    const sup_solid* b = p->solid;
    sup_vec3         low, high;
    if (!affine_invert(&b->start, &p->from_start) || !affine_invert(&b->end, &p->from_end)) return false;
    if (b->kind == SUP_SOLID_MESH) {
        if (!b->mesh || b->mesh->bvh.triangle_count == 0) return false;
        p->start = b->points_start ? b->points_start : b->points ? b->points : b->mesh->points;
        p->end = b->points ? b->points : b->mesh->points;
        p->nodes = b->mesh->nodes;
        if (b->points) {
            sweep_mesh(p, (sup_box*)(void*)*room);
            *room += sup_solid_mesh_bytes(b->mesh);
        }
        p->box = p->nodes[1];
        if (!(p->box.min[0] <= p->box.max[0])) return false;
        low = v3(p->box.min[0], p->box.min[1], p->box.min[2]);
        high = v3(p->box.max[0], p->box.max[1], p->box.max[2]);
    } else {
        sup_vec3 r = v3(b->radius, b->radius, b->radius), far = b->kind == SUP_SOLID_CAPSULE ? b->b : b->a;
        low = v3_sub(v3_min(b->a, far), r);
        high = v3_add(v3_max(b->a, far), r);
    }
    // The skin's boxes already include part of the margin.
    float more = fmaxf(p->s->c->margin - p->s->c->grow, 0) * p->s->c->unit_max;
    *box = world_box(p, low, high, more);
    return isfinite(box->min[0] + box->max[0] + box->min[1] + box->max[1] + box->min[2] + box->max[2]);
}

void sup_contact_find_bodies(contact_search* s, uint32_t solid_count, const sup_solid* solids, sup_contact_report* report)
{
    uint8_t*        room = s->m.solid_scratch;
    contact_header* h = s->m.header;
    memcpy(s->m.solids, solids, solid_count * sizeof *solids);
    h->solid_count = solid_count;
    for (uint32_t i = 0; i < solid_count; ++i) {
        probe   p = { .s = s, .solid = &solids[i], .index = i };
        sup_box box;
        if (!make_probe(&p, &box, &room)) continue;
        for (int faces = 0; faces < (p.solid->kind == SUP_SOLID_MESH ? 1 : 2); ++faces) {
            p.out = s->m.bodies + h->body_count;
            uint32_t count = collect(&p, &box, faces, s->c->point_count - h->body_count, &report->lost);
            sup_tasks_run(s->call->tasks, count, GRAIN, faces ? probe_faces : probe_points, &p);
            for (uint32_t k = 0; k < count; ++k)
                if (p.out[k].solid != SUP_NONE) {
                    report->swept += p.out[k].swept;
                    s->m.bodies[h->body_count++] = p.out[k];
                }
        }
    }
    report->listed = h->body_count;
}
