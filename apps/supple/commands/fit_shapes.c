// The shapes for a fit, whatever their source.
#include "fit_shapes.h"

#include "report/chain_measure.h"
#include "report/report.h"
#include "system/system.h"
#include "supple/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// One shape per file, and no clip of its own.
static bool is_shape(const char* path)
{
    return sup_path_ends_in(path, "obj ply off stl");
}

// ---------------------------------------------------------------------------------------------- a clip

int fit_shapes_play(const sup_character* character, const sup_clip* clip, double start, double end, double fps,
                    sup_arena* arena, const sup_vec3** frames, uint32_t* count)
{
    sup_error     error = { 0 };
    sup_chain*    chain = NULL;
    sup_instance* instance = NULL;
    uint32_t      points = character->mesh.point_count;
    *count = sup_frame_count(start, end, fps, false);
    sup_vec3*  all = sup_arena_alloc(arena, (size_t)*count * points, sizeof *all);
    sup_result result =
        sup_chain_create(&(sup_chain_desc){ .character = character, .clip = clip, .links = "linear" }, &chain, &error);
    if (result == SUP_OK)
        result = sup_instance_create(&(sup_instance_desc){ .chain = chain, .clip = clip, .start = start, .end = end },
                                     &instance, &error);
    void* scratch = chain ? sup_scratch_create(sup_chain_scratch_size(chain), NULL) : NULL;
    for (uint32_t f = 0; f < *count && all && scratch && result == SUP_OK; f++)
        sup_instance_evaluate(instance, sup_frame_time(start, fps, f), scratch, NULL, all + (size_t)f * points);
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    sup_chain_destroy(chain);
    *frames = all;
    if (result != SUP_OK) return fail_with(&error);
    return all && scratch ? EXIT_DONE : fail_memory();
}

static int read_clip(const options* o, const char* path, double start, double end, sup_arena* arena, fit_shapes* out)
{
    const sup_clip* clip = NULL;
    int             code = character_load(o, path, options_has(o, FLAG_QUIET), &out->rest);
    if (code == EXIT_DONE) code = clip_choose(o, out->rest, &clip);
    if (code != EXIT_DONE) return code;
    if (options_has(o, FLAG_REST)) {
        report_error("--rest goes with shapes; '%s' has a rest shape of its own", path);
        return EXIT_USAGE;
    }
    if (!clip) {
        report_error("'%s' is one shape, and a rig needs several; give all files of the sequence, or a file with a clip",
                     path);
        return EXIT_FAILED;
    }
    double hold = 0.0, still;
    if (!options_number(o, FLAG_HOLD, 0.0, 1e6, 0.0, &hold)) return EXIT_USAGE;
    code = motion_close_end(clip, start, out->fps, hold, &end, &still);
    if (code != EXIT_DONE) return code;
    if (start >= end) {
        report_error("--start %g leaves nothing of '%s', which ends at %g s", start, clip->name, end);
        return EXIT_FAILED;
    }
    return fit_shapes_play(out->rest, clip, start, end, out->fps, arena, &out->frames, &out->frame_count);
}

// ---------------------------------------------------------------------------------------------- a cache

static int read_cache(const options* o, const char* path, sup_arena* arena, fit_shapes* out)
{
    const char* rest = options_text(o, FLAG_REST, NULL);
    truth_set   t;
    if (!rest) {
        report_error("'%s' has points but no faces; give the mesh with --rest FILE", path);
        return EXIT_FAILED;
    }
    int code = character_load(o, rest, options_has(o, FLAG_QUIET), &out->rest);
    if (code != EXIT_DONE) return code;
    code = truth_files(&path, 1, "the input", "shape", arena, &t);
    if (code == EXIT_DONE) code = truth_load(&t, out->rest, arena);
    if (code == EXIT_DONE) code = fit_shapes_join(&t, out->rest->mesh.point_count, arena, &out->frames);
    out->frame_count = t.count;
    return code;
}

// ---------------------------------------------------------------------------------------------- files

