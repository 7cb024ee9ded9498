// Every file of the shared data set that we claim to read: read, three frames baked to GLB, PC2 and OBJ, and read back. The
// table it prints is the one in docs/formats.md (scripts/update-formats.sh puts it there).
#include "supple/io_extra.h"
#include "tests/io/bake_support.h"
#include "tests/io_extra/all_files.h"

enum { FRAMES = 3, NAME_MAX_ROOM = 1200 };

typedef struct row {
    char     name[120]; // folder and ending
    uint32_t files, characters, points, skinned, clips;
    double   glb; // worst distance over the diagonal
    uint32_t exact;
} row;

static test_folder folder;

static const char* ending_of(const char* path)
{
    const char* dot = strrchr(path, '.');
    return dot ? dot + 1 : "";
}

static bool ends_in(const char* path, const char* ending) { return strcmp(ending_of(path), ending) == 0; }

// ---------------------------------------------------------------------------------------------- one character

typedef struct trip {
    const sup_character* c;
    const sup_clip*      clip; // NULL: the rest pose is held
    sup_arena*           arena;
    sup_pose             rest;
    sup_vec3*            expected[FRAMES];
} trip;

static void expect(trip* t)
{
    sup_error error;
    sup_pose  pose;
    assert_ok(sup_pose_create(t->c, t->arena, &t->rest, &error), error);
    assert_ok(sup_pose_create(t->c, t->arena, &pose, &error), error);
    sup_pose_rest(t->c, &t->rest);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        if (t->clip) sup_clip_sample(t->c, t->clip, f / 10.0, &pose);
        else sup_pose_copy(&t->rest, &pose);
        t->expected[f] = sup_arena_alloc(t->arena, t->c->mesh.point_count, sizeof(sup_vec3));
        test_living_points(t->c, &pose, f / 10.0, t->expected[f]);
    }
}

static void bake(const trip* t, const char* path)
{
    test_bake b = { .character = t->c, .clip = t->clip, .pose = &t->rest, .path = path, .fps = 10, .frames = FRAMES };
    sup_error error;
    b.chain = "x";
    assert_ok(test_bake_run(&b, NULL, &error), error);
}

static void clear(void)
{
    DIR* dir = opendir(folder.path);
    for (struct dirent* entry; (entry = readdir(dir));) {
        char path[NAME_MAX_ROOM];
        snprintf(path, sizeof path, "%s/%s", folder.path, entry->d_name);
        if (entry->d_name[0] != '.') unlink(path);
    }
    closedir(dir);
}

// Largest distance of a read-back point over the diagonal. Stored vertices of an OBJ part at its seams in a GLB; its points do
// not.
static double glb_error(const trip* t)
{
    const char* path = test_folder_file(&folder, "trip.glb");
    sup_error   error;
    sup_pose    pose;
    char        name[200];
    double      worst = 0;
    bake(t, path);
    sup_character* again = test_load(path);
    snprintf(name, sizeof name, "%.100s.x", t->clip ? t->clip->name : "pose");
    const sup_clip* clip = sup_character_clip(again, name);
    if (!clip) fail_msg("no clip '%s'", name);
    assert_ok(sup_pose_create(again, t->arena, &pose, &error), error);
    sup_vec3* shown = sup_arena_alloc(t->arena, again->mesh.point_count, sizeof *shown);
    assert_int_equal(again->mesh.part_count, t->c->mesh.part_count);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        sup_clip_sample(again, clip, (double)(float)(f / 10.0), &pose);
        test_viewer_points(again, &pose, shown);
        if (again->mesh.vertex_count == t->c->mesh.vertex_count) {
            double d = test_distance(t->c, t->expected[f], again, shown);
            if (!(d <= worst)) worst = d;
            continue;
        }
        assert_int_equal(again->mesh.point_count, t->c->mesh.point_count);
        for (uint32_t p = 0; p < t->c->mesh.point_count; ++p) {
            double d = (double)v3_distance(shown[p], t->expected[f][p]) / (double)t->c->mesh.diagonal;
            if (!(d <= worst)) worst = d;
        }
    }
    sup_character_destroy(again);
    clear();
    return worst;
}

static bool same_vertices(const trip* t, uint32_t frame, const sup_part* part, const sup_vec3* vertices)
{
    for (uint32_t v = 0; v < part->vertex_count; ++v)
        if (memcmp(&vertices[v], &t->expected[frame][t->c->mesh.vertex_points[part->vertex_begin + v]], sizeof *vertices) != 0)
            return false;
    return true;
}

// A cache is one file a mesh. Which is whose is found by its points: the names are another test's.
static bool pc2_exact(const trip* t)
{
    const sup_mesh* mesh = &t->c->mesh;
    uint32_t        found = 0;
    bake(t, test_folder_file(&folder, "trip.pc2"));
    DIR* dir = opendir(folder.path);
    for (struct dirent* entry; (entry = readdir(dir));) {
        char       path[NAME_MAX_ROOM];
        sup_points points;
        sup_error  error;
        if (!ends_in(entry->d_name, "pc2")) continue;
        snprintf(path, sizeof path, "%s/%s", folder.path, entry->d_name);
        assert_ok(sup_points_read(path, NULL, t->arena, &points, &error), error);
        assert_int_equal(points.frame_count, FRAMES);
        bool any = false;
        for (uint32_t p = 0; p < mesh->part_count && !any; ++p) {
            any = mesh->parts[p].vertex_count == points.point_count;
            for (uint32_t f = 0; f < FRAMES && any; ++f)
                any = same_vertices(t, f, &mesh->parts[p], points.points + (size_t)f * points.point_count);
        }
        found += any;
    }
    closedir(dir);
    clear();
    return found == mesh->part_count;
}

