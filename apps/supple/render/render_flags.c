// Flags of `supple render`.
#include "render_flags.h"

#include "film.h"
#include "input/chains.h"
#include "input/clip_timing.h"
#include "report/report.h"
#include "supple/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DRAFT_SAMPLES = 4.0; // the fewest without jagged edges

enum { SIDE_MIN = 16, SIDE_MAX = 8192, SHEET_MAX = 100 };

static int wrong(const char* flag, const char* value, const char* cure)
{
    report_error("--%s '%s' %s", flag, value, cure);
    return EXIT_USAGE;
}

// ---------------------------------------------------------------------------------------------- single values

static int read_size(const options* o, render_job* job)
{
    const char* text = options_text(o, FLAG_SIZE, NULL);
    if (!text) return EXIT_DONE;
    char* end = NULL;
    long  width = strtol(text, &end, 10), height = 0;
    bool  good = end != text && (*end == 'x' || *end == 'X');
    if (good) {
        const char* second = end + 1;
        height = strtol(second, &end, 10);
        good = end != second && !*end;
    }
    if (!good) return wrong("size", text, "is not WIDTHxHEIGHT, like 960x720");
    if (width < SIDE_MIN || height < SIDE_MIN || width > SIDE_MAX || height > SIDE_MAX)
        return wrong("size", text, "is out of range: each side goes from 16 to 8192 pixels");
    job->width = (uint32_t)width;
    job->height = (uint32_t)height;
    return EXIT_DONE;
}

static bool read_hex(const char* text, picture_color* out)
{
    char* end = NULL;
    if (text[0] != '#' || strlen(text) != 7) return false;
    long value = strtol(text + 1, &end, 16);
    if (*end || text[1] == '+' || text[1] == '-') return false;
    *out = picture_color_srgb((int)(value >> 16), (int)(value >> 8 & 255), (int)(value & 255));
    return true;
}

static int read_colors(const options* o, render_job* job)
{
    const char* text = options_text(o, FLAG_BACKGROUND, "light");
    bool        light = strcmp(text, "light") == 0;
    if (strcmp(text, "white") == 0) job->background = (picture_color){ 1, 1, 1 };
    else if (strcmp(text, "dark") == 0) job->background = picture_color_srgb(38, 42, 48);
    else if (!light && !read_hex(text, &job->background))
        return wrong("background", text, "is not a color: write light, white, dark or #rrggbb");
    job->use_background = light ? NULL : &job->background;

    text = options_text(o, FLAG_COLOR, "clay");
    if (strcmp(text, "clay") == 0) return EXIT_DONE;
    job->stage.file_colors = strcmp(text, "file") == 0;
    if (job->stage.file_colors) return EXIT_DONE;
    if (!read_hex(text, &job->color)) return wrong("color", text, "is not a color: write clay, file or #rrggbb");
    job->stage.color = &job->color;
    return EXIT_DONE;
}

// x=0.1 and x<0.1 keep the smaller side, x>0.1 the larger; NX,NY,NZ,D keeps n . p <= D.
static bool read_plane(const char* text, sup_vec3* normal, float* distance)
{
    double values[4];
    char*  end = NULL;
    if (text[0] >= 'x' && text[0] <= 'z' && text[1] && strchr("=<>", text[1])) {
        double at = strtod(text + 2, &end);
        float  side = text[1] == '>' ? -1.0f : 1.0f;
        if (end == text + 2 || *end || !isfinite(at)) return false;
        *normal = (sup_vec3){ text[0] == 'x' ? side : 0, text[0] == 'y' ? side : 0, text[0] == 'z' ? side : 0 };
        *distance = side * (float)at;
        return true;
    }
    for (int i = 0; i < 4; i++) {
        values[i] = strtod(text, &end);
        if (end == text || !isfinite(values[i]) || *end != (i < 3 ? ',' : 0)) return false;
        text = end + 1;
    }
    double size = sqrt(values[0] * values[0] + values[1] * values[1] + values[2] * values[2]);
    if (!(size > 1e-12)) return false;
    *normal = (sup_vec3){ (float)(values[0] / size), (float)(values[1] / size), (float)(values[2] / size) };
    *distance = (float)(values[3] / size);
    return true;
}

