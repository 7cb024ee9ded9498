// Fallbacks in words. Every counter of a frame has a row here; a test checks that.
#include "fallbacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct sentence {
    const char* name;
    const char* before; ///< the text before the number; NULL: for machines only, the rest of the row says why
    const char* behind;
} sentence;

static const sentence sentences[] = {
    { "runner.lost_and_reset", "The motion was lost and restarted from the skinned pose",
      "times: a point was no longer finite, or ten diagonals away; soften the chain, or lower --step" },
    { "runner.pose_held", "The simulation kept its last pose for",
      "steps: a joint's transform was not finite, or a million times too large; check the keys of the clip" },
    { "dualquat.no_rotation", "Linear blending stood in", "times where a joint had no rotation to blend; check its scale" },
    { "pose_space.no_turn", "A joint without a rotation counted as unturned", "times; look at its scale" },
    { "pose_space.no_rotation", "Linear blending stood in", "times where a joint had no rotation to blend; check its scale" },
    { "layers.no_rotation", "Regions of skin kept their last rotation", "times because they were flat or broken" },
    { "layers.volume_skipped", "The volume of a part was not kept", "times because its skin was flat or inside out" },
    { "layers.contacts_lost", "There were more contacts than memory for them, and", "were left out; merge duplicate faces" },
    { "layers.contacts_crowded", "Contacts were off for", "steps because too much of the skin was in one place" },
    { "lattice.part_inside_out", "A part was inside out", "times and kept no volume then" },
    { "lattice.volume_out_of_reach", "A part lost more volume than its rounds restore",
      "times; raise lattice.sweeps, or use larger cells" },
    { "lattice.force_on_a_curve", "A force on a curve does not reach lattice, for", "steps; put it on a bone or a region" },
    { "bend.contacts_left_out", "There were more contacts with bodies than bend solves at once, and",
      "were left out; use fewer intervals" },
    { "smooth.no_frame", "Points were not smoothed", "times because the surface around them has no normal" },
    { "other", "Further fallbacks were taken", "times; --json names some" },
    // Has a warning of its own, which says how many points in how many frames.
    { "runner.points_lost", NULL, NULL },
    // Noted when the chain was bound.
    { "beam.carry_grows", NULL, NULL },
    { "beam.curves_without_length", NULL, NULL },
    { "bend.curves_without_length", NULL, NULL },
    { "fourier.carry_grows", NULL, NULL },
    { "fourier.curves_without_length", NULL, NULL },
    { "fourier.curves_with_fewer_waves", NULL, NULL },
    { "fourier.points_without_curve", NULL, NULL },
    { "fourier.too_slow_to_swing", NULL, NULL },
    { "layers.holes_closed", NULL, NULL },
    { "layers.points_split", NULL, NULL },
    { "layers.mesh_was_inside_out", NULL, NULL },
    { "layers.points_without_weights", NULL, NULL },
    { "layers.feet_on_the_skin", NULL, NULL },
    { "layers.feet_outside", NULL, NULL },
    { "layers.depths_limited", NULL, NULL },
    { "layers.rest_intersects_contacts_off", NULL, NULL },
    { "layers.parts_without_volume", NULL, NULL },
    { "lattice.part_held_back", NULL, NULL },
    { "lattice.point_not_smooth", NULL, NULL },
    // Routine work of the solvers, by the hundred thousand; the verdict counts what remains of it.
    { "layers.cold_fits", NULL, NULL },
    { "layers.volume_shortened", NULL, NULL },
    { "layers.still_crossing", NULL, NULL },
    { "layers.released", NULL, NULL },
    { "lattice.cold_rotation", NULL, NULL },
    { "bend.points_pressed", NULL, NULL },
};

bool fallback_text(const char* name, uint64_t times, char* text, size_t size)
{
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        const sentence* s = &sentences[i];
        if (strcmp(s->name, name) != 0) continue;
        if (s->before) snprintf(text, size, "%s %" PRIu64 " %s.", s->before, times, s->behind);
        return s->before != NULL;
    }
    // A deformer of the host: its counter's name is better than nothing.
    snprintf(text, size, "The fallback %s was taken %" PRIu64 " times.", name, times);
    return true;
}
