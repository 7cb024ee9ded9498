// Bodies of the world file: spheres, capsules and meshes, free or on a joint, moved by keys; a second character moves its
// points by a clip of its own.
#include "math/trig.h"
#include "math/vec.h"
#include "run/runner.h"

#include <math.h>
#include <string.h>

#define RADIUS_MIN 1e-6 // m
#define RADIUS_MAX 1e6
#define FRICTION_STANDARD 0.5 // skin on cloth or wood
#define FRICTION_MAX 10.0
enum { BODIES_MAX = 1000 };

// ---------------------------------------------------------------------------------------------- shapes

static sup_result read_place(chain_builder* b, const char* what, const sup_json* shape, const char* key, sup_vec3* out)
{
    if (world_vector(sup_json_get(shape, key), 1.0f / (float)sup_character_physics_unit(b->chain->character), out)) return SUP_OK;
    return world_fail(b, what, "\"%s\" %s, in meters", key, world_vector_wrong(sup_json_get(shape, key)));
}

static sup_result read_round(chain_builder* b, const char* what, const sup_json* shape, bool capsule, world_body* w)
{
    sup_body* body = &w->body;
    body->kind = capsule ? SUP_BODY_CAPSULE : SUP_BODY_SPHERE;
    sup_result r = world_members(b, what, shape, capsule ? "from, to, radius" : "center, radius");
    if (!r) r = read_place(b, what, shape, capsule ? "from" : "center", &body->a);
    body->b = body->a;
    if (!r && capsule) r = read_place(b, what, shape, "to", &body->b);
    if (!r) r = world_number(b, what, shape, "radius", RADIUS_MIN, RADIUS_MAX, NAN, &body->radius);
    body->radius /= (float)sup_character_physics_unit(b->chain->character);
    body->closed = true;
    w->pivot = v3_lerp(body->a, body->b, 0.5f);
    return r;
}

// From the other character's units and axes to this one's. Axes are converted only if both files declare their up axis.
static sup_affine unit_map(const sup_character* other, const sup_character* c)
{
    // Rows: right, up and front of each convention.
    static const float axes[3][3][3] = { [SUP_AXIS_Y] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                                         [SUP_AXIS_Z] = { { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } },
                                         [SUP_AXIS_X] = { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } } };
    float              scale = (float)(other->metres_per_unit / sup_character_physics_unit(c));
    bool               turn = !other->up_assumed && !c->up_assumed;
    const float(*from)[3] = axes[turn ? other->up : SUP_AXIS_Y], (*to)[3] = axes[turn ? c->up : SUP_AXIS_Y];
    sup_affine fit = { 0 };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            fit.m[i][j] = scale * (to[0][i] * from[0][j] + to[1][i] * from[1][j] + to[2][i] * from[2][j]);
    return fit;
}

// Points of the second character in its pose, in this character's units. Updates `pose`.
static void other_points(const world_body* w, const sup_pose* pose, sup_vec3* morphed, void* scratch, const sup_tasks* tasks,
                         sup_vec3* out)
{
    const sup_vec3* rest = sup_pose_morph(w->other, pose, morphed);
    sup_skin_call   call = { .skin = pose->skin,
                             .points = rest == w->other->mesh.points ? NULL : rest,
                             .tasks = tasks,
                             .scratch = scratch,
                             .out = out };
    sup_skin_evaluate(w->skin, &call);
    for (uint32_t i = 0; i < w->body.point_count; ++i) out[i] = affine_point(&w->fit, out[i]);
}

static sup_result choose_clip(chain_builder* b, const char* what, const char* file, const char* clip, world_body* w)
{
    char list[256] = "";
    if (!clip) return SUP_OK;
    w->clip = sup_character_clip(w->other, clip);
    if (w->clip) return SUP_OK;
    for (uint32_t i = 0; i < w->other->clip_count; ++i) {
        size_t at = strlen(list);
        sup_format(list + at, sizeof list - at, "%s%s", i ? ", " : "", w->other->clips[i].name);
    }
    return world_fail(b, what, "'%s' has no clip '%s'; %s%s", file, clip, list[0] ? "there are: " : "there are none", list);
}

