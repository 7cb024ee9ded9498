/// inputs.h: the files that a run reads, so that it never replaces one of them unasked.
#ifndef SUPPLE_APP_INPUTS_H
#define SUPPLE_APP_INPUTS_H

#include "commands/options.h"
#include "supple/io.h"

/// What was read through `files`: the file itself and all that it references, by location on disk. So links, other spellings of
/// a path and case-insensitive file systems make no difference.
struct inputs {
    sup_files files; ///< pass this to readers
    uint32_t  count, capacity;
    struct input_place {
        uint64_t place[2]; ///< as of path_info
        uint64_t hash;     ///< of its bytes, and
        char*    path;     ///< its location; only with `track`
    } * places;
    bool             track;    ///< the parent process wants the list of files read
    bool             failed;   ///< out of memory: the list is incomplete
    struct partners* partners; ///< of --motion, from the load to the report (partner_report.h); NULL: none
};

void inputs_begin(inputs* in);
void inputs_free(inputs* in);

/// Before reading: no output may be a file that the words or flags name. Prints what is wrong.
int inputs_check_words(const options* o);
/// After reading: nor one that the character's file references. Prints what is wrong.
int inputs_check_read(const options* o);
/// Whether a file that no word or flag names as an output, such as a map beside one, would replace an input.
bool inputs_need(const options* o, const char* output);
/// For sup_bake_desc.kept: whether the path is a file that was read.
bool inputs_hold(void* inputs, const char* path);

#endif
