// Loads skeletons from any format as joints with straight tails, fitted to a mesh.
#include "base/internal.h"
#include "math/vec.h"
#include "supple/io.h"

#include <math.h>
#include <string.h>

static bool reserve(sup_skeleton_file* s, uint32_t count, sup_arena* arena)
{
    s->joint_count = 0;
    s->joints = sup_arena_alloc(arena, count, sizeof *s->joints);
    s->tails = sup_arena_alloc(arena, count, sizeof *s->tails);
    s->has_tail = sup_arena_alloc(arena, count, sizeof *s->has_tail);
    return s->joints && s->tails && s->has_tail;
}

// A joint at a position, without a rotation of its own.
static void put_joint(sup_skeleton_file* s, const char* name, uint32_t parent, sup_vec3 offset, sup_vec3 place)
{
    sup_joint* j = &s->joints[s->joint_count];
    *j = (sup_joint){ .name = name, .parent = parent, .skin_joint = true, .source_id = s->joint_count };
    j->rest = (sup_transform){ offset, { 0, 0, 0, 1 }, { 1, 1, 1 } };
    for (int i = 0; i < 3; i++) {
        j->inverse_bind.m[i][i] = 1;
        j->inverse_bind.m[i][3] = -(&place.x)[i];
    }
    s->joint_count++;
}

