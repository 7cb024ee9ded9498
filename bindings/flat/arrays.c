// Arrays by name.
#include "handles.h"

#include <stdlib.h>
#include <string.h>

typedef struct array {
    const char* name;
    const void* data;
    uint64_t    count;
} array;

static const void* find_array(const array* arrays, uint32_t arrays_count, const char* name, uint64_t* count)
{
    for (uint32_t i = 0; i < arrays_count; ++i)
        if (!strcmp(arrays[i].name, name)) return *count = arrays[i].count, arrays[i].data;
    return NULL;
}

/// Rest transforms (0) or inverse binds (1) of all joints; computed on first use.
static const void* joint_array(flat_object* o, int which, uint64_t* count)
{
    const sup_skeleton* s = &o->character->skeleton;
    flat_bytes*         b = &o->joints[which];
    size_t              size = which ? sizeof(sup_affine) : sizeof(sup_transform);
    if (b->used != s->joint_count * size) {
        b->used = 0;
        for (uint32_t i = 0; i < s->joint_count; ++i) {
            const void* one = which ? (const void*)&s->joints[i].inverse_bind : (const void*)&s->joints[i].rest;
            if (!flat_bytes_add(b, one, size)) return NULL;
        }
    }
    *count = b->used / sizeof(float);
    return b->data;
}

/// Base colors of the points; computed on first use. None if the file has none.
static const void* color_array(flat_object* o, uint64_t* count)
{
    flat_bytes* b = &o->colors;
    size_t      size = o->character->mesh.point_count * sizeof(sup_vec3);
    if (b->used != size) {
        sup_vec3* colors = malloc(size);
        bool      any = colors && sup_character_colors(o->character, colors) && flat_bytes_add(b, colors, size);
        free(colors);
        if (!any) return NULL;
    }
    *count = size / sizeof(float);
    return b->data;
}

const float* flat_map_array(const sup_character* c, const char* name, uint64_t* count)
{
    const sup_map* map = sup_character_map(c, name);
    sup_arena*     arena = map ? NULL : sup_arena_create(NULL);
    const char*    written = arena ? flat_map_name(name, arena) : NULL;
    if (written) map = sup_character_map(c, written);
    sup_arena_destroy(arena);
    return map ? (*count = c->mesh.point_count, map->values) : NULL;
}

static const void* of_character(flat_object* o, const char* name, uint64_t* count)
{
    const sup_character* c = o->character;
    const sup_mesh*      m = &c->mesh;
    uint32_t             influences = c->weights.begin ? c->weights.begin[m->point_count] : 0;
    const array          arrays[] = { { "points", m->points, 3 * (uint64_t)m->point_count },
                                      { "triangles", m->triangles, 3 * (uint64_t)m->triangle_count },
                                      { "vertex_points", m->vertex_points, m->vertex_count },
                                      { "face_begin", m->face_begin, (uint64_t)m->face_count + 1 },
                                      { "corner_points", m->corner_points, m->corner_count },
                                      { "corner_vertices", m->corner_vertices, m->corner_count },
                                      { "weight_begin", c->weights.begin, (uint64_t)m->point_count + 1 },
                                      { "weight_joints", c->weights.joints, influences },
                                      { "weight_values", c->weights.values, influences },
                                      { "normals", m->vertex_normals, m->vertex_normals ? 3 * (uint64_t)m->vertex_count : 0 } };
    const sup_auto_weights* w = &o->weighed;
    const array             cells[] = { { "cell_centers", w->cell_centers, 3 * (uint64_t)w->cell_count },
                                        { "cell_joints", w->cell_joints, SUP_CELL_JOINTS * (uint64_t)w->cell_count },
                                        { "cell_values", w->cell_values, SUP_CELL_JOINTS * (uint64_t)w->cell_count } };
    if (w->cell_centers && !strncmp(name, "cell_", 5)) return find_array(cells, 3, name, count);
    if (!strcmp(name, "joint_rest")) return joint_array(o, 0, count);
    if (!strcmp(name, "joint_inverse_bind")) return joint_array(o, 1, count);
    if (!strcmp(name, "colors")) return color_array(o, count);
    if (!strncmp(name, "map:", 4)) return flat_map_array(c, name + 4, count);
    return find_array(arrays, sizeof arrays / sizeof *arrays, name, count);
}

/// A link may draw lines but no points: an empty array, not a missing one.
static const void* drawn_data(const flat_object* o, int which)
{
    static const float none[1]; // aligned like the array requested here
    return o->drawn[which].data ? o->drawn[which].data : (const void*)none;
}

_Static_assert(sizeof(sup_ripple) == 6 * sizeof(float), "a ripple is six floats");

/// Those of the frame shown last; computed on each request.
static const void* ripple_array(flat_object* o, uint64_t* count)
{
    static const float none[1];
    uint32_t           each = o->shown ? sup_instance_relief(o->instance, o->skin, NULL, NULL) : 0;
    size_t             all = (size_t)each * flat_ancestor(o, FLAT_CHARACTER)->character->mesh.point_count;
    if (!all) return none;
    if (!o->ripples) o->ripples = malloc(all * sizeof *o->ripples);
    if (!o->ripples) return NULL;
    sup_instance_relief(o->instance, o->skin, o->scratch, o->ripples);
    *count = 6 * (uint64_t)all;
    return o->ripples;
}

static const void* of_instance(flat_object* o, const char* name, uint64_t* count)
{
    if (!strcmp(name, "ripples")) return ripple_array(o, count);
    const sup_mesh* m = &flat_ancestor(o, FLAT_CHARACTER)->character->mesh;
    const sup_pose* pose = o->shown ? sup_instance_pose(o->instance) : NULL;
    const array     arrays[] = { { "skin", o->skin, 3 * (uint64_t)m->point_count },
                                 { "local", pose ? pose->local : NULL, pose ? 10 * (uint64_t)pose->joint_count : 0 },
                                 { "morph_weights", pose ? pose->morph_weights : NULL, pose ? pose->morph_count : 0 },
                                 { "draw_lines", drawn_data(o, 0), o->drawn[0].used / sizeof(float) },
                                 { "draw_points", drawn_data(o, 1), o->drawn[1].used / sizeof(float) },
                                 { "draw_triangles", drawn_data(o, 2), o->drawn[2].used / sizeof(float) },
                                 { "draw_names", drawn_data(o, 3), o->drawn[3].used } };
    return find_array(arrays, sizeof arrays / sizeof *arrays, name, count);
}

const void* flat_array(flat_handle handle, const char* name, uint64_t* count)
{
    int32_t      status;
    uint64_t     found = 0;
    flat_object* o = flat_enter(handle, FLAT_CHARACTER | FLAT_INSTANCE | FLAT_BAKE, &status);
    if (count) *count = 0;
    if (!o) return NULL;
    if (!name) name = "";
    const void* data = o->kind == FLAT_CHARACTER ? of_character(o, name, &found)
                       : o->kind == FLAT_BAKE    ? flat_bake_array(o, name, &found)
                                                 : of_instance(o, name, &found);
    if (count) *count = found;
    if (!data && !found) sup_fail(&o->error, SUP_ERROR_INPUT, "there is no array '%s' here", name);
    flat_leave(o);
    return data;
}
