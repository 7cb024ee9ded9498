// supple demo: bakes the built-in characters with every deformer that fits them, into one folder.
#include "bake_run.h"
#include "commands.h"
#include "input/chains.h"
#include "report/demo_page.h"
#include "report/output.h"
#include "report/report.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>

typedef struct tour {
    const char*      folder;
    double           fps;
    bool             quiet;
    const sup_tasks* tasks;
    table            rows;
    demo_page*       page;
    uint32_t         frame; ///< the frame of the current clip to show; SUP_NONE: the first bake decides
    uint32_t         files;
    uint64_t         bytes;
} tour;

/// The links that present a deformer to a newcomer: with a preset that shows its dynamics, if it has one.
static const char* links_of(const sup_deformer* d, char* text, size_t capacity)
{
    for (const sup_preset* p = d->presets; p && p->name; p++)
        if (strcmp(p->name, "soft") == 0) return snprintf(text, capacity, "%s(preset=soft)", d->name), text;
    return d->name;
}

static bool through_sculpts(const sup_deformer* d)
{
    char text[128];
    return (d->needs & SUP_NEEDS_EXAMPLES) && links_of(d, text, sizeof text) == text;
}

/// Seconds that the last pose is held where a clip ends in a sculpt: what swings between sculpts comes to rest behind it.
#define COMES_TO_REST 1.5

static double held(const sup_character* c, const sup_clip* clip, const sup_deformer* d)
{
    for (uint32_t i = 0; through_sculpts(d) && i < c->example_count; i++)
        if (!c->examples[i].clip || strcmp(c->examples[i].clip, clip->name) == 0) return COMES_TO_REST;
    return 0;
}

static int bake_one(tour* t, const sup_character* c, const char* who, const sup_clip* clip, const sup_deformer* d,
                    sup_arena* arena)
{
    double   hold = held(c, clip, d);
    char     path[4400], label[128], links[128], *name = path + strlen(t->folder) + 1;
    progress bar;
    snprintf(path, sizeof path, "%s/%s-%s-%s.glb", t->folder, who, clip->name, d->name);
    snprintf(label, sizeof label, "%s %s %s", who, clip->name, d->name);
    const bake_job job = { .character = c,
                           .chain = { .links = links_of(d, links, sizeof links) },
                           .output = path,
                           .motion = { .clip = clip,
                                       .end = clip->seconds + hold,
                                       .fps = t->fps,
                                       .preroll = 0.5,
                                       .hold = hold,
                                       .still = hold > 0 ? clip->seconds : 0 },
                           .keep = true,
                           .keep_frame = t->frame,
                           .tasks = t->tasks,
                           .bar = &bar };
    bake_outcome   out;
    sup_error      error = { 0 };
    progress_begin(&bar, label, t->quiet);
    sup_result result = bake_run(&job, arena, &out, &error);
    progress_end(&bar);
    if (result != SUP_OK || !demo_page_bake(t->page, &out, name, &error)) return fail_with(&error);
    if (t->frame == SUP_NONE) t->frame = out.worst_frame;

    t->files++;
    t->bytes += out.bytes;
    table_add(&t->rows, "%s", who);
    table_add(&t->rows, "%s", clip->name);
    table_add(&t->rows, "%s", out.chain);
    table_add(&t->rows, "%u", out.frames);
    table_add(&t->rows, "%u", c->mesh.point_count);
    table_add(&t->rows, "%.3f", 1000.0 * out.evaluate / out.frames);
    table_add(&t->rows, "%+.1f %%", 100.0 * out.volume_change);
    table_add(&t->rows, "%.1f MB", (double)out.bytes / 1e6);
    table_add(&t->rows, "%s", path);
    return EXIT_DONE;
}

/// Deformers between sculpts need some. A character without any takes those that simulated flesh shows during its walk, at four
/// times and at the end.
#define SCULPTED_CLIP "walk"
#define SCULPTOR "layers(preset=big_man)"
enum { SCULPTS = 5 };

static int sculpt(const tour* t, sup_character* c, const sup_clip* clip, sup_arena* arena)
{
    static const char* const names[SCULPTS] = { "walk_1", "walk_2", "walk_3", "walk_4", "walk_5" };
    sup_error                error = { 0 };
    sup_chain*               chain = NULL;
    sup_instance*            instance = NULL;
    void*                    scratch = NULL;
    sup_example*             made = sup_arena_alloc(arena, SCULPTS, sizeof *made);
    sup_vec3*                points = sup_arena_alloc(arena, SCULPTS * (size_t)c->mesh.point_count, sizeof *points);
    if (!made || !points) return fail_memory();
    sup_chain_desc    links = { .character = c, .clip = clip, .links = SCULPTOR, .tasks = t->tasks };
    sup_instance_desc play = { .clip = clip, .tasks = t->tasks };
    sup_result        r = sup_chain_create(&links, &chain, &error);
    play.chain = chain;
    if (r == SUP_OK) r = sup_instance_create(&play, &instance, &error);
    if (r == SUP_OK) scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    for (uint32_t i = 0; scratch && i < SCULPTS; i++) {
        sup_vec3* skin = points + i * (size_t)c->mesh.point_count;
        double    time = clip->seconds * i / (SCULPTS - 1);
        sup_instance_evaluate(instance, time, scratch, NULL, skin);
        made[i] = (sup_example){ .name = names[i], .clip = clip->name, .time = time, .points = skin };
    }
    if (scratch) c->examples = made, c->example_count = SCULPTS;
    int code = r != SUP_OK ? fail_with(&error) : scratch ? EXIT_DONE : fail_memory();
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    sup_chain_destroy(chain);
    return code;
}

