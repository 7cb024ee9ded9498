// The library as a WebAssembly module for the page: plain functions on numbers and addresses in the module's memory.
// Objects are addresses; 0 is none, and then supple_error() says why. One thread calls, so the error is the module's own; in
// the module with shared memory workers take pieces of what it does (supple_pool, supple_serve).
#include "supple/deformer.h"
#include "supple/io.h"
#include "supple/json.h"

#include <stdlib.h>
#include <string.h>

// The exports have no header: their caller is JavaScript.
#pragma clang diagnostic ignored "-Wmissing-prototypes"
#define EXPORT(name) __attribute__((export_name(#name))) name

typedef struct player {
    sup_chain*    chain;
    sup_instance* instance;
    void*         scratch;
    sup_vec3*     points;
    uint32_t      point_count;
} player;

static sup_error        last_error;
static const sup_tasks* tasks; // NULL: one thread

// ---------------------------------------------------------------------------------------------- memory, words

void*       EXPORT(supple_alloc)(uint32_t bytes) { return malloc(bytes ? bytes : 1); }
void        EXPORT(supple_free)(void* memory) { free(memory); }
const char* EXPORT(supple_error)(void) { return last_error.text; }
const char* EXPORT(supple_version)(void) { return SUP_VERSION; }

typedef struct text {
    char*  bytes;
    size_t used, room;
} text;

static bool take_text(void* user, const char* bytes, size_t length)
{
    text* t = user;
    if (length >= t->room - t->used) {
        size_t room = (t->used + length) * 2 + 1024;
        char*  more = realloc(t->bytes, room);
        if (!more) return false;
        t->bytes = more;
        t->room = room;
    }
    memcpy(t->bytes + t->used, bytes, length);
    t->used += length;
    t->bytes[t->used] = 0;
    return true;
}

// The description of every deformer, as `supple deformers --json` prints it. The caller frees the text.
char* EXPORT(supple_deformers)(void)
{
    sup_arena* arena = sup_arena_create(NULL);
    text       t = { 0 };
    sup_json*  list = arena ? sup_json_new(arena, SUP_JSON_ARRAY) : NULL;
    bool       ok = list != NULL;
    for (uint32_t i = 0; ok && i < sup_deformer_count(); ++i)
        ok = sup_json_push(list, sup_deformer_describe(sup_deformer_at(i), arena)) != NULL;
    ok = ok && sup_json_write(list, 0, &(sup_text_sink){ take_text, &t });
    sup_arena_destroy(arena);
    if (ok) return t.bytes;
    free(t.bytes);
    sup_fail(&last_error, SUP_ERROR_MEMORY, "out of memory while describing the deformers");
    return NULL;
}

#ifdef SUPPLE_THREADS
// From here on work is shared by this many threads, the caller among them. The page starts the others: each instantiates the
// module on the same memory, sets __stack_pointer to the end of a stack of its own and calls supple_serve(pool). Those that
// have not come yet are not waited for.
sup_pool* EXPORT(supple_pool)(uint32_t threads)
{
    sup_pool* pool = sup_pool_create(threads);
    if (!pool) sup_fail(&last_error, SUP_ERROR_MEMORY, "out of memory while making the pool of %u threads", threads);
    tasks = sup_pool_tasks(pool);
    return pool;
}

// After the players that were made with it: they hold on to it. Workers return from supple_serve.
void EXPORT(supple_pool_free)(sup_pool* pool)
{
    tasks = NULL;
    sup_pool_destroy(pool);
}
#endif

// ---------------------------------------------------------------------------------------------- characters

uint32_t    EXPORT(supple_builtin_count)(void) { return sup_builtin_count(); }
const char* EXPORT(supple_builtin_name)(uint32_t index) { return sup_builtin_name(index); }

sup_character* EXPORT(supple_load_builtin)(const char* name, uint32_t points)
{
    sup_character* character = NULL;
    return sup_builtin_create(name, points, NULL, &character, &last_error) == SUP_OK ? character : NULL;
}

// The one file that the page handed over; what it names beside itself is not there.
typedef struct given_file {
    const char* path;
    sup_bytes   bytes;
} given_file;

