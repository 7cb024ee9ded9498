// One file in, a GLB out.
#include "studio_convert.h"

#include "input/common.h"
#include "report/report.h"
#include "supple/io_extra.h"

#include <stdio.h>

int convert_file(const char* path)
{
    sup_load_options load = { .extra = sup_extra_get() };
    sup_character*   character = NULL;
    sup_bytes        bytes = { 0 };
    sup_error        error = { 0 };
    sup_arena*       arena = sup_arena_create(NULL);
    int              code = EXIT_DONE;
    if (!arena) code = fail_memory();
    else if (sup_load(path, &load, &character, &error) != SUP_OK ||
             sup_character_write_memory(character, arena, &bytes, &error) != SUP_OK)
        code = fail_with(&error);
    for (uint32_t i = 0; code == EXIT_DONE && i < character->warning_count; i++) report_warning("%s", character->warnings[i]);
    if (code == EXIT_DONE && fwrite(bytes.data, 1, bytes.size, stdout) != bytes.size) code = EXIT_FAILED; // the exit code tells
    sup_character_destroy(character);
    sup_arena_destroy(arena);
    return code;
}
