// The flag table, the parser that walks it, and the help printed from it.
#include "options.h"

#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DRAWS = VERB_RENDER,
    PLAYS = VERB_BAKE | VERB_RENDER | VERB_COMPARE | VERB_FIT | VERB_FARM,
    BINDS = PLAYS | VERB_CHECK | VERB_FIT,
    READS = VERB_INSPECT | BINDS,
    BAKES = VERB_BAKE | VERB_FARM,
    JUDGES = VERB_COMPARE | VERB_CHECK,
    RUNS = BINDS | VERB_DEMO,
    ALL = READS | VERB_DEFORMERS | VERB_DEMO | VERB_WEIGHTS | VERB_BENCH | VERB_STUDIO,
};

static const flag_row flags[FLAG_COUNT] = {
    { FLAG_DEFORM, BINDS, "deform", "CHAIN", "links in order, like 'dualquat' or 'dualquat(blend=0.8)'; default linear" },
    { FLAG_SET, BINDS, "set", "NAME.PARAM=VALUE",
      "a parameter of a link; NAME#2 for the second, PARAM@Spine* for bones; repeats" },
    { FLAG_PRESET, BINDS, "preset", "FILE", "links, values and world from a preset file" },
    { FLAG_WORLD, BINDS, "world", "FILE", "gravity, wind, bodies, forces, muscles and keys over time from a JSON file" },
    { FLAG_CLIP, BINDS & ~VERB_FARM, "clip", "NAME",
      "the motion; default the one that a bake wrote, else the first (bake itself: the first)" },
    { FLAG_POSE, PLAYS, "pose", "JOINT=X,Y,Z",
      "turn a joint by degrees about its own axes instead of a clip; repeats, or separate with ';'" },
    { FLAG_START, PLAYS, "start", "S", "first second of the clip, which becomes second 0 of the output; default 0" },
    { FLAG_END, PLAYS, "end", "S", "last second; default the clip's end" },
    { FLAG_HOLD, PLAYS, "hold", "S", "seconds the last pose is held after the end, so that the skin can settle; default 0" },
    { FLAG_FPS, READS | VERB_DEMO, "fps", "N", "frames per second of the output, and of a sequence of files; default 30" },
    { FLAG_PREROLL, BINDS, "preroll", "S", "seconds the first pose is held before the start; default 0.5" },
    { FLAG_LOOP, PLAYS, "loop", NULL, "the clip is a cycle: its end flows into its start" },
    { FLAG_STEP, BINDS, "step", "MS",
      "milliseconds of the fixed clock; default 5, or 16.7 if lattice is the only dynamic link" },
    { FLAG_SKELETON, READS | VERB_WEIGHTS, "skeleton", "FILE",
      "joints for a mesh that has none (.glb, .bvh, .tgf and other files with a skeleton); weights are automatic unless "
      "given" },
    { FLAG_WEIGHTS, READS, "weights", "FILE.dmat", "a row for every vertex, a column for every bone of --skeleton" },
    { FLAG_MOTION, READS, "motion", "FILE",
      "captured motion (.bvh), matched by joint names, else by shape; key poses (.json); or matrices of --skeleton (.dmat, "
      ".tmat)" },
    { FLAG_MOTION_MAP, READS, "motion-map", "FILE", "lines 'joint of the character = joint of the motion', or JSON" },
    { FLAG_MAP, READS | VERB_WEIGHTS, "map", "NAME=FILE",
      "a value per point or vertex from a text file or a JSON array; repeats" },
    { FLAG_EXAMPLE, BINDS, "example", "T=FILE",
      "a sculpt of the character at T seconds of the clip (CLIP@T: of another), or 12f for an output frame; FILE#MESH, or "
      "morph:NAME; repeats" },
    { FLAG_KEYS, VERB_COMPARE | VERB_FIT, "keys", "N", "every N-th mesh of --truth, and the last, is an example" },
    { FLAG_UNIT, READS | VERB_WEIGHTS, "unit", "UNIT", "the file's unit: m, cm, mm, km, in, ft, or meters as a number" },
    { FLAG_UP, READS | VERB_WEIGHTS, "up", "AXIS", "the file's up axis: y, z or x" },
    { FLAG_MESH, READS | VERB_WEIGHTS, "mesh", "NAME",
      "only this mesh of the file, with * and ?; repeats. The others stay as they are" },
    { FLAG_DRESS, READS, "dress", "NAME", "clothes without a skin that take weights from the body, with * and ?; repeats" },
    { FLAG_SUBDIVIDE, BAKES | DRAWS | VERB_COMPARE, "subdivide", "N",
      "divide every face N times into a smooth finer mesh (1 to 6) before binding" },
    { FLAG_NORMAL_MAP, BAKES, "normal-map", "SIZE",
      "write tangent-space normal maps beside the output, of SIZE texels: from the mesh subdivided --subdivide times (default "
      "3) to the file's own, which is baked" },
    { FLAG_TENSION, BAKES, "tension", NULL,
      "write OUTPUT.tension.npy: area of the skin around each vertex over that at rest, minus 1; frames x vertices" },
    { FLAG_FLAT, BAKES, "flat", NULL, "write world-space shapes without the skin" },
    { FLAG_SPARSE, BAKES, "sparse", NULL, "omit displacements without effect from a GLB: smaller, looks the same" },
    { FLAG_TENSION_COLORS, BAKES, "tension-colors", NULL,
      "color the vertices of a pose's GLB by their tension: blue compressed, white at rest, red stretched" },
    { FLAG_VAT, BAKES, "vat", "KIND",
      "write a GLB at rest and textures that a shader plays, in OpenVAT's convention: png (16 bits), exr, or packed" },
    { FLAG_MESHOPT, BAKES, "meshopt", NULL,
      "pack a GLB with EXT_meshopt_compression: smaller, exact, for viewers that support it" },
    { FLAG_BAKE_ERROR, BAKES, "max-error", "LENGTH",
      "the smallest GLB in which no point is farther off in any frame: 1mm, 0.1cm, or P% of the diagonal" },
    { FLAG_RMS_ERROR, BAKES, "rms-error", "LENGTH", "the same for the root mean square over all points and frames" },
    { FLAG_MAX_SIZE, BAKES, "max-size", "SIZE", "the most accurate GLB within a size: 2MB, 500kB" },
    { FLAG_FOR, BAKES, "for", "CLIENT",
      "limit a budget's GLB to what a client reads: web (default), three, unreal, unity or godot" },
    { FLAG_VERBOSE, VERB_BAKE, "verbose", NULL, "list the candidates that the search for a budget tried" },
    { FLAG_SAVE, VERB_BAKE, "save", "LINK=FILE",
      "the binding of a link as a file that a game can play (fourier: .sfc); repeats" },
    { FLAG_NAME, VERB_BAKE, "name", "NAME", "name of the new clip; default made from clip and chain" },
    { FLAG_HASHES, VERB_BAKE, "hashes", NULL, "list the hash of every frame" },
    { FLAG_OVERWRITE, BAKES | DRAWS | JUDGES | VERB_WEIGHTS | VERB_FIT, "overwrite", NULL,
      "let an output replace an input file" },
    { FLAG_NO_VERDICT, BAKES, "no-verdict", NULL, "do not measure volumes and crossings of some of the frames" },
    { FLAG_CHECKPOINT, BAKES, "checkpoint", "TIME",
      "save the state this often (60s, 10m) into OUT.checkpoint: the same command resumes from there, to the same bits" },
    { FLAG_RESTART, VERB_BAKE, "restart", NULL, "drop a checkpoint of another command, file or version" },
    { FLAG_TIME, DRAWS, "time", "S", "the second of the clip that a picture shows; default the start" },
    { FLAG_FRAME, DRAWS, "frame", "N", "the same by the number of the frame, counted from 0" },
    { FLAG_CAMERA, DRAWS | VERB_COMPARE, "camera", "NAME",
      "three-quarter, front, back, left, right, side, top, or orbit:AZIMUTH,ELEVATION,DISTANCE in degrees and diagonals" },
    { FLAG_FOLLOW, DRAWS, "follow", "WHEN",
      "whether the camera of films and sheets follows the character: travel (default: if it goes far), on or off" },
    { FLAG_TURNTABLE, DRAWS, "turntable", NULL, "a film that circles the held pose once" },
    { FLAG_SHEET, DRAWS, "sheet", "N", "one picture of N frames over the clip" },
    { FLAG_SIZE, DRAWS, "size", "WxH", "pixels of the whole picture; default 960x720" },
    { FLAG_SAMPLES, DRAWS, "samples", "N", "rays per pixel; default 16" },
    { FLAG_DRAFT, DRAWS, "draft", NULL,
      "a tenth of the time, for a first look: 4 rays at edges, hard shadows, no ambient occlusion" },
    { FLAG_HEAT, DRAWS, "heat", "WHAT",
      "color by error (to --truth, --ghost, else the first chain), stretch, curvature, weights:JOINT or map:NAME" },
    { FLAG_WIRE, DRAWS, "wire", NULL, "the edges of the faces" },
    { FLAG_BONES, DRAWS, "bones", NULL, "the skeleton, seen through the skin" },
    { FLAG_GHOST, DRAWS, "ghost", "CHAIN", "another chain, translucent over each" },
    { FLAG_FOCUS, DRAWS, "focus", "JOINT", "fill the picture with what a joint moves most, with * and ?" },
    { FLAG_CUT, DRAWS, "cut", "PLANE", "hide what lies beyond a plane: x=0.1, y<0.3, z=0, or NX,NY,NZ,D" },
    { FLAG_SHOW, DRAWS, "show", "LINK.WHAT", "the internals that a link of the chain draws" },
    { FLAG_COLOR, DRAWS, "color", "COLOR", "of the skin: clay, file (its materials' base colors) or #rrggbb" },
    { FLAG_BACKGROUND, DRAWS, "background", "COLOR", "light, white, dark or #rrggbb" },
    { FLAG_NO_GROUND, DRAWS, "no-ground", NULL, "no ground and no shadow on it" },
    { FLAG_TRUTH, VERB_COMPARE | VERB_FIT | DRAWS, "truth", "FILE...",
      "meshes to measure against, one per frame; a folder: its files whose names end in a number; or a point cache (.pc2, "
      ".mdd, "
      ".npy)" },
    { FLAG_HTML, JUDGES | VERB_FARM, "html", "FILE", "write a report with plots and pictures, one file that opens anywhere" },
    { FLAG_MAX_VOLUME_LOSS, JUDGES | VERB_FARM, "max-volume-loss", "P%", "exit with 3 when more of the volume is lost" },
    { FLAG_MAX_ERROR, VERB_COMPARE, "max-error", "X",
      "exit with 3 when a point is farther from the truth; file units, or P% of the diagonal" },
    { FLAG_MAX_INTERSECTIONS, JUDGES | VERB_FARM, "max-intersections", "N",
      "exit with 3 when more pairs of triangles pass through each other" },
    { FLAG_MAX_STRETCH, JUDGES, "max-stretch", "R", "exit with 3 when an edge gets R times longer or shorter" },
    { FLAG_JOINT, VERB_CHECK, "joint", "NAME", "only this joint, with * and ?; repeats" },
    { FLAG_TOP, VERB_CHECK, "top", "N", "how many joints are shown; default 10" },
    { FLAG_FULL, VERB_CHECK, "full", NULL,
      "bend every joint by 120 and twist it by 150 degrees both ways, whatever the clips do" },
    { FLAG_CELLS, VERB_WEIGHTS, "cells", "N", "cells along the longest side, 4 to 256; default from the thinnest limb" },
    { FLAG_MAX_INFLUENCES, VERB_WEIGHTS, "max-influences", "N",
      "joints a point may follow; default all with a weight over 0.001" },
    { FLAG_SPREAD, VERB_WEIGHTS, "spread", "C", "below 1 softer at the joints, above 1 sharper; 0.01 to 100, default 1" },
    { FLAG_METHOD, VERB_WEIGHTS, "method", "NAME",
      "screened (default), or diffuse: weights diffuse from the bones (Chen et al. 2012)" },
    { FLAG_MASK, VERB_WEIGHTS, "mask", "NAME", "a map of the file or of --map: 1 takes the new weights, 0 keeps the old ones" },
    { FLAG_CENTER, VERB_WEIGHTS, "center", NULL, "first move rough joints to the middle of the limb around them" },
    { FLAG_REST, VERB_FIT, "rest", "FILE", "the rest shape; default the first one" },
    { FLAG_FIT_BONES, VERB_FIT | VERB_BAKE | VERB_COMPARE | VERB_FARM, "bones", "N",
      "number of bones of a fit; default 10. With --error: the maximum, default 100" },
    { FLAG_ERROR, VERB_FIT, "error", "X", "as few bones as reach this E_RMS (1000 times the error, diagonal = 1)" },
    { FLAG_INFLUENCES, VERB_FIT, "influences", "N", "bones a point may follow, 1 to 16; default 4" },
    { FLAG_SEED, VERB_FIT, "seed", "N", "another start; default 0. The same seed gives the same rig" },
    { FLAG_SMOOTH, VERB_FIT, "smooth", "X", "smoothness of the weights over the mesh; 0 to 100, default 0, 1 is much" },
    { FLAG_RIGID, VERB_FIT, "rigid", "X",
      "how strongly bones follow their own skin; 0 to 1, default 0.004, 0.03 for editing by hand" },
    { FLAG_HIERARCHY, VERB_FIT, "hierarchy", NULL, "joints form a tree where their skin meets; the default" },
    { FLAG_FIT_FLAT, VERB_FIT, "flat", NULL, "joints without parents" },
    { FLAG_PARAMS, VERB_FIT, "params", "A,B",
      "parameters to fit, like damping or beam.damping; default live numbers and materials" },
    { FLAG_WRITE, VERB_FIT, "write", "FILE.json", "the preset for the fitted parameters" },
    { FLAG_EVALUATIONS, VERB_FIT, "evaluations", "N", "the most times the chain is played to fit parameters; default 200" },
    { FLAG_SCENE, VERB_BENCH, "scene", "GLOB",
      "only scenes whose name (scene/deformer) matches, like 'tube*' or '*/dualquat'" },
    { FLAG_REPEAT, VERB_BENCH, "repeat", "N",
      "frames timed per scene; default a third of a second's worth, at least ten, at most two seconds" },
    { FLAG_CSV, VERB_BENCH, "csv", "DIR", "also write one CSV file per scene into the folder, created if it is missing" },
    { FLAG_PORT, VERB_STUDIO, "port", "N",
      "the port of this machine to serve at, 0 for a free one; default the same for you in every run" },
    { FLAG_PAGE, VERB_STUDIO, "page", "DIR", "the folder of the page; default the installed one" },
    { FLAG_NO_OPEN, VERB_STUDIO, "no-open", NULL, "print the address only, open no browser" },
    { FLAG_CHARACTERS, VERB_FARM, "characters", "FILE",
      "a character, a folder of them or a pattern like 'lib/**/*.glb'; repeats" },
    { FLAG_CLIPS, VERB_FARM, "clips", "NAMES", "clips to bake, with * and ?; default every clip of each character" },
    { FLAG_OUTPUTS, VERB_FARM, "outputs", "NAMES",
      "endings (.glb,.pc2) or names made of {character}, {clip}, {chain} and {folder}; default "
      "{character}_{clip}_{chain}.glb" },
    { FLAG_OUT, VERB_FARM, "out", "DIR", "the folder of the outputs; default out/farm, or baked beside a manifest" },
    { FLAG_JOBS, VERB_FARM, "jobs", "N", "bakes at a time; default one per core, one in each rank of mpirun or srun" },
    { FLAG_RETRIES, VERB_FARM, "retries", "N", "how often a job that failed is tried again; default 1" },
    { FLAG_TIME_LIMIT, VERB_FARM, "time-limit", "TIME",
      "a job that takes longer is killed and counts as failed: 90s, 10m, 2h" },
    { FLAG_MEMORY_LIMIT, VERB_FARM, "memory-limit", "SIZE", "memory that a job may take: 500MB, 4GB" },
    { FLAG_CLAIM_TIMEOUT, VERB_FARM, "claim-timeout", "TIME",
      "jobs of a run on another machine are free when it has been silent this long; default 60s" },
    { FLAG_NO_WAIT, VERB_FARM, "no-wait", NULL, "exit when only other runs still have jobs, rather than wait for them" },
    { FLAG_DRY_RUN, VERB_FARM, "dry-run", NULL, "list the jobs and what remains, start none" },
    { FLAG_THREADS, RUNS | VERB_WEIGHTS | VERB_BENCH, "threads", "N",
      "worker threads; default one per core. The result never depends on it" },
    { FLAG_JSON, READS | VERB_DEFORMERS | VERB_WEIGHTS | VERB_BENCH, "json", NULL,
      "one JSON document on stdout, for machines" },
    { FLAG_QUIET, RUNS | VERB_WEIGHTS, "quiet", NULL, "no progress bar, no table, no notes" },
    { FLAG_HELP, ALL, "help", NULL, "this text" },
};

