/// portrait.h: a small picture of skin in heat colors, for reports.
#ifndef SUPPLE_APP_PORTRAIT_H
#define SUPPLE_APP_PORTRAIT_H

#include "commands/progress.h"
#include "picture.h"

typedef struct portrait {
    const sup_character* character;
    const sup_normals*   normals;
    void*                scratch;
    sup_vec3*            vertex_normals;
    picture_color*       colors;
    const sup_tasks*     tasks;
    uint32_t             width, height, samples;
    picture_camera       camera;
    sup_vec3             front;     ///< azimuth 0 of the camera; zero: by convention
    sup_vec3             low, high; ///< box to frame
    bool                 ground;
    progress*            bar;           ///< NULL: none
    uint32_t             taken, wanted; ///< pictures, for the bar
} portrait;

/// Memory for pictures of this character, in the arena. The frame is empty: portrait_include.
sup_result portrait_create(const sup_character* character, const sup_tasks* tasks, sup_arena* arena, portrait* out,
                           sup_error* error);
/// Clears the frame, and adds points to it.
void portrait_frame_clear(portrait* p);
void portrait_include(portrait* p, const sup_vec3* points, uint32_t count);
/// Draws the points in heat colors: heat / top, diverging from gray if `both`.
bool portrait_take(portrait* p, const sup_vec3* points, const float* heat, double top, bool both, image* out, sup_error* error);
/// The camera that looks along this direction, toward the center of the picture.
picture_camera portrait_camera_along(sup_axis up, sup_vec3 direction);

#endif
