// Puts skeletons under a mesh, makes weights for them, and reports on both.
#include "skeletons.h"

#include "report/report.h"
#include "supple/io_extra.h"

#include <stdio.h>

enum { NAMES_SAID = 5 };

// 'a', 'b', 'c', ...
static void list_names(const sup_character* c, const uint32_t* joints, uint32_t count, char* out, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < count && i < NAMES_SAID && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s'%s'", i ? ", " : "", c->skeleton.joints[joints[i]].name);
    if (count > NAMES_SAID && used < size) snprintf(out + used, size - used, ", ...");
}

static void note_weights(const sup_character* c, const sup_auto_weights* a)
{
    char names[256] = "";
    report_note("weights were made for %u joints of '%s' in %u cells (%u along the longest side)", c->skeleton.skin_joint_count,
                c->name, a->cell_count, a->cells);
    if (a->lost_components)
        report_warning("%u pieces of '%s' (%u points) have no bone inside; they follow the nearest ones", a->lost_components,
                       c->name, a->lost_points);
    if (a->outside_count) {
        list_names(c, a->outside_joints, a->outside_count, names, sizeof names);
        report_warning("the bones of %u joints lie mostly outside '%s' (%s): the skeleton does not fit; move its joints inside "
                       "(--center), or check its unit, position and pose",
                       a->outside_count, c->name, names);
    } else if (a->outside_bones)
        report_warning("%u bones lie outside '%s', '%s' first; move them inside, or check unit and position of the skeleton",
                       a->outside_bones, c->name, c->skeleton.joints[a->outside_joint].name);
    if (a->idle_count) {
        list_names(c, a->idle_joints, a->idle_count, names, sizeof names);
        report_note("no point of '%s' follows %s by more than 5 %%: there is no skin for %s", c->name, names,
                    a->idle_count == 1 ? "that joint" : "those joints");
    }
}

// --center: reports what was moved, because the skeleton is the result.
static int center(const sup_character* c, const sup_auto_weights_options* how, bool silent, sup_skeleton_file* s)
{
    sup_center_options how_fine = { .cells = how ? how->cells : 0, .tasks = how ? how->tasks : NULL };
    sup_center         done;
    sup_error          error = { 0 };
    if (sup_joints_center(&c->mesh, s->joint_count, s->joints, s->tails, s->has_tail, &how_fine, NULL, &done, &error) != SUP_OK)
        return fail_with(&error);
    if (silent) return EXIT_DONE;
    report_note("%u joints and ends moved to the middle of the limb around them, by up to %g (a cell is %g)", done.moved,
                (double)done.farthest, (double)done.cell);
    if (done.outside) report_warning("%u joints lie far outside '%s' and stay there", done.outside, c->name);
    if (c->clip_count) report_warning("clips of '%s' are dropped: its joints have moved", c->name);
    return EXIT_DONE;
}

// Notes how a captured skeleton was fitted to the mesh.
static void note_fit(const char* path, const sup_skeleton_file* s)
{
    if (s->scale != 1)
        report_note("the skeleton of '%s' was fitted to the mesh: scaled by %g and moved to its middle", path,
                    (double)s->scale);
    if (s->turn.farthest > 0)
        report_note(
            "limbs of '%s' were turned into the mesh by up to %.0f degrees: %.0f %% of its bones lie inside, %.0f %% did "
            "before",
            path, (double)s->turn.farthest, 100.0 * (double)s->turn.after, 100.0 * (double)s->turn.before);
}

static int weigh(const options* o, const sup_auto_weights_options* how, bool silent, sup_character** character,
                 sup_arena* arena, sup_auto_weights* out)
{
    const char*       path = options_text(o, FLAG_SKELETON, NULL);
    sup_load_options  load = { .extra = sup_extra_get() };
    sup_skeleton_file file = { 0 };
    sup_error         error = { 0 };
    sup_result        result = SUP_OK;
    bool              own = !path && ((*character)->skeleton.skin_joint_count == 0 || options_has(o, FLAG_CENTER));
    if (path) result = sup_skeleton_load(path, &load, *character, arena, &file, &error);
    else if (own) result = sup_skeleton_copy(*character, arena, &file, &error);
    if (result != SUP_OK) return fail_with(&error);
    if (path && !silent) note_fit(path, &file);
    int code = options_has(o, FLAG_CENTER) ? center(*character, how, silent, &file) : EXIT_DONE;
    if (code != EXIT_DONE) return code;
    if (sup_character_rig(character, file.joints ? &file : NULL, how, arena, out, &error) != SUP_OK) return fail_with(&error);
    if (!silent) note_weights(*character, out);
    return EXIT_DONE;
}

int skeleton_weigh(const options* o, const sup_auto_weights_options* how, bool silent, sup_character** character,
                   sup_auto_weights* out)
{
    sup_auto_weights unused;
    sup_arena*       arena = sup_arena_create(NULL);
    if (!arena) return fail_memory();
    int code = weigh(o, how, silent, character, arena, out ? out : &unused);
    sup_arena_destroy(arena);
    return code;
}
