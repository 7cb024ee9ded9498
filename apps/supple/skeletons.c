// Skeletons of every kind of file as joints with straight tails, fitted to a mesh.
#include "skeletons.h"

#include "report.h"
#include "supple/io_extra.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct skeleton_file {
    uint32_t   joint_count;
    sup_joint* joints;
    sup_vec3*  tails; ///< of joints at the end of a chain, where has_tail
    bool*      has_tail;
} skeleton_file;

enum { NAMES_SAID = 5 };

static bool make_room(skeleton_file* s, uint32_t count, sup_arena* arena)
{
    s->joint_count = 0;
    s->joints = sup_arena_alloc(arena, count, sizeof *s->joints);
    s->tails = sup_arena_alloc(arena, count, sizeof *s->tails);
    s->has_tail = sup_arena_alloc(arena, count, sizeof *s->has_tail);
    return s->joints && s->tails && s->has_tail;
}

// A joint at a place, without a rotation of its own.
static void put_joint(skeleton_file* s, const char* name, uint32_t parent, sup_vec3 offset, sup_vec3 place)
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

static sup_vec3 minus(sup_vec3 a, sup_vec3 b) { return (sup_vec3){ a.x - b.x, a.y - b.y, a.z - b.z }; }

static int read_tgf(const char* path, sup_arena* arena, skeleton_file* out)
{
    sup_error error = { 0 };
    sup_rig   rig;
    if (sup_rig_load(path, NULL, arena, &rig, &error) != SUP_OK) return fail_with(&error);
    if (!make_room(out, rig.bone_count, arena)) return fail_memory();
    for (uint32_t b = 0; b < rig.bone_count; b++) {
        const sup_rig_bone* bone = &rig.bones[b];
        sup_vec3            above = { 0 };
        if (bone->parent != SUP_NONE) above = rig.bones[bone->parent].head;
        put_joint(out, bone->name, bone->parent, minus(bone->head, above), bone->head);
        out->tails[b] = bone->tail;
        out->has_tail[b] = true;
    }
    return EXIT_DONE;
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

// Whether the figure stands in the mesh as it is.
static bool fits(const box* mesh, const box* figure, int up)
{
    bool inside = true;
    for (int a = 0; a < 3; a++) {
        float slack = 0.1f * (mesh->high[a] - mesh->low[a]);
        inside &= figure->low[a] >= mesh->low[a] - slack && figure->high[a] <= mesh->high[a] + slack;
    }
    return inside && figure->high[up] - figure->low[up] > 0.6f * (mesh->high[up] - mesh->low[up]);
}

// Captured skeletons stand anywhere and in any unit, with y up: a figure that is not about as tall as the mesh is made so, feet on
// the mesh's lowest point, middle over middle.
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

// Captured skeletons also rest in a pose of their own: legs apart, arms up. Where they were not made for the mesh, they take its.
static int pose_figure(const char* path, const sup_character* c, const sup_mocap* m, sup_vec3* places, bool silent,
                       sup_arena* arena)
{
    sup_error error = { 0 };
    sup_turn  done;
    uint32_t* parents = sup_arena_alloc(arena, m->joint_count, sizeof *parents);
    if (!parents) return fail_memory();
    for (uint32_t j = 0; j < m->joint_count; j++) parents[j] = m->joints[j].parent;
    if (sup_places_turn(&c->mesh, m->joint_count, parents, places, NULL, NULL, &done, &error) != SUP_OK)
        return fail_with(&error);
    if (!silent && done.farthest > 0)
        say_note("limbs of '%s' are turned into the mesh by %.0f degrees at most: %.0f %% of its bones lie inside, %.0f %% did before",
                 path, (double)done.farthest, 100.0 * (double)done.after, 100.0 * (double)done.before);
    return EXIT_DONE;
}

static int read_bvh(const char* path, const sup_character* character, bool silent, sup_arena* arena, skeleton_file* out)
{
    sup_error error = { 0 };
    sup_mocap m;
    if (sup_mocap_load(path, NULL, arena, &m, &error) != SUP_OK) return fail_with(&error);
    sup_vec3* places = sup_arena_alloc(arena, m.joint_count, sizeof *places);
    uint32_t* number = sup_arena_alloc(arena, m.joint_count, sizeof *number);
    if (!places || !number || !make_room(out, m.joint_count, arena)) return fail_memory();
    for (uint32_t j = 0; j < m.joint_count; j++) {
        sup_vec3 above = { 0 }, offset = m.joints[j].offset;
        if (m.joints[j].parent != SUP_NONE) above = places[m.joints[j].parent];
        places[j] = (sup_vec3){ above.x + offset.x, above.y + offset.y, above.z + offset.z };
    }
    float scale = fit_figure(character, places, m.joint_count);
    if (scale != 1 && !silent)
        say_note("the skeleton of '%s' is fitted to the mesh: scaled by %g and moved to its middle", path, (double)scale);
    int code = scale != 1 ? pose_figure(path, character, &m, places, silent, arena) : EXIT_DONE;
    if (code != EXIT_DONE) return code;
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
                  parent == SUP_NONE ? places[j] : minus(places[j], places[parent]), places[j]);
    }
    return EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------- characters