// Poses it at rest once; if it has a clip, that poses it at every step.
static sup_result prepare_other(chain_builder* b, world_body* w)
{
    const sup_character* o = w->other;
    sup_skin_desc        desc = { .point_count = o->mesh.point_count,
                                  .points = o->mesh.points,
                                  .begin = o->weights.begin,
                                  .joints = o->weights.joints,
                                  .values = o->weights.values,
                                  .joint_count = o->skeleton.joint_count };
    sup_result           r = sup_skin_create(&desc, b->chain->arena, &w->skin, b->error);
    if (r) return r;
    sup_pose  pose;
    sup_vec3* points = SUP_NEW(b->chain->arena, sup_vec3, o->mesh.point_count + 8);
    sup_vec3* morphed = SUP_NEW(b->temporary, sup_vec3, o->mesh.point_count + 8);
    void*     scratch = sup_arena_alloc(b->temporary, 1, sup_skin_scratch(w->skin) + 64);
    r = points && morphed && scratch ? sup_pose_create(o, b->temporary, &pose, b->error)
                                     : sup_fail_memory(b->error, "the world");
    if (r) return r;
    sup_pose_rest(o, &pose);
    other_points(w, &pose, morphed, scratch, b->desc->tasks, points);
    w->body.points = points;
    return SUP_OK;
}

static sup_result read_mesh(chain_builder* b, const char* what, const sup_json* file, const sup_json* clip, world_body* w)
{
    const char* name = sup_json_string(file, NULL);
    if (!name) return world_fail(b, what, "\"mesh\" must be the name of a file");
    if (clip && clip->type != SUP_JSON_STRING) return world_fail(b, what, "\"clip\" must be the name of a clip of '%s'", name);
    for (uint32_t i = 0; i < b->desc->world_mesh_count; ++i)
        if (strcmp(b->desc->world_meshes[i].name, name) == 0) w->other = b->desc->world_meshes[i].character;
    if (!w->other) return world_fail(b, what, "the mesh '%s' was not loaded; read it and pass it with the world", name);
    const sup_mesh* mesh = &w->other->mesh;
    if (!mesh->triangle_count) return world_fail(b, what, "'%s' has no faces", name);
    sup_mesh_report report;
    sup_result      r = sup_mesh_examine(mesh, &report, b->error);
    if (r) return r;
    w->body.kind = SUP_BODY_MESH;
    w->body.closed = report.closed;
    w->body.point_count = mesh->point_count;
    w->body.triangle_count = mesh->triangle_count;
    w->body.triangles = mesh->triangles;
    w->fit = unit_map(w->other, b->chain->character);
    w->file = sup_arena_text(b->chain->arena, name, strlen(name));
    if (!w->file) return sup_fail_memory(b->error, "the world");
    r = choose_clip(b, what, name, clip ? clip->text : NULL, w);
    return r ? r : prepare_other(b, w);
}

