// The slopes that the corners of a triangle predict at a place in it, blended by distance. Each corner knows its waves as
// functions of the rest position, so a wave may be much shorter than the triangle.
#include "relief.h"

#include "picture_math.h"

// Radians by which a wave turns from one sample to the next: from the first on it fades, at the second it is gone, short of the
// pi beyond which samples would show another wave. The shader of bindings/js/src/relief.ts has the same.
static const float fades_from = 1.2f, fades_by = 2.8f;

sup_result relief_begin(const sup_instance* instance, const sup_mesh* mesh, const sup_vec3* points, sup_arena* arena,
                        relief* out, sup_error* error)
{
    uint32_t count = sup_instance_relief(instance, points, NULL, NULL);
    *out = (relief){ .rest = mesh->points, .points = points, .count = count };
    if (!count) return SUP_OK;
    out->ripples = sup_arena_alloc(arena, (size_t)mesh->point_count * count, sizeof *out->ripples);
    return out->ripples ? SUP_OK
                        : sup_fail(error, SUP_ERROR_MEMORY, "out of memory for the folds of %u points", mesh->point_count);
}

void relief_show(const sup_instance* instance, void* scratch, relief* r)
{
    if (r->count) sup_instance_relief(instance, r->points, scratch, r->ripples);
}

// The gradient of the height over the rest skin. Waves that samples cannot show fade: drawn, they would be noise.
static sup_vec3 slope_at(const relief* r, const uint32_t points[3], const float weights[3], const relief_step* step)
{
    sup_vec3 place = vec(0, 0, 0), slope = vec(0, 0, 0), across[2];
    for (int k = 0; k < 2; k++)
        across[k] = add(scale(sub(r->rest[points[1]], r->rest[points[0]]), step->second[k]),
                        scale(sub(r->rest[points[2]], r->rest[points[0]]), step->third[k]));
    for (int i = 0; i < 3; i++) place = mad(place, weights[i], r->rest[points[i]]);
    for (int i = 0; i < 3; i++) {
        sup_vec3 off = sub(place, r->rest[points[i]]);
        for (uint32_t k = 0; k < r->count; k++) {
            const sup_ripple* w = &r->ripples[(size_t)points[i] * r->count + k];
            if (w->height == 0.0f) continue;
            float drawn = 1.0f - smooth_step(fades_from, fades_by, hypotf(dot(w->wave, across[0]), dot(w->wave, across[1])));
            float angle = dot(w->wave, off), sine = w->sine * cosf(angle) + w->cosine * sinf(angle);
            slope = mad(slope, -weights[i] * drawn * w->height * sine, w->wave);
        }
    }
    return slope;
}

sup_vec3 relief_normal(const relief* r, const uint32_t points[3], const float weights[3], const relief_step* step,
                       sup_vec3 normal)
{
    sup_vec3 slope = slope_at(r, points, weights, step);
    if (dot(slope, slope) == 0.0f) return normal;
    // The posed gradient lies in the posed triangle and rises along its edges as much as the rest gradient does along theirs.
    sup_vec3 a = sub(r->points[points[1]], r->points[points[0]]), b = sub(r->points[points[2]], r->points[points[0]]);
    float    up_a = dot(slope, sub(r->rest[points[1]], r->rest[points[0]]));
    float    up_b = dot(slope, sub(r->rest[points[2]], r->rest[points[0]]));
    float    aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), det = aa * bb - ab * ab;
    if (!(det > 1e-6f * aa * bb)) return normal;
    sup_vec3 climb = add(scale(a, (bb * up_a - ab * up_b) / det), scale(b, (aa * up_b - ab * up_a) / det));
    sup_vec3 plane = cross(a, b);
    return unit_or(mad(normal, dot(plane, normal) < 0.0f ? 1.0f : -1.0f, climb), normal);
}
