/// tests/hostile/hostile.h: characters that are damaged on purpose, the same way for the same seed.
///
/// A case takes a good character as a file in memory, damages what it means (faces, places, joints, weights, keys, counts), and
/// puts it through reading, automatic weights, deformers and writing. Whatever it is: a sentence or a finite skin, in bounded
/// time.
#ifndef SUP_TESTS_HOSTILE_H
#define SUP_TESTS_HOSTILE_H

#include "supple/io.h"
#include "supple/json.h"

enum { HOSTILE_WORDS = 2048 }; ///< room for what went wrong

// ---------------------------------------------------------------------------------------------- chance

typedef struct chance {
    uint64_t state;
    bool     wild; ///< odd floats may be NaN and infinite: readers refuse those, and the rest of the damage is not tried
} chance;

static inline uint64_t chance_next(chance* c)
{
    uint64_t x = c->state += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/// From 0 to below n; 0 where n is.
static inline uint32_t chance_below(chance* c, uint32_t n) { return n ? (uint32_t)((chance_next(c) >> 32) % n) : 0; }
static inline bool     chance_one_in(chance* c, uint32_t n) { return chance_below(c, n) == 0; }
static inline float    chance_float(chance* c, float low, float high)
{
    return low + (high - low) * (float)(chance_next(c) >> 40) / 16777216.0f;
}
/// A number that code forgets: 0, -1, 1e-30, 1e38, NaN and their like.
float  chance_odd_float(chance* c);
double chance_odd_number(chance* c); ///< likewise for counts, indices and strides

// ---------------------------------------------------------------------------------------------- a GLB in pieces

typedef struct pieces {
    sup_arena* arena;
    sup_json*  root;
    uint8_t*   bin;
    size_t     bin_size;
    sup_bytes  whole; ///< what damage to the container left; data NULL: put together from the above
} pieces;

/// Takes a GLB apart. False: it is none of ours.
bool pieces_open(pieces* p, sup_bytes glb, sup_arena* arena);
/// And puts it together again.
sup_bytes pieces_close(pieces* p);

/// An accessor's elements where they lie, or nothing where they do not lie in the buffer.
typedef struct elements {
    uint8_t* at;
    uint32_t count, components, stride, type; ///< type: glTF's componentType
} elements;

bool     pieces_elements(pieces* p, const sup_json* accessor_index, elements* out);
float*   elements_float(const elements* e, uint32_t i); ///< NULL where they are no floats
uint32_t elements_index(const elements* e, uint32_t i, uint32_t component);
void     elements_index_set(const elements* e, uint32_t i, uint32_t component, uint32_t value);
/// A new accessor over a copy of the data; floats (5126), shorts (5123) or indices (5125). Returns its number.
uint32_t pieces_append(pieces* p, const void* data, uint32_t count, uint32_t components, uint32_t type);

sup_json* pieces_get(const sup_json* object, const char* key); ///< sup_json_get of what is ours to change
sup_json* pieces_pick(chance* c, const sup_json* list);        ///< any item; NULL: there are none
sup_json* pieces_primitive(pieces* p, chance* c);              ///< any, NULL
void      pieces_number(pieces* p, sup_json* object, const char* key, double value);
void      pieces_numbers(pieces* p, sup_json* object, const char* key, const float* values, uint32_t count);

// ---------------------------------------------------------------------------------------------- damage

/// What may be damaged on a GLB. Works on what earlier damage left, or leaves it.
typedef void damage_fn(pieces* p, chance* c);
typedef struct damage {
    const char* name;
    damage_fn*  apply;
} damage;

extern const damage   damage_of_faces[], damage_of_rigs[], damage_of_files[];
extern const uint32_t damage_of_faces_count, damage_of_rigs_count, damage_of_files_count;

/// A text of lines (OBJ, TGF) damaged in one way, whose name is returned.
const char* damage_text(sup_bytes* text, sup_arena* arena, chance* c);

// ---------------------------------------------------------------------------------------------- trial

typedef struct hostile_case {
    uint64_t  seed;
    sup_bytes file;      ///< GLB, or OBJ
    sup_bytes skeleton;  ///< TGF; data NULL: none
    char      what[256]; ///< source and damage
} hostile_case;

typedef struct trial_options {
    double      seconds;    ///< of processor time, that a case may take
    double      stage;      ///< likewise one stage of it, such as one bind
    const char* folder;     ///< for baked files
    const char* links;      ///< one chain for all; NULL: chosen by the seed
    bool        every_link; ///< all deformers in each case
    bool        say;        ///< every refusal
    const char* without;    ///< a deformer to leave out, to see behind what is known of it
} trial_options;

typedef struct trial_counts {
    uint32_t cases, refused, binds, refused_binds, frames, fallbacks, lost, baked, slow;
} trial_counts;

/// What is being done, for whoever reports a crash or a hang.
extern char trial_stage[128];

/// False: the case broke a promise, and `why` says which.
bool trial_run(const hostile_case* one, const trial_options* options, trial_counts* counts, char why[HOSTILE_WORDS]);

#endif
