// Any bytes as a BVH file: no crash, no leak, no hang, words with every refusal, and a motion that can be played.
#include "fuzz.h"

#include "fuzz_read.h"
#include "io/motion/motion_file.h"

#include <math.h>
#include <string.h>

static void check(const sup_mocap* m)
{
    if (!m->name || m->joint_count == 0 || !(m->frame_time > 0)) abort();
    for (uint32_t j = 0; j < m->joint_count; ++j) {
        const sup_mocap_joint* joint = &m->joints[j];
        if (!joint->name || (j == 0) != (joint->parent == SUP_NONE) || (j && joint->parent >= j)) abort();
        for (uint32_t f = 0; f < m->frame_count; ++f) {
            if (joint->rotations && !isfinite(joint->rotations[f].x + joint->rotations[f].w)) abort();
            if (joint->translations && !isfinite(joint->translations[f].x + joint->translations[f].z)) abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    size_t        live = 0;
    sup_allocator memory = { fuzz_allocate, fuzz_release, &live };
    sup_arena*    arena = sup_arena_create(&memory);
    if (!arena) return 0;
    sup_mocap     mocap;
    sup_error     error = { SUP_OK, "" };
    sup_result    result = sup_bvh_parse("a.bvh", (sup_bytes){ data, size }, arena, &mocap, &error);
    fuzz_good |= result == SUP_OK;
    if (result == SUP_OK) check(&mocap);
    else if (error.code != result || !error.text[0]) abort();
    sup_arena_destroy(arena);
    if (live) abort();
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char text[] =
        "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation "
        "Yrotation Xrotation\n\tJOINT LeftUpLeg\n\t{\n\t\tOFFSET 1 -2 .5\n\t\tCHANNELS 3 Zrotation Xrotation "
        "Yrotation\n\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -1 0\n\t\t}\n\t}\n}\nMOTION\nFrames: 2\nFrame Time: "
        ".0083333\n0 10 0 0 0 0 1 2 3\n0 10 1 0 5 0 -20 2e1 3\n";
    static const char two[] = "HIERARCHY\r\nROOT a{OFFSET 0 0 0 CHANNELS 1 Xrotation }\r\nROOT b\r\n{ OFFSET 1 1 1 CHANNELS 1 "
                              "Yscale\r\n}\r\nMOTION\r\nFrames: 1\r\nFrame Time: 1\r\n90 2\r\n";
    seed(user, text, sizeof text - 1);
    seed(user, two, sizeof two - 1);
}
