/// bench/bench.h: scenes timed against the textbook loops and against this machine's memory bandwidth.
#ifndef SUP_BENCH_H
#define SUP_BENCH_H

#include "supple/deformer.h"
#include "supple/io.h"

typedef struct bench_machine {
    char     cpu[128];
    uint32_t cores;
    uint32_t threads;           ///< of the scenes that use several
    double   copy_gb_s;         ///< bytes read + bytes written by a large copy, one thread
    double   copy_gb_s_threads; ///< by all threads
} bench_machine;

/// Queries the system and copies 256 MB back and forth. Fails when out of memory.
sup_result bench_machine_measure(uint32_t threads, bench_machine* out, sup_error* error);

/// Seconds of a monotonic clock.
double bench_now(void);
/// Processor seconds of this process.
double bench_cpu(void);

/// Bytes moved per point of the textbook loop: rest position 12, four weights 16, four joints of two bytes 8, result 12.
#define BENCH_POINT_BYTES 48

typedef struct bench_row {
    char     name[64]; ///< scene/deformer
    uint32_t points, threads;
    double   ms;           ///< of one frame
    double   reference_ms; ///< of the textbook loop on one thread, or of reading the bytes of a file; 0: there is none
    uint64_t bytes;        ///< of the file that was read or written; 0: none
    double   cpu_ms;       ///< of one frame of a chain, all threads together; 0: not measured. Less sensitive to load than ms
    double   bind_ms;      ///< processor time for binding a chain; 0: not measured
    uint64_t memory;       ///< bytes used; for a chain: bound data, state and scratch; 0: not measured
} bench_row;

double bench_ns_per_point(const bench_row* row);
double bench_speedup(const bench_row* row); ///< 0: no reference
double bench_copy_fraction(const bench_row* row, const bench_machine* machine);

typedef struct bench_options {
    uint32_t    threads; ///< 1 or more
    uint32_t    repeat;  ///< 0: as many as fit into a third of a second, at least ten, but no longer than two seconds
    const char* scene;   ///< glob over scene/deformer; NULL: all
    const char* links;   ///< the chain of bench_character; NULL: the deformer with its defaults
    double      step;    ///< of the clock, and of the frames of deformers with state; 0: 5 ms, and 30 frames a second
    void (*begin)(const char* name); ///< called before every scene; NULL: none
} bench_options;

/// Whether the scene is selected.
bool bench_wanted(const bench_options* options, const char* name);
/// The same, and calls `begin`.
bool bench_begin(const bench_options* options, const char* name);

/// Called with every finished row; returns false to stop.
typedef bool bench_report(void* user, const bench_row* row);

/// A straight tube of about `points` points along 40 joints, four influences each, posed by a clip "curl", with as many
/// sculpts along it as `examples` says: rings that swell.
sup_result bench_tube_create(uint32_t points, uint32_t examples, sup_character** out, sup_error* error);

/// Writes the tube as a GLB like another program's, with six texture islands and no _POINT: 10 % more stored vertices than
/// points. False: it could not be written.
bool bench_foreign_write(const sup_character* tube, const char* path);

/// The beast with about `points` points and this many joints (27 to 64): cuts its longest bones in two and makes new weights.
sup_result bench_beast_create(uint32_t points, uint32_t joints, sup_character** out, sup_error* error);

/// Something that times itself once: milliseconds of one frame.
typedef double bench_action(void* user);
/// The best of the repeats, after a warm-up that does not count unless it alone took all the time.
double bench_best(bench_action* act, void* user, uint32_t repeat);
/// Milliseconds of linear skinning and corrective smoothing as a textbook writes them.
sup_result bench_textbook_smooth(const sup_character* character, const sup_pose* pose, uint32_t iterations, uint32_t repeat,
                                 double* ms, sup_error* error);

/// Times one deformer on one character, on one thread and on options->threads. A deformer that does not fit the character (no
/// examples, an open surface) is skipped without an error.
sup_result bench_character(const char* scene, const sup_character* character, const sup_deformer* deformer,
                           const bench_options* options, bench_report* report, void* user, sup_error* error);

/// Times automatic weights for 30,000 points and 40 joints: scene weights/beast-30k.
sup_result bench_weights(const bench_options* options, bench_report* report, void* user, sup_error* error);

/// Times a rig of ten bones for 24 shapes of the size of horse-gallop: scene fit/beast-8k.
sup_result bench_fit(const bench_options* options, bench_report* report, void* user, sup_error* error);

/// Times reading and writing files of 500,000 points: scenes io/*_load, io/*_write, and io/A_to_B for one that was read from A.
/// Memory is the peak above what the process held before.
sup_result bench_files(const bench_options* options, bench_report* report, void* user, sup_error* error);

/// The eight rows of Chaudhry et al. 2014, Table 1: 30 frames of so many curves and nodes, banded and modal, dynamic and static,
/// beside the dense inverse (its products alone). ms are those of all 30 frames: beam/arm-22x34/banded and so on.
sup_result bench_beams(const bench_options* options, bench_report* report, void* user, sup_error* error);

/// Stages of the fourier deformer at the four sizes of Bian et al. 2019, Table 3; `points` also with sine and cosine computed
/// at every point: scenes series-3840/extraction to series-32185/frame.
sup_result bench_series(const bench_options* options, bench_report* report, void* user, sup_error* error);

/// The performance goals of `bend`: scenes bend/plate-64x64, bend/fixed-loads, bend/moving-load and bend/rings-21x20.
sup_result bench_bending(const bench_options* options, bench_report* report, void* user, sup_error* error);

#endif
