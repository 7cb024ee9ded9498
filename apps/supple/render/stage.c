// Runs the chains that the camera sees.
#include "stage_internal.h"

#include "report/report.h"

#include "supple/io.h"

#include <stdlib.h>
#include <string.h>

static sup_result no_memory(const stage* s, sup_error* error)
{
    return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while preparing pictures of %u points",
                    s->d.character->mesh.point_count);
}

// ---------------------------------------------------------------------------------------------- making

static sup_result make_actor(stage* s, uint32_t index, sup_error* error)
{
    const sup_mesh* mesh = &s->d.character->mesh;
    sup_chain_desc  chain = s->d.chains[index];
    actor*          a = &s->actors[index];
    chain.character = s->d.character;
    chain.clip = s->d.clip;
    if (s->d.loop) chain.cycle_begin = s->d.start, chain.cycle_end = s->d.end;
    chain.tasks = s->d.tasks;
    chain.show = s->d.show != NULL;
    chain.progress = s->d.progress;
    sup_result result = sup_chain_create(&chain, &a->chain, error);
    if (result != SUP_OK) return result;
    const sup_instance_desc instance = { .chain = a->chain,
                                         .clip = s->d.clip,
                                         .pose = s->d.pose,
                                         .start = s->d.start,
                                         .end = s->d.end,
                                         .still = s->d.still,
                                         .preroll = s->d.preroll > 0 ? s->d.preroll : SUP_NO_PREROLL,
                                         .loop = s->d.loop,
                                         .tasks = s->d.tasks };
    result = sup_instance_create(&instance, &a->instance, error);
    if (result != SUP_OK) return result;
    a->scratch = sup_scratch_create(sup_chain_scratch_size(a->chain), NULL);
    a->points = sup_arena_alloc(s->arena, mesh->point_count, sizeof *a->points);
    a->normals = sup_arena_alloc(s->arena, mesh->vertex_count, sizeof *a->normals);
    a->colors = sup_arena_alloc(s->arena, mesh->point_count, sizeof *a->colors);
    a->heat = sup_arena_alloc(s->arena, mesh->point_count, sizeof *a->heat);
    if (!a->scratch || !a->points || !a->normals || !a->colors || !a->heat) return no_memory(s, error);
    return relief_begin(a->instance, mesh, a->points, s->arena, &a->relief, error);
}

// Unreadable pictures are reported by name and drawn as white, which leaves their factor.
static sup_result read_materials(stage* s, sup_error* error)
{
    s->corner_colors = sup_arena_alloc(s->arena, s->d.character->mesh.corner_count, sizeof *s->corner_colors);
    if (!s->corner_colors) return no_memory(s, error);
    if (!sup_character_corner_colors(s->d.character, (sup_vec3*)s->corner_colors)) s->corner_colors = NULL;
    sup_result result = sup_character_paint(s->d.character, s->arena, &s->paint, error);
    if (result != SUP_OK || s->paint.picture_count == 0) return result;
    s->textures = sup_arena_alloc(s->arena, s->paint.picture_count, sizeof *s->textures);
    if (!s->textures) return no_memory(s, error);
    for (uint32_t i = 0; i < s->paint.picture_count; i++) {
        const char* why = texture_read(&s->paint.pictures[i], &s->textures[i]);
        if (why)
            report_warning("picture '%s' of '%s' is left out, only the material's color is drawn: %s",
                           s->paint.pictures[i].name, s->d.character->name, why);
    }
    return SUP_OK;
}

