// supple render: pictures, contact sheets, turntables and films.
#include "commands.h"
#include "input/chains.h"
#include "input/maps.h"
#include "input/sculpts.h"
#include "input/truth.h"
#include "progress.h"
#include "render/film.h"
#include "render/picture_math.h"
#include "render/render_flags.h"
#include "report/output.h"
#include "report/report.h"
#include "supple/rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TURN_SECONDS = 4.0; // of a turntable: slow enough to look at, short enough to share
static const double FRAMES_MAX = 1e5;

enum { RING = 32 }; // directions that frame a turntable

// Everything one run holds.
typedef struct session {
    render_job     job;
    sup_character* character;
    sup_pool*      pool;
    sup_arena*     arena;
    stage*         stage;
    picture_camera camera;
    progress       bar;
    uint32_t       frame_count; // of the film or the sheet
    uint32_t       columns, rows;
    uint32_t       cell_width, cell_height, caption_height, legend_height;
    sup_vec3       ring[2 * RING];
    truth_set      truth;
} session;

// ---------------------------------------------------------------------------------------------- motion

// A still shows the file's rest pose unless a clip, a time, or examples (which belong to a clip) are given; films and sheets
// show the clip.
static int choose_motion(const options* o, session* s)
{
    render_job* job = &s->job;
    stage_desc* d = &job->stage;
    bool        posed = options_has(o, FLAG_POSE), moves = (job->film || job->sheet) && !job->turntable;
    bool        timed = job->time >= 0.0 || job->frame >= 0.0;
    if (!posed && (moves || timed || options_has(o, FLAG_EXAMPLE) || options_has(o, FLAG_CLIP))) {
        int code = clip_choose(o, s->character, &d->clip);
        if (code != EXIT_DONE) return code;
    }
    if (!d->clip && timed) {
        report_error("'%s' has no clips, so --%s cannot be shown; leave it out, or give --pose", s->character->name,
                     job->time >= 0.0 ? "time" : "frame");
        return EXIT_FAILED;
    }
    if (d->clip) return EXIT_DONE;
    job->turntable |= moves; // nothing moves, so the camera does
    sup_pose* pose = sup_arena_alloc(s->arena, 1, sizeof *pose);
    d->pose = pose;
    return pose ? pose_read(o, s->character, s->arena, pose) : fail_memory();
}

// Fills in an open end, the time of a still, and the number of frames.
static int choose_times(session* s)
{
    render_job* job = &s->job;
    stage_desc* d = &job->stage;
    double      last = d->clip ? d->clip->seconds : d->start;
    int         code = motion_close_end(d->clip, d->start, job->fps, job->hold, &d->end, &d->still);
    if (code != EXIT_DONE) return code;
    if (d->loop && !(d->end > d->start)) {
        report_error("--loop needs a span; %s", d->clip ? "put --end behind --start" : "this file has no clip");
        return EXIT_FAILED;
    }
    if (job->frame >= 0.0) job->time = sup_frame_time(d->start, job->fps, (uint32_t)job->frame);
    if (job->time > fmax(d->end, last) + 1e-9) {
        report_error("%g s is past the end of the clip '%s' (%.3f s)", job->time, d->clip->name, last);
        return EXIT_FAILED;
    }
    if (job->time < 0.0) job->time = d->start;
    if (job->time < d->start) {
        report_error("%g s is before --start %g", job->time, d->start);
        return EXIT_FAILED;
    }
    double frames = job->turntable ? TURN_SECONDS * job->fps : (d->end - d->start) * job->fps;
    if (job->film && frames > FRAMES_MAX) {
        report_error("%.0f frames are more than a film may have (%.0f); lower --fps or --end", frames, FRAMES_MAX);
        return EXIT_FAILED;
    }
    s->frame_count = 1;
    if (job->sheet) s->frame_count = job->sheet;
    else if (job->film && job->turntable) s->frame_count = (uint32_t)fmax(2.0, floor(frames + 0.5));
    else if (job->film) s->frame_count = sup_frame_count(d->start, d->end, job->fps, d->loop);
    return EXIT_DONE;
}

static double time_of(const session* s, uint32_t frame)
{
    const stage_desc* d = &s->job.stage;
    if (s->job.turntable || s->frame_count == 1) return s->job.time;
    if (!s->job.sheet) return sup_frame_time(d->start, s->job.fps, frame);
    return d->start + (d->end - d->start) * frame / (d->loop ? s->frame_count : s->frame_count - 1);
}