/// Bakes all deformers that fit a clip. Those that need sculpts come last, if sculpts have to be made.
static int visit_clip(tour* t, sup_character* c, const char* who, const sup_clip* clip, bool closed)
{
    bool       sculpts = c->example_count == 0 && strcmp(clip->name, SCULPTED_CLIP) == 0;
    sup_arena* kept = sup_arena_create(NULL);
    int        code = kept ? EXIT_DONE : fail_memory();
    t->frame = SUP_NONE;
    demo_page_clip(t->page, who, clip);
    for (int pass = 0; pass < (sculpts ? 2 : 1) && code == EXIT_DONE; pass++) {
        if (pass) code = sculpt(t, c, clip, kept);
        for (uint32_t i = 0; i < sup_deformer_count() && code == EXIT_DONE; i++) {
            const sup_deformer* d = sup_deformer_at(i);
            bool by_pose = through_sculpts(d) && c->example_count > 0; // of another clip: the pose decides their shares
            if ((pass && !through_sculpts(d)) || !(by_pose || sup_deformer_suits(d, c, clip, closed))) continue;
            sup_arena* arena = sup_arena_create(NULL);
            code = arena ? bake_one(t, c, who, clip, d, arena) : fail_memory();
            sup_arena_destroy(arena);
        }
    }
    if (sculpts) c->examples = NULL, c->example_count = 0;
    sup_arena_destroy(kept);
    return code;
}

static int visit(tour* t, const char* who)
{
    char            path[64];
    sup_character*  c = NULL;
    sup_error       error = { 0 };
    sup_mesh_report surface;
    snprintf(path, sizeof path, "builtin:%s", who);
    if (sup_load(path, NULL, &c, &error) != SUP_OK) return fail_with(&error);
    int code = sup_mesh_examine(&c->mesh, &surface, &error) == SUP_OK ? EXIT_DONE : fail_with(&error);
    if (code == EXIT_DONE && !demo_page_character(t->page, c, t->tasks, &error)) code = fail_with(&error);
    for (uint32_t k = 0; k < c->clip_count && code == EXIT_DONE; k++)
        code = visit_clip(t, c, who, &c->clips[k], surface.closed);
    sup_character_destroy(c);
    return code;
}

static int write_page(const tour* t)
{
    char      path[4400];
    sup_error error = { 0 };
    snprintf(path, sizeof path, "%s/index.html", t->folder);
    return demo_page_write(t->page, path, &error) ? EXIT_DONE : fail_with(&error);
}

int cmd_demo(const options* o)
{
    static const char* const cast[] = { "beast", "arm" };
    tour                     t = { .folder = o->word_count ? o->words[0] : "out/demo", .quiet = options_has(o, FLAG_QUIET) };
    sup_pool*                pool = NULL;
    if (!options_number(o, FLAG_FPS, 0.001, 1000.0, 30.0, &t.fps)) return EXIT_USAGE;
    int code = pool_make(o, &pool);
    if (code == EXIT_DONE) code = output_folders(t.folder, true, "give another: supple demo DIR");
    t.tasks = sup_pool_tasks(pool);
    table_begin(&t.rows, "character|clip|chain|>frames|>points|>ms/frame|>volume|>size|file");
    t.page = demo_page_create();
    if (!t.page && code == EXIT_DONE) code = fail_memory();
    for (size_t i = 0; i < sizeof cast / sizeof *cast && code == EXIT_DONE; i++) code = visit(&t, cast[i]);
    if (code == EXIT_DONE) code = write_page(&t);
    demo_page_destroy(t.page);
    sup_pool_destroy(pool);
    if (code != EXIT_DONE || t.quiet) {
        table_free(&t.rows);
        return code;
    }
    table_print(&t.rows, 0);
    printf(
        "\n%u files, %.0f MB. 'volume' is the largest change of any frame from the rest shape.\n"
        "Open them in anything that plays glTF: Blender (File > Import > glTF 2.0), the three.js editor in a browser, Godot.\n"
        "Each file holds its source clips and one baked clip: play the baked one.\n"
        "beam and fourier pass through sculpts: those of the arm, and on the walk five frames of layers(preset=big_man);\n"
        "behind the last one the pose is held for 1.5 s, in which their skin comes to rest.\n"
        "Look at %s/index.html first: it shows all of them side by side. Then play arm-flex-linear.glb and "
        "arm-flex-layers.glb.\n",
        t.files, (double)t.bytes / 1e6, t.folder);
    return EXIT_DONE;
}
