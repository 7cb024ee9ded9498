// The skin against itself. Pairs of triangles that face each other and are near, or will be before the step ends, *press*:
// every iteration of the solver pushes them apart along the direction between their closest places at the start of the substep.
// Planes (planes_keep.c) hold the little that this misses.
//
//   gap  = min n . a - max n . b,                  a, b: corners of the first and of the second triangle
//   keep = min(thickness + what rides on both, distance at rest), approached by a twentieth of the deficit per substep
//   gap < keep: two planes are placed that far apart, and the corners beyond them are pushed back. Momentum decides where
//   between the triangles the planes stand: both sides get equal and opposite impulses.
//
// What lets a crease come to rest:
//   - The list of a step depends on positions alone, not on what presses.
//   - Directions are recomputed in every substep: older ones resist sliding in one step and not in the next.
//   - Pairs that lie obliquely to each other would press sideways, and a direction that barely separates two triangles presses
//     on what is far away. The strength of both fades, so no pair appears or vanishes from one substep to the next.
//   - Both sides get the same momentum. With a plane in the middle, one corner moves on one side and three on the other, which
//     adds energy: cesiumman's armpit swings at 70 Hz forever.
//   - In a deep crease a corner is in a dozen pairs that ask for different things. It moves by their mean, weighted by
//     strength. Leaning makes up the rest: in every substep a point is pushed ahead by a fraction of what pushed it before.
//     Where the pose moves the sides against each other that is too slow, and they press more firmly.
#include "solve/contact/planes_internal.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 8 };

// ---------------------------------------------------------------------------------------------- a step

static void near_task(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_planes_near)(data, begin, end); }
static void meet_task(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_planes_meet)(data, begin, end); }
static void aim_task(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_planes_aim)(data, begin, end); }
static void sift_task(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_planes_sift_presses)(data, begin, end); }

static uint32_t block_count(const planes_header* h) { return (h->press_count + SUP_LANES - 1) / SUP_LANES; }

/// Gives this pair the next place in the list. Pairs next to each other in the list share corners; the lanes of a block, which
/// press simultaneously, should not. So all first lanes are filled first, then all second ones.
static void put(planes_run* r, uint32_t look, uint32_t at, uint32_t blocks)
{
    const planes_block* b = &r->m.blocks[look / SUP_LANES];
    uint32_t            from = look % SUP_LANES, lane = at / blocks, corners[6];
    planes_presses*     p = &r->m.presses[at % blocks];
    planes_corners(r->p, b->a[from], b->b[from], corners);
    for (uint32_t i = lane; i < (lane == 0 ? SUP_LANES : lane + 1); ++i)
        for (int k = 0; k < 6; ++k) p->corners[k][i] = corners[k];
    p->real = (2u << lane) - 1;
}

/// Whether the pose is held: no point of it moves in this step.
static bool is_pose_held(const planes_run* r)
{
    const sup_planes_call* call = r->call;
    if (!call->before) return false;
    for (uint32_t i = 0; i < r->p->point_count; ++i)
        if (!(v3_distance(call->before[i], call->after[i]) * call->rate <= PLANES_STILL * r->p->units[i])) return false;
    return true;
}

void sup_planes_find_presses(planes_run* r)
{
    planes_header* h = r->m.header;
    uint32_t       blocks = (h->pair_count + SUP_LANES - 1) / SUP_LANES, most = SUP_LANES * r->p->press_capacity, count = 0;
    sup_tasks_run(r->call->tasks, blocks, GRAIN, near_task, r);
    for (uint32_t k = 0; k < blocks; ++k) count += (uint32_t)__builtin_popcount(r->m.doubtful[k]);
    h->lost += count > most ? count - most : 0;
    h->pose_held = is_pose_held(r);
    h->press_count = count < most ? count : most;
    for (uint32_t k = 0, at = 0; k < blocks; ++k)
        for (uint32_t bits = r->m.doubtful[k]; bits && at < h->press_count; bits &= bits - 1)
            put(r, SUP_LANES * k + (uint32_t)__builtin_ctz(bits), at++, block_count(h));
    sup_tasks_run(r->call->tasks, block_count(h), GRAIN, meet_task, r);
    memset(r->m.crowd, 0, r->p->point_count * sizeof *r->m.crowd);
}

// ---------------------------------------------------------------------------------------------- a substep

