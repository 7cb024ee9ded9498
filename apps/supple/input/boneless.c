// A rig for meshes that only have shapes, so that everything that needs bones works on plain sequences.
#include "boneless.h"

#include "commands/fit_shapes.h"
#include "report/report.h"
#include "sculpts.h"

#include <string.h>

// Examples as frames, by time. A single one moves from the rest shape.
static int join_examples(const sup_character* c, sup_arena* arena, fit_shapes* out, const double** times)
{
    uint32_t            points = c->mesh.point_count, count = c->example_count;
    const sup_example** list = sup_arena_alloc(arena, count, sizeof *list);
    double*             keys = sup_arena_alloc(arena, (size_t)count + 1, sizeof *keys);
    sup_vec3*           frames = sup_arena_alloc(arena, ((size_t)count + 1) * points, sizeof *frames);
    if (!list || !keys || !frames) return fail_memory();
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (c->examples[i].in_rest_space) continue;
        list[found++] = &c->examples[i];
        for (uint32_t k = found - 1; k > 0 && list[k]->time < list[k - 1]->time; k--) {
            const sup_example* later = list[k - 1];
            list[k - 1] = list[k];
            list[k] = later;
        }
    }
    bool lone = found == 1 && list[0]->time > 0;
    if (lone) memcpy(frames, c->mesh.points, points * sizeof *frames);
    for (uint32_t i = 0; i < found; i++) {
        memcpy(frames + (size_t)(i + lone) * points, list[i]->points, points * sizeof *frames);
        keys[i + lone] = list[i]->time;
    }
    out->frame_count = found + lone;
    out->frames = frames;
    *times = keys;
    return EXIT_DONE;
}

// The source of the motion, most reliable first.
static int choose_shapes(const options* o, const motion* m, sup_character* c, sup_arena* arena, fit_shapes* out,
                         const double** times)
{
    out->fps = m->fps;
    *times = NULL;
    if (options_has(o, FLAG_TRUTH)) {
        truth_set t;
        int       code = truth_list(o, arena, &t);
        if (code == EXIT_DONE) code = truth_load(&t, c, arena);
        out->frame_count = t.count;
        return code == EXIT_DONE ? fit_shapes_join(&t, c->mesh.point_count, arena, &out->frames) : code;
    }
    if (c->clip_count)
        return fit_shapes_play(c, &c->clips[0], 0, c->clips[0].seconds, m->fps, arena, &out->frames, &out->frame_count);
    int code = examples_apply(o, m, c);
    return code == EXIT_DONE ? join_examples(c, arena, out, times) : code;
}

static int fit_bones(const options* o, bool silent, sup_arena* arena, sup_character** character)
{
    enum { BONES = 10 };
    const sup_mesh*   mesh = &(*character)->mesh;
    fit_shapes        shapes = { 0 };
    const double*     times = NULL;
    sup_decomposition fit;
    sup_character*    made = NULL;
    sup_pool*         pool = NULL;
    sup_error         error = { 0 };
    motion            m = { 0 };
    double            bones = BONES;
    // For render, --bones is a switch.
    if (o->verb->bit != VERB_RENDER && !options_number(o, FLAG_FIT_BONES, 1, SUP_DECOMPOSE_BONES_MAX, BONES, &bones))
        return EXIT_USAGE;
    if (!options_has(o, FLAG_FIT_BONES) && bones > mesh->point_count) bones = mesh->point_count;
    int code = motion_flags(o, &m);
    if (code == EXIT_DONE) code = choose_shapes(o, &m, *character, arena, &shapes, &times);
    if (code == EXIT_DONE && shapes.frame_count < 2) return EXIT_DONE; // nothing moves
    if (code == EXIT_DONE) code = pool_make(o, &pool);
    if (code != EXIT_DONE) return code;
    const sup_decompose_options how = { .bones = (uint32_t)bones, .tasks = sup_pool_tasks(pool) };
    const sup_decompose_input   in = { mesh->point_count, shapes.frame_count, mesh->points, shapes.frames, 0, NULL, NULL };
    sup_result                  result = sup_decompose(&in, &how, arena, &fit, &error);
    sup_pool_destroy(pool);
    if (result == SUP_OK) result = sup_decomposition_attach(*character, &fit, "fit", shapes.fps, times, NULL, &made, &error);
    if (result != SUP_OK) return fail_with(&error);
    if (!silent && !options_has(o, FLAG_QUIET))
        report_note("'%s' has no skeleton: %u bones were fitted to %u shapes (E_RMS %.2f) for the rigid part; 'supple fit' "
                    "saves such a rig",
                    (*character)->name, fit.bone_count, shapes.frame_count, fit.erms);
    sup_character_inherit(made, *character);
    *character = made;
    return EXIT_DONE;
}

int boneless_apply(const options* o, bool silent, sup_character** character)
{
    const sup_character* c = *character;
    bool                 shapes = options_has(o, FLAG_EXAMPLE) || (options_has(o, FLAG_TRUTH) && !c->clip_count);
    if (!shapes || options_has(o, FLAG_POSE) || c->skeleton.skin_joint_count > 0 || c->skeleton.joint_count > 1)
        return EXIT_DONE;
    sup_arena* arena = sup_arena_create(NULL);
    if (!arena) return fail_memory();
    int code = fit_bones(o, silent, arena, character);
    sup_arena_destroy(arena);
    return code;
}