static int read_view(const options* o, render_job* job)
{
    const char* camera = options_text(o, FLAG_CAMERA, "three-quarter");
    const char* cut = options_text(o, FLAG_CUT, NULL);
    job->camera_given = options_has(o, FLAG_CAMERA);
    if (!picture_camera_read(camera, &job->stage.camera))
        return wrong(
            "camera", camera,
            "is not a camera: write three-quarter, front, back, left, right, side, top, or orbit:AZIMUTH,ELEVATION[,DISTANCE]");
    const char* follow = options_text(o, FLAG_FOLLOW, "travel");
    if (strcmp(follow, "on") != 0 && strcmp(follow, "off") != 0 && strcmp(follow, "travel") != 0)
        return wrong("follow", follow, "is unknown: write travel, on or off");
    job->stage.follow = strcmp(follow, "on") == 0 ? FOLLOW_ON : strcmp(follow, "off") == 0 ? FOLLOW_OFF : FOLLOW_TRAVEL;
    job->cut = cut != NULL;
    if (cut && !read_plane(cut, &job->cut_normal, &job->cut_distance))
        return wrong("cut", cut, "is not a plane: write x=0.1, y<0.3, z>0, or NX,NY,NZ,D");
    job->ground = !options_has(o, FLAG_NO_GROUND);
    return EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------- what is colored

static bool begins(const char* text, const char* with) { return strncmp(text, with, strlen(with)) == 0; }

static int read_heat(const options* o, render_job* job)
{
    const char* text = job->heat = options_text(o, FLAG_HEAT, NULL);
    stage_desc* s = &job->stage;
    if (options_has(o, FLAG_TRUTH) && (!text || strcmp(text, "error") != 0)) {
        report_error("--truth is what --heat error measures against; add --heat error");
        return EXIT_USAGE;
    }
    if (!text) return EXIT_DONE;
    if (strcmp(text, "error") == 0) s->heat = HEAT_ERROR;
    else if (strcmp(text, "stretch") == 0) s->heat = HEAT_STRETCH;
    else if (strcmp(text, "curvature") == 0) s->heat = HEAT_CURVATURE;
    else if (begins(text, "weights:") && text[8]) s->heat = HEAT_WEIGHTS;
    else if (begins(text, "map:") && text[4]) s->heat = HEAT_MAP;
    else return wrong("heat", text, "is unknown: write error, stretch, curvature, weights:JOINT or map:NAME");
    if (s->heat == HEAT_ERROR && s->chain_count < 2 && !s->ghost && !options_has(o, FLAG_TRUTH)) {
        report_error("--heat error has nothing to measure against; give a second --deform, --ghost CHAIN or --truth MESH...");
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

// The file names it _JIGGLE; users may omit the underscore.
static const sup_map* find_map(const sup_character* character, const char* name)
{
    const sup_map* map = sup_character_map(character, name);
    char           longer[128];
    snprintf(longer, sizeof longer, "_%s", name);
    return map ? map : sup_character_map(character, longer);
}

int render_read_heat(const sup_character* character, render_job* job)
{
    stage_desc* s = &job->stage;
    if (s->heat == HEAT_WEIGHTS) {
        const char* name = job->heat + 8;
        s->heat_joint = sup_character_joint(character, name);
        if (s->heat_joint != SUP_NONE) return EXIT_DONE;
        note_no_joint(character, name);
        return EXIT_FAILED;
    }
    if (s->heat != HEAT_MAP) return EXIT_DONE;
    const char* name = job->heat + 4;
    s->heat_map = find_map(character, name);
    if (s->heat_map) return EXIT_DONE;
    char   names[600] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < character->map_count && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s'%s'", i ? ", " : "", character->maps[i].name);
    if (character->map_count) report_error("'%s' has no map '%s'; it has %s", character->name, name, names);
    else report_error("'%s' has no map '%s': it has none at all; give one with --map NAME=FILE", character->name, name);
    return EXIT_FAILED;
}

// ---------------------------------------------------------------------------------------------- what plays

static int read_output(const options* o, render_job* job)
{
    bool png = sup_path_ends_in(job->output, "png");
    job->film = film_ending(job->output);
    if (!png && !job->film) {
        report_error("'%s' has an unknown ending; pictures end in .png, films in .mp4, .webm or .gif", job->output);
        return EXIT_USAGE;
    }
    job->turntable = options_has(o, FLAG_TURNTABLE);
    double sheet = 0.0;
    if (!options_number(o, FLAG_SHEET, 2, SHEET_MAX, 0.0, &sheet)) return EXIT_USAGE;
    job->sheet = (uint32_t)sheet;
    if (sheet != floor(sheet)) return wrong("sheet", options_text(o, FLAG_SHEET, ""), "needs a whole number");
    if (job->sheet && job->film) {
        report_error("--sheet makes one picture; give an output that ends in .png");
        return EXIT_USAGE;
    }
    if (job->turntable && png && !job->sheet) {
        report_error("--turntable makes a film; give an output that ends in .mp4, .webm or .gif, or add --sheet N");
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

static int read_times(const options* o, render_job* job)
{
    stage_desc* s = &job->stage;
    double      samples = 16.0, usual = options_has(o, FLAG_DRAFT) ? DRAFT_SAMPLES : 16.0;
    motion      m = { 0 };
    int         code = motion_flags(o, &m);
    if (code != EXIT_DONE) return code;
    s->start = m.start;
    s->end = m.end;
    s->preroll = m.preroll;
    s->loop = m.loop;
    job->fps = m.fps;
    job->hold = m.hold;
    if (!options_number(o, FLAG_TIME, 0.0, 1e6, -1.0, &job->time)) return EXIT_USAGE;
    if (!options_number(o, FLAG_FRAME, 0.0, 1e6, -1.0, &job->frame)) return EXIT_USAGE;
    if (!options_number(o, FLAG_SAMPLES, 1.0, 4096.0, usual, &samples)) return EXIT_USAGE;
    job->samples = (uint32_t)samples;
    job->draft = options_has(o, FLAG_DRAFT);
    if (job->frame != floor(job->frame) || samples != floor(samples)) {
        report_error("--%s needs a whole number", samples != floor(samples) ? "samples" : "frame");
        return EXIT_USAGE;
    }
    bool still = options_has(o, FLAG_TIME) || options_has(o, FLAG_FRAME);
    if (options_has(o, FLAG_TIME) && options_has(o, FLAG_FRAME)) {
        report_error("--time and --frame cannot be combined; leave one out");
        return EXIT_USAGE;
    }
    if (still && ((job->film || job->sheet) && !job->turntable)) {
        report_error("--%s picks one picture; a %s takes --start and --end", options_has(o, FLAG_TIME) ? "time" : "frame",
                     job->film ? "film" : "sheet");
        return EXIT_USAGE;
    }
    if (options_has(o, FLAG_POSE) && still) {
        report_error("--pose and --%s cannot be combined; leave one out", options_has(o, FLAG_TIME) ? "time" : "frame");
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

/// The chain that --show asks for where nothing else names one: the link itself. NULL if there is none.
static const char* chain_of_show(const options* o, sup_arena* arena)
{
    const char* show = options_text(o, FLAG_SHOW, NULL);
    if (!show || options_has(o, FLAG_DEFORM) || options_has(o, FLAG_PRESET)) return NULL;
    const char* name = sup_arena_text(arena, show, strcspn(show, ".#"));
    return name && sup_deformer_find(name) ? name : NULL;
}

static int read_chains(const options* o, sup_arena* arena, render_job* job)
{
    stage_desc*    s = &job->stage;
    uint32_t       count = options_count(o, FLAG_DEFORM);
    const char*    shown = chain_of_show(o, arena);
    sup_chain_desc flags = { 0 };
    chain_list     list = { .descs = sup_arena_alloc(arena, (size_t)count + 2, sizeof *list.descs) };
    if (!list.descs) return fail_memory();
    if (count > 16) return wrong("deform", options_text(o, FLAG_DEFORM, ""), "is one too many: at most 16 fit side by side");
    int code = chain_read(o, arena, &flags);
    if (code != EXIT_DONE) return code;
    s->chain_count = count ? count : 1;
    s->ghost = options_text(o, FLAG_GHOST, NULL);
    list.count = s->chain_count + (s->ghost ? 1 : 0);
    for (uint32_t i = 0; i < list.count; i++) {
        sup_chain_desc* d = &list.descs[i];
        *d = flags;
        d->settings = NULL, d->setting_count = 0;
        if (i == s->chain_count) d->links = s->ghost;
        else if (count) d->links = options_nth(o, FLAG_DEFORM, i);
        else if (shown) d->links = shown;
    }
    s->chains = list.descs;
    s->wire = options_has(o, FLAG_WIRE);
    s->bones = options_has(o, FLAG_BONES);
    s->show = options_text(o, FLAG_SHOW, NULL);
    s->focus = options_text(o, FLAG_FOCUS, NULL);
    return chain_share_settings(&flags, &list, arena);
}

int render_read(const options* o, sup_arena* arena, render_job* job)
{
    job->output = o->words[1];
    int code = read_output(o, job);
    if (code == EXIT_DONE) code = read_times(o, job);
    if (code == EXIT_DONE) code = read_size(o, job);
    if (code == EXIT_DONE) code = read_colors(o, job);
    if (code == EXIT_DONE) code = read_view(o, job);
    if (code == EXIT_DONE) code = read_chains(o, arena, job);
    if (code == EXIT_DONE) code = read_heat(o, job);
    return code;
}
