// Any triangles under a small skeleton: automatic weights, and a bind and two frames of any deformer. A sentence, or a skin
// that is finite or counted.
#include "fuzz.h"

#include "fuzz_soup.h"
#include "supple/deformer.h"
#include "supple/rig.h"

#include <math.h>
#include <string.h>

enum { JOINTS_MAX = 6 };

// Memory is counted and bounded, but not starved: a bind takes thousands of pieces, and readers have shown what comes of it.
static void* allocate(void* user, size_t bytes)
{
    size_t* live = user;
    void*   memory = bytes <= ((size_t)512 << 20) - *live ? malloc(bytes) : NULL;
    if (memory) *live += bytes;
    return memory;
}

static void release(void* user, void* memory, size_t bytes)
{
    *(size_t*)user -= bytes;
    free(memory);
}

// Joints in a chain along x, or all at one place; every point follows the one that its number says, half of them two.
typedef struct rig {
    sup_joint   joints[JOINTS_MAX];
    uint32_t    count, owners[2 * SOUP_POINTS_MAX];
    float       weights[2 * SOUP_POINTS_MAX], times[2], turns[8];
    sup_channel channel;
    sup_clip    clip;
} rig;

static void rig_make(const soup* s, rig* r)
{
    float step = s->choices[1] & 8 ? 0 : 4, size = fabsf(s->points[0].x) > 100 ? fabsf(s->points[0].x) / 8 : 1;
    r->count = 1 + s->choices[1] % 8 % JOINTS_MAX;
    for (uint32_t j = 0; j < r->count; ++j) {
        sup_joint* joint = &r->joints[j];
        *joint = (sup_joint){ .name = "joint", .parent = j ? j - 1 : SUP_NONE, .skin_joint = true, .source_id = j };
        joint->rest = (sup_transform){ { (j ? step : -6) * size, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
        joint->inverse_bind = (sup_affine){ { { 1, 0, 0, (6 - (float)j * step) * size }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    }
    for (uint32_t p = 0; p < s->point_count; ++p) {
        r->owners[2 * p] = p % r->count;
        r->owners[2 * p + 1] = (p + s->choices[2]) % r->count;
        r->weights[2 * p] = 1;
        r->weights[2 * p + 1] = p % 2 ? 0.5f : 0;
    }
    const float turns[8] = { 0, 0, 0, 1, 0, 0, 0.7071068f, 0.7071068f };
    memcpy(r->turns, turns, sizeof turns);
    r->times[1] = 0.05f;
    r->channel = (sup_channel){
        .target = r->count - 1, .path = SUP_PATH_ROTATION, .key_count = 2, .width = 4, .times = r->times, .values = r->turns
    };
    r->clip = (sup_clip){ .name = "turn", .seconds = 0.05, .channel_count = 1, .channels = &r->channel };
}

static sup_character* character_make(const soup* s, const sup_allocator* memory)
{
    rig            r = { .count = 0 };
    sup_character* out = NULL;
    rig_make(s, &r);
    sup_part_desc      part = { .name = "soup",
                                .vertex_count = s->point_count,
                                .positions = s->points,
                                .face_count = s->triangle_count,
                                .corners = s->triangles,
                                .width = 2,
                                .joints = r.owners,
                                .weights = r.weights,
                                .joint = SUP_NONE,
                                .weld = s->choices[2] & 1 };
    sup_example_desc   example = { .name = "sculpt", .time = 0.02, .in_rest_space = true, .positions = s->points };
    sup_character_desc desc = { .name = "soup",
                                .part_count = 1,
                                .parts = &part,
                                .joint_count = r.count,
                                .joints = r.joints,
                                .clip_count = 1,
                                .clips = &r.clip,
                                .example_count = 1,
                                .examples = &example };
    sup_error          error = { SUP_OK, "" };
    if (sup_character_create(&desc, memory, &out, &error) != SUP_OK && !error.text[0]) abort();
    return out;
}

static void run(const sup_chain* chain, const sup_character* c, const sup_allocator* memory)
{
    sup_instance*     instance = NULL;
    sup_instance_desc desc = { .chain = chain, .clip = &c->clips[0], .preroll = 0.01, .allocator = memory };
    if (sup_instance_create(&desc, &instance, NULL) != SUP_OK) return;
    void*     scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    sup_vec3* out = malloc(c->mesh.point_count * sizeof *out);
    for (int i = 0; i < 2 && scratch && out; ++i) {
        sup_stats stats = { 0 };
        sup_instance_evaluate(instance, 0.02 * i, scratch, &stats, out);
        for (uint32_t k = 0; k < c->mesh.point_count; ++k)
            if (!stats.count && (!isfinite(out[k].x) || !isfinite(out[k].y) || !isfinite(out[k].z))) abort();
    }
    free(out);
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
}

static void weigh(const sup_character* c, const soup* s, const sup_allocator* memory)
{
    sup_auto_weights         out;
    sup_auto_weights_options options = { .method = s->choices[3] & 1 ? SUP_WEIGHTS_DIFFUSE : SUP_WEIGHTS_SCREENED,
                                         .cells = 4 + s->choices[3] % 20 };
    sup_error                error = { SUP_OK, "" };
    sup_arena*               arena = sup_arena_create(memory);
    sup_result               result =
        sup_weights_automatic(&c->mesh, c->skeleton.bone_count, c->skeleton.bones, &options, arena, &out, &error);
    if (result != SUP_OK && !error.text[0]) abort();
    for (uint32_t p = 0; result == SUP_OK && p < c->mesh.point_count; ++p) {
        double sum = 0;
        for (uint32_t k = out.weights.begin[p]; k < out.weights.begin[p + 1]; ++k) sum += (double)out.weights.values[k];
        if (!(fabs(sum - 1) < 1e-3)) abort();
    }
    sup_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    size_t              live = 0;
    sup_allocator       memory = { allocate, release, &live };
    soup                s = soup_make(data, size);
    sup_character*      c = character_make(&s, &memory);
    sup_chain*          chain = NULL;
    sup_error           error = { SUP_OK, "" };
    const sup_deformer* d = sup_deformer_at(s.choices[0] % sup_deformer_count());
    if (c) {
        if (s.choices[0] & 128) weigh(c, &s, &memory);
        // A box is all cells: a hundred thousand of them find nothing that four thousand do not.
        const char*    links = strcmp(d->name, "lattice") ? d->name : "lattice(cells=16)";
        sup_chain_desc desc = { .character = c, .clip = &c->clips[0], .links = links, .allocator = &memory };
        if (sup_chain_create(&desc, &chain, &error) == SUP_OK) run(chain, c, &memory);
        else if (!error.text[0]) abort();
    }
    sup_chain_destroy(chain);
    sup_character_destroy(c);
    if (live) abort();
    return 0;
}

uint32_t fuzz_cost(void) { return 40; }

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    uint8_t              bytes[256];
    static const uint8_t scales[3] = { 0, 10, 12 }; // as it is, far too small, and as large as a character may be
    for (uint32_t i = 0; i < 3 * sup_deformer_count(); ++i) {
        uint8_t d = (uint8_t)(i / 3);
        size_t  size = soup_box((const uint8_t[]){ (uint8_t)(d | 128), 2, d, 3 }, d % 2, bytes);
        bytes[SOUP_CHOICES] = scales[i % 3];
        seed(user, bytes, size);
    }
}
