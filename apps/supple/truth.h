/// truth.h: --truth: meshes that the skin is measured against, one a frame.
#ifndef SUPPLE_APP_TRUTH_H
#define SUPPLE_APP_TRUTH_H

#include "options.h"
#include "supple/io.h"

typedef struct truth_set {
    uint32_t     count;
    const char** paths;  ///< in frame order
    sup_vec3**   points; ///< per mesh, in the character's point order; filled by truth_load
    double       gap;    ///< largest distance between copies of one point that were averaged
} truth_set;

/// The files behind the words of --truth: a folder stands for its files whose names end in a number, by number.
int truth_list(const options* o, sup_arena* arena, truth_set* out);
/// Reads them all and brings them to the character's points: by stored vertices and faces, else by points and faces (or
/// the triangles of both), else polygon by polygon.
int truth_load(truth_set* t, const sup_character* character, sup_arena* arena);

#endif
