// Where limbs meet (groin, armpits, knuckles) neighbors take from unrelated curves. There every point's list of curves and
// shares is repeatedly replaced by the mean of its neighbors' lists, so that the skin blends from one to the other without a
// step.
#include "geom/curves/curves_internal.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { ENTRIES = 8, EDGES_STANDARD = 5, EDGES_MOST = 8, EDGES_LEAST = 2 };
/// Averaging passes per edge of reach: shares spread with the square root of the number of passes.
#define PASSES_PER_EDGE 2.4f
/// A third curve with a smaller share is left out.
#define SHARE_LEAST 0.004f

typedef struct entry_list {
    uint32_t count;
    uint32_t curve[ENTRIES];
    float    share[ENTRIES];
} entry_list;

typedef struct blender {
    const sup_curve_skin* skin;
    const sup_polylines*  lines;
    sup_curve_share*      shares;
    sup_arena*            work;
    uint32_t *            begin, *ring; ///< neighbors of every point
    uint8_t*              edges;        ///< 1 where curves meet, growing from there; 0: not blended
    uint32_t *            zone, *place; ///< the points that are blended, and their indices in that list plus 1
    uint32_t              count;
    entry_list *          lists, *next;
} blender;

static uint32_t limb_of(const blender* b, uint32_t p) { return b->skin->limbs ? b->skin->limbs[p] : 0; }

/// Whether two neighbors take from curves that are not beside each other.
static bool torn(const blender* b, uint32_t p, uint32_t q)
{
    // Skin without a limb fades out from the nearest curve: that is smooth already.
    if (limb_of(b, p) == SUP_NONE || limb_of(b, q) == SUP_NONE) return false;
    if (limb_of(b, p) != limb_of(b, q)) return true;
    const sup_curve_share *s = &b->shares[p], *t = &b->shares[q];
    if (b->lines->below || s->curve[0] == SUP_NONE || t->curve[0] == SUP_NONE) return false;
    // Within a limb, only where a plane cut one ring here and pieces of one there.
    if (b->lines->curves[s->curve[0]].closed == b->lines->curves[t->curve[0]].closed) return false;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k) {
            if (s->curve[i] == SUP_NONE || t->curve[k] == SUP_NONE) continue;
            if (s->curve[i] == t->curve[k]) return false;
            const uint32_t* sides = b->lines->curves[s->curve[i]].sides;
            if (sides[0] == t->curve[k] || sides[1] == t->curve[k]) return false;
        }
    return true;
}

/// Neighbors by edges; an inner edge occurs in both of its triangles and counts twice.
static bool find_neighbors(blender* b)
{
    uint32_t n = b->skin->point_count;
    b->begin = SUP_NEW(b->work, uint32_t, (size_t)n + 2), b->edges = SUP_NEW(b->work, uint8_t, n);
    b->ring = SUP_NEW(b->work, uint32_t, 6 * (size_t)b->skin->triangle_count);
    if (!b->begin || !b->edges || !b->ring) return false;
    for (uint32_t i = 0; i < 3 * b->skin->triangle_count; ++i) b->begin[b->skin->triangles[i] + 2] += 2;
    for (uint32_t i = 0; i < n; ++i) b->begin[i + 2] += b->begin[i + 1];
    for (uint32_t t = 0; t < b->skin->triangle_count; ++t)
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t p = b->skin->triangles[3 * (size_t)t + k], q = b->skin->triangles[3 * (size_t)t + (k + 1) % 3];
            b->ring[b->begin[p + 1]++] = q, b->ring[b->begin[q + 1]++] = p;
            if (torn(b, p, q)) b->edges[p] = b->edges[q] = 1;
        }
    return true;
}

static float mean_edge(const blender* b)
{
    double   sum = 0;
    uint32_t count = 3 * b->skin->triangle_count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t p = b->skin->triangles[i], q = b->skin->triangles[i % 3 == 2 ? i - 2 : i + 1];
        sum += (double)v3_distance(b->skin->points[p], b->skin->points[q]);
    }
    return count ? (float)(sum / count) : 0;
}

static bool gather(blender* b, uint32_t reach)
{
    uint32_t n = b->skin->point_count;
    for (uint32_t far = 1; far < reach; ++far)
        for (uint32_t p = 0; p < n; ++p)
            for (uint32_t k = b->begin[p]; b->edges[p] == far && k < b->begin[p + 1]; ++k)
                if (!b->edges[b->ring[k]]) b->edges[b->ring[k]] = (uint8_t)(far + 1);
    for (uint32_t p = 0; p < n; ++p) b->count += b->edges[p] > 0;
    b->zone = SUP_NEW(b->work, uint32_t, b->count), b->place = SUP_NEW(b->work, uint32_t, n);
    b->lists = SUP_NEW(b->work, entry_list, b->count), b->next = SUP_NEW(b->work, entry_list, b->count);
    if (!b->zone || !b->place || !b->lists || !b->next) return false;
    for (uint32_t p = 0, i = 0; p < n; ++p)
        if (b->edges[p]) b->zone[i] = p, b->place[p] = ++i;
    return true;
}