int fit_shapes_join(const truth_set* t, uint32_t point_count, sup_arena* arena, const sup_vec3** frames)
{
    sup_vec3* all = sup_arena_alloc(arena, (size_t)t->count * point_count, sizeof *all);
    if (!all) return fail_memory();
    for (uint32_t i = 0; i < t->count; i++) memcpy(all + (size_t)i * point_count, t->points[i], point_count * sizeof *all);
    *frames = all;
    return EXIT_DONE;
}

static int read_files(const options* o, const char* const* words, uint32_t count, sup_arena* arena, fit_shapes* out)
{
    truth_set t;
    int       code = truth_files(words, count, "the input", "shape", arena, &t);
    if (code != EXIT_DONE) return code;
    const char* rest = options_text(o, FLAG_REST, t.paths[0]);
    if (t.count < 2) {
        report_error("'%s' is one shape, and a rig needs several; give all files of the sequence", t.paths[0]);
        return EXIT_FAILED;
    }
    code = character_load(o, rest, options_has(o, FLAG_QUIET), &out->rest);
    if (code == EXIT_DONE) code = truth_load(&t, out->rest, arena);
    if (code == EXIT_DONE) code = fit_shapes_join(&t, out->rest->mesh.point_count, arena, &out->frames);
    out->frame_count = t.count;
    return code;
}

// Total length of all triangles' edges, which a pose hardly changes.
static double edges_length(const sup_mesh* mesh, const sup_vec3* points)
{
    double sum = 0;
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
        sup_vec3 a = points[mesh->triangles[i]], b = points[mesh->triangles[i % 3 == 2 ? i - 2 : i + 1]];
        double   x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
        sum += sqrt(x * x + y * y + z * z);
    }
    return sum;
}

// Files often keep a mesh in centimeters under a node that converts to meters. Rigid bones cannot scale, so the rest shape
// takes the size of the first frame; normals are unaffected.
static void match_scale(const options* o, fit_shapes* s)
{
    static const double RATIO_MAX = 1.5; // a body may stretch by less
    sup_mesh*           mesh = &s->rest->mesh;
    double              rest = edges_length(mesh, mesh->points), first = edges_length(mesh, s->frames);
    if (!(rest > 0) || !(first > 0) || (first < RATIO_MAX * rest && rest < RATIO_MAX * first)) return;
    double    scale = first / rest;
    sup_vec3* points = (sup_vec3*)(uintptr_t)mesh->points; // we own the character
    for (uint32_t i = 0; i < mesh->point_count; i++)
        for (int c = 0; c < 3; c++) (&points[i].x)[c] = (float)(scale * (double)(&points[i].x)[c]);
    mesh->diagonal = (float)(scale * (double)mesh->diagonal);
    if (!options_has(o, FLAG_QUIET)) report_note("the rest shape was scaled by %.4g to the size of the first frame", scale);
}

static int read_any(const options* o, const char* const* words, uint32_t count, sup_arena* arena, fit_shapes* out)
{
    double start = 0, end = -1;
    *out = (fit_shapes){ 0 };
    if (!options_number(o, FLAG_FPS, 0.001, 10000, 30, &out->fps)) return EXIT_USAGE;
    if (!options_number(o, FLAG_START, 0, 1e6, 0, &start) || !options_number(o, FLAG_END, 0, 1e6, -1, &end)) return EXIT_USAGE;
    for (uint32_t i = 0; i < count; i++) {
        if (!truth_is_cache(words[i])) continue;
        if (count == 1) return read_cache(o, words[i], arena, out);
        report_error("'%s' is a cache of a whole motion; give it alone, with --rest FILE for the mesh", words[i]);
        return EXIT_USAGE;
    }
    // A pattern like walk_####.obj is not a file; the sequence reader interprets it.
    bool      single = count == 1 && !path_is_folder(words[0]);
    path_info info;
    if (single && (!is_shape(words[0]) || path_look(words[0], &info) != 0))
        return read_clip(o, words[0], start, end, arena, out);
    return read_files(o, words, count, arena, out);
}

int fit_shapes_read(const options* o, const char* const* words, uint32_t count, sup_arena* arena, fit_shapes* out)
{
    int code = read_any(o, words, count, arena, out);
    if (code == EXIT_DONE && out->frame_count) match_scale(o, out);
    return code;
}
