/// tests/deform/elbow.h: the arm of the elbow scene, bent over time, and what is measured on it.
#ifndef SUP_TESTS_ELBOW_H
#define SUP_TESTS_ELBOW_H

#include "math/trig.h"
#include "play.h"
#include "supple/metrics.h"

#include <math.h>

enum { ELBOW_SIDES = 24, ELBOW_RINGS = 53 };

/// 60 cm along x and round ends, radius 5 cm tapering by 15 %, 24 x 53 points and two ends; joints at 0, 30 and 60 cm; the
/// weight passes smoothly from the first to the second within 5 cm of the elbow. The clip "bend" turns the elbow about z to
/// `degrees` in `seconds` and holds it for as long as it is asked for. `away`: the whole arm stands there.
static inline sup_character* elbow_make(double degrees, double seconds, float unit)
{
    const double length = 0.6, radius = 0.05, taper = 0.15, turn = 6.283185307179586;
    uint32_t     count = ELBOW_RINGS * ELBOW_SIDES + 2, faces = 0, corner = 0;
    sup_vec3*    points = calloc(count, sizeof *points);
    uint32_t*    sizes = calloc((ELBOW_RINGS + 1) * ELBOW_SIDES, sizeof *sizes);
    uint32_t *   corners = calloc(4 * (ELBOW_RINGS + 1) * ELBOW_SIDES, sizeof *corners),
             *joints = calloc(2 * count, sizeof *joints);
    float* weights = calloc(2 * count, sizeof *weights);
    double last = radius * (1 - taper), quarter = turn / 4, profile = quarter * radius + length + quarter * last;
    for (uint32_t r = 0; r < ELBOW_RINGS; ++r) {
        double along = profile * (r + 1) / (ELBOW_RINGS + 1) - quarter * radius, x = along;
        double wide = radius * (1 - taper * x / length);
        if (along < 0) x = -radius * sup_sin(-along / radius), wide = radius * sup_cos(along / radius);
        if (along > length)
            x = length + last * sup_sin((along - length) / last), wide = last * sup_cos((along - length) / last);
        for (uint32_t s = 0; s < ELBOW_SIDES; ++s)
            points[r * ELBOW_SIDES + s] =
                v3((float)x, (float)(wide * sup_cos(turn * s / ELBOW_SIDES)), (float)(wide * sup_sin(turn * s / ELBOW_SIDES)));
    }
    points[count - 2] = v3(-(float)radius, 0, 0);
    points[count - 1] = v3((float)(length + last), 0, 0);
    for (uint32_t i = 0; i < count; ++i) {
        joints[2 * i + 1] = 1;
        weights[2 * i + 1] = sup_smoothstep(0.25f, 0.35f, points[i].x);
        weights[2 * i] = 1 - weights[2 * i + 1];
        points[i] = v3_scale(points[i], unit);
    }
    for (uint32_t r = 0; r <= ELBOW_RINGS; ++r)
        for (uint32_t s = 0; s < ELBOW_SIDES; ++s) {
            uint32_t t = (s + 1) % ELBOW_SIDES, lo = (r - 1) * ELBOW_SIDES, hi = r * ELBOW_SIDES;
            if (r == 0) corners[corner++] = count - 2, corners[corner++] = t, corners[corner++] = s;
            else if (r == ELBOW_RINGS) corners[corner++] = lo + s, corners[corner++] = lo + t, corners[corner++] = count - 1;
            else corners[corner++] = lo + s, corners[corner++] = lo + t, corners[corner++] = hi + t, corners[corner++] = hi + s;
            sizes[faces++] = r == 0 || r == ELBOW_RINGS ? 3 : 4;
        }
    static const char* const names[] = { "shoulder", "elbow", "tip" };
    sup_joint                js[3];
    for (uint32_t j = 0; j < 3; ++j) {
        js[j] = (sup_joint){ .name = names[j],
                             .parent = j ? j - 1 : SUP_NONE,
                             .skin_joint = true,
                             .rest = transform_identity(),
                             .inverse_bind = affine_identity(),
                             .source_id = SUP_NONE };
        js[j].rest.translation.x = j ? 0.3f * unit : 0;
        js[j].inverse_bind.m[0][3] = -0.3f * (float)j * unit;
    }
    sup_quat    bent = quat_axis_angle(v3(0, 0, 1), (float)(degrees * 0.017453292519943295));
    const float times[2] = { 0, (float)seconds }, values[8] = { 0, 0, 0, 1, bent.x, bent.y, bent.z, bent.w };
    sup_channel channel = {
        .target = 1, .path = SUP_PATH_ROTATION, .key_count = 2, .width = 4, .times = times, .values = values
    };
    sup_clip clip = { .name = "bend", .seconds = seconds, .channel_count = 1, .channels = &channel, .source_id = SUP_NONE };
    sup_part_desc      part = { .name = "arm",
                                .vertex_count = count,
                                .positions = points,
                                .face_count = faces,
                                .face_sizes = sizes,
                                .corners = corners,
                                .width = 2,
                                .joints = joints,
                                .weights = weights,
                                .joint = SUP_NONE,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "arm",
                                .part_count = 1,
                                .parts = &part,
                                .joint_count = 3,
                                .joints = js,
                                .clip_count = 1,
                                .clips = &clip,
                                .metres_per_unit = 1.0 / (double)unit };
    sup_character*     character = NULL;
    sup_error          error;
    assert_ok(sup_character_create(&desc, NULL, &character, &error), error);
    free(points), free(sizes), free(corners), free(joints), free(weights);
    return character;
}

