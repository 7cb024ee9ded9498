/// tests/deform/elbow.h: the arm of the elbow scene, bent over time, and what is measured on it.
#ifndef SUP_TESTS_ELBOW_H
#define SUP_TESTS_ELBOW_H

#include "capsule_arm.h"
#include "play.h"
#include "supple/metrics.h"

#include <math.h>

enum { ELBOW_RINGS = 53 };

/// The capsule arm with the clip "bend", which turns the elbow about z to `degrees` in `seconds`; it holds for as long as
/// requested.
static inline sup_character* elbow_make(double degrees, double seconds, float unit)
{
    sup_quat    bent = quat_axis_angle(v3(0, 0, 1), (float)(degrees * 0.017453292519943295));
    const float times[2] = { 0, (float)seconds }, values[8] = { 0, 0, 0, 1, bent.x, bent.y, bent.z, bent.w };
    sup_channel channel = {
        .target = 1, .path = SUP_PATH_ROTATION, .key_count = 2, .width = 4, .times = times, .values = values
    };
    sup_clip clip = { .name = "bend", .seconds = seconds, .channel_count = 1, .channels = &channel, .source_id = SUP_NONE };
    return capsule_arm(ELBOW_RINGS, unit, &clip);
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

/// Largest speed of any point around a time, m/s. `energy`, if not NULL: the sum of squares.
static inline double elbow_motion(elbow* e, double time, double* energy)
{
    sup_vec3* before = play_memory(e->play.points * sizeof *before);
    double    worst = 0, sum = 0;
    play_hash(&e->play, time - 0.005);
    memcpy(before, e->play.out, e->play.points * sizeof *before);
    play_hash(&e->play, time);
    for (uint32_t i = 0; i < e->play.points; ++i) {
        double speed = (double)v3_distance(before[i], e->play.out[i]) / 0.005;
        worst = fmax(worst, speed);
        sum += speed * speed;
    }
    free(before);
    if (energy) *energy = sum;
    return worst * e->character->metres_per_unit;
}

static inline double elbow_speed(elbow* e, double time) { return elbow_motion(e, time, NULL); }

#endif
