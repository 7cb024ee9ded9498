// The doctor: sweeps joints under chains and ranks them.
#include "handles.h"

#include <string.h>

/// A share of the caller's progress bar.
typedef struct bar {
    flat_listener* listener;
    double         from, share;
} bar;

typedef struct visit {
    flat_object*      o;
    sup_character*    character;
    sup_arena*        arena;
    const sup_json*   wish;
    sup_checkup_desc  desc;
    const sup_clip*   clip; ///< for binding chains
    sup_chain**       made; ///< chains of this visit, freed with it
    uint32_t          made_count;
    const sup_chain** all;
    sup_json*         left_out;
    bar               binding, running;
    sup_progress      bind, run; ///< they report to these
} visit;

/// The share of the bar for binding, if chains must be bound.
#define BIND_SHARE 0.2

static bool report(void* user, double fraction, const char* what)
{
    const bar* b = user;
    return b->listener->progress(b->listener->user, b->from + b->share * fraction, what) != 0;
}

static void leave_out(visit* v, const char* chain, const char* why)
{
    sup_json* one = sup_json_push(v->left_out, sup_json_new(v->arena, SUP_JSON_OBJECT));
    sup_json_set(v->arena, one, "chain", sup_json_new_string(v->arena, chain));
    sup_json_set(v->arena, one, "why", sup_json_new_string(v->arena, why));
}

static sup_result bind_one(visit* v, const char* links, bool named)
{
    sup_error*     error = &v->o->error;
    sup_chain_desc desc = { .character = v->character,
                            .clip = v->clip,
                            .links = links,
                            .world = sup_json_get(v->wish, "world"),
                            .world_shared = true,
                            .tasks = v->desc.tasks,
                            .progress = v->bind.report ? &v->bind : NULL };
    sup_chain*     chain = NULL;
    sup_result     r = flat_world_meshes(&desc, flat_ancestor(v->o, FLAT_CHARACTER)->props, v->arena, error);
    if (r) return r;
    r = sup_chain_create(&desc, &chain, error);
    if (r == SUP_ERROR_INPUT && !named) return leave_out(v, links, error->text), SUP_OK;
    if (r) return r;
    v->made[v->made_count++] = chain;
    bool timed = false;
    if (!named && !sup_chain_only_skins(chain)) r = sup_chain_follows_time(chain, v->character, v->clip, &timed, error);
    if (timed) leave_out(v, sup_chain_text(chain), "it depends on the time of the clip, not on the pose");
    if (!r && !timed && (named || !sup_chain_only_skins(chain))) v->all[v->desc.chain_count++] = chain;
    return r;
}

/// The named chains, or every deformer that fits and needs no settling.
static sup_result bind_chains(visit* v, const sup_chain* own)
{
    const char* const* named;
    uint32_t           count;
    sup_error*         error = &v->o->error;
    sup_result         r = flat_texts(sup_json_get(v->wish, "chains"), "checkups: chains", v->arena, &named, &count, error);
    if (r) return r;
    v->desc.chosen = count || own;
    v->made = sup_arena_alloc(v->arena, (size_t)count + sup_deformer_count(), sizeof *v->made);
    v->all = sup_arena_alloc(v->arena, (size_t)count + sup_deformer_count() + 1, sizeof *v->all);
    if (!v->made || !v->all) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    double part = v->binding.share / (count ? count : sup_deformer_count());
    v->binding.share = part;
    for (uint32_t i = 0; i < count && !r; ++i, v->binding.from += part) r = bind_one(v, named[i], true);
    sup_mesh_report surface;
    if (!r && !v->desc.chosen) r = sup_mesh_examine(&v->character->mesh, &surface, error);
    for (uint32_t i = 0; i < sup_deformer_count() && !r && !v->desc.chosen; ++i, v->binding.from += part) {
        const sup_deformer* d = sup_deformer_at(i);
        if (!d->dynamic && sup_deformer_suits(d, v->character, v->clip, surface.closed)) r = bind_one(v, d->name, false);
    }
    if (!r && own) v->all[v->desc.chain_count++] = own;
    v->desc.chains = v->all;
    return r || v->desc.chain_count ? r : sup_fail(error, SUP_ERROR_INPUT, "no deformer suits '%s'", v->character->name);
}

