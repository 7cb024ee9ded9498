// Everything a person can set on a chain: text, setting, preset and world, a line each. What binds must also run and stay
// finite.
#include "fuzz.h"

#include "fuzz_read.h"
#include "supple/deformer.h"

#include <math.h>
#include <string.h>

enum { LINES = 4, LINE_MAX_BYTES = 4096 };

// The lines of the input: chain, setting, preset, world. Empty: not given.
static void cut(const uint8_t* bytes, size_t size, char lines[LINES][LINE_MAX_BYTES])
{
    for (int i = 0; i < LINES; ++i) {
        const uint8_t* end = size ? memchr(bytes, '\n', size) : NULL;
        size_t         length = end ? (size_t)(end - bytes) : size;
        size_t         kept = length < LINE_MAX_BYTES - 1 ? length : LINE_MAX_BYTES - 1;
        memcpy(lines[i], bytes, kept);
        lines[i][kept] = 0;
        length += end != NULL;
        bytes += length;
        size -= length;
    }
}

static sup_json* json(sup_arena* arena, const char* text)
{
    sup_json* out = NULL;
    return text[0] && sup_json_parse(text, strlen(text), "input", arena, &out, NULL) == SUP_OK ? out : NULL;
}

static void run(const sup_chain* chain, const sup_character* c)
{
    sup_instance* instance = NULL;
    if (sup_instance_create(&(sup_instance_desc){ .chain = chain, .clip = &c->clips[0], .preroll = SUP_NO_PREROLL }, &instance,
                            NULL) != SUP_OK)
        return;
    void*     scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    sup_vec3* out = malloc(c->mesh.point_count * sizeof *out);
    if (scratch && out) {
        sup_instance_evaluate(instance, 0.3, scratch, NULL, out);
        for (uint32_t i = 0; i < c->mesh.point_count; ++i)
            if (!isfinite(out[i].x) || !isfinite(out[i].y) || !isfinite(out[i].z)) abort();
    }
    free(out);
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    static char           lines[LINES][LINE_MAX_BYTES];
    static sup_character* character;
    if (!character && sup_builtin_create("bar", 100, NULL, &character, NULL) != SUP_OK) abort();
    cut(bytes, size, lines);
    size_t        live = 0;
    sup_allocator memory = { fuzz_allocate, fuzz_release, &live };
    sup_arena*    arena = sup_arena_create(&memory);
    if (!arena) return 0;
    const char*    setting = lines[1];
    sup_error      error = { 0 };
    sup_chain*     chain = NULL;
    sup_chain_desc desc = { .character = character,
                            .clip = &character->clips[0],
                            .links = lines[0][0] ? lines[0] : NULL,
                            .settings = &setting,
                            .setting_count = setting[0] != 0,
                            .preset = json(arena, lines[2]),
                            .world = json(arena, lines[3]),
                            .world_meshes = &(sup_world_mesh){ "self", character },
                            .world_mesh_count = 1,
                            .allocator = &memory };
    if (sup_chain_create(&desc, &chain, &error) == SUP_OK) run(chain, character);
    fuzz_good = true; // some seeds are wrong on purpose
    if (!chain && (error.code == SUP_OK || error.text[0] == 0)) abort();
    sup_chain_destroy(chain);
    sup_arena_destroy(arena);
    if (live) abort();
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char* const texts[] = {
        "linear",
        "dualquat( blend = 0.5 "
        ")\ndualquat.blend=0.25\n{\"supple\":1,\"links\":[{\"name\":\"dualquat\",\"set\":{\"blend\":1}}]}\n"
        "{\"gravity\":[0,-9.8,0],\"wind\":[1,0,0],\"keys\":{\"dualquat.blend\":[{\"time\":0,\"value\":0},{\"time\":1,\"value\":"
        "1,"
        "\"step\":true}]}}",
        "dualquat\ndualquat#1.blend@*=0",
        "\n\n{\"supple\":1,\"links\":[{\"name\":\"dualquat\",\"bones\":{\"*\":{\"blend\":0.1}}}],\"world\":\"w.json\"}",
        "linear,,(\"x\",'y'),a(b(c)=d,e='f,g')",
        "linear\n\n\n{\"bodies\":[{\"name\":\"a\",\"sphere\":{\"center\":[0,1,0],\"radius\":0.1},\"joint\":\"bone_2\","
        "\"friction\":1,"
        "\"keys\":[{\"time\":0,\"move\":[0,0,1],\"turn\":[0,0,90]},{\"time\":1,\"turn\":[0,0,0,1],\"step\":true}]},"
        "{\"capsule\":{\"from\":[0,0,0],\"to\":[1,0,0],\"radius\":1},\"pivot\":[1,0,0]},{\"mesh\":\"self\",\"clip\":\"bend\"}]"
        "}",
        "linear\n\n\n{\"forces\":[{\"name\":\"f\",\"bone\":\"root\",\"ratio\":0.5,\"radius\":0.1,\"value\":[0,0,9],\"local\":"
        "true,"
        "\"keys\":[{\"time\":0,\"value\":0},{\"time\":1,\"value\":1}]},{\"curve\":1,\"from\":0,\"to\":1,\"value\":[0,1,0]},"
        "{\"curve\":{\"bone\":\"root\",\"ratio\":1},\"ratio\":0.2,\"keys\":[{\"time\":0,\"value\":[1,2,3]}]},"
        "{\"region\":\"x\",\"value\":[1,1,1]}],\"muscles\":{\"*\":0.5,\"r*\":[{\"time\":0,\"value\":1}]}}",
        "linear\n\n\n{\"keys\":{\"gravity\":[{\"time\":-1e6,\"value\":[0,1e9,0]}],\"wind\":[{\"time\":0,\"value\":[0,0,0]}]}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) seed(user, texts[i], strlen(texts[i]));
}