// One mesh for every instant shown.
static int load_truth(const options* o, session* s)
{
    if (!options_has(o, FLAG_TRUTH)) return EXIT_DONE;
    uint32_t shown = s->job.turntable ? 1 : s->frame_count;
    int      code = truth_list(o, s->arena, &s->truth);
    if (code == EXIT_DONE && s->truth.count != shown) {
        report_error("--truth names %u mesh%s, but %u instant%s shown; give as many of one as of the other", s->truth.count,
                     s->truth.count == 1 ? "" : "es", shown, shown == 1 ? " is" : "s are");
        return EXIT_FAILED;
    }
    return code == EXIT_DONE ? truth_load(&s->truth, s->character, s->arena) : code;
}

static void evaluate(session* s, uint32_t frame)
{
    uint32_t instant = s->job.turntable ? 0 : frame;
    stage_evaluate(s->stage, time_of(s, frame), s->truth.count ? s->truth.points[instant] : NULL);
}

// ---------------------------------------------------------------------------------------------- layout

// A sheet of one chain fills rows; with several chains, each gets a row.
static int lay_out(session* s)
{
    render_job* job = &s->job;
    uint32_t    chains = job->stage.chain_count;
    s->columns = job->sheet ? job->sheet : chains;
    s->rows = job->sheet ? chains : 1;
    if (job->sheet && chains == 1) {
        uint32_t side = (uint32_t)ceil(sqrt(job->sheet));
        s->columns = side;
        for (uint32_t c = 2 * side; c >= side; c--)
            if (job->sheet % c == 0 && c <= 6) s->columns = c;
        s->rows = (job->sheet + s->columns - 1) / s->columns;
    }
    uint32_t panels = s->columns * s->rows;
    if (!job->width) {
        job->width = panels == 1 ? 960 : s->columns * (panels == 2 ? 640 : 420);
        job->height = panels == 1 ? 720 : s->rows * (panels == 2 ? 520 : 320);
        if (job->width > 8192) job->width = 8192;
        if (job->height > 8192) job->height = 8192;
    }
    if (job->film) { // video formats require even sides
        job->width &= ~1u;
        job->height &= ~1u;
    }
    const image whole = { .width = job->width, .height = job->height };
    s->legend_height = job->heat ? (uint32_t)image_legend_height(&whole) : 0;
    s->cell_width = job->width / s->columns;
    uint32_t cell = (job->height > s->legend_height ? job->height - s->legend_height : 0) / s->rows;
    bool     captions = chains > 1 || job->sheet || job->stage.ghost;
    uint32_t size = cell / 24;
    s->caption_height = !captions ? 0 : 2 * (size < 12 ? 12 : size > 26 ? 26 : size);
    if (s->cell_width >= 16 && cell >= s->caption_height + 16) {
        s->cell_height = cell;
        job->stage.picture_height = cell - s->caption_height;
        return EXIT_DONE;
    }
    report_error("%ux%u is too small for %u pictures of 16x16 with their captions; raise --size", job->width, job->height,
                 panels);
    return EXIT_USAGE;
}

static picture_color foot_color(const session* s)
{
    return s->job.use_background ? s->job.background : picture_color_background_foot();
}

static picture_color ink(const session* s)
{
    picture_color c = foot_color(s);
    return 0.3f * c.r + 0.6f * c.g + 0.1f * c.b < 0.25f ? picture_color_srgb(225, 228, 232) : picture_color_srgb(45, 48, 54);
}

static void write_caption(const session* s, uint32_t chain, uint32_t frame, image* cell)
{
    if (!s->caption_height) return;
    const render_job* job = &s->job;
    char              text[512] = "";
    size_t            at = 0;
    if (job->stage.chain_count > 1 || !job->sheet)
        at += (size_t)snprintf(text, sizeof text, "%s", sup_chain_text(stage_chain(s->stage, chain)));
    if (at < 400 && job->stage.ghost)
        at += (size_t)snprintf(text + at, sizeof text - at, "%sghost %s", at ? ", " : "", job->stage.ghost);
    if (at < 400 && job->sheet && !job->turntable)
        snprintf(text + at, sizeof text - at, "%s%.2f s", at ? ", " : "", time_of(s, frame));
    int size = (int)s->caption_height / 2;
    while (size > 9 && image_text_width(size, text) > (int)cell->width - size) size--;
    int y = (int)cell->height - (int)s->caption_height + ((int)s->caption_height - size) / 2 - size / 5;
    image_text(cell, ((int)cell->width - image_text_width(size, text)) / 2, y, size, ink(s), text);
}

// ---------------------------------------------------------------------------------------------- pictures