// ---------------------------------------------------------------------------------------------- suggestions

// -o, --out and --output, which other programs have: here the output is a word like the input. False for anything else.
static bool note_output_is_word(const verb* v, const char* name, size_t length)
{
    static const char output[] = "output";
    bool              short_of = length == 1 || length == 3 || length == sizeof output - 1;
    if (!strstr(v->words, "OUT") || !short_of || memcmp(name, output, length) != 0) return false;
    report_error("%s takes its output as an argument, without a flag; write: supple %s %s", v->name, v->name, v->words);
    return true;
}

static void note_unknown_flag(const verb* v, const char* given, size_t length)
{
    if (note_output_is_word(v, given, length)) return;
    char        word[64];
    const char* names[FLAG_COUNT];
    uint32_t    count = 0;
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), given);
    for (uint32_t i = 0; i < FLAG_COUNT; i++)
        if (flags[i].verbs & v->bit) names[count++] = flags[i].name;
    const char* near = sup_word_nearest(word, names, count);
    if (near) report_error("%s has no flag --%s; did you mean --%s?", v->name, word, near);
    else report_error("%s has no flag --%s; 'supple %s --help' lists them", v->name, word, v->name);
}

// ---------------------------------------------------------------------------------------------- parsing

static const flag_row* find_flag(const verb* v, const char* name, size_t length)
{
    for (uint32_t i = 0; i < FLAG_COUNT; i++)
        if ((flags[i].verbs & v->bit) && strlen(flags[i].name) == length && memcmp(flags[i].name, name, length) == 0)
            return &flags[i];
    return NULL;
}

