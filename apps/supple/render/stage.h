/// stage.h: what the camera sees: one character under several chains, at one time, with heat, bones and drawings.
#ifndef SUPPLE_APP_STAGE_H
#define SUPPLE_APP_STAGE_H

#include "picture.h"
#include "supple/deformer.h"

typedef enum heat_kind { HEAT_NONE, HEAT_ERROR, HEAT_STRETCH, HEAT_CURVATURE, HEAT_WEIGHTS, HEAT_MAP } heat_kind;

/// FOLLOW_TRAVEL: follow a character that moves farther than half its size.
typedef enum stage_follow { FOLLOW_OFF, FOLLOW_ON, FOLLOW_TRAVEL } stage_follow;

typedef struct stage_desc {
    const sup_character*  character;
    const sup_clip*       clip; ///< NULL: the pose is held
    const sup_pose*       pose;
    uint32_t              chain_count;
    const sup_chain_desc* chains; ///< of each panel, then of the ghost: links, settings, preset, world, step
    const char*           ghost;  ///< links of the translucent one; NULL: none
    double                start, end, preroll, still;
    bool                  loop;
    heat_kind             heat;
    uint32_t              heat_joint; ///< for HEAT_WEIGHTS
    const sup_map*        heat_map;   ///< for HEAT_MAP
    bool                  wire, bones;
    const picture_color*  color;          ///< of the skin; NULL: clay
    bool                  file_colors;    ///< use the base colors of the file's materials; clay if it has none
    picture_camera        camera;         ///< as requested
    sup_vec3              front;          ///< the direction that the character faces
    stage_follow          follow;         ///< whether the camera follows it
    const char*           focus;          ///< glob: frame only points that such joints move most; NULL: all
    const char*           show;           ///< "LINK.WHAT" or "LINK"; NULL: nothing
    uint32_t              picture_height; ///< of a panel: sets the thickness of lines
    const sup_tasks*      tasks;
    const sup_progress*   progress;
} stage_desc;

typedef struct stage stage;

/// Binds every chain. The description's arrays must outlive the stage.
sup_result stage_create(const stage_desc* desc, stage** out, sup_error* error);
void       stage_destroy(stage* s);

/// Evaluates everything at this time of the clip. truth: the reference of HEAT_ERROR at that time, NULL: the ghost, else the
/// first.
void stage_evaluate(stage* s, double time, const sup_vec3* truth);
/// Extends the framed box and the heat range by what was evaluated.
void stage_measure(stage* s);
/// After the last frame was measured: the best side to look from. `hidden`: other skin hides most of --focus from the requested
/// side, and the result is the side that shows most of it.
picture_camera stage_best_side(const stage* s, bool* hidden);
/// After the last frame was measured: fails when --show names nothing that any of them drew.
sup_result stage_check(const stage* s, sup_error* error);
/// Fills in the panel of a chain: surfaces, lines, triangles, frame, ground, up. Valid until the next evaluation.
sup_result stage_fill(stage* s, uint32_t chain, picture_desc* out, sup_error* error);

const sup_chain* stage_chain(const stage* s, uint32_t chain);
const sup_stats* stage_stats(const stage* s, uint32_t chain); ///< of all evaluations
/// The legend of the colors. False without heat.
bool stage_legend(const stage* s, const char** title, double* low, double* high, const char** unit);

#endif
