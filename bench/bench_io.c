// Reading and writing files, timed against reading the same bytes: a tube of half a million points, written once into a folder
// of its own. Everything runs on one thread and is measured in processor time, which excludes the disk and other processes.
#include "system/system.h"
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 500000, REPEATS = 5 };

typedef struct io_bench {
    const bench_options* options;
    bench_report*        report;
    void*                user;
    sup_error*           error;
    char                 folder[512];
    char                 path[600];
    sup_character*       tube;
} io_bench;

static double cpu_now(void) { return bench_cpu(); }

// ---------------------------------------------------------------------------------------------- memory

// A value of /proc/self/status in bytes; 0 if unavailable.
static uint64_t status_bytes(const char* key)
{
    char     line[128];
    uint64_t kilobytes = 0;
    FILE*    file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0) kilobytes = strtoull(line + strlen(key), NULL, 10);
    if (file) fclose(file);
    return kilobytes * 1024;
}

// Resets the process's memory peak; returns what it holds now.
static uint64_t begin_peak(void)
{
    FILE* file = fopen("/proc/self/clear_refs", "w");
    bool  good = file && fputs("5", file) >= 0;
    if (file) good = fclose(file) == 0 && good;
    return good ? status_bytes("VmRSS:") : 0;
}

static uint64_t end_peak(uint64_t before)
{
    uint64_t peak = status_bytes("VmHWM:");
    return before && peak > before ? peak - before : 0;
}

// ---------------------------------------------------------------------------------------------- files

static const char* file_path(io_bench* b, const char* ending)
{
    snprintf(b->path, sizeof b->path, "%s/tube.%s", b->folder, ending);
    return b->path;
}

static sup_result fail_writing(io_bench* b)
{
    return sup_fail(b->error, SUP_ERROR_FILE, "cannot write '%s'; is the disk full?", b->path);
}

// A texture around the tube, with a seam where it closes: points there have two texture coordinates.
static sup_result write_seams(io_bench* b)
{
    enum { SIDES = 60 };
    const sup_mesh* m = &b->tube->mesh;
    FILE*           file = path_open(file_path(b, "obj"), "w");
    if (!file) return fail_writing(b);
    for (uint32_t p = 0; p < m->point_count; ++p)
        fprintf(file, "v %.6f %.6f %.6f\n", (double)m->points[p].x, (double)m->points[p].y, (double)m->points[p].z);
    for (uint32_t p = 0; p < m->point_count; ++p) {
        fprintf(file, "vt %.5f %.5f\n", (double)(p % SIDES) / SIDES, (double)m->points[p].x / 40);
        if (p % SIDES == SIDES - 1) fprintf(file, "vt 1 %.5f\n", (double)m->points[p].x / 40);
    }
    for (uint32_t f = 0; f < m->face_count; ++f) {
        fputc('f', file);
        for (uint32_t c = 0; c < 4; ++c) {
            uint32_t p = m->corner_points[m->face_begin[f] + c], ring = p / SIDES, side = p % SIDES;
            bool     closing = f % SIDES == SIDES - 1 && side == 0;
            fprintf(file, " %u/%u", p + 1, ring * (SIDES + 1) + (closing ? SIDES : side) + 1);
        }
        fputc('\n', file);
    }
    bool good = !ferror(file);
    return fclose(file) == 0 && good ? SUP_OK : fail_writing(b);
}

static sup_result write_text(io_bench* b, bool ply)
{
    const sup_mesh* m = &b->tube->mesh;
    FILE*           file = path_open(file_path(b, ply ? "ply" : "obj"), "w");
    if (!file) return fail_writing(b);
    if (ply)
        fprintf(
            file,
            "ply\nformat ascii 1.0\nelement vertex %u\nproperty float x\nproperty float y\nproperty float z\nelement face %u\n"
            "property list uchar int vertex_indices\nend_header\n",
            m->point_count, m->face_count);
    for (uint32_t p = 0; p < m->point_count; ++p)
        fprintf(file, ply ? "%.6f %.6f %.6f\n" : "v %.6f %.6f %.6f\n", (double)m->points[p].x, (double)m->points[p].y,
                (double)m->points[p].z);
    for (uint32_t f = 0; f < m->face_count; ++f) {
        uint32_t size = m->face_begin[f + 1] - m->face_begin[f];
        if (ply) fprintf(file, "%u", size);
        else fputc('f', file);
        for (uint32_t c = 0; c < size; ++c) fprintf(file, " %u", m->corner_points[m->face_begin[f] + c] + !ply);
        fputc('\n', file);
    }
    bool good = !ferror(file);
    return fclose(file) == 0 && good ? SUP_OK : fail_writing(b);
}

