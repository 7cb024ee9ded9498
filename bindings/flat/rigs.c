// Motion from other characters, hand-made poses, and automatic weights.
#include "handles.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------- motion

typedef struct motion_wish {
    const char*          name; ///< of the new clip; NULL: the motion's
    const sup_json*      clip; ///< of the other character; NULL: the first
    double               fps;
    sup_retarget_options how;
    bool                 twins; ///< pairs of equal names follow the `given` ones
    uint32_t             given;
} motion_wish;

static sup_result read_map(const sup_json* map, sup_arena* arena, sup_retarget_options* out, sup_error* error)
{
    if (!map) return SUP_OK;
    if (map->type != SUP_JSON_OBJECT)
        return sup_fail(error, SUP_ERROR_INPUT, "motions: map must be an object: {\"joint\": \"joint of the motion\" or null}");
    sup_joint_pair* pairs = sup_arena_alloc(arena, map->count, sizeof *pairs);
    if (!pairs) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    for (const sup_json* m = map->first; m; m = m->next) {
        if (m->type != SUP_JSON_STRING && m->type != SUP_JSON_NULL)
            return sup_fail(error, SUP_ERROR_INPUT, "motions: map: '%s' must be the name of a joint of the motion, or null",
                            m->key);
        pairs[out->pair_count++] = (sup_joint_pair){ m->key, m->type == SUP_JSON_STRING ? m->text : NULL };
    }
    out->pairs = pairs;
    return SUP_OK;
}

static sup_result read_wish(const char* description, sup_arena* arena, motion_wish* out, sup_error* error)
{
    static const flat_member members[] = { { "name", FLAT_IS_TEXT },
                                           { "clip", FLAT_IS_ANY },
                                           { "fps", FLAT_IS_NUMBER },
                                           { "map", FLAT_IS_OBJECT },
                                           { "keep_first", FLAT_IS_SWITCH } };
    sup_json*                json;
    sup_result               r = flat_parse(description, "motions", members, 5, arena, &json, error);
    if (!r) r = flat_number(json, "fps", 1, 1000, 30, &out->fps, error);
    if (!r) r = read_map(sup_json_get(json, "map"), arena, &out->how, error);
    if (r) return r;
    out->name = sup_json_string(sup_json_get(json, "name"), NULL);
    out->clip = sup_json_get(json, "clip");
    out->how.keep_first = flat_true(sup_json_get(json, "keep_first"));
    return SUP_OK;
}

static uint32_t find_joint(const sup_skeleton* s, const char* name)
{
    uint32_t j = 0;
    while (j < s->joint_count && (!s->joints[j].name || strcmp(s->joints[j].name, name) != 0)) ++j;
    return j < s->joint_count ? j : SUP_NONE;
}

/// For two characters from one family of rigs, nearly all skin joints have a namesake. Then these are the pairs, whatever the
/// number of legs; the caller's pairs come first.
static sup_result pair_namesakes(const sup_skeleton* own, const sup_skeleton* other, sup_arena* arena, motion_wish* wish,
                                 sup_error* error)
{
    static const double FAMILY = 0.75; // share of the skin's joints
    uint32_t            given = wish->how.pair_count, count = 0, twins = 0;
    sup_joint_pair*     pairs = sup_arena_alloc(arena, (size_t)given + own->joint_count, sizeof *pairs);
    if (!pairs) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    if (given) memcpy(pairs, wish->how.pairs, given * sizeof *pairs);
    for (uint32_t j = 0; j < own->joint_count; ++j) {
        const char* name = own->joints[j].name;
        bool        known = !name || find_joint(other, name) == SUP_NONE;
        if (!known && own->joints[j].skin_joint) ++twins;
        for (uint32_t i = 0; i < given && !known; ++i) known = !strcmp(pairs[i].target, name);
        if (!known) pairs[given + count++] = (sup_joint_pair){ name, name };
    }
    if (twins < FAMILY * own->skin_joint_count) return SUP_OK;
    wish->how.pairs = pairs;
    wish->how.pair_count = given + count;
    wish->given = given;
    wish->twins = true;
    return SUP_OK;
}