// Reads the flag at argv[*at] and its value, if it takes one; leaves *at on the last word used.
static bool parse_flag(const verb* v, int argc, char** argv, int* at, given_flag* out)
{
    const char*     name = argv[*at] + 2;
    size_t          length = strcspn(name, "=");
    const flag_row* row = find_flag(v, name, length);
    if (!row) {
        note_unknown_flag(v, name, length);
        return false;
    }
    *out = (given_flag){ row->id, NULL };
    bool joined = name[length] == '=';
    if (!row->argument) {
        if (joined) report_error("--%s takes no value; write it alone", row->name);
        return !joined;
    }
    if (joined) out->value = name + length + 1;
    else if (*at + 1 < argc && strncmp(argv[*at + 1], "--", 2) != 0) out->value = argv[++*at];
    if (!out->value || !*out->value) {
        report_error("--%s needs a value: --%s %s", row->name, row->name, row->argument);
        return false;
    }
    return true;
}

bool options_takes_many(const flag_row* row)
{
    size_t length = row->argument ? strlen(row->argument) : 0;
    return length > 3 && strcmp(row->argument + length - 3, "...") == 0;
}

static bool takes_many(flag_id id) { return options_takes_many(&flags[id]); }

static bool check_words(const options* o)
{
    const verb* v = o->verb;
    if (o->word_count < v->words_min) {
        report_error("%s needs %s; write: supple %s %s", v->name, o->word_count == 0 ? "an input" : "an output", v->name,
                     v->words);
        return false;
    }
    if (o->word_count > v->words_max) {
        report_error("%s does not know what to do with '%s'; write: supple %s %s", v->name, o->words[v->words_max], v->name,
                     v->words);
        return false;
    }
    return true;
}

