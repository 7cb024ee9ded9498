/// inputs.h: the files that a run reads, so that it never replaces one of them unasked.
#ifndef SUPPLE_APP_INPUTS_H
#define SUPPLE_APP_INPUTS_H

#include "commands/options.h"
#include "supple/io.h"

/// What was read through `files`: the file itself and all that it names, by where they are on the disk. So links, other
/// spellings of a path and file systems that ignore case make no difference.
struct inputs {
    sup_files files; ///< pass this to whoever reads
    uint32_t  count, capacity;
    struct input_place {
        uint64_t place[2]; ///< as of path_info
        uint64_t hash;     ///< of its bytes, and
        char*    path;     ///< where it is; only where `track`
    } * places;
    bool             track;    ///< who runs this wants to know what was read
    bool             failed;   ///< out of memory: not all are known
    struct partners* partners; ///< of --motion, from the load to the report (partner_report.h); NULL: none
};

void inputs_begin(inputs* in);
void inputs_free(inputs* in);

/// Before anything is read: no output may be a file that the words or flags name. Says what is wrong.
int inputs_check_words(const options* o);
/// After the character was read: nor one of those that its file names. Says what is wrong.
int inputs_check_read(const options* o);
/// Whether a file that no word or flag names as an output, such as a map beside one, would replace what is read.
bool inputs_need(const options* o, const char* output);
/// For sup_bake_desc.kept: whether the path is a file that was read.
bool inputs_hold(void* inputs, const char* path);

#endif