static planes_run run_of(const sup_planes* p, const sup_planes_call* call)
{
    return (planes_run){ .p = p, .call = call, .burdens = call->state, .m = sup_planes_divide(p, call->scratch, NULL) };
}

static sup_vec3 normal_of(const planes_presses* p, uint32_t lane)
{
    return v3(p->normal[0][lane], p->normal[1][lane], p->normal[2][lane]);
}

static float approach_of(const planes_presses* p, uint32_t lane, const sup_vec4* v)
{
    float speed = 0;
    for (int k = 0; k < 6; ++k)
        speed += (k < 3 ? -1.0f : 1.0f) / 3 * v3_dot(normal_of(p, lane), sup_particle_place(&v[p->corners[k][lane]]));
    return speed > 0 && speed < INFINITY ? speed : 0;
}

void sup_planes_aim(const sup_planes* p, const sup_planes_call* call, const sup_vec4* x, const sup_vec4* v)
{
    planes_run r = run_of(p, call);
    r.from = x;
    r.m.header->held_count = 0;
    sup_tasks_run(call->tasks, block_count(r.m.header), GRAIN, aim_task, &r);
    for (uint32_t k = 0; k < block_count(r.m.header) && call->friction.restitution > 0; ++k)
        for (uint32_t lane = 0; lane < SUP_LANES; ++lane) r.m.presses[k].approach[lane] = approach_of(&r.m.presses[k], lane, v);
}

void sup_planes_lean(const sup_planes* p, const sup_planes_call* call, sup_vec4* x, sup_vec4* expected)
{
    planes_run r = run_of(p, call);
    for (uint32_t i = 0; i < p->point_count; ++i) {
        r.m.pushed[i] = v3(0, 0, 0);
        if (!(x[i].w > 0)) continue;
        sup_particle_move(&x[i], 1, r.burdens[i].lean);
        sup_particle_move(&expected[i], 1, r.burdens[i].lean);
    }
}

// ---------------------------------------------------------------------------------------------- positions

/// Adds `by` times the strength of every near pair to the crowd at its corners.
static void count_crowd(const planes_run* r, float by)
{
    for (uint32_t k = 0; k < block_count(r->m.header); ++k)
        for (uint32_t bits = r->m.near[k]; bits; bits &= bits - 1) {
            const planes_presses* p = &r->m.presses[k];
            uint32_t              lane = (uint32_t)__builtin_ctz(bits);
            for (int i = 0; i < 6; ++i) {
                float* crowd = &r->m.crowd[p->corners[i][lane]];
                *crowd = by > 0 ? *crowd + by * p->strength[lane] : 0;
            }
        }
}

/// All lanes of a block at once, one block after the other.
static void press(const planes_run* r, uint32_t k)
{
    planes_presses* p = &r->m.presses[k];
    float           pushes[6][SUP_LANES];
    SUP_WIDE_PICK(sup_planes_push)(r, k, pushes);
    for (uint32_t bits = r->m.near[k]; bits; bits &= bits - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(bits);
        sup_vec3 n = normal_of(p, lane);
        for (int i = 0; i < 6; ++i) {
            if (!(pushes[i][lane] > 0)) continue;
            uint32_t corner = p->corners[i][lane];
            sup_vec3 way = v3_scale(n, i < 3 ? pushes[i][lane] : -pushes[i][lane]);
            sup_particle_move(&r->x[corner], 1, way);
            r->m.pushed[corner] = v3_add(r->m.pushed[corner], way);
            p->pushed[i][lane] += pushes[i][lane];
            p->active |= 1u << lane;
        }
    }
}

void sup_planes_press(const sup_planes* p, const sup_planes_call* call, sup_vec4* x)
{
    planes_run r = run_of(p, call);
    r.x = x;
    sup_tasks_run(call->tasks, block_count(r.m.header), GRAIN, sift_task, &r);
    count_crowd(&r, 1);
    for (uint32_t k = 0; k < block_count(r.m.header); ++k)
        if (r.m.near[k]) press(&r, k);
    count_crowd(&r, 0);
}

// ---------------------------------------------------------------------------------------------- velocities

/// Friction acts at the corners of a side that were pushed; on a pinned side, at its center. Returns how far they were pushed.
static float split_friction(const float pushed[3], float sign, float weights[3])
{
    float sum = pushed[0] + pushed[1] + pushed[2], mean = 0;
    for (int k = 0; k < 3; ++k) {
        weights[k] = sign * (sum > 0 ? pushed[k] / sum : 1.0f / 3);
        mean += sum > 0 ? pushed[k] * pushed[k] / sum : 0;
    }
    return mean;
}

