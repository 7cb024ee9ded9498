// Truth meshes: finding the files, and matching their points to the character's.
#include "truth.h"

#include "common.h"
#include "report/report.h"
#include "supple/io_extra.h"
#include "system/system.h"
#include "supple/io.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Copies of one point that are farther apart than this share of the diagonal are different points: the meshes do not match.
static const double GAP_MAX = 0.01;

// ---------------------------------------------------------------------------------------------- files

typedef struct numbered {
    char*              path;
    unsigned long long number;
    const sup_vec3*    cached; // a frame of a point cache; NULL: the file is a mesh
    uint32_t           cached_count;
} numbered;

typedef struct listing {
    numbered* items;
    uint32_t  count, capacity;
} listing;

// The number before the ending of "mesh_0040.obj". False: there is none.
static bool number_of(const char* name, unsigned long long* out)
{
    const char* dot = strrchr(name, '.');
    const char* end = dot ? dot : name + strlen(name);
    const char* begin = end;
    while (begin > name && isdigit((unsigned char)begin[-1])) begin--;
    // No frame number has more digits than fit the number.
    if (begin == end || end - begin > 18) return false;
    *out = strtoull(begin, NULL, 10);
    return true;
}

// Whether one of this build's extra formats has that ending.
static bool extra_reads(const char* name)
{
    const sup_extra* extra = sup_extra_get();
    for (uint32_t i = 0; i < extra->format_count; i++)
        if (sup_path_ends_in(name, extra->formats[i]->endings)) return true;
    return false;
}

static bool readable(const char* name)
{
    const sup_file_format* format = sup_format_for(name);
    return format ? format->read != NULL : extra_reads(name);
}

static bool listing_add(listing* l, numbered item)
{
    if (!item.path) return false;
    if (l->count == l->capacity) {
        uint32_t  capacity = l->capacity ? 2 * l->capacity : 64;
        numbered* grown = realloc(l->items, capacity * sizeof *grown);
        if (!grown) return false;
        l->items = grown;
        l->capacity = capacity;
    }
    l->items[l->count++] = item;
    return true;
}

static char* join_path(sup_arena* arena, const char* folder, const char* name)
{
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    char*  path = sup_arena_alloc(arena, size, 1);
    if (path) snprintf(path, size, "%s%s%s", folder, length && !*path_name(folder) ? "" : "/", name);
    return path;
}

// By number; two files with one number would make the order a guess.
static int compare_numbers(const void* a, const void* b)
{
    const numbered *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return strcmp(x->path, y->path);
}