/// A clip of a character's file as captured motion.
static sup_result read_other(const char* path, const sup_load_options* load, const sup_character* own, motion_wish* wish,
                             sup_arena* arena, sup_mocap* out, sup_error* error)
{
    sup_character*  other = NULL;
    const sup_clip* clip;
    sup_result      r = sup_load(path, load, &other, error);
    if (r) return r;
    r = flat_find_clip(other, wish->clip, other->clip_count ? other->clips : NULL, &clip, error);
    if (!r && !clip) r = sup_fail(error, SUP_ERROR_INPUT, "'%s' has no clip; give a file with a motion in it", path);
    if (!r) r = sup_mocap_of_clip(other, clip, wish->fps, arena, out, error);
    if (!r) r = pair_namesakes(&own->skeleton, &other->skeleton, arena, wish, error);
    wish->how.keep_first = true; // its straight pose belongs to the skeleton, it is not a frame
    sup_character_destroy(other);
    return r;
}

static bool given_by_caller(const motion_wish* wish, const char* joint)
{
    bool given = false;
    for (uint32_t i = 0; i < wish->given; ++i) given |= !strcmp(wish->how.pairs[i].target, joint);
    return given;
}

/// A clip made from poses may be replaced: existing chains keep the old one, whose memory stays.
static sup_result put_posed(flat_object* o, const sup_clip* clip)
{
    sup_character*  c = o->character;
    const sup_clip* old = sup_character_clip(c, clip->name);
    size_t          at = old ? (size_t)(old - c->clips) : 0;
    if (old && !sup_json_get(o->posed, old->name))
        return sup_fail(&o->error, SUP_ERROR_INPUT, "'%s' has a clip '%s' already; give the poses another \"clip\"", c->name,
                        old->name);
    if (!o->posed) o->posed = sup_json_new(c->arena, SUP_JSON_OBJECT);
    if (!sup_json_set(c->arena, o->posed, clip->name, sup_json_new(c->arena, SUP_JSON_TRUE)))
        return sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while adding poses");
    sup_result r = sup_character_add_clip(c, clip, &o->error);
    if (r || !old) return r;
    sup_clip* fresh = (sup_clip*)c->clips; // the array is new
    fresh[at] = fresh[--c->clip_count];
    return SUP_OK;
}

/// Key poses (docs/poses.md).
static sup_json* put_poses(flat_object* o, const char* path, const sup_load_options* load, sup_arena* a)
{
    const sup_files* files = load->files ? load->files : sup_files_system();
    sup_bytes        bytes;
    sup_json*        tree;
    sup_clip         clip;
    sup_result       r = files->read(files->user, path, a, &bytes, &o->error);
    if (!r) r = sup_json_parse((const char*)bytes.data, bytes.size, path, a, &tree, &o->error);
    if (!r) r = sup_clip_from_poses(o->character, tree, a, &clip, &o->error);
    if (!r) r = put_posed(o, &clip);
    if (r) return NULL;
    sup_json* out = sup_json_new(a, SUP_JSON_OBJECT);
    sup_json_set(a, out, "name", sup_json_new_string(a, path));
    sup_json_set(a, out, "clip", sup_json_new_string(a, clip.name));
    sup_json_set(a, out, "seconds", sup_json_new_number(a, clip.seconds));
    sup_json_set(a, out, "guessed", sup_json_new_number(a, 0));
    sup_json_set(a, out, "pairs", sup_json_new(a, SUP_JSON_ARRAY));
    sup_json_set(a, out, "without_partner", sup_json_new(a, SUP_JSON_ARRAY));
    sup_json* last = sup_json_set(a, out, "warnings", sup_json_new(a, SUP_JSON_ARRAY));
    if (!last) sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while writing an answer");
    return last ? out : NULL;
}

