/// stage_internal.h: what the parts of the stage share.
#ifndef SUPPLE_APP_STAGE_INTERNAL_H
#define SUPPLE_APP_STAGE_INTERNAL_H

#include "picture_math.h"
#include "picture_texture.h"
#include "relief.h"
#include "stage.h"
#include "supple/metrics.h"

#define STAGE_SIDES 8   ///< directions from which --focus may be viewed
#define FRAME_POINTS 98 ///< outer cells of a cube of five by five by five directions

typedef struct actor {
    sup_chain*     chain;
    sup_instance*  instance;
    void*          scratch;
    sup_vec3*      points;
    sup_vec3*      normals;
    relief         relief;
    float*         heat;///< in the unit of the legend
    picture_color* colors;
    sup_stats      stats;
} actor;

/// Lines and triangles of one panel; grows.
typedef struct drawn_things {
    uint32_t       line_count, line_capacity, triangle_count, triangle_capacity;
    picture_line*  lines;
    sup_vec3*      points; ///< three a triangle
    picture_color* colors;
    bool           failed;
} drawn_things;

/// A body of the world in the shape the picture takes.
typedef struct stage_body {
    sup_mesh  mesh; ///< faces only
    sup_vec3* points;
    sup_vec3* normals;
} stage_body;

/// Where the center of the skin is at any time, from the skeleton alone, so that the camera's path is known before the chains
/// run.
typedef struct stage_path {
    bool      followed;
    double    count;   ///< of points
    double*   masses;  ///< of each joint: its weights summed over all points
    sup_vec3* moments; ///< likewise, weights times rest points over `count`
    sup_pose  pose;
} stage_path;

struct stage {
    stage_desc         d;
    sup_arena*         arena;
    uint32_t           actor_count; ///< the chains, then the ghost
    actor*             actors;
    const sup_normals* normals;
    void*              normals_scratch;
    sup_meter*         meter;
    const sup_vec3*    truth;    ///< at this time, or NULL
    double             heat_top; ///< the largest so far
    bool               framed;
    bool*              focused; ///< of every point; NULL: all
    uint32_t           sight_frames, sight_samples;
    uint32_t           sight[STAGE_SIDES + 1]; ///< how many of those samples each side sees, the requested camera last
    float              ground;  ///< the lowest height of any point
    stage_path         path;
    sup_vec3           here; ///< how far the camera has followed the character; the frame is relative to it
    sup_vec3           low, high;
    float              reach[FRAME_POINTS];
    sup_vec3           outermost[FRAME_POINTS];
    sup_vec3           frame_points[FRAME_POINTS]; ///< the same at the camera's present position
    picture_surface*   surfaces; ///< skin, ghost, bodies
    uint32_t           body_count;
    struct stage_body* bodies; ///< of the world
    picture_color*     corner_colors; ///< of the file's materials; NULL: not requested, or it has none
    sup_paint          paint;    ///< of the file, if its colors are drawn
    texture*           textures; ///< one for each of its pictures
    drawn_things       drawn;
    uint32_t           show_links; ///< links that --show named, in any chain
    bool               show_found;
    char               show_names[600]; ///< what they draw: "curves, cells"
};

bool stage_line(stage* s, picture_line line); ///< false: out of memory, also noted in drawn

void stage_heat(stage* s, actor* a);
void stage_heat_measure(stage* s, actor* a);
void stage_heat_color(stage* s, actor* a);

bool stage_bodies_create(stage* s); ///< false: out of memory
void stage_bodies_place(stage* s, const actor* a);
/// Surfaces of the actor's world at its current state. Returns how many.
uint32_t stage_bodies_surfaces(stage* s, const actor* a, picture_surface* out);

/// Decides whether the camera follows, once points of --focus are known.
sup_result stage_path_create(stage* s, sup_error* error);
/// How far the camera has moved at this time, across up; zero if it stands still.
sup_vec3 stage_path_at(stage* s, double time);

/// Counts how much of --focus each side sees in what was evaluated.
void stage_sight_measure(stage* s);

/// Draws what --show names into the panel; names_only: only collects the names.
void stage_show(stage* s, actor* a, bool names_only);

#endif