// A point's weights are sorted, largest first.
static sup_result find_focus(stage* s, sup_error* error)
{
    const sup_character* c = s->d.character;
    uint32_t             found = 0;
    if (!s->d.focus) return SUP_OK;
    s->focused = sup_arena_alloc(s->arena, c->mesh.point_count, sizeof *s->focused);
    if (!s->focused) return no_memory(s, error);
    for (uint32_t p = 0; p < c->mesh.point_count; p++) {
        uint32_t at = c->weights.begin[p];
        if (at == c->weights.begin[p + 1]) continue;
        s->focused[p] = sup_glob_match(s->d.focus, c->skeleton.joints[c->weights.joints[at]].name);
        found += s->focused[p];
    }
    if (found) return SUP_OK;
    return sup_fail(error, SUP_ERROR_INPUT,
                    "--focus '%s': no joint of that name in '%s' has the largest weight anywhere; "
                    "'supple inspect' lists the joints",
                    s->d.focus, c->name);
}

static sup_result make_all(stage* s, sup_error* error)
{
    s->actor_count = s->d.chain_count + (s->d.ghost ? 1 : 0);
    s->actors = sup_arena_alloc(s->arena, s->actor_count, sizeof *s->actors);
    if (!s->actors) return no_memory(s, error);
    sup_result result = find_focus(s, error);
    if (result == SUP_OK) result = stage_path_create(s, error);
    if (result == SUP_OK) result = sup_normals_create(s->d.character, s->arena, &s->normals, error);
    for (uint32_t i = 0; i < s->actor_count && result == SUP_OK; i++) result = make_actor(s, i, error);
    if (result != SUP_OK) return result;
    s->normals_scratch = sup_scratch_create(sup_normals_scratch(s->normals), NULL);
    if (!s->normals_scratch || !stage_bodies_create(s)) return no_memory(s, error);
    if (s->d.file_colors && s->d.heat == HEAT_NONE) result = read_materials(s, error);
    if (result == SUP_OK && (s->d.heat == HEAT_STRETCH || s->d.heat == HEAT_CURVATURE))
        result = sup_meter_create(s->d.character, NULL, &s->meter, error);
    return result;
}

sup_result stage_create(const stage_desc* desc, stage** out, sup_error* error)
{
    sup_arena* arena = sup_arena_create(NULL);
    stage*     s = arena ? sup_arena_alloc(arena, 1, sizeof *s) : NULL;
    if (!s) {
        sup_arena_destroy(arena);
        return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while preparing pictures");
    }
    s->d = *desc;
    s->arena = arena;
    s->ground = INFINITY;
    s->low = vec(INFINITY, INFINITY, INFINITY);
    s->high = vec(-INFINITY, -INFINITY, -INFINITY);
    sup_result result = make_all(s, error);
    if (result != SUP_OK) stage_destroy(s);
    else *out = s;
    return result;
}

void stage_destroy(stage* s)
{
    if (!s) return;
    for (uint32_t i = 0; i < s->actor_count && s->actors; i++) {
        sup_instance_destroy(s->actors[i].instance);
        sup_chain_destroy(s->actors[i].chain);
        sup_scratch_destroy(s->actors[i].scratch);
    }
    sup_meter_destroy(s->meter);
    for (uint32_t i = 0; i < s->paint.picture_count && s->textures; i++) texture_free(&s->textures[i]);
    sup_scratch_destroy(s->normals_scratch);
    free(s->drawn.lines);
    free(s->drawn.points);
    free(s->drawn.colors);
    sup_arena_destroy(s->arena);
}

// ---------------------------------------------------------------------------------------------- time

void stage_evaluate(stage* s, double time, const sup_vec3* truth)
{
    s->truth = truth;
    s->here = stage_path_at(s, time);
    for (uint32_t i = 0; i < s->actor_count; i++) {
        actor* a = &s->actors[i];
        sup_instance_evaluate(a->instance, time, a->scratch, &a->stats, a->points);
        sup_normals_evaluate(s->normals, a->points, s->normals_scratch, s->d.tasks, a->normals, NULL);
        relief_show(a->instance, a->scratch, &a->relief);
    }
    for (uint32_t i = 0; i < s->d.chain_count; i++) stage_heat(s, &s->actors[i]);
}

