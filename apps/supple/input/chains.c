// Which chains run: the user's, or every deformer that fits.
#include "chains.h"

#include "report/report.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------- settings

// Whether the chain text has a link with that name: a word outside all parentheses.
static bool has_link(const char* links, const char* name, size_t length)
{
    int depth = 0;
    for (const char* at = links; *at;) {
        size_t word = strcspn(at, "(), \t");
        if (depth == 0 && word == length && strncmp(at, name, length) == 0) return true;
        at += word;
        if (*at == '(') depth++;
        if (*at == ')' && depth > 0) depth--;
        if (*at) at++;
    }
    return false;
}

// Keys of a world name links too. With several chains each takes those that concern it.
static int share_keys(const sup_chain_desc* flags, chain_list* list)
{
    const sup_json* keys = flags->world ? sup_json_get(flags->world, "keys") : NULL;
    for (const sup_json* k = keys && list->count > 1 ? keys->first : NULL; k; k = k->next) {
        size_t length = strcspn(k->key, ".#");
        bool   used = k->key[length] == 0; // gravity and wind have no link
        for (uint32_t i = 0; i < list->count; i++)
            used |= !list->descs[i].links || has_link(list->descs[i].links, k->key, length);
        if (!used) {
            report_error("world: keys of \"%s\": no chain has a link '%.*s'", k->key, (int)length, k->key);
            return EXIT_FAILED;
        }
    }
    for (uint32_t i = 0; i < list->count; i++) list->descs[i].world_shared = list->count > 1;
    return EXIT_DONE;
}

// --set names a deformer, and not every chain has it: each chain gets the settings that concern it.
int chain_share_settings(const sup_chain_desc* flags, chain_list* list, sup_arena* arena)
{
    for (uint32_t s = 0; s < flags->setting_count; s++) {
        const char* setting = flags->settings[s];
        size_t      length = strcspn(setting, ".#=@");
        bool        used = false;
        for (uint32_t i = 0; i < list->count; i++) {
            sup_chain_desc* d = &list->descs[i];
            // A preset's links are in its tree; the library checks its settings.
            if (d->links && !has_link(d->links, setting, length)) continue;
            const char** settings = (const char**)d->settings;
            if (!settings) settings = sup_arena_alloc(arena, flags->setting_count, sizeof *settings);
            if (!settings) return fail_memory();
            settings[d->setting_count++] = setting;
            d->settings = settings;
            used = true;
        }
        if (!used) {
            report_error("--set '%s': no chain has a link '%.*s'", setting, (int)length, setting);
            return EXIT_FAILED;
        }
    }
    return share_keys(flags, list);
}

// ---------------------------------------------------------------------------------------------- the list

// World and clock, which all chains share.
static sup_chain_desc bare_chain(const sup_chain_desc* flags)
{
    return (sup_chain_desc){ .world = flags->world,
                             .world_meshes = flags->world_meshes,
                             .world_mesh_count = flags->world_mesh_count,
                             .step = flags->step,
                             .read_text = flags->read_text };
}

// Simulations settle in every pose of a sweep, which takes minutes: `check` runs them only when named.
static int list_registry(const options* o, const sup_chain_desc* flags, const sup_character* c, const sup_clip* clip,
                         sup_arena* arena, chain_list* out)
{
    bool            still = o->verb->bit == VERB_CHECK;
    sup_mesh_report surface;
    sup_error       error = { 0 };
    if (sup_mesh_examine(&c->mesh, &surface, &error) != SUP_OK) return fail_with(&error);
    out->descs = sup_arena_alloc(arena, sup_deformer_count(), sizeof *out->descs);
    if (!out->descs) return fail_memory();
    for (uint32_t i = 0; i < sup_deformer_count(); i++) {
        const sup_deformer* d = sup_deformer_at(i);
        if ((still && d->dynamic) || !sup_deformer_suits(d, c, clip, surface.closed)) continue;
        out->descs[out->count] = bare_chain(flags);
        out->descs[out->count++].links = d->name;
    }
    if (out->count) return EXIT_DONE;
    report_error("no deformer fits '%s'; name one with --deform", c->name);
    return EXIT_FAILED;
}

int chain_list_read(const options* o, const sup_character* character, const sup_clip* clip, sup_arena* arena, chain_list* out)
{
    sup_chain_desc flags = { 0 };
    uint32_t       named = options_count(o, FLAG_DEFORM);
    int            code = chain_read(o, arena, &flags);
    if (code != EXIT_DONE) return code;
    *out = (chain_list){ .chosen = named || flags.preset };
    if (!out->chosen) code = list_registry(o, &flags, character, clip, arena, out);
    else {
        out->descs = sup_arena_alloc(arena, (size_t)named + 1, sizeof *out->descs);
        if (!out->descs) return fail_memory();
        const sup_chain_desc bare = bare_chain(&flags);
        for (uint32_t i = 0; i < named; i++) {
            out->descs[out->count] = bare;
            out->descs[out->count++].links = options_nth(o, FLAG_DEFORM, i);
        }
        if (flags.preset) {
            out->descs[out->count] = bare;
            out->descs[out->count++].preset = flags.preset;
        }
    }
    return code == EXIT_DONE ? chain_share_settings(&flags, out, arena) : code;
}

int chain_bind(const options* o, const chain_list* list, uint32_t index, const sup_character* character, const sup_clip* clip,
               const sup_tasks* tasks, progress* bar, sup_chain** out)
{
    sup_error      error = { 0 };
    sup_chain_desc desc = list->descs[index];
    desc.character = character;
    desc.clip = clip;
    desc.tasks = tasks;
    desc.progress = &bar->sink;
    *out = NULL;
    sup_result result = sup_chain_create(&desc, out, &error);
    if (result == SUP_OK && !list->chosen && sup_chain_only_skins(*out)) {
        sup_chain_destroy(*out);
        *out = NULL;
        return EXIT_DONE;
    }
    if (result == SUP_OK) {
        chain_report_notes(*out, bar);
        return EXIT_DONE;
    }
    if (list->chosen || result != SUP_ERROR_INPUT) {
        progress_end(bar);
        return fail_with(&error);
    }
    if (!options_has(o, FLAG_QUIET)) report_note("%s is left out: %s", desc.links, error.text);
    return EXIT_DONE;
}

void chain_report_notes(const sup_chain* chain, progress* bar)
{
    for (uint32_t i = 0; i < sup_chain_note_count(chain); i++) progress_note(bar, sup_chain_note(chain, i));
}

void chain_report_lost(const char* chain, const sup_stats* stats)
{
    for (uint32_t i = 0; i < stats->count; i++) {
        const char*        name = stats->items[i].name;
        unsigned long long times = (unsigned long long)stats->items[i].times;
        if (strcmp(name, "runner.points_lost") == 0)
            report_warning("%s: %llu times a point was lost (not finite, or over ten diagonals away) and put back to its "
                           "skinned place; its settings are too extreme for this character",
                           chain, times);
        if (strcmp(name, "runner.lost_and_reset") == 0)
            report_warning(
                "%s: %llu times the motion was lost (a point not finite, or over ten diagonals away) and restarted at rest; "
                "its settings are too extreme for this character, or --step is too long",
                chain, times);
    }
}
