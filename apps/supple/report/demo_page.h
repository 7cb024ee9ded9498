/// demo_page.h: what the demo baked, as pictures side by side on one page.
#ifndef SUPPLE_APP_DEMO_PAGE_H
#define SUPPLE_APP_DEMO_PAGE_H

#include "commands/bake_run.h"
#include "html.h"

typedef struct demo_page demo_page;

/// The page of a whole demo, empty. NULL: out of memory.
demo_page* demo_page_create(void);
void       demo_page_destroy(demo_page* page);
/// Starts another character, ending the last one. The character must outlive its clips.
bool demo_page_character(demo_page* page, const sup_character* character, const sup_tasks* tasks, sup_error* error);
/// Starts a heading for the bakes of a clip that follow.
void demo_page_clip(demo_page* page, const char* character, const sup_clip* clip);
/// Adds a picture of the points that the bake kept, with its figures. `file` is relative to the page.
bool demo_page_bake(demo_page* page, const bake_outcome* bake, const char* file, sup_error* error);
bool demo_page_write(demo_page* page, const char* path, sup_error* error);

#endif