// Replaces a body of an existing chain: what links computed about it while binding must stay true.
static sup_result read_moved_body(chain_builder* b, const char* what, uint32_t number, const sup_json* mesh,
                                  const sup_json* clip, world_body* w)
{
    const world_body* was = number <= b->bound->body_count ? &b->bound->bodies[number - 1] : NULL;
    sup_body_kind     kind = mesh ? SUP_BODY_MESH : w->body.kind;
    if (!was || was->body.kind != kind)
        return world_fail(b, what, "body %u of the chain is %s; make a new chain", number,
                          !was                                 ? "not there"
                          : was->body.kind == SUP_BODY_SPHERE  ? "a sphere"
                          : was->body.kind == SUP_BODY_CAPSULE ? "a capsule"
                                                               : "a mesh");
    if (!mesh) return SUP_OK;
    const char *file = sup_json_string(mesh, ""), *played = sup_json_string(clip, "");
    if (strcmp(file, was->file) != 0 || strcmp(played, was->clip ? was->clip->name : "") != 0)
        return world_fail(b, what, "the chain was bound with '%s' here; make a new chain", was->file);
    const char* name = w->body.name;
    *w = *was;
    w->body.name = name;
    w->pivot = v3(0, 0, 0);
    w->keys = (world_times){ 0 };
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- motion

// Three angles in degrees about x, y, z as --pose reads them, or a quaternion x, y, z, w.
static bool read_turn(const sup_json* value, sup_quat* out)
{
    sup_vec3 angles;
    if (world_vector(value, (float)SUP_RADIANS, &angles)) {
        *out = quat_euler_xyz(angles);
        return true;
    }
    double q[4], length = 0;
    if (!value || value->type != SUP_JSON_ARRAY || value->count != 4) return false;
    const sup_json* n = value->first;
    for (int i = 0; i < 4; ++i, n = n->next) {
        if (n->type != SUP_JSON_NUMBER || !(n->number >= -2 && n->number <= 2)) return false;
        q[i] = n->number;
        length += q[i] * q[i];
    }
    if (!(length > 0.98 && length < 1.02)) return false; // accepts rounding to three digits; [1, 2, 0, 0] is a mistake
    *out = quat_normalize(quat((float)q[0], (float)q[1], (float)q[2], (float)q[3]));
    return true;
}

static sup_result read_motion(chain_builder* b, const char* what, const sup_json* keys, world_body* w)
{
    sup_result r = world_times_read(b, what, keys, "time, move, turn, step", &w->keys);
    if (r) return r;
    sup_vec3* moves = SUP_NEW(b->chain->arena, sup_vec3, w->keys.count);
    sup_quat* turns = SUP_NEW(b->chain->arena, sup_quat, w->keys.count);
    if (!moves || !turns) return sup_fail_memory(b->error, "the world");
    uint32_t n = 0;
    for (const sup_json* k = keys->first; k; k = k->next, ++n) {
        const sup_json *move = sup_json_get(k, "move"), *turn = sup_json_get(k, "turn");
        turns[n] = quat_identity();
        if (move && !world_vector(move, 1.0f / (float)sup_character_physics_unit(b->chain->character), &moves[n]))
            return world_fail(b, what, "key %u: \"move\" %s, in meters", n + 1, world_vector_wrong(move));
        if (turn && !read_turn(turn, &turns[n]))
            return world_fail(
                b, what, "key %u: \"turn\" must be three angles in degrees, or a quaternion [x, y, z, w] of length 1", n + 1);
    }
    w->moves = moves;
    w->turns = turns;
    return SUP_OK;
}

static sup_result read_body(chain_builder* b, const sup_json* list, const sup_json* item, uint32_t number, world_body* w)
{
    const char* what = NULL;
    sup_result  r = world_name(b, "body", list, item, number, &w->body.name, &what);
    if (!r) r = world_members(b, what, item, "name, sphere, capsule, mesh, clip, joint, pivot, friction, keys");
    if (r) return r;
    const sup_json *sphere = sup_json_get(item, "sphere"), *capsule = sup_json_get(item, "capsule"),
                   *mesh = sup_json_get(item, "mesh"), *clip = sup_json_get(item, "clip"), *joint = sup_json_get(item, "joint"),
                   *keys = sup_json_get(item, "keys");
    if ((sphere != NULL) + (capsule != NULL) + (mesh != NULL) != 1)
        return world_fail(b, what, "give one of \"sphere\", \"capsule\", \"mesh\"");
    if (clip && !mesh) return world_fail(b, what, "\"clip\" goes with \"mesh\"; move others by \"keys\"");
    r = !mesh      ? read_round(b, what, sphere ? sphere : capsule, capsule != NULL, w)
        : b->bound ? SUP_OK
                   : read_mesh(b, what, mesh, clip, w);
    if (!r && b->bound) r = read_moved_body(b, what, number, mesh, clip, w);
    w->body.joint = SUP_NONE;
    if (!r && joint) r = world_joint(b, what, joint, &w->body.joint);
    if (!r && sup_json_get(item, "pivot")) r = read_place(b, what, item, "pivot", &w->pivot);
    if (!r) r = world_number(b, what, item, "friction", 0, FRICTION_MAX, FRICTION_STANDARD, &w->body.friction);
    if (!r && keys) r = read_motion(b, what, keys, w);
    return r;
}

sup_result world_bodies_read(chain_builder* b, const sup_json* list)
{
    sup_world_plan* plan = &b->chain->world;
    if (list->type != SUP_JSON_ARRAY || list->count > BODIES_MAX)
        return world_fail(b, "\"bodies\"", "must be a list of {...}, at most %d", BODIES_MAX);
    plan->bodies = SUP_NEW(b->chain->arena, world_body, list->count);
    if (!plan->bodies) return sup_fail_memory(b->error, "the world");
    sup_result r = SUP_OK;
    for (const sup_json* item = list->first; item && !r; item = item->next) {
        uint32_t n = plan->body_count++;
        r = read_body(b, list, item, n + 1, &plan->bodies[n]);
    }
    return r;
}

// ---------------------------------------------------------------------------------------------- moments

// p' = turn (p - pivot) + pivot + move, then carried by the joint as a rigid body: the pivot goes where the joint's matrix
// takes it, and a scale moves the body without enlarging it.
static sup_affine place_at(const world_body* w, double time, const sup_pose* pose)
{
    sup_quat turn = quat_identity();
    sup_vec3 move = v3(0, 0, 0);
    if (w->keys.count) {
        float    share;
        uint32_t k = world_times_find(&w->keys, time, &share);
        turn = share > 0 ? quat_slerp(w->turns[k], w->turns[k + 1], share) : w->turns[k];
        move = share > 0 ? v3_lerp(w->moves[k], w->moves[k + 1], share) : w->moves[k];
    }
    sup_vec3 center = v3_add(w->pivot, move);
    if (w->body.joint != SUP_NONE) {
        sup_transform carry;
        affine_decompose(&pose->skin[w->body.joint], &carry);
        center = affine_point(&pose->skin[w->body.joint], center);
        turn = quat_normalize(quat_mul(carry.rotation, turn));
    }
    return affine_from_rotation(turn, v3_sub(center, quat_rotate(turn, w->pivot)));
}

// Points of a second character, kept for two times: the end of a step is the start of the next.
static uint32_t actor_at(const world_body* w, world_actor* a, double time, uint32_t keep, const sup_tasks* tasks)
{
    for (uint32_t i = 0; i < 2; ++i)
        if (a->times[i] == time) return i;
    uint32_t slot = keep == 0 ? 1 : 0;
    sup_clip_sample(w->other, w->clip, time, &a->pose);
    other_points(w, &a->pose, a->morphed, a->scratch, tasks, a->points[slot]);
    a->times[slot] = time;
    return slot;
}

bool world_actors_create(const sup_world_plan* plan, sup_arena* arena, world_workspace* work)
{
    work->actors = SUP_NEW(arena, world_actor, plan->body_count);
    if (!work->actors) return false;
    for (uint32_t i = 0; i < plan->body_count; ++i) {
        const world_body* w = &plan->bodies[i];
        world_actor*      a = &work->actors[i];
        work->bodies[i] = w->body;
        if (!w->clip) continue;
        size_t points = (size_t)w->body.point_count + 8;
        a->morphed = SUP_NEW(arena, sup_vec3, points);
        a->scratch = sup_arena_alloc(arena, 1, sup_skin_scratch(w->skin) + 64);
        for (int k = 0; k < 2; ++k) {
            a->times[k] = NAN;
            a->points[k] = SUP_NEW(arena, sup_vec3, points);
        }
        if (!a->morphed || !a->scratch || !a->points[0] || !a->points[1] || sup_pose_create(w->other, arena, &a->pose, NULL))
            return false;
    }
    return true;
}

void world_bodies_at(const sup_world_plan* plan, const world_moment* m, world_workspace* work)
{
    for (uint32_t i = 0; i < plan->body_count; ++i) {
        const world_body* w = &plan->bodies[i];
        sup_body*         body = &work->bodies[i];
        body->start = place_at(w, m->before, m->start);
        body->end = place_at(w, m->time, m->end);
        if (!w->clip) continue;
        world_actor* a = &work->actors[i];
        uint32_t     start = actor_at(w, a, m->before, SUP_NONE, m->tasks);
        uint32_t     end = actor_at(w, a, m->time, start, m->tasks);
        body->points = a->points[end];
        body->points_start = start == end ? NULL : a->points[start];
    }
}

uint32_t sup_world_plan_body_count(const sup_world_plan* plan) { return plan->body_count; }

void sup_world_plan_body(const sup_world_plan* plan, uint32_t body, sup_body* out)
{
    SUP_ASSERT(body < plan->body_count);
    const world_body* w = &plan->bodies[body];
    *out = w->body;
    out->start = out->end = affine_identity();
    if (w->clip) out->points_start = w->body.points;
}