// One camera for the whole turn: it fits the circle that the body sweeps, so it neither zooms nor sways.
static void frame_turn(session* s, picture_desc* p)
{
    sup_axis up = s->character->up;
    sup_vec3 low = p->frame_low, high = p->frame_high;
    float    c[3] = { 0.5f * (low.x + high.x), 0.5f * (low.y + high.y), 0.5f * (low.z + high.z) }, radius = 0.0f;
    int      u = up == SUP_AXIS_Y ? 1 : up == SUP_AXIS_Z ? 2 : 0, a = (u + 1) % 3, b = (u + 2) % 3;
    for (uint32_t i = 0; i < p->frame_point_count; i++) {
        float q[3] = { p->frame_points[i].x, p->frame_points[i].y, p->frame_points[i].z };
        radius = fmaxf(radius, hypotf(q[a] - c[a], q[b] - c[b]));
    }
    for (int i = 0; i < 2 * RING; i++) {
        double angle = 2.0 * PI * (i / 2) / RING;
        float  q[3];
        q[a] = c[a] + radius * (float)cos(angle);
        q[b] = c[b] + radius * (float)sin(angle);
        q[u] = i % 2 ? (&low.x)[u] : (&high.x)[u];
        s->ring[i] = (sup_vec3){ q[0], q[1], q[2] };
    }
    p->frame_points = s->ring;
    p->frame_point_count = 2 * RING;
}

static sup_result draw_cell(session* s, uint32_t chain, uint32_t frame, image* whole, int x, int y, sup_error* error)
{
    const render_job* job = &s->job;
    picture_desc      p = { .camera = s->camera,
                            .ground = job->ground,
                            .width = s->cell_width,
                            .height = s->cell_height - s->caption_height,
                            .samples = job->samples,
                            .draft = job->draft,
                            .cut = job->cut,
                            .cut_normal = job->cut_normal,
                            .cut_distance = job->cut_distance,
                            .cut_open = job->stage.show != NULL,
                            .background = job->use_background,
                            .progress = &s->bar.sink };
    sup_result        result = stage_fill(s->stage, chain, &p, error);
    if (result != SUP_OK) return result;
    if (job->turntable) {
        frame_turn(s, &p);
        p.camera.azimuth += 360.0 * frame / s->frame_count;
    }
    image picture, cell;
    if (!picture_render(&p, job->stage.tasks, &picture, error)) return error->code;
    if (!image_create(&cell, s->cell_width, s->cell_height, foot_color(s))) {
        image_free(&picture);
        return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for the picture; lower --size");
    }
    image_paste(&cell, &picture, 0, 0);
    write_caption(s, chain, frame, &cell);
    image_paste(whole, &cell, x, y);
    image_free(&picture);
    image_free(&cell);
    return SUP_OK;
}

// Draws a whole frame of the film, or the whole sheet, evaluating as needed.
static sup_result draw_frame(session* s, uint32_t frame, image* out, double from, double to, sup_error* error)
{
    const render_job* job = &s->job;
    uint32_t          chains = job->stage.chain_count, shown = job->sheet ? s->frame_count : 1, done = 0;
    if (!image_create(out, job->width, job->height, foot_color(s)))
        return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a picture of %u x %u; lower --size", job->width,
                        job->height);
    sup_result result = SUP_OK;
    int        left = (int)(job->width - s->columns * s->cell_width) / 2;
    for (uint32_t f = 0; f < shown && result == SUP_OK; f++) {
        evaluate(s, frame + f);
        for (uint32_t c = 0; c < chains && result == SUP_OK; c++, done++) {
            uint32_t cell = job->sheet ? c * s->columns + f : c;
            double   each = (to - from) / (shown * chains);
            progress_span(&s->bar, from + each * done, from + each * (done + 1));
            result = draw_cell(s, c, frame + f, out, left + (int)(cell % s->columns * s->cell_width),
                               (int)(cell / s->columns * s->cell_height), error);
        }
    }
    const char *title, *unit;
    double      low, high;
    if (result == SUP_OK && stage_legend(s->stage, &title, &low, &high, &unit)) image_legend(out, title, low, high, unit);
    if (result != SUP_OK) image_free(out);
    return result;
}

// The default camera moves to where --focus is visible; one that the user chose stays, with a note.
static void choose_side(session* s)
{
    bool           hidden = false;
    picture_camera best = stage_best_side(s->stage, &hidden);
    s->camera = s->job.camera_given ? s->job.stage.camera : best;
    if (!hidden || !s->job.camera_given) return;
    char text[160];
    snprintf(text, sizeof text, "other skin hides what --focus shows from this side; --camera orbit:%g,%g sees more of it",
             best.azimuth, best.elevation);
    progress_note(&s->bar, text);
}

