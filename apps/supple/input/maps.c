// A map that nothing reads is probably a typo: note it, with the names that are read.
#include "maps.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 256 };

char* map_name(const char* text, size_t length, sup_arena* arena)
{
    char*  name = sup_arena_alloc(arena, length + 2, 1);
    size_t at = 0;
    if (!name) return NULL;
    if (text[0] != '_') name[at++] = '_';
    for (size_t i = 0; i < length; i++) name[at++] = (char)toupper((unsigned char)text[i]);
    return name;
}

// The parameters that a map can paint, each once.
static uint32_t list_readers(sup_chain* const* chains, uint32_t count, const char** names)
{
    uint32_t found = 0;
    for (uint32_t c = 0; c < count; c++) {
        for (uint32_t l = 0; l < sup_chain_link_count(chains[c]); l++) {
            const sup_deformer* d = sup_chain_link(chains[c], l);
            for (uint32_t p = 0; p < d->param_count && found < NAMES_MAX; p++) {
                uint32_t known = 0;
                while (known < found && strcmp(names[known], d->params[p].name) != 0) known++;
                if (d->params[p].varies == SUP_VARIES_POINT && known == found) names[found++] = d->params[p].name;
            }
        }
    }
    return found;
}

// Whether --heat map:NAME or --mask NAME uses it.
static bool named_by(const options* o, flag_id id, const char* prefix, const char* map, sup_arena* arena)
{
    const char* text = options_text(o, id, NULL);
    if (!text || strncmp(text, prefix, strlen(prefix)) != 0) return false;
    text += strlen(prefix);
    const char* name = map_name(text, strlen(text), arena);
    return name && strcmp(name, map) == 0;
}

static void note_unread(const char* given, size_t length, const char* const* readers, uint32_t count, progress* bar)
{
    char   text[1024], word[64], all[700] = "";
    size_t at = 0;
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), given);
    for (char* c = word; *c; c++) *c = (char)tolower((unsigned char)*c);
    const char* near = sup_word_nearest(word[0] == '_' ? word + 1 : word, readers, count);
    for (uint32_t i = 0; i < count && at < sizeof all; i++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%s", i ? ", " : "", readers[i]);
    snprintf(text, sizeof text, "nothing reads the map '%.*s'; %s%s%s%s%s", (int)(length < 60 ? length : 60), given,
             near ? "did you mean '" : "", near ? near : "", near ? "'? " : "",
             count ? "these parameters take a map of their name: " : "no parameter of this chain takes a map", all);
    progress_note(bar, text);
}

void maps_report_unread(const options* o, sup_chain* const* chains, uint32_t count, progress* bar)
{
    const char* readers[NAMES_MAX];
    sup_arena*  arena = sup_arena_create(NULL);
    for (uint32_t i = 0; arena && i < options_count(o, FLAG_MAP); i++) {
        const char* text = options_nth(o, FLAG_MAP, i);
        size_t      length = strcspn(text, "=");
        const char* name = map_name(text, length, arena);
        bool        read = !name || named_by(o, FLAG_HEAT, "map:", name, arena) || named_by(o, FLAG_MASK, "", name, arena);
        for (uint32_t c = 0; c < count; c++) read = read || sup_chain_reads_map(chains[c], name);
        if (!read) note_unread(text, length, readers, list_readers(chains, count, readers), bar);
    }
    sup_arena_destroy(arena);
}