// A bake of one frame. memory NULL: not measured.
static sup_result write_baked(io_bench* b, const sup_character* c, const char* ending, double* seconds, uint64_t* memory)
{
    sup_arena* arena = sup_arena_create(NULL);
    if (!arena) return sup_fail(b->error, SUP_ERROR_MEMORY, "out of memory while writing a file");
    sup_pose      pose;
    sup_bake*     bake = NULL;
    sup_bake_desc desc = { .path = file_path(b, ending), .character = c, .chain = "linear", .fps = 30, .frame_count = 1 };
    sup_vec3*     normals = sup_arena_alloc(arena, c->mesh.vertex_count, sizeof *normals);
    sup_result    result = normals ? sup_pose_create(c, arena, &pose, b->error)
                                   : sup_fail(b->error, SUP_ERROR_MEMORY, "out of memory while writing a file");
    // Any direction: only the number of digits matters.
    for (uint32_t v = 0; normals && v < c->mesh.vertex_count; ++v)
        normals[v] = (sup_vec3){ 0.36f + 1e-7f * (float)(v % 997), 0.48f, 0.8f };
    if (result == SUP_OK) sup_pose_rest(c, &pose);
    uint64_t before = memory ? begin_peak() : 0;
    double   start = cpu_now();
    if (result == SUP_OK) result = sup_bake_begin(&desc, NULL, &bake, b->error);
    sup_bake_frame frame = { .pose = &pose, .points = c->mesh.points, .vertex_normals = normals };
    if (result == SUP_OK) result = sup_bake_frame_write(bake, &frame, b->error);
    if (result == SUP_OK) result = sup_bake_end(bake, NULL, NULL, b->error);
    *seconds = cpu_now() - start;
    if (memory) *memory = end_peak(before);
    sup_bake_destroy(bake);
    sup_arena_destroy(arena);
    return result;
}

static double best_of(double best, double seconds) { return best == 0 || seconds < best ? seconds : best; }

// Only the bytes, into fresh memory as every reader needs it: the lower bound for all of them.
static sup_result read_plainly(io_bench* b, uint64_t bytes, double* best)
{
    double start = cpu_now();
    char*  memory = malloc(bytes + 1);
    FILE*  file = path_open(b->path, "rb");
    bool   good = memory && file && fread(memory, 1, bytes, file) == bytes;
    if (file) fclose(file);
    *best = best_of(*best, cpu_now() - start);
    free(memory);
    return good ? SUP_OK : sup_fail(b->error, SUP_ERROR_FILE, "cannot read '%s'", b->path);
}

// Alternates the two, so that both see the same load on the machine.
static sup_result time_load(io_bench* b, const char* ending, const char* name)
{
    path_info status;
    double    plain = 0, best = 0;
    uint64_t  memory = 0;
    if (path_look(file_path(b, ending), &status) != 0) return sup_fail(b->error, SUP_ERROR_FILE, "cannot read '%s'", b->path);
    uint64_t   bytes = status.bytes;
    sup_result result = SUP_OK;
    for (int i = 0; i < 2 * REPEATS && result == SUP_OK; ++i) {
        sup_character* c = NULL;
        result = read_plainly(b, bytes, &plain);
        uint64_t before = begin_peak();
        double   start = cpu_now();
        if (result == SUP_OK) result = sup_load(b->path, NULL, &c, b->error);
        best = best_of(best, cpu_now() - start);
        memory = end_peak(before);
        sup_character_destroy(c);
    }
    if (result != SUP_OK) return result;
    bench_row row = { .points = b->tube->mesh.point_count,
                      .threads = 1,
                      .ms = 1e3 * best,
                      .reference_ms = 1e3 * plain,
                      .bytes = bytes,
                      .memory = memory };
    snprintf(row.name, sizeof row.name, "%s", name);
    return b->report(b->user, &row) ? SUP_OK : sup_fail(b->error, SUP_ERROR_CANCELLED, "stopped");
}