static sup_json* put_motion(flat_object* o, const char* path, const sup_load_options* load, const char* description,
                            sup_arena* a)
{
    motion_wish         wish = { 0 };
    sup_mocap           mocap;
    sup_clip            clip;
    sup_retarget_report report;
    sup_result          r = read_wish(description, a, &wish, &o->error);
    if (!r)
        r = sup_path_ends_in(path, "bvh") ? sup_mocap_load(path, load, a, &mocap, &o->error)
                                          : read_other(path, load, o->character, &wish, a, &mocap, &o->error);
    if (!r) r = sup_retarget(o->character, &mocap, &wish.how, a, &clip, &report, &o->error);
    if (r) return NULL;
    if (wish.name) clip.name = wish.name;
    if (sup_character_clip(o->character, clip.name)) {
        sup_fail(&o->error, SUP_ERROR_INPUT, "'%s' has a clip '%s' already; give the motion another \"name\"",
                 o->character->name, clip.name);
        return NULL;
    }
    uint8_t* how = sup_arena_copy(a, report.how, report.pair_count, sizeof *how);
    for (uint32_t i = 0; how && wish.twins && i < report.pair_count; ++i)
        if (!given_by_caller(&wish, o->character->skeleton.joints[report.targets[i]].name)) how[i] = SUP_PAIR_NAME;
    if (how) report.how = how;
    sup_json* out = sup_retarget_describe(o->character, &mocap, &report, a);
    sup_json_set(a, out, "clip", sup_json_new_string(a, clip.name));
    sup_json_set(a, out, "seconds", sup_json_new_number(a, clip.seconds));
    sup_json* warnings = sup_json_set(a, out, "warnings", sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < mocap.warning_count; ++i) sup_json_push(warnings, sup_json_new_string(a, mocap.warnings[i]));
    if (!warnings) {
        sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while writing an answer");
        return NULL;
    }
    return sup_character_add_clip(o->character, &clip, &o->error) ? NULL : out;
}

const char* flat_motion(flat_handle character, const char* name, const uint8_t* bytes, uint64_t size, const char* description,
                        flat_read_fn* read, void* user)
{
    int32_t      status;
    flat_object* o = flat_enter_to_change(character, &status);
    if (!o) return NULL;
    flat_source      source = flat_source_of(name, bytes, size, read, user);
    sup_files        files = { .read = flat_source_read, .user = &source };
    sup_load_options load = { .files = bytes ? &files : NULL };
    sup_arena*       arena = sup_arena_create(NULL);
    if (!arena) sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory");
    bool        good = arena && flat_source_check(&source, name, &o->error) == SUP_OK;
    sup_json*   tree = !good                            ? NULL
                       : sup_path_ends_in(name, "json") ? put_poses(o, name, &load, arena)
                                                        : put_motion(o, name, &load, description, arena);
    const char* text = tree ? flat_text(o, tree) : NULL;
    if (tree && !text) sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while writing an answer");
    sup_arena_destroy(arena);
    flat_leave(o);
    return text;
}

// ---------------------------------------------------------------------------------------------- weights

static sup_result find_mask(const sup_character* c, const char* name, sup_arena* arena, const float** out, sup_error* error)
{
    if (!name) return SUP_OK;
    const sup_map* map = sup_character_map(c, name);
    const char*    written = map ? name : flat_map_name(name, arena);
    if (!map && written) map = sup_character_map(c, written);
    if (!map) return sup_fail(error, SUP_ERROR_INPUT, "'%s' has no map '%s'; give it one with flat_map", c->name, name);
    *out = map->values;
    return SUP_OK;
}

static sup_result read_weights(const sup_character* c, const char* description, sup_arena* arena, sup_auto_weights_options* out,
                               bool* center, sup_error* error)
{
    static const flat_member members[] = { { "method", FLAT_IS_TEXT },       { "cells", FLAT_IS_NUMBER },
                                           { "influences", FLAT_IS_NUMBER }, { "spread", FLAT_IS_NUMBER },
                                           { "mask", FLAT_IS_TEXT },         { "center", FLAT_IS_SWITCH },
                                           { "keep_cells", FLAT_IS_SWITCH } };
    sup_json*                json;
    double                   cells, influences;
    sup_result               r = flat_parse(description, "weights", members, 7, arena, &json, error);
    if (!r) r = flat_number(json, "cells", 4, 256, 0, &cells, error);
    if (!r) r = flat_number(json, "influences", 1, 64, 0, &influences, error);
    if (!r) r = flat_number(json, "spread", 0.01, 100, 1, &out->spread, error);
    if (r) return r;
    const char* method = sup_json_string(sup_json_get(json, "method"), "screened");
    if (!strcmp(method, "diffuse")) out->method = SUP_WEIGHTS_DIFFUSE;
    else if (strcmp(method, "screened") != 0)
        return sup_fail(error, SUP_ERROR_INPUT, "weights: method must be \"screened\" or \"diffuse\", not \"%s\"", method);
    out->cells = (uint32_t)cells;
    out->influences_max = (uint32_t)influences;
    *center = flat_true(sup_json_get(json, "center"));
    out->keep_cells = flat_true(sup_json_get(json, "keep_cells"));
    return find_mask(c, sup_json_string(sup_json_get(json, "mask"), NULL), arena, &out->mask, error);
}

