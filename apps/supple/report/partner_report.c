// Which joint follows which when captured motion is put on a character: notes, a table, and JSON.
#include "partner_report.h"

#include "input/inputs.h"
#include "input/rigging.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 8 };

static const char* joint_name(const sup_character* c, uint32_t joint) { return c->skeleton.joints[joint].name; }

typedef struct name_list {
    char     text[1200];
    size_t   length;
    uint32_t count;
} name_list;

static void list_add(name_list* l, uint32_t most, const char* name, const char* as)
{
    if (l->count++ < most && l->length < sizeof l->text)
        l->length += (size_t)snprintf(l->text + l->length, sizeof l->text - l->length, "%s%s%s%s", l->count > 1 ? ", " : "",
                                      name, *as ? " = " : "", as);
}

static const char* list_end(name_list* l, uint32_t most)
{
    if (l->count > most && l->length < sizeof l->text)
        snprintf(l->text + l->length, sizeof l->text - l->length, " and %u more", l->count - most);
    return l->text;
}

// Every guess is listed, so that the user can write the map.
static void note_guesses(const sup_character* character, const sup_retarget_report* report)
{
    enum { GUESSES = 24 };
    name_list list = { 0 };
    for (uint32_t i = 0; i < report->pair_count; i++)
        if (report->how[i] == SUP_PAIR_SHAPE)
            list_add(&list, GUESSES, joint_name(character, report->targets[i]), report->roles[i]);
    if (list.count)
        report_note(
            "%u joints were matched by the shape of the skeleton, since names say nothing: %s; 'inspect' with the same flags "
            "lists all, and --motion-map FILE corrects them",
            list.count, list_end(&list, GUESSES));
    if (report->side_guessed)
        report_note(
            "which side is left is a guess; if the figure walks backward, swap the legs with --motion-map FILE");
}

void note_partners(const sup_character* character, const sup_mocap* mocap, const sup_retarget_report* report)
{
    name_list list = { 0 };
    for (uint32_t i = 0; i < report->lone_count; i++) list_add(&list, SHOWN, joint_name(character, report->lone[i]), "");
    if (report->lone_count)
        report_note("'%s' moves %u joints; %u have no partner in it and keep their rest transform: %s", mocap->name,
                    report->pair_count, report->lone_count, list_end(&list, SHOWN));
    note_guesses(character, report);
    if (report->dropped_count == 1)
        report_note("the first frame of '%s' only shows a reference pose and is left out", mocap->name);
    if (report->dropped_count > 1)
        report_note("the first %u frames of '%s' only show a reference pose and the transition out of it and are left out",
                    report->dropped_count, mocap->name);
    if (report->rest_from_frame)
        report_note("the rest pose of '%s' is not a standing figure; its straightest frame is used instead", mocap->name);
}

// ---------------------------------------------------------------------------------------------- all of them

static const char* const how_texts[] = { [SUP_PAIR_TOLD] = "map", [SUP_PAIR_NAME] = "name", [SUP_PAIR_SHAPE] = "shape" };

partners* partners_create(void)
{
    sup_arena* arena = sup_arena_create(NULL);
    partners*  p = arena ? sup_arena_alloc(arena, 1, sizeof *p) : NULL;
    if (p) *p = (partners){ .arena = arena };
    else sup_arena_destroy(arena);
    return p;
}

void partners_free(partners* p)
{
    if (p) sup_arena_destroy(p->arena);
}

void rigging_print_partners(const options* o, const sup_character* character)
{
    const partners* p = o->inputs->partners;
    if (!p) return;
    const sup_retarget_report* r = &p->report;
    table                      t;
    table_begin(&t, "joint|follows|as|found by");
    for (uint32_t i = 0; i < r->pair_count; i++) {
        table_add(&t, "%s", joint_name(character, r->targets[i]));
        table_add(&t, "%s", p->mocap.joints[r->sources[i]].name);
        table_add(&t, "%s", r->roles[i]);
        table_add(&t, "%s", how_texts[r->how[i]]);
    }
    puts("");
    table_print(&t, 0);
}

sup_json* rigging_describe_partners(const options* o, const sup_character* character, sup_arena* arena)
{
    const partners* p = o->inputs->partners;
    if (!p) return NULL;
    return sup_retarget_describe(character, &p->mocap, &p->report, arena);
}
