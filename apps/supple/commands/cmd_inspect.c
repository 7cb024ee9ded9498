// supple inspect: what is in a character file, and what is wrong with it.
#include "commands.h"
#include "input/common.h"
#include "input/rigging.h"
#include "report/report.h"
#include "supple/rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WRONG_MAX = 256 };

// Everything that both forms of the report contain.
typedef struct findings {
    const sup_character* character;
    sup_mesh_report      surface;
    uint32_t             wrong_count;
    const char*          wrong[WRONG_MAX]; ///< sentences: what, and the cure
    sup_arena*           arena;
} findings;

enum { JOINTS_SHOWN = 300 }; // enough for a face rig; with more, use --json

static void note_wrong(findings* f, const char* format, ...) SUP_FORMAT(2, 3);
static void note_wrong(findings* f, const char* format, ...)
{
    char    text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char* copy = sup_arena_text(f->arena, text, strlen(text));
    if (copy && f->wrong_count < WRONG_MAX) f->wrong[f->wrong_count++] = copy;
}

// The reader already reports faces that use a point twice.
static uint32_t repeating_faces(const sup_mesh* mesh)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        bool repeats = false;
        if (mesh->face_begin[f + 1] - mesh->face_begin[f] > 64) continue; // comparing all pairs would take forever
        for (uint32_t i = mesh->face_begin[f]; i < mesh->face_begin[f + 1]; i++)
            for (uint32_t j = mesh->face_begin[f]; j < i && !repeats; j++)
                repeats = mesh->corner_points[i] == mesh->corner_points[j];
        count += repeats;
    }
    return count;
}

static void collect(findings* f)
{
    const sup_character* c = f->character;
    for (uint32_t i = 0; i < c->warning_count && f->wrong_count < WRONG_MAX; i++) f->wrong[f->wrong_count++] = c->warnings[i];
    uint32_t repeating = repeating_faces(&c->mesh);
    if (f->surface.degenerate_faces > repeating)
        note_wrong(f, "%u faces have no area; they are kept and ignored: dissolve them in a modeling program",
                   f->surface.degenerate_faces - repeating);
    if (f->surface.doubled_faces)
        note_wrong(f,
                   "%u face%s there more than once; drawn and written as they are, but deformers and metrics use the first: "
                   "delete the copies, or give the other side of a sheet its own points",
                   f->surface.doubled_faces, f->surface.doubled_faces == 1 ? " is" : "s are");
    if (f->surface.nonmanifold_edges)
        note_wrong(f,
                   "%u edges have more than two faces or faces that disagree about the outside: separate the sheets, or "
                   "recalculate the normals",
                   f->surface.nonmanifold_edges);
    if (f->surface.nonmanifold_points)
        note_wrong(f, "%u point%s two surfaces that touch only there: split %s", f->surface.nonmanifold_points,
                   f->surface.nonmanifold_points == 1 ? " joins" : "s join",
                   f->surface.nonmanifold_points == 1 ? "it" : "them");
    if (f->surface.boundary_edges)
        note_wrong(
            f,
            "%u open edges in %u hole%s: volume and thickness are guesses there; fill the holes if the body should be solid",
            f->surface.boundary_edges, f->surface.boundary_loops, f->surface.boundary_loops == 1 ? "" : "s");
    if (f->surface.loose_points) note_wrong(f, "%u points belong to no face: delete them", f->surface.loose_points);
}

// Clothes that were never bound stay behind when the body moves.
static sup_result suggest_dress(findings* f, sup_error* error)
{
    const sup_mesh* mesh = &f->character->mesh;
    bool*           clothes = sup_arena_alloc(f->arena, mesh->part_count, sizeof *clothes);
    if (!clothes) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while looking for clothes");
    sup_result result = sup_clothes_find(f->character, clothes, error);
    for (uint32_t i = 0; result == SUP_OK && i < mesh->part_count; i++)
        if (clothes[i])
            note_wrong(
                f,
                "'%s' lies close to the skin but has no weights and will not follow it: --dress '%s' copies them from the skin",
                mesh->parts[i].name, mesh->parts[i].name);
    return result;
}

// ---------------------------------------------------------------------------------------------- JSON

static void set_number(sup_arena* arena, sup_json* object, const char* key, double number)
{
    sup_json_set(arena, object, key, sup_json_new_number(arena, number));
}

static sup_json* named_times(sup_arena* arena, const char* const* names, const double* times, uint32_t count, const char* key)
{
    sup_json* list = sup_json_new(arena, SUP_JSON_ARRAY);
    for (uint32_t i = 0; i < count; i++) {
        sup_json* item = sup_json_push(list, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, item, "name", sup_json_new_string(arena, names[i]));
        set_number(arena, item, key, times[i]);
    }
    return list;
}

static sup_json* text_list(sup_arena* arena, const char* const* texts, uint32_t count)
{
    sup_json* list = sup_json_new(arena, SUP_JSON_ARRAY);
    for (uint32_t i = 0; i < count; i++) sup_json_push(list, sup_json_new_string(arena, texts[i]));
    return list;
}