static sup_result read_visit(visit* v, const char* description, double* top)
{
    static const flat_member members[] = { { "chains", FLAT_IS_ANY },  { "clip", FLAT_IS_ANY },       { "joints", FLAT_IS_ANY },
                                           { "full", FLAT_IS_SWITCH }, { "preroll", FLAT_IS_NUMBER }, { "top", FLAT_IS_NUMBER },
                                           { "world", FLAT_IS_OBJECT } };
    sup_error*               error = &v->o->error;
    sup_json*                json;
    const sup_character*     c = v->character;
    sup_result               r = flat_parse(description, "checkups", members, 7, v->arena, &json, error);
    if (!r) r = flat_find_clip(c, sup_json_get(json, "clip"), c->clip_count ? c->clips : NULL, &v->clip, error);
    if (!r) r = flat_number(json, "preroll", 0, 600, 0.5, &v->desc.preroll, error);
    if (!r) r = flat_number(json, "top", 1, 1e6, 1e6, top, error);
    if (r) return r;
    v->wish = json;
    v->desc.full = flat_true(sup_json_get(json, "full"));
    r = flat_texts(sup_json_get(json, "joints"), "checkups: joints", v->arena, &v->desc.joints, &v->desc.joint_count, error);
    if (!r && c->skeleton.skin_joint_count == 0)
        r = sup_fail(error, SUP_ERROR_INPUT, "'%s' has no skin: there is no joint to check; give it joints with flat_weigh",
                     c->name);
    return r;
}

static sup_json* examine(visit* v, const char* description, const sup_chain* own, flat_listener* listener)
{
    sup_error*  error = &v->o->error;
    sup_meter*  meter = NULL;
    sup_checkup found;
    double      top;
    sup_json*   out = NULL;
    v->left_out = sup_json_new(v->arena, SUP_JSON_ARRAY);
    sup_result r = read_visit(v, description, &top);
    double     share = own && !sup_json_get(v->wish, "chains") ? 0 : BIND_SHARE;
    v->binding = (bar){ listener, 0, share }, v->running = (bar){ listener, share, 1 - share };
    if (listener->progress) {
        v->bind = (sup_progress){ report, &v->binding };
        v->run = (sup_progress){ report, &v->running };
        v->desc.progress = &v->run;
    }
    if (!r) r = bind_chains(v, own);
    if (!r) r = sup_meter_create(v->character, NULL, &meter, error);
    v->desc.meter = meter;
    if (!r) r = sup_checkup_run(&v->desc, v->arena, &found, error);
    if (!r) {
        out = sup_checkup_describe(&found, (uint32_t)top, v->arena);
        if (!sup_json_set(v->arena, out, "left_out", v->left_out))
            out = NULL, sup_fail(error, SUP_ERROR_MEMORY, "out of memory while writing an answer");
    }
    for (uint32_t i = 0; i < v->made_count; ++i) sup_chain_destroy(v->made[i]);
    sup_meter_destroy(meter);
    return out;
}

const char* flat_check(flat_handle handle, const char* description, flat_progress_fn* progress, void* user)
{
    int32_t      status;
    flat_object* o = flat_enter(handle, FLAT_CHARACTER | FLAT_CHAIN, &status);
    if (!o) return NULL;
    flat_object* character = flat_ancestor(o, FLAT_CHARACTER);
    bool         still = flat_read_begin(character);
    sup_arena*   arena = sup_arena_create(NULL);
    visit        v = { .o = o, .character = character->character, .arena = arena };
    v.desc.character = character->character;
    v.desc.tasks = flat_tasks(o);
#if defined(__wasm__)
    v.desc.in_turn = true; // its workers may not allocate
#endif
    if (!still) sup_fail(&o->error, SUP_ERROR_INPUT, "another thread is changing the character");
    else if (!arena) sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory");
    sup_json*   tree = still && arena ? examine(&v, description, o->chain, &(flat_listener){ progress, user }) : NULL;
    const char* text = tree ? flat_text(o, tree) : NULL;
    if (tree && !text) sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while writing an answer");
    if (still) flat_read_end(character);
    sup_arena_destroy(arena);
    flat_leave(o);
    return text;
}