// Joints of a character: those of its skin, else every node that carries no mesh.
static int copy_joints(const sup_character* c, sup_arena* arena, skeleton_file* out)
{
    const sup_skeleton* s = &c->skeleton;
    if (!make_room(out, s->joint_count, arena)) return fail_memory();
    out->joint_count = s->joint_count;
    for (uint32_t j = 0; j < s->joint_count; j++) {
        const char* name = s->joints[j].name ? s->joints[j].name : "";
        out->joints[j] = s->joints[j];
        out->joints[j].name = sup_arena_text(arena, name, strlen(name));
        if (!out->joints[j].name) return fail_memory();
        if (s->skin_joint_count == 0) out->joints[j].skin_joint = true;
    }
    for (uint32_t i = 0; i < c->mesh.part_count && s->skin_joint_count == 0; i++)
        if (c->mesh.parts[i].joint != SUP_NONE) out->joints[c->mesh.parts[i].joint].skin_joint = false;
    return EXIT_DONE;
}

static int read_character(const char* path, sup_arena* arena, skeleton_file* out)
{
    sup_load_options load = { .up = -1, .extra = sup_extra_get() };
    sup_error        error = { 0 };
    sup_character*   c = NULL;
    if (sup_load(path, &load, &c, &error) != SUP_OK) return fail_with(&error);
    int code = copy_joints(c, arena, out);
    sup_character_destroy(c);
    return code;
}

static bool ends_in(const char* path, const char* ending)
{
    size_t length = strlen(path), n = strlen(ending);
    if (length < n) return false;
    for (size_t i = 0; i < n; i++)
        if ((path[length - n + i] | 32) != (ending[i] | 32)) return false;
    return true;
}

// ---------------------------------------------------------------------------------------------- weights

// Leaves guess their tails; what the file knows is better.
static sup_bone* known_bones(const sup_character* c, const skeleton_file* s, sup_arena* arena)
{
    sup_bone* bones = sup_arena_copy(arena, c->skeleton.bones, c->skeleton.bone_count, sizeof *bones);
    for (uint32_t b = 0; bones && b < c->skeleton.bone_count; b++) {
        uint32_t from = c->skeleton.joints[bones[b].joint].source_id;
        if (bones[b].child == SUP_NONE && from < s->joint_count && s->has_tail[from]) bones[b].tail = s->tails[from];
    }
    return bones;
}

// 'a', 'b', 'c', ...
static void list_names(const sup_character* c, const uint32_t* joints, uint32_t count, char* out, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < count && i < NAMES_SAID && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s'%s'", i ? ", " : "", c->skeleton.joints[joints[i]].name);
    if (count > NAMES_SAID && used < size) snprintf(out + used, size - used, ", ...");
}