static sup_json* part_list(sup_arena* arena, const sup_character* c)
{
    sup_json* list = sup_json_new(arena, SUP_JSON_ARRAY);
    for (uint32_t i = 0; i < c->mesh.part_count; i++) {
        const sup_part* p = &c->mesh.parts[i];
        sup_json*       item = sup_json_push(list, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, item, "name", sup_json_new_string(arena, p->name));
        set_number(arena, item, "points", p->point_count);
        set_number(arena, item, "vertices", p->vertex_count);
        set_number(arena, item, "faces", p->face_count);
        set_number(arena, item, "morphs", p->morph_count);
        const char* joint = p->joint == SUP_NONE ? NULL : c->skeleton.joints[p->joint].name;
        sup_json_set(arena, item, "joint", joint ? sup_json_new_string(arena, joint) : sup_json_new(arena, SUP_JSON_NULL));
    }
    return list;
}

static sup_json* joint_list(sup_arena* arena, const sup_skeleton* s)
{
    sup_json* list = sup_json_new(arena, SUP_JSON_ARRAY);
    for (uint32_t j = 0; j < s->joint_count; j++)
        if (s->joints[j].skin_joint) sup_json_push(list, sup_json_new_string(arena, s->joints[j].name));
    return list;
}

static sup_json* describe(const findings* f)
{
    static const char* const axes[] = { [SUP_AXIS_Y] = "y", [SUP_AXIS_Z] = "z", [SUP_AXIS_X] = "x" };
    const sup_character*     c = f->character;
    sup_arena*               arena = f->arena;
    uint32_t                 most = c->clip_count + c->example_count + c->map_count;
    const char**             names = sup_arena_alloc(arena, most, sizeof *names);
    double*                  times = sup_arena_alloc(arena, most, sizeof *times);
    sup_json*                out = sup_json_new(arena, SUP_JSON_OBJECT);
    if (!names || !times || !out) return NULL;

    set_number(arena, out, "points", c->mesh.point_count);
    set_number(arena, out, "vertices", c->mesh.vertex_count);
    set_number(arena, out, "triangles", c->mesh.triangle_count);
    set_number(arena, out, "faces", c->mesh.face_count);
    sup_json_set(arena, out, "closed", sup_json_new(arena, f->surface.closed ? SUP_JSON_TRUE : SUP_JSON_FALSE));
    set_number(arena, out, "components", f->surface.components);
    set_number(arena, out, "boundary_edges", f->surface.boundary_edges);
    set_number(arena, out, "nonmanifold_edges", f->surface.nonmanifold_edges);
    set_number(arena, out, "doubled_faces", f->surface.doubled_faces);
    set_number(arena, out, "joints", c->skeleton.skin_joint_count);
    set_number(arena, out, "influences_max", c->weights.influences_max);
    set_number(arena, out, "weight_sum_min", (double)c->weights.sum_min);
    set_number(arena, out, "weight_sum_max", (double)c->weights.sum_max);

    sup_json_set(arena, out, "parts", part_list(arena, c));
    sup_json_set(arena, out, "joint_names", joint_list(arena, &c->skeleton));
    for (uint32_t i = 0; i < c->clip_count; i++) {
        names[i] = c->clips[i].name;
        times[i] = c->clips[i].seconds;
    }
    sup_json_set(arena, out, "clips", named_times(arena, names, times, c->clip_count, "seconds"));
    for (uint32_t i = 0; i < c->example_count; i++) {
        names[i] = c->examples[i].name;
        times[i] = c->examples[i].time;
    }
    sup_json_set(arena, out, "examples", named_times(arena, names, times, c->example_count, "time"));
    for (uint32_t i = 0; i < c->map_count; i++) names[i] = c->maps[i].name;
    sup_json_set(arena, out, "maps", text_list(arena, names, c->map_count));
    set_number(arena, out, "unit", c->metres_per_unit);
    sup_json_set(arena, out, "up", sup_json_new_string(arena, axes[c->up]));
    return sup_json_set(arena, out, "warnings", text_list(arena, f->wrong, f->wrong_count)) ? out : NULL;
}

// ---------------------------------------------------------------------------------------------- for people

static void print_size(const sup_character* c)
{
    sup_vec3 low = c->mesh.points[0], high = low;
    for (uint32_t i = 1; i < c->mesh.point_count; i++) {
        sup_vec3 p = c->mesh.points[i];
        low = (sup_vec3){ p.x < low.x ? p.x : low.x, p.y < low.y ? p.y : low.y, p.z < low.z ? p.z : low.z };
        high = (sup_vec3){ p.x > high.x ? p.x : high.x, p.y > high.y ? p.y : high.y, p.z > high.z ? p.z : high.z };
    }
    double m = c->metres_per_unit;
    printf("size      %.3g x %.3g x %.3g m (x, y, z); one unit is %g m%s; %c is up%s\n", m * (double)(high.x - low.x),
           m * (double)(high.y - low.y), m * (double)(high.z - low.z), m, c->unit_assumed ? ", assumed: --unit changes it" : "",
           "yzx"[c->up], c -> up_assumed ? ", assumed: --up changes it" : "");
}