// Estimates in advance how long a film will take: the chains run over it twice (to frame it, then to draw it), and one frame,
// with the framing known so far, is drawn to time it.
static sup_result note_time(session* s, uint32_t frame, double first, double next, sup_error* error)
{
    image  trial = { 0 };
    char   text[160], size[40];
    double begin = now_seconds();
    s->camera = s->job.stage.camera;
    sup_result result = draw_frame(s, frame, &trial, 0.0, 0.0, error);
    double     drawing = now_seconds() - begin;
    image_free(&trial);
    progress_span(&s->bar, 0.0, 0.05);
    if (result != SUP_OK) return result;
    double seconds = 2.0 * (first + (s->job.turntable ? 0 : s->frame_count - 1) * next) + s->frame_count * drawing;
    if (seconds < 90.0) snprintf(size, sizeof size, "%.0f s", fmax(1.0, seconds));
    else if (seconds < 5400.0) snprintf(size, sizeof size, "%.0f min", seconds / 60.0);
    else snprintf(size, sizeof size, "%.1f hours", seconds / 3600.0);
    snprintf(text, sizeof text, "about %s for %u frames%s", size, s->frame_count,
             s->job.draft || s->frame_count * drawing < 30.0 ? "" : "; --draft draws about ten times as fast");
    progress_note(&s->bar, text);
    return SUP_OK;
}

// Measures the framing box and the heat range of all frames before the first is drawn.
static sup_result measure(session* s, sup_error* error)
{
    uint32_t   frames = s->job.turntable ? 1 : s->frame_count;
    double     begin = now_seconds(), first = 0.0;
    sup_result result = SUP_OK;
    for (uint32_t f = 0; f < frames && result == SUP_OK; f++) {
        if (!progress_report(&s->bar, (double)f / frames)) return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
        evaluate(s, f);
        stage_measure(s->stage);
        if (f == 0) first = now_seconds() - begin; // includes the pre-roll
        if (s->job.film && f == (frames > 1)) result = note_time(s, f, first, now_seconds() - begin - first, error);
    }
    if (result != SUP_OK) return result;
    choose_side(s);
    return stage_check(s->stage, error);
}

// Checks whether the output can be written before the work begins. The file does not stay open: while none is open, a signal
// ends the program at once, and framing runs the chains with their pre-roll.
static sup_result try_output(const render_job* job, sup_error* error)
{
    output_file file = { 0 };
    film*       f = job->film ? film_begin(job->output, job->width, job->height, job->fps, error) : NULL;
    bool        good = job->film ? f != NULL : output_begin(&file, job->output, error);
    if (f) film_destroy(f);
    else output_drop(&file);
    return good ? SUP_OK : SUP_ERROR_FILE;
}

static sup_result write_still(session* s, sup_error* error)
{
    output_file file = { 0 };
    image       picture = { 0 };
    uint8_t*    bytes = NULL;
    size_t      size = 0;
    sup_result  result = output_begin(&file, s->job.output, error) ? SUP_OK : SUP_ERROR_FILE;
    if (result == SUP_OK) result = draw_frame(s, 0, &picture, 0.1, 1.0, error);
    if (result == SUP_OK && !image_encode_png(&picture, &bytes, &size, error)) result = SUP_ERROR_MEMORY;
    if (result == SUP_OK && !(output_write(&file, bytes, size, error) && output_keep(&file, error))) result = SUP_ERROR_FILE;
    output_drop(&file);
    image_free(&picture);
    free(bytes);
    return result;
}

static sup_result write_film(session* s, sup_error* error)
{
    const render_job* job = &s->job;
    film*             f = film_begin(job->output, job->width, job->height, job->fps, error);
    if (!f) return SUP_ERROR_FILE;
    sup_result result = SUP_OK;
    for (uint32_t i = 0; i < s->frame_count && result == SUP_OK; i++) {
        image  picture = { 0 };
        double each = 0.95 / s->frame_count;
        result = draw_frame(s, i, &picture, 0.05 + each * i, 0.05 + each * (i + 1), error);
        if (result == SUP_OK && !film_add(f, &picture, error)) result = SUP_ERROR_FILE;
        image_free(&picture);
        if (result == SUP_OK && !progress_report(&s->bar, 1.0)) result = sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    }
    if (result == SUP_OK && !film_end(f, error)) result = SUP_ERROR_FILE;
    film_destroy(f);
    return result;
}

// ---------------------------------------------------------------------------------------------- verb

