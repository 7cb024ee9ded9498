/// fit_shapes.h: the shapes from which a rig is fitted: files, folders, caches, or the skin of a clip.
#ifndef SUPPLE_APP_FIT_SHAPES_H
#define SUPPLE_APP_FIT_SHAPES_H

#include "input/common.h"
#include "input/truth.h"

typedef struct fit_shapes {
    sup_character*  rest; ///< the mesh; the caller destroys it
    uint32_t        frame_count;
    const sup_vec3* frames; ///< frame after frame, in the rest's point order
    double          fps;    ///< of the clip written
} fit_shapes;

/// Reads what the words name. Uses --rest, --fps and the clip flags (--clip, --start, --end).
int fit_shapes_read(const options* o, const char* const* words, uint32_t count, sup_arena* arena, fit_shapes* out);
/// The skin of a character over its clip, `fps` frames a second from `start` to `end`.
int fit_shapes_play(const sup_character* character, const sup_clip* clip, double start, double end, double fps,
                    sup_arena* arena, const sup_vec3** frames, uint32_t* count);
/// Concatenates the points of a set.
int fit_shapes_join(const truth_set* t, uint32_t point_count, sup_arena* arena, const sup_vec3** frames);

#endif
