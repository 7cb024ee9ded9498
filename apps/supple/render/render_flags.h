/// render_flags.h: the flags of `supple render`.
#ifndef SUPPLE_APP_RENDER_FLAGS_H
#define SUPPLE_APP_RENDER_FLAGS_H

#include "input/common.h"
#include "stage.h"

typedef struct render_job {
    const char* output;
    bool        film, turntable; ///< film: more than one picture in the file
    uint32_t    sheet;           ///< frames on a contact sheet; 0: none
    uint32_t    width, height;   ///< of the whole; 0: by the number of panels
    uint32_t    samples;
    bool        draft;
    double      time, fps; ///< time negative: by frame or start
    double      hold;      ///< seconds after the end
    double      frame;     ///< negative: none
    bool        ground;

    bool                 camera_given;
    bool                 cut;
    sup_vec3             cut_normal;
    float                cut_distance;
    picture_color        background, color;
    const picture_color* use_background; ///< NULL: the gradient
    const char*          heat;           ///< the value of --heat
    stage_desc           stage;
} render_job;

/// Checks what can be checked before the file is read. EXIT_DONE, or EXIT_USAGE after a message.
int render_read(const options* o, sup_arena* arena, render_job* job);
/// Finds the joint or map of --heat, once the character is loaded.
int render_read_heat(const sup_character* character, render_job* job);

#endif
