// Binding a chain, and running its links on one frame.
#include "math/vec.h"
#include "run/runner.h"

#include <string.h>

#define STEP_STANDARD 0.005 // seconds; short enough for 200 Hz of contact, long enough to be cheap
#define STEP_MIN 1e-4
#define STEP_MAX 0.1
#define LOST_DIAGONALS 10.0f // a point farther than this from its skinned place is lost

// ---------------------------------------------------------------------------------------------- running

run_scratch scratch_cut(const sup_chain* chain, void* scratch)
{
    uint8_t* p = scratch;
    size_t   n = chain->points_size;
    SUP_ASSERT((uintptr_t)scratch % 64 == 0);
    return (run_scratch){ (sup_vec3*)p,           (sup_vec3*)(p + n),     (sup_vec3*)(p + 2 * n),
                          (sup_vec3*)(p + 3 * n), (sup_vec3*)(p + 4 * n), p + 4 * n + chain->carriers_size };
}

size_t sup_chain_scratch_size(const sup_chain* chain)
{
    return 4 * chain->points_size + chain->carriers_size + sup_align(chain->link_scratch, 64) + 64;
}

// Whether no coordinate differs by more than the limit. A plain loop over numbers, which compilers vectorize. False for NaN.
static bool coordinates_within(const float* a, const float* b, size_t count, float limit)
{
    int32_t beyond = 0;
    for (size_t i = 0; i < count; ++i) beyond |= !(fabsf(a[i] - b[i]) <= limit);
    return !beyond;
}

static bool all_within(const sup_vec3* points, const sup_vec3* skinned, uint32_t count, float limit2)
{
    const float axis = 0.57f; // below 1 / sqrt(3): for nearly every frame a cube inside the ball decides
    if (coordinates_within(&points->x, &skinned->x, 3 * (size_t)count, axis * sqrtf(limit2))) return true;
    bool near = true;
    for (uint32_t i = 0; i < count; ++i) near &= v3_length2(v3_sub(points[i], skinned[i])) <= limit2;
    return near;
}

static float diagonal_of(const sup_vec3* points, uint32_t count)
{
    sup_vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3(-INFINITY, -INFINITY, -INFINITY);
    for (uint32_t i = 0; i < count; ++i) {
        if (!v3_finite(points[i])) continue;
        low = v3_min(low, points[i]);
        high = v3_max(high, points[i]);
    }
    return v3_length(v3_sub(high, low)); // infinite where no coordinate is finite: then nothing counts as near
}

bool points_near(const sup_mesh* mesh, const sup_vec3* points, const sup_vec3* skinned, float* limit2)
{
    float limit = LOST_DIAGONALS * mesh->diagonal;
    *limit2 = limit * limit;
    if (all_within(points, skinned, mesh->point_count, *limit2)) return true;
    // Rare, so the larger box is computed only here.
    float posed = LOST_DIAGONALS * diagonal_of(skinned, mesh->point_count);
    if (!(posed > limit)) return false;
    *limit2 = posed * posed;
    return all_within(points, skinned, mesh->point_count, *limit2);
}

static bool all_short(const sup_vec3* displacements, size_t count, float limit)
{
    bool short_all = true;
    for (size_t i = 0; i < count; ++i) short_all &= v3_length2(displacements[i]) <= limit * limit;
    return short_all;
}

bool displacements_near(const sup_mesh* mesh, const sup_vec3* displacements, size_t count, const sup_vec3* skinned)
{
    return all_short(displacements, count, LOST_DIAGONALS * mesh->diagonal) ||
           (skinned && all_short(displacements, count, LOST_DIAGONALS * diagonal_of(skinned, mesh->point_count)));
}

void displacements_blend(const run_displacements* displacements, size_t offset, size_t count, sup_vec3* out)
{
    const sup_vec3 *d0 = displacements->before + offset, *d1 = displacements->after + offset;
    float           share = (float)displacements->ratio;
    for (size_t i = 0; i < count; ++i) out[i] = displacements->ratio == 1.0 ? d1[i] : v3_lerp(d0[i], d1[i], share);
}