static sup_result weigh(flat_object* o, flat_object* made, const char* path, const sup_load_options* load,
                        const char* description, sup_auto_weights_options* how, sup_arena* arena)
{
    sup_skeleton_file file = { .scale = 1 };
    bool              center = false;
    sup_error*        error = &o->error;
    sup_result        r = read_weights(o->character, description, arena, how, &center, error);
    if (r) return r;
    if (how->mask && (path || center))
        return sup_fail(error, SUP_ERROR_INPUT, "weights: a mask keeps old weights, and with %s there are none; leave one out",
                        path ? "a skeleton" : "center");
    r = sup_character_borrow(o->character, NULL, &made->character, error);
    if (!r && path) r = sup_skeleton_load(path, load, o->character, arena, &file, error);
    else if (!r && (center || o->character->skeleton.skin_joint_count == 0))
        r = sup_skeleton_copy(o->character, arena, &file, error);
    if (!r && center) {
        sup_center_options fine = { .cells = how->cells, .tasks = how->tasks };
        sup_center         done;
        r = sup_joints_center(&o->character->mesh, file.joint_count, file.joints, file.tails, file.has_tail, &fine, NULL, &done,
                              error);
    }
    made->skeleton_scale = file.scale;
    return r ? r : sup_character_rig(&made->character, file.joints ? &file : NULL, how, arena, &made->weighed, error);
}

flat_handle flat_weigh(flat_handle character, const char* skeleton, const uint8_t* bytes, uint64_t size,
                       const char* description, flat_progress_fn* progress, void* user)
{
    int32_t      status;
    flat_object* o = flat_enter(character, FLAT_CHARACTER, &status);
    if (!o) return 0;
    flat_listener            listener = { progress, user };
    sup_progress             report = { flat_report, &listener };
    flat_source              source = flat_source_of(skeleton, bytes, size, NULL, NULL);
    sup_files                files = { .read = flat_source_read, .user = &source };
    sup_load_options         load = { .files = bytes ? &files : NULL };
    sup_auto_weights_options how = { .tasks = flat_tasks(o), .progress = progress ? &report : NULL };
    // It borrows arrays of the first, which therefore stays alive as its parent.
    flat_object* made = flat_object_new(FLAT_CHARACTER, o);
    sup_arena*   arena = sup_arena_create(NULL);
    sup_result   r = skeleton ? flat_source_check(&source, skeleton, &o->error) : SUP_OK;
    if (!r)
        r = made && arena ? weigh(o, made, skeleton, &load, description, &how, arena)
                          : sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory");
    sup_arena_destroy(arena);
    return flat_leave_with(o, made, r);
}

static void put_joints(sup_arena* a, sup_json* out, const char* key, const sup_character* c, const uint32_t* joints,
                       uint32_t count)
{
    sup_json* list = sup_json_set(a, out, key, sup_json_new(a, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < count; ++i) sup_json_push(list, sup_json_new_string(a, c->skeleton.joints[joints[i]].name));
}

void flat_put_weighed(sup_arena* a, sup_json* out, const flat_object* o)
{
    const sup_auto_weights* w = &o->weighed;
    if (!w->cell_count) return;
    const struct {
        const char* key;
        double      value;
    } numbers[] = { { "cells", w->cell_count },
                    { "cells_longest", w->cells },
                    { "particles", w->particle_count },
                    { "iterations", w->iterations },
                    { "influences_max", w->weights.influences_max },
                    { "lost_pieces", w->lost_components },
                    { "lost_points", w->lost_points },
                    { "outside_bones", w->outside_bones },
                    { "cell_size", (double)w->cell_size },
                    { "scale", (double)o->skeleton_scale } };
    sup_json* one = sup_json_set(a, out, "weights", sup_json_new(a, SUP_JSON_OBJECT));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        sup_json_set(a, one, numbers[i].key, sup_json_new_number(a, numbers[i].value));
    put_joints(a, one, "outside_joints", o->character, w->outside_joints, w->outside_count);
    put_joints(a, one, "idle_joints", o->character, w->idle_joints, w->idle_count);
}