static sup_result read_given(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    const given_file* file = user;
    if (strcmp(path, file->path) != 0)
        return sup_fail(error, SUP_ERROR_FILE, "%s: the page has no such file; use a .glb, which holds everything", path);
    out->data = sup_arena_copy(arena, file->bytes.data, file->bytes.size, 1);
    out->size = file->bytes.size;
    return out->data ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "%s: out of memory", path);
}

// The name's ending picks the format. The bytes may go afterwards.
sup_character* EXPORT(supple_load_bytes)(const char* name, const uint8_t* bytes, uint32_t size)
{
    given_file       file = { name, { bytes, size } };
    sup_files        files = { .read = read_given, .user = &file };
    sup_load_options options = { .up = -1, .files = &files };
    sup_character*   character = NULL;
    return sup_load(name, &options, &character, &last_error) == SUP_OK ? character : NULL;
}

void            EXPORT(supple_character_free)(sup_character* character) { sup_character_destroy(character); }
uint32_t        EXPORT(supple_point_count)(const sup_character* character) { return character->mesh.point_count; }
uint32_t        EXPORT(supple_triangle_count)(const sup_character* character) { return character->mesh.triangle_count; }
const uint32_t* EXPORT(supple_triangles)(const sup_character* character) { return character->mesh.triangles; }
uint32_t        EXPORT(supple_clip_count)(const sup_character* character) { return character->clip_count; }

const char* EXPORT(supple_clip_name)(const sup_character* character, uint32_t clip)
{
    return clip < character->clip_count ? character->clips[clip].name : NULL;
}

double EXPORT(supple_clip_seconds)(const sup_character* character, uint32_t clip)
{
    return clip < character->clip_count ? character->clips[clip].seconds : 0;
}

// ---------------------------------------------------------------------------------------------- playing

void EXPORT(supple_player_free)(player* p)
{
    if (!p) return;
    sup_instance_destroy(p->instance);
    sup_chain_destroy(p->chain);
    sup_scratch_destroy(p->scratch);
    free(p->points);
    free(p);
}

static bool start(player* p, const sup_character* character, const sup_clip* clip, const char* links)
{
    sup_chain_desc chain = { .character = character, .clip = clip, .links = links, .tasks = tasks };
    if (sup_chain_create(&chain, &p->chain, &last_error) != SUP_OK) return false;
    sup_instance_desc instance = { .chain = p->chain, .clip = clip, .preroll = -1, .tasks = tasks };
    if (sup_instance_create(&instance, &p->instance, &last_error) != SUP_OK) return false;
    p->point_count = character->mesh.point_count;
    p->points = calloc(p->point_count + 1, sizeof *p->points);
    p->scratch = sup_scratch_create(sup_chain_scratch_size(p->chain), NULL);
    if (p->points && p->scratch) return true;
    sup_fail(&last_error, SUP_ERROR_MEMORY, "out of memory while making the player; use a smaller character");
    return false;
}

// A chain written as on the command line, playing a clip (beyond the last: the rest pose is held). The character must live on.
player* EXPORT(supple_play)(const sup_character* character, uint32_t clip, const char* links)
{
    player* p = calloc(1, sizeof *p);
    if (!p) sup_fail(&last_error, SUP_ERROR_MEMORY, "out of memory while making the player");
    else if (start(p, character, clip < character->clip_count ? &character->clips[clip] : NULL, links)) return p;
    supple_player_free(p);
    return NULL;
}

// The skin at any time of the clip: three floats a point, the same address every time.
const sup_vec3* EXPORT(supple_evaluate)(player* p, double seconds)
{
    sup_instance_evaluate(p->instance, seconds, p->scratch, NULL, p->points);
    return p->points;
}

// The hash of the frame evaluated last, in two halves: JavaScript's numbers hold no 64 bits.
uint32_t EXPORT(supple_hash_low)(const player* p) { return (uint32_t)sup_hash_points(p->points, p->point_count); }
uint32_t EXPORT(supple_hash_high)(const player* p) { return (uint32_t)(sup_hash_points(p->points, p->point_count) >> 32); }