// At an instant there is no motion to reset: lost points go back one by one. Points that were lost on arrival are not this
// link's doing: a dynamic link before it must still be seen to have lost them.
static void return_lost(const sup_chain* chain, const sup_frame* frame, sup_vec3* out)
{
    const sup_mesh* mesh = &chain->character->mesh;
    const sup_vec3 *from = frame->points, *skinned = frame->skinned;
    float           limit2;
    uint64_t        lost = 0;
    if (points_near(mesh, out, skinned, &limit2)) return;
    for (uint32_t i = 0; i < mesh->point_count; ++i) {
        if (v3_length2(v3_sub(out[i], skinned[i])) <= limit2) continue;
        if (!(v3_length2(v3_sub(from[i], skinned[i])) <= limit2)) continue;
        out[i] = skinned[i];
        lost++;
    }
    sup_stats_add(frame->stats, "runner.points_lost", lost);
}

void link_run(const sup_chain* chain, uint32_t index, const uint8_t* params, uint8_t* state, const sup_frame* frame,
              const run_displacements* displacements, const run_scratch* s, sup_vec3* out)
{
    const link* l = &chain->links[index];
    const void* p = params + l->params_offset;
    uint32_t    carriers = l->binding.carriers;
    if (carriers && displacements) displacements_blend(displacements, l->displacement_offset, carriers, s->displacements);
    else l->deformer->evaluate(&l->binding, p, frame, state, s->link, carriers ? s->displacements : out);
    if (carriers) l->deformer->present(&l->binding, p, frame, s->displacements, s->link, out);
    bool instant = l->binding.state_size == 0 || (carriers && displacements);
    if (index > 0 && instant) return_lost(chain, frame, out);
}

const sup_vec3* links_run(const sup_chain* chain, uint32_t begin, uint32_t end, const uint8_t* params, uint8_t* state,
                          const sup_frame* given, const run_displacements* displacements, const run_scratch* s,
                          const sup_vec3* points, sup_vec3* out)
{
    sup_frame frame = *given;
    if (begin == 0) points = sup_pose_morph(chain->character, frame.end, s->morphed);
    for (uint32_t i = begin; i < end; ++i) {
        const link* l = &chain->links[i];
        // The last link writes straight to the caller's memory: copying from scratch would cost a fifth of the skinning time.
        sup_vec3* to = i + 1 == end && out ? out : i == 0 ? s->skinned : points == s->a ? s->b : s->a;
        frame.points = points;
        frame.skinned = i == 0 ? NULL : s->skinned;
        link_run(chain, i, params, state ? state + l->state_offset : NULL, &frame, displacements, s, to);
        points = to;
    }
    if (out && points != out) {
        memcpy(out, points, chain->character->mesh.point_count * sizeof *out);
        points = out;
    }
    return points;
}

void sup_frame_pose(const sup_frame* frame, uint32_t i, uint32_t n, sup_pose* out)
{
    SUP_ASSERT(n > 0 && i <= n);
    if (i == n) sup_pose_copy(frame->end, out);
    else if (i == 0 && frame->start) sup_pose_copy(frame->start, out);
    else frame->sampler->pose(frame->sampler, frame->time - frame->dt + frame->dt * ((double)i / n), out);
}

// ---------------------------------------------------------------------------------------------- prefix

static void sample_prefix(const sup_sampler* sampler, double time, sup_pose* out)
{
    const sup_prefix* before = sampler->user;
    sup_clip_sample(before->chain->character, before->chain->clip, time, out);
}

sup_result sup_prefix_pose(const sup_prefix* before, const sup_pose* pose, double time, sup_vec3* out, sup_error* error)
{
    const sup_chain* chain = before->chain;
    for (uint32_t i = 0; i < before->link; ++i)
        if (chain->links[i].binding.state_size > 0)
            return sup_fail(error, SUP_ERROR_INPUT, "%s cannot follow %s, which is dynamic; put it before",
                            chain->links[before->link].deformer->name, chain->links[i].deformer->name);
    sup_sampler      sampler = { sample_prefix, (void*)before };
    world_workspace* work = (world_workspace*)&before->work;
    world_resolve(chain, &chain->world, &(world_moment){ time, time, pose, pose, before->tasks }, before->params,
                  before->resolved, work);
    sup_frame   frame = { .time = time,
                          .start = pose,
                          .end = pose,
                          .carry = rigid_identity(),
                          .world = &work->world,
                          .tasks = before->tasks,
                          .sampler = &sampler };
    run_scratch s = scratch_cut(chain, before->scratch);
    links_run(chain, 0, before->link, before->resolved, NULL, &frame, NULL, &s, NULL, out);
    return SUP_OK;
}

