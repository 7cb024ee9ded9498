// Collects notes for the user while something is made.
#include "base/internal.h"

#include <string.h>

bool sup_notes_begin(sup_notes* notes, sup_arena* arena)
{
    *notes = (sup_notes){ .arena = arena, .texts = SUP_NEW(arena, const char*, SUP_NOTES_MAX + 1) };
    return notes->texts != NULL;
}

// At most SUP_NOTES_MAX notes: comparing with all of them costs nothing.
static bool is_known(const sup_notes* notes, const char* text)
{
    for (uint32_t i = 0; i < notes->count; ++i)
        if (strcmp(notes->texts[i], text) == 0) return true;
    return false;
}

void sup_note(sup_notes* notes, const char* format, ...)
{
    if (!notes || notes->lost) return;
    if (notes->count == SUP_NOTES_MAX) {
        notes->unsaid++;
        return;
    }
    const char* who = notes->who ? notes->who : "";
    size_t      front = notes->who ? strlen(who) + 2 : 0;
    va_list     arguments;
    va_start(arguments, format);
    size_t length = front + sup_format_list(NULL, 0, format, arguments);
    va_end(arguments);
    char* text = SUP_NEW(notes->arena, char, length + 1);
    if (!text) {
        notes->lost = true;
        return;
    }
    if (front) sup_format(text, length + 1, "%s: ", who);
    va_start(arguments, format);
    sup_format_list(text + front, length + 1 - front, format, arguments);
    va_end(arguments);
    sup_text_clean(text);
    if (!is_known(notes, text)) notes->texts[notes->count++] = text;
}

bool sup_notes_end(sup_notes* notes)
{
    if (notes->lost) return false;
    if (notes->unsaid == 0) return true;
    char   text[64];
    size_t length = sup_format(text, sizeof text, "and %u more", notes->unsaid);
    notes->texts[notes->count] = sup_arena_text(notes->arena, text, length);
    notes->unsaid = 0;
    return notes->texts[notes->count++] != NULL;
}