static int list_folder(const char* folder, const char* flag, sup_arena* arena, listing* out)
{
    const sup_files* files = sup_files_system();
    const char**     names = NULL;
    sup_error        error = { 0 };
    uint32_t         begin = out->count, count = 0;
    bool             good = true;
    if (files->list(files->user, folder, arena, &names, &count, &error) != SUP_OK) {
        report_error("the folder of %s: %s", flag, error.text);
        return EXIT_FAILED;
    }
    for (uint32_t i = 0; good && i < count; i++) {
        unsigned long long number;
        if (!number_of(names[i], &number) || !readable(names[i])) continue;
        good = listing_add(out, (numbered){ .path = join_path(arena, folder, names[i]), .number = number });
    }
    if (!good) return fail_memory();
    if (out->count == begin) {
        report_error("the folder '%s' of %s has no mesh whose name ends in a number, like frame_01.obj", folder, flag);
        return EXIT_FAILED;
    }
    // No two of them compare equal, so any sort gives the same order.
    qsort(out->items + begin, out->count - begin, sizeof *out->items, compare_numbers);
    for (uint32_t i = begin + 1; i < out->count; i++) {
        if (out->items[i].number != out->items[i - 1].number) continue;
        report_error("'%s' and '%s' have the same number, so their order is a guess; name the files of %s one by one",
                     out->items[i - 1].path, out->items[i].path, flag);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

bool truth_is_cache(const char* path) { return sup_path_ends_in(path, "pc2 mdd npy"); }

// Every frame of a point cache is a mesh of the set.
static int list_cache(const char* path, sup_arena* arena, listing* out)
{
    sup_error  error = { 0 };
    sup_points cache;
    if (sup_points_read(path, NULL, arena, &cache, &error) != SUP_OK) return fail_with(&error);
    numbered item = { .path = sup_arena_text(arena, path, strlen(path)), .cached_count = cache.point_count };
    for (uint32_t f = 0; f < cache.frame_count; f++) {
        item.cached = cache.points + (size_t)f * cache.point_count;
        if (!listing_add(out, item)) return fail_memory();
    }
    return EXIT_DONE;
}

static int list_file(const char* path, sup_arena* arena, listing* out)
{
    if (truth_is_cache(path)) return list_cache(path, arena, out);
    return listing_add(out, (numbered){ .path = sup_arena_text(arena, path, strlen(path)) }) ? EXIT_DONE : fail_memory();
}

int truth_files(const char* const* words, uint32_t count, const char* flag, const char* what, sup_arena* arena, truth_set* out)
{
    listing list = { 0 };
    int     code = EXIT_DONE;
    for (uint32_t i = 0; i < count && code == EXIT_DONE; i++) {
        path_info info;
        if (path_look(words[i], &info) != 0) {
            report_error("%s '%s': there is no such file or folder", flag, words[i]);
            code = EXIT_FAILED;
        } else if (info.kind == PATH_FOLDER) code = list_folder(words[i], flag, arena, &list);
        else code = list_file(words[i], arena, &list);
    }
    *out = (truth_set){ .count = list.count, .what = what };
    out->paths = sup_arena_alloc(arena, list.count, sizeof(char*));
    out->points = sup_arena_alloc(arena, list.count, sizeof(sup_vec3*));
    out->cached = sup_arena_alloc(arena, list.count, sizeof(sup_vec3*));
    out->cached_counts = sup_arena_alloc(arena, list.count, sizeof(uint32_t));
    if (out->paths && out->points && out->cached && out->cached_counts)
        for (uint32_t i = 0; i < list.count; i++) {
            out->paths[i] = list.items[i].path;
            out->cached[i] = list.items[i].cached;
            out->cached_counts[i] = list.items[i].cached_count;
        }
    else if (code == EXIT_DONE) code = fail_memory();
    free(list.items);
    return code;
}

int truth_list(const options* o, sup_arena* arena, truth_set* out)
{
    uint32_t     count = options_count(o, FLAG_TRUTH);
    const char** words = sup_arena_alloc(arena, count, sizeof *words);
    if (!words) return fail_memory();
    for (uint32_t i = 0; i < count; i++) words[i] = options_nth(o, FLAG_TRUTH, i);
    return truth_files(words, count, "--truth", "truth", arena, out);
}

// ---------------------------------------------------------------------------------------------- matching

static bool same_faces(const sup_mesh* a, const sup_mesh* b)
{
    return a->face_count == b->face_count && a->corner_count == b->corner_count &&
           memcmp(a->face_begin, b->face_begin, ((size_t)a->face_count + 1) * sizeof *a->face_begin) == 0;
}

static bool same_corners(const sup_mesh* a, const uint32_t* corners_a, const uint32_t* corners_b)
{
    return memcmp(corners_a, corners_b, a->corner_count * sizeof *corners_a) == 0;
}

// The mean of all positions found for each point, and how far apart they were. A point without any keeps its rest position.
typedef struct gather {
    sup_vec3* points;
    uint32_t* copies;
    double    gap;
} gather;

static void gather_add(gather* g, uint32_t point, sup_vec3 at)
{
    sup_vec3* p = &g->points[point];
    if (g->copies[point]++ == 0) *p = at;
    double x = (double)at.x - (double)p->x, y = (double)at.y - (double)p->y, z = (double)at.z - (double)p->z;
    double away = sqrt(x * x + y * y + z * z), n = g->copies[point];
    if (away > g->gap) g->gap = away;
    *p = (sup_vec3){ (float)((double)p->x + x / n), (float)((double)p->y + y / n), (float)((double)p->z + z / n) };
}

static void gather_vertices(gather* g, const sup_mesh* mesh, const sup_mesh* from)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        gather_add(g, mesh->vertex_points[v], from->points[from->vertex_points[v]]);
}

static void gather_corners(gather* g, const sup_mesh* mesh, const sup_mesh* from)
{
    for (uint32_t c = 0; c < mesh->corner_count; c++)
        gather_add(g, mesh->corner_points[c], from->points[from->corner_points[c]]);
}

// Whether one of them stores the quads of the other as pairs of triangles.
static bool same_triangles(const sup_mesh* a, const sup_mesh* b)
{
    return a->point_count == b->point_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof *a->triangles) == 0;
}

// False if no matching fits.
static bool match(const sup_mesh* mesh, const sup_mesh* from, gather* g)
{
    if (!same_faces(mesh, from)) {
        if (!same_triangles(mesh, from)) return false;
        memcpy(g->points, from->points, mesh->point_count * sizeof *g->points);
        return true;
    }
    if (mesh->vertex_count == from->vertex_count && same_corners(mesh, mesh->corner_vertices, from->corner_vertices)) {
        gather_vertices(g, mesh, from);
        return true;
    }
    if (mesh->point_count == from->point_count && same_corners(mesh, mesh->corner_points, from->corner_points)) {
        memcpy(g->points, from->points, mesh->point_count * sizeof *g->points);
        return true;
    }
    gather_corners(g, mesh, from);
    return g->gap <= GAP_MAX * (double)mesh->diagonal;
}