sup_result sup_prefix_points(const sup_prefix* before, double time, sup_vec3* out, sup_error* error)
{
    const sup_chain* chain = before->chain;
    if (!chain->clip)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "%s evaluates the links before it over time, which needs a clip; give one with --clip",
                        chain->links[before->link].deformer->name);
    sup_pose* pose = (sup_pose*)&before->pose;
    sup_clip_sample(chain->character, chain->clip, time, pose);
    return sup_prefix_pose(before, pose, time, out, error);
}

// ---------------------------------------------------------------------------------------------- binding

static sup_result check_needs(const sup_chain* chain, const sup_deformer* d, bool show, sup_error* error)
{
    const sup_character* c = chain->character;
    if (d->needs & SUP_NEEDS_CLIP && !chain->clip)
        return sup_fail(error, SUP_ERROR_INPUT, "%s: needs a clip to look ahead in; give one with --clip", d->name);
    // Known forces can move curves without any sculpt; the link itself reports when they do not apply.
    bool bare = chain->world.force_count > 0 || (show && d->draw);
    if (d->needs & SUP_NEEDS_EXAMPLES && c->example_count == 0 && !bare)
        return sup_fail(error, SUP_ERROR_INPUT, "%s: '%s' has no example shapes; give them with --example T=FILE", d->name,
                        c->name);
    if (d->needs & SUP_NEEDS_WEIGHTS && c->skeleton.skin_joint_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "%s: '%s' has no skeleton; give one with --skeleton, or use a rigged character",
                        d->name, c->name);
    if (d->needs & SUP_NEEDS_CLOSED) {
        sup_mesh_report report;
        sup_result      r = sup_mesh_examine(&c->mesh, &report, error);
        if (r) return r;
        if (!report.closed)
            return sup_fail(error, SUP_ERROR_INPUT, "%s: '%s' is not closed (%u boundary edges); close its holes first",
                            d->name, c->name, report.boundary_edges);
    }
    return SUP_OK;
}

// What sup_prefix_points needs in order to run the links bound so far.
static sup_result prepare_prefix(chain_builder* b, uint32_t index, sup_prefix* prefix)
{
    sup_chain* chain = b->chain;
    prefix->chain = chain;
    prefix->link = index;
    prefix->tasks = b->desc->tasks;
    prefix->scratch = sup_arena_alloc(b->temporary, 1, sup_chain_scratch_size(chain));
    prefix->params = sup_arena_alloc(b->temporary, 1, chain->params_size);
    prefix->resolved = sup_arena_alloc(b->temporary, 1, chain->params_size);
    if (!prefix->scratch || !prefix->params || !prefix->resolved ||
        !world_workspace_create(&chain->world, b->temporary, &prefix->work))
        return sup_fail_memory(b->error, "a chain");
    for (uint32_t i = 0; i < index; ++i)
        memcpy(prefix->params + chain->links[i].params_offset, chain->links[i].params, chain->links[i].deformer->params_size);
    return sup_pose_create(chain->character, b->temporary, &prefix->pose, b->error);
}

/// One link's share of the progress bar.
typedef struct link_span {
    const sup_progress* progress;
    double              index, count;
} link_span;

static bool report_link(void* user, double share, const char* what)
{
    const link_span* s = user;
    return sup_progress_report(s->progress, (s->index + share) / s->count, what);
}