static int print_result(const options* o, const session* s, double seconds)
{
    uint32_t frames = s->job.film ? s->frame_count : 1;
    if (options_has(o, FLAG_JSON)) {
        sup_json* json = sup_json_new(s->arena, SUP_JSON_OBJECT);
        sup_json_set(s->arena, json, "output", sup_json_new_string(s->arena, s->job.output));
        sup_json_set(s->arena, json, "frames", sup_json_new_number(s->arena, frames));
        sup_json_set(s->arena, json, "width", sup_json_new_number(s->arena, s->job.width));
        sup_json_set(s->arena, json, "height", sup_json_new_number(s->arena, s->job.height));
        sup_json* last = sup_json_set(s->arena, json, "seconds", sup_json_new_number(s->arena, seconds));
        return print_json(last ? json : NULL) ? EXIT_DONE : EXIT_FAILED;
    }
    if (!options_has(o, FLAG_QUIET))
        printf("%s: %u x %u, %u frame%s, %.1f s\n", s->job.output, s->job.width, s->job.height, frames, frames == 1 ? "" : "s",
               seconds);
    return EXIT_DONE;
}

static int render_character(const options* o, session* s)
{
    sup_error error = { 0 };
    int       code = choose_motion(o, s);
    if (code == EXIT_DONE) code = choose_times(s);
    const stage_desc* d = &s->job.stage;
    if (code == EXIT_DONE)
        code =
            examples_apply(o, &(motion){ .clip = d->clip, .start = d->start, .end = d->end, .fps = s->job.fps }, s->character);
    if (code == EXIT_DONE) code = render_read_heat(s->character, &s->job);
    if (code == EXIT_DONE) code = load_truth(o, s);
    if (code == EXIT_DONE) code = lay_out(s);
    if (code != EXIT_DONE) return code;
    progress_begin(&s->bar, "render", options_has(o, FLAG_QUIET));
    progress_span(&s->bar, 0.0, 0.05);
    s->job.stage.character = s->character;
    s->job.stage.front = sup_character_facing(s->character, d->clip, NULL);
    if (s->job.turntable || s->frame_count == 1) s->job.stage.follow = FOLLOW_OFF; // a single instant: nothing travels
    s->job.stage.tasks = sup_pool_tasks(s->pool);
    s->job.stage.progress = &s->bar.sink;
    sup_result result = stage_create(&s->job.stage, &s->stage, &error);
    for (uint32_t i = 0; result == SUP_OK && i < d->chain_count; i++) chain_report_notes(stage_chain(s->stage, i), &s->bar);
    sup_chain** bound = sup_arena_alloc(s->arena, d->chain_count, sizeof *bound);
    for (uint32_t i = 0; result == SUP_OK && bound && i < d->chain_count; i++) bound[i] = (sup_chain*)stage_chain(s->stage, i);
    if (result == SUP_OK && bound) maps_report_unread(o, bound, d->chain_count, &s->bar);
    if (result == SUP_OK) result = try_output(&s->job, &error);
    if (result == SUP_OK) result = measure(s, &error);
    if (result == SUP_OK) result = s->job.film ? write_film(s, &error) : write_still(s, &error);
    progress_end(&s->bar);
    for (uint32_t i = 0; result == SUP_OK && i < d->chain_count; i++)
        chain_report_lost(sup_chain_text(stage_chain(s->stage, i)), stage_stats(s->stage, i));
    return result == SUP_OK ? EXIT_DONE : fail_with(&error);
}

int cmd_render(const options* o)
{
    double  begin = now_seconds();
    session s = { .arena = sup_arena_create(NULL) };
    if (!s.arena) return fail_memory();
    int code = render_read(o, s.arena, &s.job);
    if (code == EXIT_DONE) code = examples_flags(o);
    if (code == EXIT_DONE && !picture_available()) {
        report_error(PICTURES_MISSING);
        code = EXIT_FAILED;
    } else if (code == EXIT_DONE && !s.job.film && !image_png_available()) {
        report_error("this build writes no PNG: it was built without libpng; install libpng-dev and build again");
        code = EXIT_FAILED;
    }
    if (code == EXIT_DONE) code = character_load(o, o->words[0], false, &s.character);
    if (code == EXIT_DONE) code = pool_make(o, &s.pool);
    if (code == EXIT_DONE) code = render_character(o, &s);
    if (code == EXIT_DONE) code = print_result(o, &s, now_seconds() - begin);
    stage_destroy(s.stage);
    sup_character_destroy(s.character);
    sup_pool_destroy(s.pool);
    sup_arena_destroy(s.arena);
    return code;
}
