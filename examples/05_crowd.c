// A hundred characters in the host's own memory, on the host's own threads, straight into vertex buffers.
#include <supple/supple.h>

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { CROWD = 100, THREADS = 4 };

// The host's allocator: here malloc, counted.
static void* give(void* user, size_t bytes) { return *(size_t*)user += bytes, malloc(bytes); }
static void  take(void* user, void* memory, size_t bytes) { *(size_t*)user -= bytes, free(memory); }

// The host's scheduler: one thread per piece. An engine would give the pieces to its own workers instead.
typedef struct piece {
    sup_task_fn* task;
    void*        data;
    uint32_t     begin, end;
} piece;
static void* work(void* data)
{
    piece* p = data;
    p->task(p->data, p->begin, p->end);
    return NULL;
}
static void run(void* user, uint32_t count, uint32_t grain, sup_task_fn* task, void* data)
{
    (void)user;
    for (uint32_t next = 0; next < count;) {
        pthread_t threads[THREADS];
        piece     pieces[THREADS];
        uint32_t  started = 0;
        for (; started < THREADS && next < count; started++, next += grain) {
            pieces[started] = (piece){ task, data, next, next + grain < count ? next + grain : count };
            if (pthread_create(&threads[started], NULL, work, &pieces[started])) abort();
        }
        for (uint32_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
    }
}

typedef struct vertex { // the renderer's layout
    sup_vec3 position, normal;
    float    u, v;
} vertex;

int main(void)
{
    size_t              bytes = 0;
    const sup_allocator memory = { .allocate = give, .release = take, .user = &bytes };
    const sup_tasks     tasks = { .run = run, .workers = THREADS };
    sup_error           error = { 0 };
    sup_character*      character = NULL;
    sup_chain*          chain = NULL;
    if (sup_load("builtin:beast", &(sup_load_options){ .allocator = &memory }, &character, &error) != SUP_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    // One binding for all: a chain is read-only.
    const sup_chain_desc desc = { .character = character, .links = "dualquat", .allocator = &memory };
    if (sup_chain_create(&desc, &chain, &error) != SUP_OK) return fprintf(stderr, "%s\n", error.text), 1;

    const sup_mesh*    mesh = &character->mesh;
    sup_arena*         arena = sup_arena_create(&memory); // everything below is freed with it
    const sup_normals* normals = NULL;
    if (!arena || sup_normals_create(character, arena, &normals, &error) != SUP_OK) return 1;
    size_t         frame = sup_chain_scratch_size(chain), turn = sup_normals_scratch(normals);
    void*          scratch[THREADS];
    sup_batch_item items[CROWD];
    vertex*        buffer = sup_arena_alloc(arena, mesh->vertex_count, sizeof *buffer);
    for (int i = 0; i < THREADS; i++)
        if (!(scratch[i] = sup_scratch_create(frame > turn ? frame : turn, &memory))) return 1;
    for (int i = 0; i < CROWD; i++) {
        const sup_instance_desc one = { .chain = chain, .clip = &character->clips[0], .allocator = &memory };
        items[i] = (sup_batch_item){ .out = sup_arena_alloc(arena, mesh->point_count, sizeof(sup_vec3)) };
        if (!items[i].out || sup_instance_create(&one, &items[i].instance, &error) != SUP_OK) return 1;
    }

    uint64_t hash = SUP_HASH_START;
    for (int f = 0; f < 3; f++) {
        for (int i = 0; i < CROWD; i++) items[i].time = fmod(f / 30.0 + 0.013 * i, character->clips[0].seconds);
        sup_batch_evaluate(items, CROWD, scratch, THREADS, &tasks);
        for (int i = 0; i < CROWD; i++) { // where a renderer would map each character's buffer
            const sup_vertex_layout layout = { sizeof *buffer, offsetof(vertex, position), offsetof(vertex, normal), SUP_NONE };
            sup_vertices_write(normals, items[i].out, &layout, scratch[0], &tasks, buffer);
            hash = sup_hash(hash, buffer, mesh->vertex_count * sizeof *buffer);
        }
    }
    printf("%d characters of %u vertices, %.1f MB, hash %016llx\n", CROWD, mesh->vertex_count, (double)bytes * 1e-6,
           (unsigned long long)hash);

    for (int i = 0; i < CROWD; i++) sup_instance_destroy(items[i].instance);
    for (int i = 0; i < THREADS; i++) sup_scratch_destroy(scratch[i]);
    sup_arena_destroy(arena);
    sup_chain_destroy(chain);
    sup_character_destroy(character);
    return 0;
}