static sup_result bind_link(chain_builder* b, uint32_t index)
{
    sup_chain*  chain = b->chain;
    link*       l = &chain->links[index];
    sup_prefix* prefix = SUP_NEW(b->temporary, sup_prefix, 1);
    if (!prefix) return sup_fail_memory(b->error, "a chain");
    sup_result r = check_needs(chain, l->deformer, b->desc->show, b->error);
    if (!r) r = link_fields(chain, l, b->error);
    if (!r && index > 0) r = prepare_prefix(b, index, prefix);
    if (r) return r;
    link_span      span = { b->desc->progress, index, chain->link_count };
    sup_progress   progress = { report_link, &span };
    sup_bind_input in = { .character = chain->character,
                          .show = b->desc->show,
                          .clip = chain->clip,
                          .before = prefix,
                          .skinning = chain->links[0].deformer->skinning,
                          .params = l->params,
                          .fields = l->fields,
                          .tasks = b->desc->tasks,
                          .progress = &progress,
                          .world = &chain->world,
                          .notes = &chain->notes,
                          .cycle_begin = b->desc->cycle_begin,
                          .cycle_end = b->desc->cycle_end };
    chain->notes.who = l->deformer->name;
    r = l->deformer->bind(&in, chain->arena, &l->binding, b->error);
    if (r) return r;
    // A deformer that always has state declares it; others may have state in some bindings only (one driven by a pose, say).
    SUP_ASSERT(l->binding.state_size > 0 ? l->deformer->reset != NULL : !l->deformer->dynamic);
    SUP_ASSERT(l->binding.carriers == 0 || (l->deformer->present && l->binding.state_size > 0));
    l->state_offset = chain->state_size;
    chain->state_size += sup_align(l->binding.state_size, 64);
    if (l->binding.scratch_size > chain->link_scratch) chain->link_scratch = l->binding.scratch_size;
    if (l->binding.state_size > 0) chain->dynamic_end = index + 1;
    if (l->binding.state_size > 0 && l->binding.carriers == 0) chain->stepped_end = index + 1;
    size_t carriers = sup_align(l->binding.carriers * sizeof(sup_vec3), 64);
    if (carriers > chain->carriers_size) chain->carriers_size = carriers;
    if ((r = link_idle(b, index, &in))) return r;
    return sup_progress_report(b->desc->progress, (index + 1.0) / chain->link_count, "binding")
               ? SUP_OK
               : sup_fail(b->error, SUP_ERROR_CANCELLED, "cancelled while binding %s", l->deformer->name);
}

// Where the displacements of a step are stored: those of the skin, then those of all carriers.
static void place_displacements(sup_chain* chain)
{
    chain->displacement_count = chain->stepped_end ? chain->character->mesh.point_count : 0;
    for (uint32_t i = chain->stepped_end; i < chain->dynamic_end; ++i) {
        chain->links[i].displacement_offset = chain->displacement_count;
        chain->displacement_count += chain->links[i].binding.carriers;
    }
}

// The longest step that every dynamic link accepts.
static double shortest_step(const sup_chain* chain)
{
    double least = STEP_MAX;
    bool   any = false;
    for (uint32_t i = 0; i < chain->link_count; ++i) {
        const sup_deformer* d = chain->links[i].deformer;
        double              step = d->step > 0 ? d->step : STEP_STANDARD;
        if (chain->links[i].binding.state_size == 0) continue;
        any = true;
        least = step < least ? step : least;
    }
    return any ? least : STEP_STANDARD;
}

sup_result sup_chain_create(const sup_chain_desc* desc, sup_chain** out, sup_error* error)
{
    SUP_ASSERT(desc->character);
    if (desc->step != 0 && !(desc->step >= STEP_MIN && desc->step <= STEP_MAX))
        return sup_fail(error, SUP_ERROR_INPUT, "the step cannot be %g ms; give 0.1 to 100", desc->step * 1000);
    sup_arena* arena = sup_arena_create(desc->allocator);
    if (!arena) return sup_fail_memory(error, "a chain");
    sup_chain* chain = SUP_NEW(arena, sup_chain, 1);
    if (!chain) {
        sup_arena_destroy(arena);
        return sup_fail_memory(error, "a chain");
    }
    *chain = (sup_chain){ .arena = arena, .character = desc->character, .clip = desc->clip, .step = desc->step };
    chain->points_size = sup_align(((size_t)desc->character->mesh.point_count + 8) * sizeof(sup_vec3), 64);
    chain_builder b = { desc, chain, sup_arena_create(desc->allocator), error, NULL };
    sup_result    r = b.temporary ? chain_parse(&b) : sup_fail_memory(error, "a chain");
    for (uint32_t i = 0; !r && i < chain->link_count; ++i) {
        chain->links[i].params_offset = chain->params_size;
        chain->params_size += sup_align(chain->links[i].deformer->params_size, 16);
    }
    if (!r && !sup_notes_begin(&chain->notes, arena)) r = sup_fail_memory(error, "a chain");
    if (!r) r = world_parse(&b);
    for (uint32_t i = 0; !r && i < chain->link_count; ++i) r = bind_link(&b, i);
    if (!r && chain->step == 0) chain->step = shortest_step(chain);
    if (!r) place_displacements(chain);
    if (!r && !sup_notes_end(&chain->notes)) r = sup_fail_memory(error, "a chain");
    sup_arena_destroy(b.temporary);
    if (r) sup_arena_destroy(arena);
    else *out = chain;
    return r;
}

