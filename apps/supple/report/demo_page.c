// The page of the whole demo: a row of pictures for every clip, at the frame where plain skinning is at its worst.
#include "demo_page.h"

#include "chain_measure.h"
#include "render/portrait.h"

#include "supple/metrics.h"

#include <stdio.h>
#include <stdlib.h>

struct demo_page {
    html       page;
    bool       in_clip; ///< a row of pictures is open
    sup_arena* arena;   ///< of the current character
    sup_meter* meter;
    float*     heat;
    void*      scratch; ///< of the meter
    portrait   portrait;
};

static void close_clip(demo_page* p)
{
    if (p->in_clip) html_add(&p->page, "</div>\n");
    p->in_clip = false;
}

static void close_character(demo_page* p)
{
    close_clip(p);
    sup_meter_destroy(p->meter);
    sup_arena_destroy(p->arena);
    p->meter = NULL;
    p->arena = NULL;
}

demo_page* demo_page_create(void)
{
    demo_page* p = calloc(1, sizeof *p);
    if (!p) return NULL;
    html_begin(&p->page, "Supple: the built-in characters under every deformer",
               "Each clip at the frame where linear skinning changes its volume most. Play the files in Blender, the three.js "
               "editor or Godot: the baked clip is beside the source's own.");
    if (picture_available()) html_legend(&p->page, "Length of edges relative to rest", "\u00d70.5", "\u00d72", true);
    else html_add(&p->page, "<p class=\"soft\">This build of supple draws no pictures (it was made without Embree).</p>\n");
    return p;
}

void demo_page_destroy(demo_page* p)
{
    if (!p) return;
    close_character(p);
    html_free(&p->page);
    free(p);
}

bool demo_page_character(demo_page* p, const sup_character* character, const sup_tasks* tasks, sup_error* error)
{
    close_character(p);
    p->arena = sup_arena_create(NULL);
    p->heat = p->arena ? sup_arena_alloc(p->arena, character->mesh.point_count, sizeof *p->heat) : NULL;
    if (!p->heat) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while preparing pictures") == SUP_OK;
    if (sup_meter_create(character, NULL, &p->meter, error) != SUP_OK) return false;
    p->scratch = sup_arena_alloc(p->arena, sup_meter_scratch(p->meter) + 64, 1); // 64 more bytes for alignment
    if (!p->scratch) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while preparing pictures") == SUP_OK;
    if (portrait_create(character, tasks, p->arena, &p->portrait, error) != SUP_OK) return false;
    p->portrait.width = 400;
    p->portrait.height = 300;
    return true;
}

void demo_page_clip(demo_page* p, const char* character, const sup_clip* clip)
{
    close_clip(p);
    html_add(&p->page, "<h2>");
    html_text(&p->page, character);
    html_add(&p->page, ", ");
    html_text(&p->page, clip->name);
    html_add(&p->page, "</h2>\n<div class=\"grid\">\n");
    portrait_frame_clear(&p->portrait);
    p->in_clip = true;
}

bool demo_page_bake(demo_page* p, const bake_outcome* bake, const char* file, sup_error* error)
{
    uint32_t points = p->portrait.character->mesh.point_count;
    uint32_t crossing = sup_meter_intersections(p->meter, bake->kept, p->scratch, p->portrait.tasks, NULL, 0);
    char     caption[300], count[24];
    crossings_text(crossings_number(crossing), count, sizeof count);
    image    picture = { 0 };
    snprintf(caption, sizeof caption, "%.100s: volume %+.1f %% at most, %s intersections here, %.2f ms a frame", bake->chain,
             100.0 * bake->volume_change, count, 1000.0 * bake->evaluate / bake->frames);
    html_add(&p->page, "<a href=\"%s\">", file);
    if (picture_available()) {
        // The first bake of a clip sets the frame for all of them.
        if (!(p->portrait.low.x <= p->portrait.high.x)) portrait_include(&p->portrait, bake->kept, points);
        sup_meter_stretch(p->meter, bake->kept, p->heat);
        if (!portrait_take(&p->portrait, bake->kept, p->heat, 1.0, true, &picture, error)) return false;
        html_picture(&p->page, &picture, caption, caption);
        image_free(&picture);
    } else html_text(&p->page, caption);
    html_add(&p->page, "</a>\n");
    return true;
}

bool demo_page_write(demo_page* p, const char* path, sup_error* error)
{
    close_character(p);
    html_end(&p->page, "supple demo");
    return html_write(&p->page, path, error);
}
