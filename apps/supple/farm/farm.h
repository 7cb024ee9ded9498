/// farm.h: many bakes at once. A plan is a list of jobs; each is one `supple bake` in a process of its own, and its result is
/// recorded in the folder _farm of the outputs, where every run on that folder finds it.
#ifndef SUPPLE_APP_FARM_H
#define SUPPLE_APP_FARM_H

#include "commands/options.h"
#include "supple/json.h"

typedef enum job_state {
    JOB_WAITING,
    JOB_ELSEWHERE, ///< claimed by another run
    JOB_RUNNING,
    JOB_DONE,
    JOB_FAILED,
} job_state;

typedef struct farm_job {
    const char*  name;   ///< of its record, log and claim; unique
    const char*  output; ///< path
    const char*  character;
    const char*  clip; ///< or the motion's name; "": none
    const char*  chain;
    uint32_t     word_count;
    const char** words; ///< "bake", its words and flags
    uint64_t     key;   ///< of program and words

    job_state       state;
    bool            fresh; ///< ended in this run
    uint64_t        seen;  ///< hash of the record when the run began: a newer failure is final, an older one is tried again
    uint32_t        attempts;
    double          asked; ///< when another run's claim was last checked
    double          seconds, cpu, memory;
    const char*     reason; ///< why it failed
    const char*     broken; ///< the limits that it exceeds, newline-separated; NULL: none
    const sup_json* result; ///< the result that bake reported
} farm_job;

typedef struct farm_limits {
    double volume_loss, intersections; ///< INFINITY: none
} farm_limits;

typedef struct farm {
    const options* given; ///< the command
    const options* flags; ///< with those of the manifest first
    sup_arena*     arena;
    const char*    out;        ///< folder of the outputs
    char           home[3072]; ///< its _farm
    uint32_t       job_count;
    farm_job*      jobs;
    uint32_t       slots, retries;
    double         seconds_max, bytes_max; ///< of a job; 0: no limit
    double         claim_seconds;          ///< a claim on another machine without a heartbeat for this long is void
    farm_limits    limits;
    uint32_t       rank, ranks; ///< of a launcher such as mpirun or srun; 0 of 1: none
    bool           quiet;
    bool           no_wait; ///< do not wait for jobs of other runs
} farm;

/// A list of texts in an arena.
typedef struct texts {
    uint32_t     count, capacity;
    const char** items;
} texts;
/// Adds a text. NULL text is passed on as a failure. False: out of memory.
bool texts_add(sup_arena* arena, texts* list, const char* text);
/// Formats a text in the arena. NULL: out of memory.
const char* text_make(sup_arena* arena, const char* format, ...) SUP_FORMAT(2, 3);

/// The files that a pattern or a folder matches, sorted by name; other words stay unchanged. False after a message.
bool farm_files(sup_arena* arena, const char* pattern, texts* out);

/// Puts the manifest's flags before the command's own, and keeps its jobs for farm_plan. EXIT_USAGE or EXIT_FAILED after a
/// message.
int farm_manifest_read(const char* path, const options* given, sup_arena* arena, options* out, const sup_json** jobs);
/// The keys of an object as flags, in the arena; `where` names it in messages.
int farm_manifest_flags(const options* o, const sup_json* object, const char* where, const char* base, sup_arena* arena,
                        given_flag** out, uint32_t* count);
/// Expands flags and the jobs of a manifest (NULL: none) to farm.jobs; `base`: the folder that its paths are relative to.
int farm_plan(farm* f, const sup_json* jobs, const char* base);

/// Runs the jobs that are not done. EXIT_DONE, 128 + signal if stopped, EXIT_FAILED after a message.
int farm_run(farm* f);
/// Finds the jobs that are already done, without running any.
int farm_look(farm* f);
/// Asks files for their clips, each in a process of its own. clips[i] stays empty if a file cannot be read.
int farm_clips(farm* f, const texts* files, texts* clips);
/// Draws the frames in which these jobs have lost most volume, or cross most, in processes into _farm/pictures.
int  farm_pictures(farm* f, farm_job* const* jobs, uint32_t count, bool crossings);
void farm_picture_path(const farm* f, const farm_job* job, bool crossings, char* out, size_t size);

/// Collects the limits that the job exceeds in job.broken.
void farm_judge(const farm* f, farm_job* job);
/// Prints the results as a table, JSON or a page.
void farm_print(const farm* f);
bool farm_print_json(const farm* f);
int  farm_write_html(farm* f, const char* path);
/// The exit code: 0, 1 or 3.
int farm_exit(const farm* f);

#endif