static void say_weights(const sup_character* c, const sup_auto_weights* a)
{
    char names[256] = "";
    say_note("weights were made for %u joints of '%s' in %u cells (%u along the longest side)", c->skeleton.skin_joint_count,
             c->name, a->cell_count, a->cells);
    if (a->lost_components)
        say_warning("%u pieces of '%s' (%u points) have no bone inside; they follow the nearest ones", a->lost_components,
                    c->name, a->lost_points);
    if (a->outside_count) {
        list_names(c, a->outside_joints, a->outside_count, names, sizeof names);
        say_warning("the bones of %u joints run mostly outside of '%s' (%s): the skeleton does not fit; move its joints inside "
                    "(--center), or check its unit, place and pose",
                    a->outside_count, c->name, names);
    } else if (a->outside_bones)
        say_warning("%u bones lie outside of '%s', '%s' first; move them inside, or check unit and place of the skeleton",
                    a->outside_bones, c->name, c->skeleton.joints[a->outside_joint].name);
    if (a->idle_count) {
        list_names(c, a->idle_joints, a->idle_count, names, sizeof names);
        say_note("no point of '%s' follows %s by more than 5 %%: there is no flesh for %s", c->name, names,
                 a->idle_count == 1 ? "that joint" : "those joints");
    }
}

// --center: what was moved is said, for it is the skeleton that comes out.
static int center(const sup_character* c, const sup_auto_weights_options* how, bool silent, skeleton_file* s)
{
    sup_center_options how_fine = { .cells = how ? how->cells : 0, .tasks = how ? how->tasks : NULL };
    sup_center         done;
    sup_error          error = { 0 };
    if (sup_joints_center(&c->mesh, s->joint_count, s->joints, s->tails, s->has_tail, &how_fine, NULL, &done, &error) != SUP_OK)
        return fail_with(&error);
    if (silent) return EXIT_DONE;
    say_note("%u joints and ends moved to the middle of the limb around them, by %g at most (a cell is %g)", done.moved,
             (double)done.farthest, (double)done.cell);
    if (done.outside) say_warning("%u joints lie far outside of '%s' and stay there", done.outside, c->name);
    if (c->clip_count) say_warning("clips of '%s' stay behind: its joints have moved", c->name);
    return EXIT_DONE;
}

static int weigh(const options* o, const sup_auto_weights_options* how, bool silent, sup_character** character,
                 sup_arena* arena, sup_auto_weights* out)
{
    const char*   path = options_text(o, FLAG_SKELETON, NULL);
    skeleton_file file = { 0 };
    sup_error     error = { 0 };
    sup_bone*     bones = NULL;
    int           code = EXIT_DONE;
    if (path && ends_in(path, ".tgf")) code = read_tgf(path, arena, &file);
    else if (path && ends_in(path, ".bvh")) code = read_bvh(path, *character, silent, arena, &file);
    else if (path) code = read_character(path, arena, &file);
    else if ((*character)->skeleton.skin_joint_count == 0 || options_has(o, FLAG_CENTER))
        code = copy_joints(*character, arena, &file);
    if (code == EXIT_DONE && options_has(o, FLAG_CENTER)) code = center(*character, how, silent, &file);
    if (code != EXIT_DONE) return code;
    if (file.joints) {
        sup_character* made = NULL;
        for (uint32_t j = 0; j < file.joint_count; j++) file.joints[j].source_id = j;
        if (sup_skeleton_attach(*character, file.joint_count, file.joints, NULL, &made, &error) != SUP_OK)
            return fail_with(&error);
        sup_character_inherit(made, *character);
        *character = made;
        bones = known_bones(made, &file, arena);
        if (!bones) return fail_memory();
    }
    uint32_t count = (*character)->skeleton.bone_count;
    if (sup_character_weigh(*character, count, bones, how, out, &error) != SUP_OK) return fail_with(&error);
    if (!silent) say_weights(*character, out);
    return EXIT_DONE;
}

int skeleton_weigh(const options* o, const sup_auto_weights_options* how, bool silent, sup_character** character,
                   sup_auto_weights* out)
{
    sup_auto_weights unused;
    sup_arena*       arena = sup_arena_create(NULL);
    if (!arena) return fail_memory();
    int code = weigh(o, how, silent, character, arena, out ? out : &unused);
    sup_arena_destroy(arena);
    return code;
}