bool options_parse(const verb* v, int argc, char** argv, options* out)
{
    *out = (options){ .verb = v };
    out->words = calloc((size_t)argc + 1, sizeof *out->words);
    out->flags = calloc((size_t)argc + 1, sizeof *out->flags);
    if (!out->words || !out->flags) {
        report_error("out of memory while reading the command line");
        return false;
    }
    bool flags_ended = false;
    for (int i = 0; i < argc; i++) {
        const char* word = argv[i];
        if (!flags_ended && strcmp(word, "--") == 0) flags_ended = true;
        else if (!flags_ended && strcmp(word, "-h") == 0) out->flags[out->flag_count++].id = FLAG_HELP;
        else if (!flags_ended && strncmp(word, "--", 2) == 0) {
            if (!parse_flag(v, argc, argv, &i, &out->flags[out->flag_count])) return false;
            flag_id id = out->flags[out->flag_count++].id;
            while (takes_many(id) && i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0)
                out->flags[out->flag_count++] = (given_flag){ id, argv[++i] };
        } else if (!flags_ended && word[0] == '-') {
            if (note_output_is_word(v, word + 1, strlen(word + 1))) return false;
            if (word[1]) report_error("flags have two dashes: '%s' is not one; 'supple %s --help' lists them", word, v->name);
            else report_error("'-' is not a file: standard input and output are not supported; give a path");
            return false;
        } else out->words[out->word_count++] = word;
    }
    return options_has(out, FLAG_HELP) || check_words(out);
}

