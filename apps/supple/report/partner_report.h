/// partner_report.h: which joint follows which when captured motion is put on a character.
#ifndef SUPPLE_APP_PARTNER_REPORT_H
#define SUPPLE_APP_PARTNER_REPORT_H

#include "supple/rig.h"

/// A captured motion and how it was put on the character. Lives in its own arena.
typedef struct partners {
    sup_arena*          arena;
    sup_mocap           mocap;
    sup_clip            clip;
    sup_retarget_report report;
} partners;

partners* partners_create(void); ///< NULL: out of memory
void      partners_free(partners* p);

/// Notes which joints stay behind, what was guessed, and what was done to the motion.
void note_partners(const sup_character* character, const sup_mocap* mocap, const sup_retarget_report* report);

#endif