// Converts from meters with y up to the character's unit and axis. We own the mesh.
static void to_character_units(sup_character* from, const sup_character* c)
{
    double    scale = from->metres_per_unit / c->metres_per_unit;
    sup_vec3* points = (sup_vec3*)(uintptr_t)from->mesh.points;
    if (scale == 1.0 && c->up == SUP_AXIS_Y) return;
    for (uint32_t i = 0; i < from->mesh.point_count; i++) {
        float x = (float)((double)points[i].x * scale), y = (float)((double)points[i].y * scale),
              z = (float)((double)points[i].z * scale);
        points[i] = c->up == SUP_AXIS_Z   ? (sup_vec3){ x, -z, y }
                    : c->up == SUP_AXIS_X ? (sup_vec3){ y, -x, z }
                                          : (sup_vec3){ x, y, z };
    }
}

static int match_file(truth_set* t, uint32_t i, const sup_character* c, const sup_character* from, sup_arena* arena,
                      uint32_t* copies)
{
    const sup_mesh *mesh = &c->mesh, *other = &from->mesh;
    gather          g = { sup_arena_copy(arena, mesh->points, mesh->point_count, sizeof *mesh->points), copies, 0.0 };
    if (!g.points) return fail_memory();
    memset(copies, 0, mesh->point_count * sizeof *copies);
    if (!match(mesh, other, &g)) {
        bool faces = same_faces(mesh, other);
        report_error("%s '%s' has %u points, %u vertices and %u faces; '%s' has %u points, %u vertices and %u faces%s: export "
                     "it from the same mesh",
                     t->what, t->paths[i], other->point_count, other->vertex_count, other->face_count, c->name,
                     mesh->point_count, mesh->vertex_count, mesh->face_count,
                     faces ? ", and its faces connect other vertices" : "");
        return EXIT_FAILED;
    }
    t->points[i] = g.points;
    if (g.gap > t->gap) t->gap = g.gap;
    return EXIT_DONE;
}

// PC2 and MDD are in stored-vertex order, and copies of one point are averaged; npy is in point order if it fits.
static int match_cached(truth_set* t, uint32_t i, const sup_character* c, sup_arena* arena, uint32_t* copies)
{
    const sup_mesh* mesh = &c->mesh;
    uint32_t        count = t->cached_counts[i];
    if (count != mesh->vertex_count && count != mesh->point_count) {
        report_error("'%s' has %u points; '%s' has %u points and %u vertices: they belong to different meshes", t->paths[i],
                     count, c->name, mesh->point_count, mesh->vertex_count);
        return EXIT_FAILED;
    }
    bool   by_vertex = count == mesh->vertex_count && !(sup_path_ends_in(t->paths[i], "npy") && count == mesh->point_count);
    gather g = { sup_arena_copy(arena, mesh->points, mesh->point_count, sizeof *mesh->points), copies, 0.0 };
    if (!g.points) return fail_memory();
    memset(copies, 0, mesh->point_count * sizeof *copies);
    for (uint32_t v = 0; v < count; v++) gather_add(&g, by_vertex ? mesh->vertex_points[v] : v, t->cached[i][v]);
    t->points[i] = g.points;
    if (g.gap > t->gap) t->gap = g.gap;
    return EXIT_DONE;
}

static sup_up up_of(sup_axis axis) { return axis == SUP_AXIS_Z ? SUP_UP_Z : axis == SUP_AXIS_X ? SUP_UP_X : SUP_UP_Y; }

static int load_mesh(truth_set* t, uint32_t i, const sup_character* character, sup_arena* arena, uint32_t* copies)
{
    sup_error      error = { 0 };
    sup_character* from = NULL;
    // Files that assimp reads arrive in meters with y up; the others keep the character's unit and axis.
    bool                   own = sup_format_for(t->paths[i]) != NULL;
    const char*            mesh = t->meshes ? t->meshes[i] : NULL;
    const sup_load_options load = { .unit = own ? character->metres_per_unit : 0,
                                    .up = own ? up_of(character->up) : SUP_UP_FILE,
                                    .meshes = &mesh,
                                    .mesh_count = mesh != NULL,
                                    .extra = sup_extra_get() };
    if (sup_load(t->paths[i], &load, &from, &error) != SUP_OK) return fail_with(&error);
    if (!own) to_character_units(from, character);
    int code = match_file(t, i, character, from, arena, copies);
    sup_character_destroy(from);
    return code;
}

int truth_load(truth_set* t, const sup_character* character, sup_arena* arena)
{
    uint32_t* copies = sup_arena_alloc(arena, character->mesh.point_count, sizeof *copies);
    if (!copies) return fail_memory();
    for (uint32_t i = 0; i < t->count; i++) {
        bool cached = t->cached && t->cached[i];
        int  code = cached ? match_cached(t, i, character, arena, copies) : load_mesh(t, i, character, arena, copies);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}