void options_free(options* o)
{
    free(o->words);
    free(o->flags);
    *o = (options){ 0 };
}

// ---------------------------------------------------------------------------------------------- values

bool options_has(const options* o, flag_id id) { return options_count(o, id) > 0; }

uint32_t options_count(const options* o, flag_id id)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->flag_count; i++) count += o->flags[i].id == id;
    return count;
}

const char* options_nth(const options* o, flag_id id, uint32_t n)
{
    for (uint32_t i = 0; i < o->flag_count; i++)
        if (o->flags[i].id == id && n-- == 0) return o->flags[i].value;
    return NULL;
}

const char* options_text(const options* o, flag_id id, const char* fallback)
{
    uint32_t count = options_count(o, id);
    return count ? options_nth(o, id, count - 1) : fallback;
}

bool options_number(const options* o, flag_id id, double min, double max, double fallback, double* out)
{
    *out = fallback;
    const char* text = options_text(o, id, NULL);
    if (!text) return true;
    char*  end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) {
        report_error("--%s needs a number, not '%s'", flags[id].name, text);
        return false;
    }
    if (value < min || value > max) {
        report_error("--%s %s is out of range; it goes from %g to %g", flags[id].name, text, min, max);
        return false;
    }
    *out = value;
    return true;
}

const flag_row* options_flag(uint32_t index) { return &flags[index]; }