/// A playing arm with a meter.
typedef struct elbow {
    sup_character* character;
    sup_meter*     meter;
    void*          scratch;
    play           play;
} elbow;

static inline elbow elbow_begin(sup_character* c, const char* clip, const char* links, const sup_tasks* tasks)
{
    elbow           e = { .character = c };
    sup_error       error;
    const sup_clip* motion = sup_character_clip(c, clip);
    assert_ok(sup_meter_create(c, NULL, &e.meter, &error), error);
    e.scratch = play_memory(sup_meter_scratch(e.meter));
    e.play = play_chain((sup_chain_desc){ .character = c, .clip = motion, .links = links, .tasks = tasks },
                        (sup_instance_desc){ .clip = motion, .end = 1000, .preroll = -1, .tasks = tasks });
    return e;
}

static inline void elbow_end(elbow* e)
{
    play_end(&e->play);
    free(e->scratch);
    sup_meter_destroy(e->meter);
    sup_character_destroy(e->character);
}

typedef struct elbow_numbers {
    double   whole, part, stretch; ///< changes of volume, of the whole and of the part of one joint
    uint32_t crossings;
} elbow_numbers;

static inline elbow_numbers elbow_measure(const elbow* e, const char* joint)
{
    const sup_vec3* skin = e->play.out;
    double          volumes[64];
    elbow_numbers   n = { .whole = sup_meter_volume(e->meter, skin) / sup_meter_rest_volume(e->meter) - 1,
                          .stretch = sup_meter_stretch(e->meter, skin, NULL),
                          .crossings = sup_meter_intersections(e->meter, skin, e->scratch, NULL, NULL, 0) };
    sup_meter_part_volumes(e->meter, sup_instance_pose(e->play.instance), skin, volumes);
    for (uint32_t i = 0; i < sup_meter_part_count(e->meter); ++i)
        if (strcmp(sup_meter_part_at(e->meter, i)->name, joint) == 0)
            n.part = volumes[i] / sup_meter_part_at(e->meter, i)->rest_volume - 1;
    return n;
}

/// Largest speed of any point around a time, m/s.
static inline double elbow_speed(elbow* e, double time)
{
    sup_vec3* before = play_memory(e->play.points * sizeof *before);
    double    worst = 0;
    play_hash(&e->play, time - 0.005);
    memcpy(before, e->play.out, e->play.points * sizeof *before);
    play_hash(&e->play, time);
    for (uint32_t i = 0; i < e->play.points; ++i) worst = fmax(worst, (double)v3_distance(before[i], e->play.out[i]) / 0.005);
    free(before);
    return worst * e->character->metres_per_unit;
}

#endif