static sup_result read_tgf(const char* path, const sup_load_options* options, sup_arena* arena, sup_skeleton_file* out,
                           sup_error* error)
{
    sup_rig    rig;
    sup_result result = sup_rig_load(path, options, arena, &rig, error);
    if (result != SUP_OK) return result;
    if (!reserve(out, rig.bone_count, arena)) return sup_fail_memory(error, "a skeleton");
    for (uint32_t b = 0; b < rig.bone_count; b++) {
        const sup_rig_bone* bone = &rig.bones[b];
        sup_vec3            above = { 0 };
        if (bone->parent != SUP_NONE) above = rig.bones[bone->parent].head;
        put_joint(out, bone->name, bone->parent, v3_sub(bone->head, above), bone->head);
        out->tails[b] = bone->tail;
        out->has_tail[b] = true;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- motion capture

typedef struct box {
    float low[3], high[3];
} box;

static box box_of(const sup_vec3* points, uint32_t count)
{
    box b = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (uint32_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) {
            b.low[a] = fminf(b.low[a], (&points[i].x)[a]);
            b.high[a] = fmaxf(b.high[a], (&points[i].x)[a]);
        }
    return b;
}

// Whether the figure already fits the mesh.
static bool fits(const box* mesh, const box* figure, int up)
{
    bool inside = true;
    for (int a = 0; a < 3; a++) {
        float slack = 0.1f * (mesh->high[a] - mesh->low[a]);
        inside &= figure->low[a] >= mesh->low[a] - slack && figure->high[a] <= mesh->high[a] + slack;
    }
    return inside && figure->high[up] - figure->low[up] > 0.6f * (mesh->high[up] - mesh->low[up]);
}

// Captured skeletons stand anywhere and in any unit, with y up: a figure that is not about as tall as the mesh is scaled to it,
// with its feet on the mesh's lowest point and centered.
static float fit_figure(const sup_character* character, sup_vec3* places, uint32_t count)
{
    box mesh = box_of(character->mesh.points, character->mesh.point_count), figure = box_of(places, count);
    int up = character->up == SUP_AXIS_Y ? 1 : character->up == SUP_AXIS_Z ? 2 : 0;
    if (fits(&mesh, &figure, up)) return 1;
    for (uint32_t i = 0; i < count && up != 1; i++) {
        sup_vec3 p = places[i];
        places[i] = up == 2 ? (sup_vec3){ p.x, -p.z, p.y } : (sup_vec3){ p.y, -p.x, p.z };
    }
    figure = box_of(places, count);
    float tall = mesh.high[up] - mesh.low[up], size = figure.high[up] - figure.low[up];
    if (!(size > 0) || !(tall > 0)) return 1;
    float scale = 0.95f * tall / size;
    for (uint32_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) {
            float* x = &(&places[i].x)[a];
            *x = a == up ? mesh.low[a] + 0.02f * tall + scale * (*x - figure.low[a])
                         : (mesh.low[a] + mesh.high[a]) / 2 + scale * (*x - (figure.low[a] + figure.high[a]) / 2);
        }
    return scale;
}

// Captured skeletons also have a rest pose of their own: legs apart, arms up. If they were not made for the mesh, they are
// posed like it.
static sup_result pose_figure(const sup_character* c, const sup_mocap* m, sup_vec3* places, sup_arena* arena, sup_turn* out,
                              sup_error* error)
{
    uint32_t* parents = SUP_NEW(arena, uint32_t, m->joint_count);
    if (!parents) return sup_fail_memory(error, "a skeleton");
    for (uint32_t j = 0; j < m->joint_count; j++) parents[j] = m->joints[j].parent;
    return sup_places_turn(&c->mesh, m->joint_count, parents, places, NULL, NULL, out, error);
}

static sup_result read_bvh(const char* path, const sup_load_options* options, const sup_character* character, sup_arena* arena,
                           sup_skeleton_file* out, sup_error* error)
{
    sup_mocap  m;
    sup_result result = sup_mocap_load(path, options, arena, &m, error);
    if (result != SUP_OK) return result;
    sup_vec3* places = SUP_NEW(arena, sup_vec3, m.joint_count);
    uint32_t* number = SUP_NEW(arena, uint32_t, m.joint_count);
    if (!places || !number || !reserve(out, m.joint_count, arena)) return sup_fail_memory(error, "a skeleton");
    for (uint32_t j = 0; j < m.joint_count; j++) {
        sup_vec3 above = { 0 }, offset = m.joints[j].offset;
        if (m.joints[j].parent != SUP_NONE) above = places[m.joints[j].parent];
        places[j] = (sup_vec3){ above.x + offset.x, above.y + offset.y, above.z + offset.z };
    }
    out->scale = fit_figure(character, places, m.joint_count);
    if (out->scale != 1) result = pose_figure(character, &m, places, arena, &out->turn, error);
    if (result != SUP_OK) return result;
    for (uint32_t j = 0; j < m.joint_count; j++) {
        uint32_t parent = m.joints[j].parent;
        if (m.joints[j].end) {
            if (parent == SUP_NONE) continue;
            out->tails[number[parent]] = places[j];
            out->has_tail[number[parent]] = true;
            continue;
        }
        number[j] = out->joint_count;
        put_joint(out, m.joints[j].name, parent == SUP_NONE ? SUP_NONE : number[parent],
                  parent == SUP_NONE ? places[j] : v3_sub(places[j], places[parent]), places[j]);
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- characters

// Joints of a character: those of its skin, else every node without a mesh.
sup_result sup_skeleton_copy(const sup_character* c, sup_arena* arena, sup_skeleton_file* out, sup_error* error)
{
    const sup_skeleton* s = &c->skeleton;
    if (!reserve(out, s->joint_count, arena)) return sup_fail_memory(error, "a skeleton");
    out->joint_count = s->joint_count;
    for (uint32_t j = 0; j < s->joint_count; j++) {
        const char* name = s->joints[j].name ? s->joints[j].name : "";
        out->joints[j] = s->joints[j];
        out->joints[j].name = sup_arena_text(arena, name, strlen(name));
        if (!out->joints[j].name) return sup_fail_memory(error, "a skeleton");
        if (s->skin_joint_count == 0) out->joints[j].skin_joint = true;
    }
    for (uint32_t i = 0; i < c->mesh.part_count && s->skin_joint_count == 0; i++)
        if (c->mesh.parts[i].joint != SUP_NONE) out->joints[c->mesh.parts[i].joint].skin_joint = false;
    return SUP_OK;
}

static sup_result read_character(const char* path, const sup_load_options* options, sup_arena* arena, sup_skeleton_file* out,
                                 sup_error* error)
{
    sup_character* c = NULL;
    sup_result     result = sup_load(path, options, &c, error);
    if (result != SUP_OK) return result;
    result = sup_skeleton_copy(c, arena, out, error);
    sup_character_destroy(c);
    return result;
}

sup_result sup_skeleton_load(const char* path, const sup_load_options* options, const sup_character* character,
                             sup_arena* arena, sup_skeleton_file* out, sup_error* error)
{
    SUP_ASSERT(path && character && arena && out);
    *out = (sup_skeleton_file){ .scale = 1 };
    if (sup_path_ends_in(path, "tgf")) return read_tgf(path, options, arena, out, error);
    if (sup_path_ends_in(path, "bvh")) return read_bvh(path, options, character, arena, out, error);
    return read_character(path, options, arena, out, error);
}

// ---------------------------------------------------------------------------------------------- weights

// Tails of leaves are guesses; what the file knows is better.
static sup_bone* known_bones(const sup_character* c, const sup_skeleton_file* s, sup_arena* arena)
{
    sup_bone* bones = sup_arena_copy(arena, c->skeleton.bones, c->skeleton.bone_count, sizeof *bones);
    for (uint32_t b = 0; bones && b < c->skeleton.bone_count; b++) {
        uint32_t from = c->skeleton.joints[bones[b].joint].source_id;
        if (bones[b].child == SUP_NONE && from < s->joint_count && s->has_tail[from]) bones[b].tail = s->tails[from];
    }
    return bones;
}

sup_result sup_character_rig(sup_character** character, sup_skeleton_file* skeleton, const sup_auto_weights_options* how,
                             sup_arena* arena, sup_auto_weights* out, sup_error* error)
{
    SUP_ASSERT(character && *character && arena && out);
    if (!skeleton) return sup_character_weigh(*character, 0, NULL, how, out, error);
    sup_character* made = NULL;
    for (uint32_t j = 0; j < skeleton->joint_count; j++) skeleton->joints[j].source_id = j;
    sup_result result = sup_skeleton_attach(*character, skeleton->joint_count, skeleton->joints, NULL, &made, error);
    if (result != SUP_OK) return result;
    sup_bone* bones = known_bones(made, skeleton, arena);
    result = bones ? sup_character_weigh(made, made->skeleton.bone_count, bones, how, out, error)
                   : sup_fail_memory(error, "a skeleton");
    if (result != SUP_OK) {
        sup_character_destroy(made);
        return result;
    }
    sup_character_inherit(made, *character);
    *character = made;
    return SUP_OK;
}