void sup_chain_destroy(sup_chain* chain)
{
    if (chain) sup_arena_destroy(chain->arena);
}

uint32_t            sup_chain_link_count(const sup_chain* chain) { return chain->link_count; }
const sup_deformer* sup_chain_link(const sup_chain* chain, uint32_t i)
{
    return i < chain->link_count ? chain->links[i].deformer : NULL;
}
const void* sup_chain_params(const sup_chain* chain, uint32_t i)
{
    return i < chain->link_count ? chain->links[i].params : NULL;
}

sup_result sup_chain_save(const sup_chain* chain, uint32_t index, sup_arena* arena, const void** bytes, size_t* size,
                          sup_error* error)
{
    SUP_ASSERT(index < chain->link_count);
    const link* l = &chain->links[index];
    if (!l->deformer->save)
        return sup_fail(error, SUP_ERROR_INPUT, "%s has no runtime file to save; bake to a cache or GLB instead",
                        l->deformer->name);
    return l->deformer->save(&l->binding, arena, bytes, size, error);
}

const char* sup_chain_save_note(const sup_chain* chain, uint32_t index)
{
    SUP_ASSERT(index < chain->link_count);
    const link* l = &chain->links[index];
    return l->deformer->save_note ? l->deformer->save_note(&l->binding) : NULL;
}

bool sup_chain_count(const sup_chain* chain, uint32_t index, char* text, size_t size)
{
    SUP_ASSERT(index < chain->link_count);
    const link* l = &chain->links[index];
    if (l->deformer->count) l->deformer->count(&l->binding, text, size);
    return l->deformer->count != NULL;
}

const char* sup_chain_idle(const sup_chain* chain, uint32_t index, uint32_t param)
{
    SUP_ASSERT(index < chain->link_count && param < chain->links[index].deformer->param_count);
    return chain->links[index].idle[param];
}
const char* sup_chain_inert(const sup_chain* chain, uint32_t index)
{
    SUP_ASSERT(index < chain->link_count);
    return chain->links[index].inert;
}

bool sup_chain_only_skins(const sup_chain* chain)
{
    bool inert = chain->link_count > 1;
    for (uint32_t k = 1; k < chain->link_count; ++k) inert &= chain->links[k].inert != NULL;
    return inert;
}

bool        sup_chain_dynamic(const sup_chain* chain) { return chain->dynamic_end > 0; }
const char* sup_chain_text(const sup_chain* chain) { return chain->text; }
uint32_t    sup_chain_note_count(const sup_chain* chain) { return chain->notes.count; }
const char* sup_chain_note(const sup_chain* chain, uint32_t i) { return i < chain->notes.count ? chain->notes.texts[i] : NULL; }

// In frames: a span that falls short of a whole number by less than this counts as that number, because (end - start) fps is
// rounded. And the longest span, which fits 32 bits.
static const double FRAME_SLACK = 1e-6, FRAMES_MAX = 4e9;

uint32_t sup_frame_count(double start, double end, double fps, bool loop)
{
    double span = (end - start) * fps;
    if (!(span > 0)) return 1;
    if (span > FRAMES_MAX) span = FRAMES_MAX;
    uint32_t frames = (uint32_t)(span + FRAME_SLACK) + 1;
    bool     last_on_end = (double)(frames - 1) > span - FRAME_SLACK;
    return loop && last_on_end && frames > 1 ? frames - 1 : frames;
}

double sup_frame_time(double start, double fps, uint32_t frame) { return start + (double)frame / fps; }
