// Small commands around the bakes: which clips a file contains, and pictures of frames. Run as processes too: a file that
// crashes its reader stops nothing.
#include "farm_pool.h"
#include "farm_store.h"
#include "input/common.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>

typedef struct asking {
    farm*            f;
    uint32_t         next, count;
    const texts*     files;
    texts*           clips;
    farm_job* const* jobs;
    bool             failed;
    bool             crossings;
} asking;

// ---------------------------------------------------------------------------------------------- clips

static bool next_file(void* user, pool_task* out)
{
    asking* a = user;
    if (a->next == a->count) return false;
    const char** words = sup_arena_alloc(a->f->arena, 3, sizeof *words);
    if (!words) return a->failed = true, false;
    words[0] = "inspect";
    words[1] = a->files->items[a->next];
    words[2] = "--json";
    *out = (pool_task){ .word_count = 3, .words = words, .user = &a->clips[a->next++] };
    return true;
}

static void file_ended(void* user, const pool_ended* e)
{
    asking*   a = user;
    texts*    clips = e->task->user;
    sup_json* json = NULL;
    if (e->code != EXIT_DONE || !e->said) return;
    if (sup_json_parse(e->said, strlen(e->said), "inspect", a->f->arena, &json, NULL) != SUP_OK) return;
    const sup_json* list = sup_json_get(json, "clips");
    for (const sup_json* one = list ? list->first : NULL; one; one = one->next)
        if (!texts_add(a->f->arena, clips, sup_json_string(sup_json_get(one, "name"), ""))) a->failed = true;
}

static bool any_left(void* user, uint32_t running)
{
    const asking* a = user;
    return (void)running, a->next < a->count && !a->failed;
}

int farm_clips(farm* f, const texts* files, texts* clips)
{
    asking a = { .f = f, .files = files, .clips = clips, .count = files->count };
    int    code = pool_run(f, &(pool_hooks){ &a, next_file, file_ended, any_left });
    return code == EXIT_DONE && a.failed ? fail_memory() : code;
}

// ---------------------------------------------------------------------------------------------- pictures

void farm_picture_path(const farm* f, const farm_job* job, bool crossings, char* out, size_t size)
{
    char ending[40];
    snprintf(ending, sizeof ending, ".%s.%08x.png", crossings ? "crossings" : "volume", (unsigned)(job->key ^ job->key >> 32));
    store_path(f, "pictures", job, ending, out, size);
}

static const flag_row* flag_of_word(const char* word)
{
    for (uint32_t i = 0; i < FLAG_COUNT && strncmp(word, "--", 2) == 0; i++)
        if ((options_flag(i)->verbs & VERB_BAKE) && strcmp(options_flag(i)->name, word + 2) == 0) return options_flag(i);
    return NULL;
}

// The words of the bake that `render` takes as well, at the worst moment.
static bool picture_words(farm* f, const farm_job* job, bool crossings, texts* words)
{
    char   path[4096];
    double time =
        sup_json_number(sup_json_get(sup_json_get(job->result, "verdict"), crossings ? "crossings_time" : "volume_time"), 0);
    farm_picture_path(f, job, crossings, path, sizeof path);
    bool good = texts_add(f->arena, words, "render") && texts_add(f->arena, words, job->words[1]) &&
                texts_add(f->arena, words, text_make(f->arena, "%s", path));
    for (uint32_t i = 3; i < job->word_count && good; i++) {
        const flag_row* row = flag_of_word(job->words[i]);
        bool            kept = row && (row->verbs & VERB_RENDER) && row->id != FLAG_OVERWRITE;
        for (uint32_t k = 0; k < 1u + (row && row->argument); k++)
            if (kept && good) good = texts_add(f->arena, words, job->words[i + k]);
        i += row && row->argument;
    }
    static const char* const look[] = {
        "--draft", "--heat", "stretch", "--size", "400x300", "--overwrite", "--quiet", "--time"
    };
    for (size_t i = 0; i < sizeof look / sizeof *look && good; i++) good = texts_add(f->arena, words, look[i]);
    return good && texts_add(f->arena, words, text_make(f->arena, "%.9g", time));
}

static bool next_picture(void* user, pool_task* out)
{
    asking* a = user;
    while (a->next < a->count) {
        farm_job* job = a->jobs[a->next++];
        char      path[4096];
        path_info info;
        texts     words = { 0 };
        farm_picture_path(a->f, job, a->crossings, path, sizeof path);
        if (!job->result || path_look(path, &info) == 0) continue;
        if (!picture_words(a->f, job, a->crossings, &words)) return a->failed = true, false;
        store_path(a->f, "logs", job, ".picture.log", path, sizeof path);
        path_remove(path);
        *out = (pool_task){
            .word_count = words.count, .words = words.items, .log = text_make(a->f->arena, "%s", path), .user = job
        };
        return out->log != NULL;
    }
    return false;
}

static void picture_ended(void* user, const pool_ended* e)
{
    (void)user;
    (void)e; // the page says what is missing
}

int farm_pictures(farm* f, farm_job* const* jobs, uint32_t count, bool crossings)
{
    asking a = { .f = f, .jobs = jobs, .count = count, .crossings = crossings };
    int    code = pool_run(f, &(pool_hooks){ &a, next_picture, picture_ended, any_left });
    return code == EXIT_DONE && a.failed ? fail_memory() : code;
}
