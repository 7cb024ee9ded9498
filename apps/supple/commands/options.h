/// options.h: the words after a verb. Every flag is one row of one table; parsing and help come from the rows.
#ifndef SUPPLE_APP_OPTIONS_H
#define SUPPLE_APP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/// Exit codes of the program, as the manual promises them.
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_LIMIT = 3 };

enum {
    VERB_INSPECT = 1u << 0,
    VERB_BAKE = 1u << 1,
    VERB_DEFORMERS = 1u << 2,
    VERB_DEMO = 1u << 3,
    VERB_BENCH = 1u << 4,
    VERB_RENDER = 1u << 5,
    VERB_COMPARE = 1u << 6,
    VERB_CHECK = 1u << 7,
    VERB_WEIGHTS = 1u << 8,
    VERB_FIT = 1u << 9,
    VERB_STUDIO = 1u << 10,
    VERB_FARM = 1u << 11,
};

typedef enum flag_id {
    FLAG_DEFORM,
    FLAG_SET,
    FLAG_PRESET,
    FLAG_WORLD,
    FLAG_CLIP,
    FLAG_POSE,
    FLAG_START,
    FLAG_END,
    FLAG_HOLD,
    FLAG_FPS,
    FLAG_PREROLL,
    FLAG_LOOP,
    FLAG_STEP,
    FLAG_SKELETON,
    FLAG_WEIGHTS,
    FLAG_MOTION,
    FLAG_MOTION_MAP,
    FLAG_MAP,
    FLAG_EXAMPLE,
    FLAG_KEYS,
    FLAG_UNIT,
    FLAG_UP,
    FLAG_MESH,
    FLAG_DRESS,
    FLAG_SUBDIVIDE,
    FLAG_NORMAL_MAP,
    FLAG_TENSION,
    FLAG_TENSION_COLORS,
    FLAG_VAT,
    FLAG_FLAT,
    FLAG_SPARSE,
    FLAG_MESHOPT,
    FLAG_BAKE_ERROR,
    FLAG_RMS_ERROR,
    FLAG_MAX_SIZE,
    FLAG_FOR,
    FLAG_VERBOSE,
    FLAG_SAVE,
    FLAG_NAME,
    FLAG_HASHES,
    FLAG_OVERWRITE,
    FLAG_NO_VERDICT,
    FLAG_CHECKPOINT,
    FLAG_RESTART,
    FLAG_TIME,
    FLAG_FRAME,
    FLAG_CAMERA,
    FLAG_FOLLOW,
    FLAG_TURNTABLE,
    FLAG_SHEET,
    FLAG_SIZE,
    FLAG_SAMPLES,
    FLAG_DRAFT,
    FLAG_HEAT,
    FLAG_WIRE,
    FLAG_BONES,
    FLAG_GHOST,
    FLAG_FOCUS,
    FLAG_CUT,
    FLAG_SHOW,
    FLAG_COLOR,
    FLAG_BACKGROUND,
    FLAG_NO_GROUND,
    FLAG_TRUTH,
    FLAG_HTML,
    FLAG_MAX_VOLUME_LOSS,
    FLAG_MAX_ERROR,
    FLAG_MAX_INTERSECTIONS,
    FLAG_MAX_STRETCH,
    FLAG_JOINT,
    FLAG_TOP,
    FLAG_FULL,
    FLAG_CELLS,
    FLAG_MAX_INFLUENCES,
    FLAG_SPREAD,
    FLAG_METHOD,
    FLAG_MASK,
    FLAG_CENTER,
    FLAG_REST,
    FLAG_FIT_BONES,
    FLAG_ERROR,
    FLAG_INFLUENCES,
    FLAG_SEED,
    FLAG_SMOOTH,
    FLAG_RIGID,
    FLAG_HIERARCHY,
    FLAG_FIT_FLAT,
    FLAG_PARAMS,
    FLAG_WRITE,
    FLAG_EVALUATIONS,
    FLAG_SCENE,
    FLAG_REPEAT,
    FLAG_CSV,
    FLAG_PORT,
    FLAG_PAGE,
    FLAG_NO_OPEN,
    FLAG_CHARACTERS,
    FLAG_CLIPS,
    FLAG_OUTPUTS,
    FLAG_OUT,
    FLAG_JOBS,
    FLAG_RETRIES,
    FLAG_TIME_LIMIT,
    FLAG_MEMORY_LIMIT,
    FLAG_CLAIM_TIMEOUT,
    FLAG_NO_WAIT,
    FLAG_DRY_RUN,
    FLAG_THREADS,
    FLAG_JSON,
    FLAG_QUIET,
    FLAG_HELP,
    FLAG_COUNT,
} flag_id;

/// One verb of the program.
typedef struct options options;
typedef struct verb {
    const char* name;
    unsigned    bit;
    const char* words; ///< "FILE OUT"; in brackets: may be absent
    uint32_t    words_min, words_max;
    const char* summary; ///< one line for the list
    const char* details; ///< lines for the verb's own help
    int (*run)(const options* o);
} verb;

/// One row of the table of flags.
typedef struct flag_row {
    flag_id     id;
    unsigned    verbs;
    const char* name;
    const char* argument; ///< NULL: a switch; ending in "...": all words up to the next flag
    const char* help;
} flag_row;

typedef struct given_flag {
    flag_id     id;
    const char* value; ///< NULL for a switch
} given_flag;

typedef struct inputs inputs;

struct options {
    const verb*  verb;
    inputs*      inputs; ///< files read so far (inputs.h)
    uint32_t     word_count, flag_count;
    const char** words;
    given_flag*  flags; ///< as given, in order
};

/// Reads the words after the verb. False after printing what is wrong: the caller exits with EXIT_USAGE.
bool options_parse(const verb* v, int argc, char** argv, options* out);
void options_free(options* o);
/// Prints usage, details and the flags of the verb to stdout.
void options_help(const verb* v);

bool        options_has(const options* o, flag_id id);
const char* options_text(const options* o, flag_id id, const char* fallback); ///< the last one given
uint32_t    options_count(const options* o, flag_id id);
const char* options_nth(const options* o, flag_id id, uint32_t n); ///< NULL after the last
/// A finite number within [min, max]. False after printing what is wrong.
bool options_number(const options* o, flag_id id, double min, double max, double fallback, double* out);

/// The rows, one by one, FLAG_COUNT of them.
const flag_row* options_flag(uint32_t index);
/// Whether the flag takes all words up to the next flag.
bool options_takes_many(const flag_row* row);
/// The flag's name without its dashes.
const char* options_flag_name(flag_id id);
/// The command as it would be typed into a shell, starting with "supple". malloc'ed; NULL: out of memory.
char* options_command(const options* o);

#endif