const char* options_flag_name(flag_id id) { return flags[id].name; }

// Adds the word quoted for a shell; only counts if `at` is NULL.
static size_t put_word(char* at, const char* word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
    bool              quoted = !*word || word[strspn(word, plain)];
    size_t            length = 0;
#define PUT(c) (at ? (void)(at[length] = (c)) : (void)0, length++)
    PUT(' ');
    if (quoted) PUT('\'');
    for (; *word; word++) {
        PUT(*word);
        // A quote inside quotes: close them, add a quoted one, open them again.
        for (const char* more = *word == '\'' ? "\\''" : ""; *more; more++) PUT(*more);
    }
    if (quoted) PUT('\'');
#undef PUT
    return length;
}

static size_t put_command(char* at, const options* o)
{
    size_t length = 6;
    if (at) snprintf(at, length + 1, "supple");
    length += put_word(at ? at + length : NULL, o->verb->name);
    for (uint32_t i = 0; i < o->word_count; i++) length += put_word(at ? at + length : NULL, o->words[i]);
    for (uint32_t i = 0; i < o->flag_count; i++) {
        flag_id id = o->flags[i].id;
        char    name[64];
        snprintf(name, sizeof name, "--%s", flags[id].name);
        bool goes_on = i > 0 && o->flags[i - 1].id == id && takes_many(id);
        if (!goes_on) length += put_word(at ? at + length : NULL, name);
        if (o->flags[i].value) length += put_word(at ? at + length : NULL, o->flags[i].value);
    }
    return length;
}

char* options_command(const options* o)
{
    char* text = calloc(put_command(NULL, o) + 1, 1);
    if (text) put_command(text, o);
    return text;
}

// ---------------------------------------------------------------------------------------------- help

void options_help(const verb* v)
{
    printf("supple %s %s%s[--flags]\n\n%s.\n", v->name, v->words, *v->words ? " " : "", v->summary);
    if (v->details) printf("\n%s", v->details);
    puts("\nflags:");
    for (uint32_t i = 0; i < FLAG_COUNT; i++) {
        if (!(flags[i].verbs & v->bit)) continue;
        char left[48];
        snprintf(left, sizeof left, "--%s%s%s", flags[i].name, flags[i].argument ? " " : "",
                 flags[i].argument ? flags[i].argument : "");
        printf("  %-24s  %s\n", left, flags[i].help);
    }
}