static bool obj_exact(const trip* t)
{
    bool good = true;
    bake(t, test_folder_file(&folder, "trip.obj"));
    for (uint32_t f = 0; f < FRAMES && good; ++f) {
        char path[NAME_MAX_ROOM];
        snprintf(path, sizeof path, "%s/trip_%04u.obj", folder.path, f + 1);
        sup_character* again = test_load(path);
        assert_int_equal(again->mesh.vertex_count, t->c->mesh.vertex_count);
        sup_part whole = { .vertex_count = t->c->mesh.vertex_count };
        // Minus zero is written as it is and read as it is.
        good = same_vertices(t, f, &whole, again->mesh.points);
        sup_character_destroy(again);
    }
    clear();
    return good;
}

static void travel(const char* path, row* r)
{
    const sup_load_options options = { .extra = sup_extra_get() };
    sup_character*         c = NULL;
    sup_error              error;
    if (sup_load(path, &options, &c, &error) != SUP_OK) fail_msg("%s: %s", path, error.text);
    trip t = { .c = c, .clip = c->clip_count ? &c->clips[0] : NULL, .arena = sup_arena_create(NULL) };
    expect(&t);
    double glb = glb_error(&t);
    if (!(glb < 5e-6)) fail_msg("%s: the GLB is off by %g of the diagonal", path, glb);
    if (!(glb <= r->glb)) r->glb = glb;
    bool caches = pc2_exact(&t), texts = obj_exact(&t);
    if (!caches || !texts) fail_msg("%s: %s is not exact", path, caches ? "OBJ" : "PC2");
    r->characters++;
    r->exact += caches && texts;
    r->points += c->mesh.point_count;
    r->clips += c->clip_count;
    r->skinned += c->skeleton.skin_joint_count > 0;
    sup_arena_destroy(t.arena);
    sup_character_destroy(c);
}

// Rigs and motion are no characters: they are read.
static bool read_other(const char* path)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_error  error = { 0 };
    sup_mocap  mocap;
    sup_rig    rig;
    sup_matrix matrix;
    bool       known = true;
    sup_result result = SUP_OK;
    if (ends_in(path, "bvh")) result = sup_mocap_load(path, NULL, arena, &mocap, &error);
    else if (ends_in(path, "tgf")) result = sup_rig_load(path, NULL, arena, &rig, &error);
    else if (ends_in(path, "dmat") || ends_in(path, "tmat")) result = sup_matrix_load(path, NULL, arena, &matrix, &error);
    else known = false;
    if (result != SUP_OK) fail_msg("%s: %s", path, error.text);
    sup_arena_destroy(arena);
    return known;
}

// ---------------------------------------------------------------------------------------------- all

static void name_row(const char* root, const char* path, row* r)
{
    const char* below = path + strlen(root) + 1;
    size_t      length = strcspn(below, "/");
    snprintf(r->name, sizeof r->name, "`%.*s/*.%.20s`", (int)(length < 60 ? length : 60), below, ending_of(path));
}

static void print_rows(const row* rows, uint32_t count)
{
    print_message("\n| files | how many | points | with a skin | clips | GLB, of the diagonal | PC2 and OBJ to the bit |\n"
                  "|---|---|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < count; ++i) {
        const row* r = &rows[i];
        if (!r->characters) print_message("| %s | %u | read as motion or rig | | | | |\n", r->name, r->files);
        else
            print_message("| %s | %u | %u | %u | %u | %.1e | %u |\n", r->name, r->files, r->points, r->skinned, r->clips,
                          r->glb, r->exact);
    }
    print_message("\n");
}

static void every_file_comes_back_as_it_went(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(found, "skinned");
    static all_files all;
    static row       rows[64];
    static char      root[NAME_MAX_ROOM];
    uint32_t         count = 0;
    snprintf(root, sizeof root, "%.*s", (int)(strlen(found) - strlen("/skinned")), found);
    all_files_add(&all, root, "hostile"); // what was damaged on purpose does not come back as it went
    all_files_sort(&all);
    test_folder_make(&folder);
    for (uint32_t i = 0; i < all.count; ++i) {
        row r = { .files = 1 };
        if (ends_in(all.paths[i], "md") || ends_in(all.paths[i], "txt") || ends_in(all.paths[i], "json")) continue;
        name_row(root, all.paths[i], &r);
#ifndef SUPPLE_ASSIMP
        if (ends_in(all.paths[i], "fbx") || ends_in(all.paths[i], "dae") || ends_in(all.paths[i], "off")) continue;
#endif
        uint32_t k = 0;
        while (k < count && strcmp(rows[k].name, r.name) != 0) ++k;
        if (k == count) {
            assert_true(count < sizeof rows / sizeof *rows);
            rows[count++] = r;
        } else rows[k].files++;
        if (!read_other(all.paths[i])) travel(all.paths[i], &rows[k]);
    }
    test_folder_remove(&folder);
    print_rows(rows, count);
    all_files_free(&all);
    assert_true(count > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_file_comes_back_as_it_went) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