static float along_up(const stage* s, sup_vec3 p)
{
    return s->d.character->up == SUP_AXIS_Y ? p.y : s->d.character->up == SUP_AXIS_Z ? p.z : p.x;
}

// The extreme points in many directions: what the camera has to see.
static void grow_frame(stage* s, const sup_vec3* points, const bool* which, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++) {
        sup_vec3 v = points[p];
        if (!(fabsf(v.x) < 1e30f) || !(fabsf(v.y) < 1e30f) || !(fabsf(v.z) < 1e30f)) continue;
        s->ground = fminf(s->ground, along_up(s, v));
        if (which && !which[p]) continue;
        v = sub(v, s->here);
        s->low = vec(fminf(s->low.x, v.x), fminf(s->low.y, v.y), fminf(s->low.z, v.z));
        s->high = vec(fmaxf(s->high.x, v.x), fmaxf(s->high.y, v.y), fmaxf(s->high.z, v.z));
        int k = 0;
        for (int x = -2; x <= 2; x++) {
            for (int y = -2; y <= 2; y++) {
                for (int z = -2; z <= 2; z++) {
                    if (abs(x) != 2 && abs(y) != 2 && abs(z) != 2) continue;
                    float reach = (float)x * v.x + (float)y * v.y + (float)z * v.z;
                    if (!s->framed || reach > s->reach[k]) {
                        s->reach[k] = reach;
                        s->outermost[k] = v;
                    }
                    k++;
                }
            }
        }
        s->framed = true;
    }
}

// Bodies near the skin are framed; a floor or a falling ball far above must not push the camera away.
static void grow_frame_by_bodies(stage* s)
{
    float    margin = 0.15f * s->d.character->mesh.diagonal;
    sup_vec3 low = sub(s->low, vec(margin, margin, margin)), high = add(s->high, vec(margin, margin, margin));
    for (uint32_t i = 0; i < s->body_count; i++) {
        const stage_body* b = &s->bodies[i];
        for (uint32_t p = 0; p < b->mesh.point_count; p++) {
            sup_vec3 v = b->points[p];
            sup_vec3 r = sub(v, s->here);
            bool     near = r.x >= low.x && r.x <= high.x && r.y >= low.y && r.y <= high.y && r.z >= low.z && r.z <= high.z;
            if (near) grow_frame(s, &v, NULL, 1);
        }
    }
}

void stage_measure(stage* s)
{
    for (uint32_t i = 0; i < s->actor_count; i++)
        grow_frame(s, s->actors[i].points, s->focused, s->d.character->mesh.point_count);
    stage_sight_measure(s);
    if (s->body_count) {
        stage_bodies_place(s, &s->actors[0]);
        if (!s->focused) grow_frame_by_bodies(s);
    }
    for (uint32_t i = 0; i < s->d.chain_count; i++) stage_heat_measure(s, &s->actors[i]);
    for (uint32_t i = 0; i < s->d.chain_count; i++) stage_show(s, &s->actors[i], true);
}

const sup_chain* stage_chain(const stage* s, uint32_t chain) { return s->actors[chain].chain; }
const sup_stats* stage_stats(const stage* s, uint32_t chain) { return &s->actors[chain].stats; }

// ---------------------------------------------------------------------------------------------- bones

static sup_vec3 move(const sup_affine* a, sup_vec3 p)
{
    return vec(a->m[0][0] * p.x + a->m[0][1] * p.y + a->m[0][2] * p.z + a->m[0][3],
               a->m[1][0] * p.x + a->m[1][1] * p.y + a->m[1][2] * p.z + a->m[1][3],
               a->m[2][0] * p.x + a->m[2][1] * p.y + a->m[2][2] * p.z + a->m[2][3]);
}