/// Adds a share to a curve; if the list is full, replaces the smallest entry.
static void add(entry_list* l, uint32_t curve, float share)
{
    uint32_t least = 0;
    for (uint32_t i = 0; i < l->count; ++i) {
        if (l->curve[i] == curve) {
            l->share[i] += share;
            return;
        }
        if (l->share[i] < l->share[least]) least = i;
    }
    if (l->count == ENTRIES && !(share > l->share[least])) return;
    uint32_t at = l->count < ENTRIES ? l->count++ : least;
    l->curve[at] = curve, l->share[at] = share;
}

static void add_own(const sup_curve_share* s, entry_list* l, float by)
{
    for (uint32_t k = 0; k < 2; ++k) {
        float share = s->share[2 * k] + s->share[2 * k + 1];
        if (s->curve[k] != SUP_NONE && share != 0) add(l, s->curve[k], by * share);
    }
}

static void mix(blender* b)
{
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t    p = b->zone[i];
        entry_list* to = &b->next[i];
        float       by = 1.0f / (float)(b->begin[p + 1] - b->begin[p]);
        to->count = 0;
        for (uint32_t k = b->begin[p]; k < b->begin[p + 1]; ++k) {
            uint32_t q = b->ring[k];
            if (!b->edges[q]) {
                add_own(&b->shares[q], to, by);
                continue;
            }
            const entry_list* from = &b->lists[b->place[q] - 1];
            for (uint32_t e = 0; e < from->count; ++e) add(to, from->curve[e], by * from->share[e]);
        }
    }
    entry_list* swap = b->lists;
    b->lists = b->next, b->next = swap;
}

/// Largest first, rescaled to the former sum. Returns how many of the first four count.
static uint32_t sort_list(entry_list* l)
{
    float total = 0, kept = 0;
    for (uint32_t i = 0; i < l->count; ++i) {
        total += l->share[i];
        for (uint32_t k = i; k > 0 && l->share[k - 1] < l->share[k]; --k) {
            float    share = l->share[k];
            uint32_t curve = l->curve[k];
            l->share[k] = l->share[k - 1], l->curve[k] = l->curve[k - 1], l->share[k - 1] = share, l->curve[k - 1] = curve;
        }
    }
    uint32_t count = l->count < 4 ? l->count : 4;
    while (count > 2 && l->share[count - 1] < SHARE_LEAST) --count;
    for (uint32_t i = 0; i < count; ++i) kept += l->share[i];
    for (uint32_t i = 0; i < 4; ++i) {
        if (i >= count) l->curve[i] = SUP_NONE, l->share[i] = 0;
        else if (kept > 0) l->share[i] *= total / kept;
    }
    return count;
}

static bool write_shares(blender* b, const transfer_job* j, sup_arena* arena, sup_curve_transfer* out)
{
    uint32_t*        more = SUP_NEW(arena, uint32_t, b->count);
    sup_curve_share* shares = SUP_NEW(arena, sup_curve_share, b->count);
    if (!more || !shares) return false;
    for (uint32_t i = 0; i < b->count; ++i) {
        entry_list* l = &b->lists[i];
        sup_vec3    p = b->skin->points[b->zone[i]];
        uint32_t    count = sort_list(l);
        transfer_stand(j, p, l->curve, l->share, &b->shares[b->zone[i]]);
        if (count <= 2) continue;
        more[out->more_count] = b->zone[i];
        transfer_stand(j, p, l->curve + 2, l->share + 2, &shares[out->more_count++]);
    }
    out->more = more, out->more_shares = shares;
    return true;
}

sup_result transfer_blend(const transfer_job* j, const sup_curve_skin* skin, sup_curve_share* shares, sup_arena* arena,
                          sup_curve_transfer* out, sup_error* error)
{
    blender b = { .skin = skin, .lines = &out->lines, .shares = shares, .work = sup_arena_beside(arena) };
    bool    good = b.work && (!out->lines.curves || find_neighbors(&b));
    if (good && out->lines.curves) {
        float    edge = mean_edge(&b), wide = skin->blend > 0 && edge > 0 ? skin->blend / edge + 0.5f : EDGES_STANDARD;
        uint32_t reach = (uint32_t)sup_clampf(wide, EDGES_LEAST, EDGES_MOST);
        good = gather(&b, reach);
        for (uint32_t i = 0; good && i < b.count; ++i) add_own(&shares[b.zone[i]], &b.lists[i], 1);
        for (uint32_t pass = 0; good && b.count && pass < (uint32_t)(PASSES_PER_EDGE * (float)reach); ++pass) mix(&b);
        good = good && (b.count == 0 || write_shares(&b, j, arena, out));
    }
    sup_arena_destroy(b.work);
    return good ? SUP_OK : sup_fail_memory(error, "curves");
}
