/// truth.h: meshes from files that belong to a character, one per frame: --truth, examples, the shapes of a fit.
#ifndef SUPPLE_APP_TRUTH_H
#define SUPPLE_APP_TRUTH_H

#include "commands/options.h"
#include "supple/io.h"

typedef struct truth_set {
    uint32_t         count;
    const char**     paths;         ///< in frame order
    const char**     meshes;        ///< the one mesh to use of each file, NULL: all; NULL: all meshes of all files
    const sup_vec3** cached;        ///< per mesh its frame in a point cache, NULL: a file of its own; NULL: all are files
    uint32_t*        cached_counts; ///< points of that frame
    sup_vec3**       points;        ///< per mesh, in the character's point order; filled by truth_load
    double           gap;           ///< largest distance between copies of one point that were averaged
    const char*      what;          ///< how messages call one of them: "truth", "example", "shape"
} truth_set;

/// Whether it is a point cache (.pc2, .mdd, .npy): a whole motion, without faces.
bool truth_is_cache(const char* path);

/// The files that words stand for: a folder stands for its files whose names end in a number, by number, a point cache for its
/// frames. `flag` is the words' name in messages ("--truth"), `what` that of one file.
int truth_files(const char* const* words, uint32_t count, const char* flag, const char* what, sup_arena* arena, truth_set* out);

/// Those of --truth.
int truth_list(const options* o, sup_arena* arena, truth_set* out);
/// Reads them all and maps them to the character's points: by stored vertices and faces, else by points and faces (or the
/// triangles of both), else polygon by polygon.
int truth_load(truth_set* t, const sup_character* character, sup_arena* arena);

#endif
