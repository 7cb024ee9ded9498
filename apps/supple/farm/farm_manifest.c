// jobs.json: the keys are flags. Those beside "jobs" apply to all of them, as if they came before the command's own.
#include "farm.h"
#include "input/common.h"
#include "input/identity.h"
#include "report/report.h"
#include "supple/io.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const kinds[] = { "null", "false", "true", "a number", "a text", "a list", "an object" };

static int refuse_value(const char* where, const sup_json* value, const char* wanted)
{
    report_error("%s: \"%s\" is %s; give %s", where, value->key, kinds[value->type], wanted);
    return EXIT_FAILED;
}

static const flag_row* find(const options* o, const char* name)
{
    for (uint32_t i = 0; i < FLAG_COUNT; i++)
        if ((options_flag(i)->verbs & o->verb->bit) && strcmp(options_flag(i)->name, name) == 0) return options_flag(i);
    return NULL;
}

static int refuse_key(const options* o, const char* where, const char* key)
{
    const char* names[FLAG_COUNT + 1];
    uint32_t    count = 0;
    for (uint32_t i = 0; i < FLAG_COUNT; i++)
        if (options_flag(i)->verbs & o->verb->bit) names[count++] = options_flag(i)->name;
    names[count++] = "jobs";
    const char* near = sup_word_nearest(key, names, count);
    if (near) report_error("%s: there is no \"%s\"; did you mean \"%s\"?", where, key, near);
    else report_error("%s: there is no \"%s\"; keys are the flags of 'supple farm --help' without their dashes", where, key);
    return EXIT_FAILED;
}

// Paths in a manifest are relative to its folder.
static const char* placed(const flag_row* row, const char* value, const char* base, sup_arena* arena)
{
    const char* sign = row->argument && strchr(row->argument, '=') ? strchr(value, '=') : NULL;
    const char* path = sign ? sign + 1 : value;
    bool        is_path = identity_flag_is_path(row) || row->id == FLAG_CHARACTERS;
    if (!is_path || !*base || path_is_absolute(path) || strncmp(path, "builtin:", 8) == 0 || strncmp(path, "morph:", 6) == 0)
        return value;
    return text_make(arena, "%.*s%s%s", (int)(path - value), value, base, path);
}

static int add_one(const flag_row* row, const char* where, const sup_json* key, const sup_json* value, const char* base,
                   sup_arena* arena, given_flag* out)
{
    bool spoken = (value->type == SUP_JSON_STRING || value->type == SUP_JSON_NUMBER) && value->length;
    *out = (given_flag){ row->id, NULL };
    if (!row->argument) return value->type == SUP_JSON_TRUE ? EXIT_DONE : refuse_value(where, key, "true, or leave it out");
    if (!spoken) return refuse_value(where, key, "a text or a number, or a list of them");
    const char* text = sup_arena_text(arena, value->text, value->length); // the document goes on after a number
    out->value = text ? placed(row, text, base, arena) : NULL;
    return out->value ? EXIT_DONE : fail_memory();
}

int farm_manifest_flags(const options* o, const sup_json* object, const char* where, const char* base, sup_arena* arena,
                        given_flag** out, uint32_t* count)
{
    uint32_t capacity = 0;
    *count = 0;
    for (const sup_json* key = object->first; key; key = key->next) capacity += key->type == SUP_JSON_ARRAY ? key->count : 1;
    *out = sup_arena_alloc(arena, capacity, sizeof **out);
    if (!*out) return fail_memory();
    for (const sup_json* key = object->first; key; key = key->next) {
        if (strcmp(key->key, "jobs") == 0 || key->type == SUP_JSON_FALSE) continue;
        const flag_row* row = find(o, key->key);
        if (!row) return refuse_key(o, where, key->key);
        bool many = key->type == SUP_JSON_ARRAY;
        for (const sup_json* value = many ? key->first : key; value; value = many ? value->next : NULL) {
            int code = add_one(row, where, key, value, base, arena, &(*out)[*count]);
            if (code != EXIT_DONE) return code;
            ++*count;
        }
    }
    return EXIT_DONE;
}

static int check_jobs(const char* path, const sup_json* root, const sup_json** jobs)
{
    if (root->type != SUP_JSON_OBJECT) {
        report_error("%s: a manifest is an object with a list \"jobs\" in it, not %s", path, kinds[root->type]);
        return EXIT_FAILED;
    }
    *jobs = sup_json_get(root, "jobs");
    if (!*jobs) return EXIT_DONE;
    if ((*jobs)->type != SUP_JSON_ARRAY || !(*jobs)->count)
        return refuse_value(path, *jobs, "a list of objects, like [{\"characters\": \"*.glb\"}]");
    uint32_t number = 0;
    for (const sup_json* job = (*jobs)->first; job; job = job->next, number++)
        if (job->type != SUP_JSON_OBJECT) {
            report_error("%s: jobs[%u] is %s; give an object like {\"characters\": \"*.glb\", \"clips\": \"Walk\"}", path,
                         number, kinds[job->type]);
            return EXIT_FAILED;
        }
    return EXIT_DONE;
}

int farm_manifest_read(const char* path, const options* given, sup_arena* arena, options* out, const sup_json** jobs)
{
    const sup_files* files = sup_files_system();
    sup_error        error = { 0 };
    sup_bytes        bytes;
    sup_json*        root = NULL;
    sup_result       result = files->read(files->user, path, arena, &bytes, &error);
    if (result == SUP_OK) result = sup_json_parse((const char*)bytes.data, bytes.size, path, arena, &root, &error);
    if (result != SUP_OK) return fail_with(&error);
    int code = check_jobs(path, root, jobs);
    if (code != EXIT_DONE) return code;

    const char* base = sup_arena_text(arena, path, (size_t)(path_name(path) - path));
    given_flag* flags = NULL;
    uint32_t    count = 0;
    code = base ? farm_manifest_flags(given, root, path, base, arena, &flags, &count) : fail_memory();
    if (code != EXIT_DONE) return code;
    given_flag* all = sup_arena_alloc(arena, count + given->flag_count, sizeof *all);
    if (!all) return fail_memory();
    memcpy(all, flags, count * sizeof *all);
    if (given->flag_count) memcpy(all + count, given->flags, given->flag_count * sizeof *all);
    *out = *given;
    out->flags = all;
    out->flag_count = count + given->flag_count;
    return EXIT_DONE;
}