static void print_lists(const sup_character* c)
{
    printf("clips     ");
    for (uint32_t i = 0; i < c->clip_count; i++) printf("%s%s (%.2f s)", i ? ", " : "", c->clips[i].name, c->clips[i].seconds);
    puts(c->clip_count ? "" : c->skeleton.skin_joint_count ? "none: bake --pose 'JOINT=X,Y,Z' poses it by hand" : "none");
    printf("examples  ");
    for (uint32_t i = 0; i < c->example_count; i++)
        printf("%s%s (%s at %.2f s)", i ? ", " : "", c->examples[i].name,
               c->examples[i].clip ? c->examples[i].clip : "any clip", c->examples[i].time);
    puts(c->example_count ? "" : "none");
    printf("maps      ");
    for (uint32_t i = 0; i < c->map_count; i++) printf("%s%s", i ? ", " : "", c->maps[i].name);
    puts(c->map_count ? "" : "none");
    printf("joints    ");
    uint32_t shown = 0, all = c->skeleton.skin_joint_count;
    for (uint32_t i = 0; i < c->skeleton.joint_count && shown < JOINTS_SHOWN; i++)
        if (c->skeleton.joints[i].skin_joint) printf("%s%s", shown++ ? ", " : "", c->skeleton.joints[i].name);
    if (shown < all) printf(" and %u more (--json lists all)", all - shown);
    puts(all ? "" : "none");
}

static void print_parts(const sup_character* c)
{
    if (c->mesh.part_count < 2) return;
    table t;
    table_begin(&t, "part|>points|>vertices|>faces|>morphs|follows");
    for (uint32_t i = 0; i < c->mesh.part_count; i++) {
        const sup_part* p = &c->mesh.parts[i];
        table_add(&t, "%s", p->name);
        table_add(&t, "%u", p->point_count);
        table_add(&t, "%u", p->vertex_count);
        table_add(&t, "%u", p->face_count);
        table_add(&t, "%u", p->morph_count);
        table_add(&t, "%s", p->joint == SUP_NONE ? "its skin" : c->skeleton.joints[p->joint].name);
    }
    puts("");
    table_print(&t, 0);
}

static void print_report(const findings* f, const char* path)
{
    const sup_character* c = f->character;
    printf("%s: %u points (%u stored vertices), %u faces (%u triangles), %u part%s\n", path, c->mesh.point_count,
           c->mesh.vertex_count, c->mesh.face_count, c->mesh.triangle_count, c->mesh.part_count,
           c->mesh.part_count == 1 ? "" : "s");
    print_size(c);
    printf("surface   %s, %u component%s, %u edges", f->surface.closed ? "closed" : "not closed", f->surface.components,
           f->surface.components == 1 ? "" : "s", f->surface.edges);
    if (f->surface.boundary_edges)
        printf(", %u of them open in %u hole%s", f->surface.boundary_edges, f->surface.boundary_loops,
               f->surface.boundary_loops == 1 ? "" : "s");
    puts("");
    if (c->skeleton.skin_joint_count)
        printf("skin      %u joints, at most %u influence%s a point, weights sum to %.4g .. %.4g\n",
               c->skeleton.skin_joint_count, c->weights.influences_max, c->weights.influences_max == 1 ? "" : "s",
               (double)c->weights.sum_min, (double)c->weights.sum_max);
    else puts("skin      none: every part follows its node rigidly; bind it to a skeleton to deform it");
    print_lists(c);
    print_parts(c);
    puts("");
    if (f->wrong_count == 0) puts("nothing wrong was found");
    for (uint32_t i = 0; i < f->wrong_count; i++) printf("wrong     %s\n", f->wrong[i]);
}

int cmd_inspect(const options* o)
{
    sup_character* character = NULL;
    int            code = EXIT_DONE;
    if (rigging_inspect(o, o->words[0], &code)) return code;
    code = character_load(o, o->words[0], true, &character);
    if (code != EXIT_DONE) return code;

    sup_error error = { 0 };
    findings  f = { .character = character, .arena = sup_arena_create(NULL) };
    if (!f.arena) code = fail_memory();
    else if (sup_mesh_examine(&character->mesh, &f.surface, &error) != SUP_OK || suggest_dress(&f, &error) != SUP_OK)
        code = fail_with(&error);
    else {
        collect(&f);
        sup_json* json = options_has(o, FLAG_JSON) ? describe(&f) : NULL;
        sup_json* partners = json ? rigging_describe_partners(o, character, f.arena) : NULL;
        if (partners) sup_json_set(f.arena, json, "motion", partners);
        if (options_has(o, FLAG_JSON)) code = print_json(json) ? EXIT_DONE : EXIT_FAILED;
        else {
            print_report(&f, o->words[0]);
            rigging_print_partners(o, character);
        }
    }
    sup_arena_destroy(f.arena);
    sup_character_destroy(character);
    return code;
}