static void apply_friction(const planes_presses* p, uint32_t lane, const sup_friction* friction, const sup_vec4* x, float dt,
                           sup_vec4* v)
{
    float    ways[6], weights[6], mass = 0;
    sup_vec3 relative = v3(0, 0, 0);
    for (int k = 0; k < 6; ++k) ways[k] = p->pushed[k][lane];
    float pushed = split_friction(ways, 1, weights) + split_friction(ways + 3, -1, weights + 3);
    for (int k = 0; k < 6; ++k) {
        uint32_t i = p->corners[k][lane];
        mass += x[i].w * weights[k] * weights[k];
        relative = v3_mad(relative, weights[k], sup_particle_place(&v[i]));
    }
    if (!(mass > 0)) return;
    sup_vec3 change = sup_touch_velocity(relative, normal_of(p, lane), friction, p->approach[lane], pushed / dt);
    for (int k = 0; k < 6; ++k)
        sup_particle_move(&v[p->corners[k][lane]], x[p->corners[k][lane]].w * weights[k] / mass, change);
}

/// Velocity along what planes held back would drive the point into them again.
static void stop_held_points(const planes_memory* m, const sup_vec4* x, sup_vec4* v)
{
    for (uint32_t i = 0; i < m->header->held_count; ++i) {
        uint32_t k = m->touched[i];
        sup_vec3 held = v3_sub(sup_particle_place(&x[k]), m->wanted[i]);
        float    square = v3_length2(held), along = v3_dot(held, sup_particle_place(&v[k]));
        if (square > 0 && isfinite(along / square)) sup_particle_move(&v[k], -along / square, held);
        m->pushed[k] = v3_add(m->pushed[k], held);
    }
}

static void update_leans(const sup_planes* p, planes_burden* burdens, const sup_vec3* pushed)
{
    for (uint32_t i = 0; i < p->point_count; ++i) {
        sup_vec3 lean = v3_mad(v3_scale(burdens[i].lean, 1 - PLANES_LEAN_LOSS), PLANES_LEAN_GAIN, pushed[i]);
        if (burdens[i].released) lean = v3_scale(lean, 1 - PLANES_LEAN_RELEASED);
        float most = PLANES_LEAN_MOST * p->units[i], length = v3_length(lean);
        if (length > most) lean = v3_scale(lean, most / length);
        burdens[i].lean = v3_finite(lean) ? lean : v3(0, 0, 0);
    }
}

void sup_planes_friction(const sup_planes* p, const sup_planes_call* call, const sup_vec4* x, float dt, sup_vec4* v)
{
    planes_memory m = sup_planes_divide(p, call->scratch, NULL);
    for (uint32_t k = 0; k < block_count(m.header); ++k)
        for (uint32_t bits = m.presses[k].active; bits; bits &= bits - 1)
            apply_friction(&m.presses[k], (uint32_t)__builtin_ctz(bits), &call->friction, x, dt, v);
    stop_held_points(&m, x, v);
    update_leans(p, call->state, m.pushed);
}

// ---------------------------------------------------------------------------------------------- reading

uint32_t sup_planes_touching(const sup_planes* p, const void* scratch, uint32_t most, uint32_t (*out)[2])
{
    // Read only; the division takes a writable block either way.
    planes_memory m = sup_planes_divide(p, (void*)(uintptr_t)scratch, NULL);
    uint32_t      count = 0;
    for (uint32_t k = 0; k < block_count(m.header); ++k)
        for (uint32_t bits = m.presses[k].active; bits && count < most; bits &= bits - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits);
            out[count][0] = m.presses[k].corners[0][lane];
            out[count++][1] = m.presses[k].corners[3][lane];
        }
    return count;
}

void sup_planes_pushed(const sup_planes* p, const void* scratch, bool* out)
{
    planes_memory m = sup_planes_divide(p, (void*)(uintptr_t)scratch, NULL);
    for (uint32_t k = 0; k < block_count(m.header); ++k)
        for (uint32_t i = 0; i < 6 * SUP_LANES; ++i)
            if (m.presses[k].pushed[i / SUP_LANES][i % SUP_LANES] > 0)
                out[m.presses[k].corners[i / SUP_LANES][i % SUP_LANES]] = true;
}
