/// bench/bench.h: scenes timed against the textbook loops and against what this machine's memory can do.
#ifndef SUP_BENCH_H
#define SUP_BENCH_H

#include "supple/deformer.h"
#include "supple/io.h"

typedef struct bench_machine {
    char     cpu[128];
    uint32_t cores;
    uint32_t threads;           ///< of the scenes with more than one
    double   copy_gb_s;         ///< bytes read + bytes written by a large copy, one thread
    double   copy_gb_s_threads; ///< by all of them
} bench_machine;

/// Asks the system and copies 256 MB to and fro. Fails for memory.
sup_result bench_machine_measure(uint32_t threads, bench_machine* out, sup_error* error);

/// Seconds of a clock that only goes forward.
double bench_now(void);
/// Seconds that processors have worked for this process.
double bench_cpu(void);

/// What moves for one point of the textbook loop: rest position 12, four weights 16, four joints of two bytes 8, result 12.
#define BENCH_POINT_BYTES 48

typedef struct bench_row {
    char     name[64]; ///< scene/deformer
    uint32_t points, threads;
    double   ms;           ///< of one frame
    double   reference_ms; ///< of the textbook loop on one thread, or of reading the bytes of a file; 0: there is none
    uint64_t bytes;        ///< of the file that was read or written; 0: none
    double   cpu_ms;       ///< of one frame of a chain, of all threads together; 0: not told. A busy machine changes it less than ms
    double   bind_ms;      ///< of the processor, for binding a chain; 0: not told
    uint64_t memory;       ///< bytes that the work took; of a chain: what it bound, its state and scratch; 0: not told
} bench_row;

double bench_ns_per_point(const bench_row* row);
double bench_speedup(const bench_row* row); ///< 0: no reference
double bench_copy_fraction(const bench_row* row, const bench_machine* machine);

typedef struct bench_options {
    uint32_t    threads; ///< 1 or more
    uint32_t    repeat;  ///< 0: as often as fits into a third of a second, at least ten times, but no longer than two
    const char* scene;   ///< glob over scene/deformer; NULL: all
    const char* links;   ///< the chain of bench_character; NULL: the deformer with its defaults
    double      step;    ///< of the clock, and of the frames of deformers with state; 0: 5 ms, and 30 frames a second
    void (*begin)(const char* name); ///< told of every scene before it runs; NULL: nobody
} bench_options;

/// Whether the scene is asked for.
bool bench_wanted(const bench_options* options, const char* name);
/// The same, and says that it begins.
bool bench_begin(const bench_options* options, const char* name);

/// Told of every finished row, and false when it wants no more.
typedef bool bench_report(void* user, const bench_row* row);

/// A straight tube of about `points` points along 40 joints, four influences each, posed by a clip "curl", with as many
/// sculpts along it as `examples` says: rings that swell.
sup_result bench_tube_create(uint32_t points, uint32_t examples, sup_character** out, sup_error* error);

/// Writes the tube as a GLB that another program could have written, with six islands of texture and no _POINT: 10 % more stored
/// vertices than points. False: it could not be written.
bool bench_foreign_write(const sup_character* tube, const char* path);

/// The beast with about `points` points and so many joints (27 to 64): its longest bones are cut in two and weights are made anew.
sup_result bench_beast_create(uint32_t points, uint32_t joints, sup_character** out, sup_error* error);

/// Something that times itself once: milliseconds of one frame.
typedef double bench_action(void* user);
/// The best of the repeats, after one that is not counted unless it alone took the time there is.
double bench_best(bench_action* act, void* user, uint32_t repeat);
/// Milliseconds of linear skinning and corrective smoothing as a textbook writes them.
sup_result bench_textbook_smooth(const sup_character* character, const sup_pose* pose, uint32_t iterations, uint32_t repeat,
                                 double* ms, sup_error* error);

/// Times one deformer on one character, on one thread and on options->threads. A deformer that does not fit the character
/// (no examples, an open surface) is left out without an error.
sup_result bench_character(const char* scene, const sup_character* character, const sup_deformer* deformer,
                           const bench_options* options, bench_report* report, void* user, sup_error* error);

/// Times automatic weights for 30,000 points and 40 joints: scene weights/beast-30k.
sup_result bench_weights(const bench_options* options, bench_report* report, void* user, sup_error* error);

/// Times a rig of ten bones for 24 shapes of the size of horse-gallop: scene fit/beast-8k.
sup_result bench_fit(const bench_options* options, bench_report* report, void* user, sup_error* error);

/// Times reading and writing files of 500,000 points: scenes io/*_load, io/*_write, and io/A_to_B for one that was read from A.
/// Their memory is the highest mark above what the process held before.
sup_result bench_files(const bench_options* options, bench_report* report, void* user, sup_error* error);

/// The eight rows of Chaudhry et al. 2014, Table 1: 30 frames of so many curves and nodes, banded and modal, dynamic and static,
/// beside the dense inverse (its products alone). ms are those of all 30 frames: beam/arm-22x34/banded and so on.
sup_result bench_beams(const bench_options* options, bench_report* report, void* user, sup_error* error);

/// Stages of the fourier deformer at the four sizes of Bian et al. 2019, Table 3; `points` beside sine and cosine anew at every
/// point: scenes series-3840/extraction to series-32185/frame.
sup_result bench_series(const bench_options* options, bench_report* report, void* user, sup_error* error);

/// What `bend` is asked to be fast at: scenes bend/plate-64x64, bend/fixed-loads, bend/moving-load and bend/rings-21x20.
sup_result bench_bending(const bench_options* options, bench_report* report, void* user, sup_error* error);

#endif
