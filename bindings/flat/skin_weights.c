// Skin weights from the caller, rounded to steps that every file reproduces bit for bit.
#include "handles.h"

#include <math.h>
#include <string.h>

#define STEPS 4194304.0 // 2^22 steps sum to 1: each step is a float, and so is every sum of them up to 1

typedef struct influence {
    uint32_t joint;
    double   value; // first the weight, then its steps
} influence;

static bool before(influence a, influence b) { return a.value != b.value ? a.value > b.value : a.joint < b.joint; }

static void put_sorted(influence* row, uint32_t count, influence one)
{
    for (; count && before(one, row[count - 1]); --count) row[count] = row[count - 1];
    row[count] = one;
}

/// Merges joints that are named twice. Returns how many are left.
static uint32_t merge_row(const uint32_t* joints, const float* values, uint32_t count, influence* row)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = 0;
        if (!(values[i] > 0)) continue;
        while (at < kept && row[at].joint != joints[i]) ++at;
        if (at == kept) row[kept++] = (influence){ joints[i], 0 };
        row[at].value += (double)values[i];
    }
    return kept;
}

/// Rounds to whole steps with the right sum; the largest absorbs the rounding. Returns how many influences are not zero.
static uint32_t round_row(influence* row, uint32_t count, influence* out)
{
    double   sum = 0, left = STEPS;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) sum += row[i].value;
    for (uint32_t i = 0; i < count; ++i) {
        double steps = floor(row[i].value / sum * STEPS + 0.5);
        if (steps < 1) continue;
        left -= steps;
        put_sorted(out, kept++, (influence){ row[i].joint, steps });
    }
    if (!kept) return 0;
    influence first = out[0];
    first.value += left;
    memmove(out, out + 1, (kept - 1) * sizeof *out);
    put_sorted(out, kept - 1, first); // it may no longer be the largest
    return kept;
}

typedef struct rows {
    const uint32_t* begin;
    const uint32_t* joints;
    const float*    values;
    uint32_t        widest;
} rows;

static sup_result check_rows(const sup_character* c, rows* r, uint64_t begin_count, uint64_t count, sup_error* error)
{
    uint32_t points = c->mesh.point_count;
    if (!r->begin || begin_count != (uint64_t)points + 1 || r->begin[0] != 0 || r->begin[points] != count || !r->joints ||
        !r->values)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "weights of '%s': give %u numbers in begin, from 0 to the number of joints and values (%llu)", c->name,
                        points + 1, (unsigned long long)count);
    for (uint32_t p = 0; p < points; ++p) {
        uint32_t first = r->begin[p], last = r->begin[p + 1];
        double   sum = 0;
        if (last < first || last > count)
            return sup_fail(error, SUP_ERROR_INPUT, "weights: begin falls from %u to %u after point %u", first, last, p);
        for (uint32_t i = first; i < last; ++i) {
            if (r->joints[i] >= c->skeleton.joint_count || !c->skeleton.joints[r->joints[i]].skin_joint)
                return sup_fail(error, SUP_ERROR_INPUT, "weights: point %u follows joint %u, which moves no skin of '%s'", p,
                                r->joints[i], c->name);
            if (!isfinite(r->values[i]) || r->values[i] < 0)
                return sup_fail(error, SUP_ERROR_INPUT, "weights: one of point %u is negative or not finite", p);
            sum += (double)r->values[i];
        }
        if (!(sum > 0)) return sup_fail(error, SUP_ERROR_INPUT, "weights: point %u follows no joint", p);
        if (last - first > r->widest) r->widest = last - first;
    }
    return SUP_OK;
}

/// Parts that followed one joint as a whole, and no longer do, are skinned like others.
static sup_result free_parts(sup_character* c, const sup_weights* w, sup_error* error)
{
    sup_part* parts = sup_arena_alloc(c->arena, c->mesh.part_count, sizeof *parts);
    if (!parts) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while setting weights");
    memcpy(parts, c->mesh.parts, c->mesh.part_count * sizeof *parts);
    for (uint32_t i = 0; i < c->mesh.part_count; ++i)
        for (uint32_t p = parts[i].point_begin; p < parts[i].point_begin + parts[i].point_count; ++p)
            if (w->begin[p + 1] - w->begin[p] != 1 || w->joints[w->begin[p]] != parts[i].joint) parts[i].joint = SUP_NONE;
    c->mesh.parts = parts;
    return SUP_OK;
}

static sup_result put_weights(sup_character* c, const rows* r, uint64_t count, sup_error* error)
{
    uint32_t   points = c->mesh.point_count, *begin = sup_arena_alloc(c->arena, (size_t)points + 1, sizeof *begin);
    uint32_t*  joints = sup_arena_alloc(c->arena, (size_t)count + 8, sizeof *joints); // kernels read whole lanes
    float*     values = sup_arena_alloc(c->arena, (size_t)count + 8, sizeof *values);
    influence* row = sup_arena_alloc(c->arena, 2 * (size_t)r->widest, sizeof *row);
    if (!begin || !joints || !values || !row) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while setting weights");
    sup_weights w = { .begin = begin, .joints = joints, .values = values, .sum_min = 1, .sum_max = 1 };
    begin[0] = 0;
    for (uint32_t p = 0; p < points; ++p) {
        influence* out = row + r->widest;
        uint32_t   first = r->begin[p], at = begin[p];
        uint32_t   kept = round_row(row, merge_row(r->joints + first, r->values + first, r->begin[p + 1] - first, row), out);
        for (uint32_t i = 0; i < kept; ++i) joints[at + i] = out[i].joint, values[at + i] = (float)(out[i].value / STEPS);
        begin[p + 1] = at + kept;
        if (kept > w.influences_max) w.influences_max = kept;
    }
    sup_result result = free_parts(c, &w, error);
    if (result) return result;
    c->weights = w;
    // OBJ and PLY files contain no weights to differ from.
    if (c->source_format && !strcmp(c->source_format, "gltf")) c->source_format = "gltf weights";
    return SUP_OK;
}

int32_t flat_weights(flat_handle character, const uint32_t* begin, uint64_t begin_count, const uint32_t* joints,
                     const float* values, uint64_t count)
{
    int32_t      status;
    flat_object* o = flat_enter_to_change(character, &status);
    if (!o) return status;
    rows       r = { begin, joints, values, 0 };
    sup_result result = check_rows(o->character, &r, begin_count, count, &o->error);
    if (!result) result = put_weights(o->character, &r, count, &o->error);
    flat_leave(o);
    return (int32_t)result;
}