static sup_result time_write(io_bench* b, const sup_character* c, const char* ending, const char* name)
{
    double    best = 0, seconds = 0;
    uint64_t  memory = 0;
    path_info status = { 0 };
    for (int i = 0; i < REPEATS; ++i) {
        sup_result result = write_baked(b, c, ending, &seconds, &memory);
        if (result != SUP_OK) return result;
        best = best_of(best, seconds);
    }
    if (path_look(b->path, &status) != 0) return fail_writing(b);
    bench_row row = {
        .points = c->mesh.point_count, .threads = 1, .ms = 1e3 * best, .bytes = status.bytes, .memory = memory
    };
    snprintf(row.name, sizeof row.name, "%s", name);
    path_remove(b->path);
    return b->report(b->user, &row) ? SUP_OK : sup_fail(b->error, SUP_ERROR_CANCELLED, "stopped");
}

// Reads a file and writes another; only the writing is measured.
static sup_result time_conversion(io_bench* b, bool seams, const char* ending, const char* name)
{
    double         seconds;
    sup_character* c = NULL;
    sup_result     result = seams ? write_seams(b) : write_baked(b, b->tube, "glb", &seconds, NULL);
    if (result == SUP_OK) result = sup_load(file_path(b, seams ? "obj" : "glb"), NULL, &c, b->error);
    path_remove(b->path);
    if (result == SUP_OK) result = time_write(b, c, ending, name);
    sup_character_destroy(c);
    return result;
}

static const struct {
    const char *name, *ending;
    bool        seams;
} passages[] = { { "io/obj_to_glb", "glb", true }, { "io/obj_to_pc2", "pc2", true }, { "io/glb_to_glb", "glb", false } };

static const struct {
    const char *name, *ending;
} writes[] = { { "io/glb_write", "glb" },
               { "io/obj_write", "obj" },
               { "io/usda_write", "usda" },
               { "io/pc2_write", "pc2" },
               { "io/npy_write", "npy" } },
  loads[] = { { "io/glb_load", "glb" }, { "io/foreign_glb_load", "glb" }, { "io/obj_load", "obj" }, { "io/ply_load", "ply" } };

enum {
    WRITES = sizeof writes / sizeof *writes,
    LOADS = sizeof loads / sizeof *loads,
    PASSAGES = sizeof passages / sizeof *passages
};

// The file that the i-th of the loads reads.
static sup_result write_for(io_bench* b, size_t i)
{
    double seconds;
    if (i == 0) return write_baked(b, b->tube, "glb", &seconds, NULL);
    if (i == 1) return bench_foreign_write(b->tube, file_path(b, "glb")) ? SUP_OK : fail_writing(b);
    return write_text(b, i == 3);
}

static sup_result run(io_bench* b)
{
    sup_result result = bench_tube_create(POINTS, 0, &b->tube, b->error);
    for (size_t i = 0; i < WRITES && result == SUP_OK; ++i)
        if (bench_begin(b->options, writes[i].name)) result = time_write(b, b->tube, writes[i].ending, writes[i].name);
    for (size_t i = 0; i < LOADS && result == SUP_OK; ++i) {
        if (!bench_begin(b->options, loads[i].name)) continue;
        result = write_for(b, i);
        if (result == SUP_OK) result = time_load(b, loads[i].ending, loads[i].name);
        path_remove(file_path(b, loads[i].ending));
    }
    for (size_t i = 0; i < PASSAGES && result == SUP_OK; ++i)
        if (bench_wanted(b->options, passages[i].name))
            result = time_conversion(b, passages[i].seams, passages[i].ending, passages[i].name);
    sup_character_destroy(b->tube);
    return result;
}

sup_result bench_files(const bench_options* options, bench_report* report, void* user, sup_error* error)
{
    bool any = false;
    for (size_t i = 0; i < WRITES; ++i) any |= bench_wanted(options, writes[i].name);
    for (size_t i = 0; i < LOADS; ++i) any |= bench_wanted(options, loads[i].name);
    if (!any) return SUP_OK;
    io_bench    b = { .options = options, .report = report, .user = user, .error = error };
    if (path_make_temporary(b.folder, sizeof b.folder) != 0)
        return sup_fail(error, SUP_ERROR_FILE, "cannot make a folder like '%s' for the files of the bench", b.folder);
    sup_result result = run(&b);
    path_remove_folder(b.folder);
    return result;
}