// Thick at the joint, thin at the child, with a dark edge; dots at joints. Later lines cover earlier ones.
static bool draw_bones(stage* s, const actor* a)
{
    static const picture_color edge = { 0.01f, 0.012f, 0.018f }, bone = { 0.90f, 0.86f, 0.74f },
                               dot_color = { 0.95f, 0.55f, 0.1f };
    const sup_skeleton* skeleton = &s->d.character->skeleton;
    const sup_pose*     pose = sup_instance_pose(a->instance);
    float               unit = fmaxf(0.5f, (float)s->d.picture_height / 720.0f);
    for (int layer = 0; layer < 4; layer++) {
        for (uint32_t b = 0; b < skeleton->bone_count; b++) {
            const sup_bone* it = &skeleton->bones[b];
            sup_vec3        head = move(&pose->skin[it->joint], it->head), tail = move(&pose->skin[it->joint], it->tail);
            picture_line    l = { .a = head, .b = tail, .on_top = true };
            bool            joint = layer >= 2;
            float           rim = layer % 2 == 0 ? 1.4f * unit : 0.0f;
            if (joint) l.b = head;
            l.radius = (joint ? 3.6f : 3.2f) * unit + rim;
            l.radius_end = joint ? l.radius : 1.1f * unit + rim;
            l.color = layer % 2 == 0 ? edge : joint ? dot_color : bone;
            if (!stage_line(s, l)) return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- panel

sup_result stage_fill(stage* s, uint32_t chain, picture_desc* out, sup_error* error)
{
    actor*          a = &s->actors[chain];
    const sup_mesh* mesh = &s->d.character->mesh;
    s->drawn.line_count = s->drawn.triangle_count = 0;
    s->drawn.failed = false;
    bool hot = s->d.heat != HEAT_NONE;
    if (hot) stage_heat_color(s, a);
    if (s->d.bones && !draw_bones(s, a)) s->drawn.failed = true;
    stage_show(s, a, false);
    if (s->drawn.failed) return no_memory(s, error);

    s->surfaces[0] = (picture_surface){ .mesh = mesh,
                                        .points = a->points,
                                        .vertex_normals = a->normals,
                                        .colors = hot ? a->colors : NULL,
                                        .corner_colors = s->corner_colors,
                                        .alpha = 1.0f,
                                        .wire = s->d.wire,
                                        .color = s->d.color,
                                        .relief = a->relief.count ? &a->relief : NULL };
    if (s->textures && s->corner_colors) {
        s->surfaces[0].textures = s->textures;
        s->surfaces[0].vertex_textures = s->paint.vertex_pictures;
        s->surfaces[0].vertex_uv = s->paint.vertex_uv;
        s->surfaces[0].corner_entries = s->paint.corner_entries;
    }
    out->surface_count = 1;
    if (s->d.ghost) {
        const actor* ghost = &s->actors[s->d.chain_count];
        s->surfaces[out->surface_count++] =
            (picture_surface){ .mesh = mesh, .points = ghost->points, .vertex_normals = ghost->normals, .alpha = 0.5f };
    }
    out->surface_count += stage_bodies_surfaces(s, a, s->surfaces + out->surface_count);
    out->surfaces = s->surfaces;
    out->line_count = s->drawn.line_count;
    out->lines = s->drawn.lines;
    out->triangle_count = s->drawn.triangle_count;
    out->triangle_points = s->drawn.points;
    out->triangle_colors = s->drawn.colors;
    out->up = s->d.character->up;
    out->front = s->d.front;
    out->frame_low = s->framed ? add(s->low, s->here) : vec(0, 0, 0);
    out->frame_high = s->framed ? add(s->high, s->here) : vec(1, 1, 1);
    for (int i = 0; i < FRAME_POINTS; i++) s->frame_points[i] = add(s->outermost[i], s->here);
    out->frame_points = s->frame_points;
    out->frame_point_count = s->framed ? FRAME_POINTS : 0;
    out->ground_height = s->framed ? s->ground : 0.0f;
    return SUP_OK;
}
