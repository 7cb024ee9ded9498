// The side from which --focus is best visible: a hand behind the back is hidden from the front.
#include "stage_internal.h"

static const picture_camera sides[] = { { 38, 16, 0 },  { -38, 16, 0 },  { 90, 16, 0 }, { -90, 16, 0 },
                                        { 142, 16, 0 }, { -142, 16, 0 }, { 38, 60, 0 }, { -142, 60, 0 } };

_Static_assert(sizeof sides / sizeof *sides == STAGE_SIDES, "as many counts as sides");

/// Whether the ray from p crosses the triangle between `near` and `far`.
static bool ray_crosses(sup_vec3 p, sup_vec3 ray, float near, float far, sup_vec3 a, sup_vec3 b, sup_vec3 c)
{
    sup_vec3 e1 = sub(b, a), e2 = sub(c, a), h = cross(ray, e2), s = sub(p, a);
    float    det = dot(e1, h);
    if (!(fabsf(det) > 1e-30f)) return false;
    float u = dot(s, h) / det;
    if (!(u >= 0 && u <= 1)) return false;
    sup_vec3 q = cross(s, e1);
    float    v = dot(ray, q) / det, t = dot(e2, q) / det;
    return v >= 0 && u + v <= 1 && t > near && t < far;
}

static bool is_hidden(const sup_mesh* mesh, const sup_vec3* points, sup_vec3 p, sup_vec3 ray, float near, float far)
{
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t* t = mesh->triangles + 3 * (size_t)i;
        if (ray_crosses(p, ray, near, far, points[t[0]], points[t[1]], points[t[2]])) return true;
    }
    return false;
}

void stage_sight_measure(stage* s)
{
    // Frames 0, 1, 2, 4, 8 and so on represent a film well enough.
    uint32_t frame = s->sight_frames++;
    if (!s->focused || (frame & (frame - 1)) != 0) return;
    const sup_mesh* mesh = &s->d.character->mesh;
    const sup_vec3* points = s->actors[0].points;
    uint32_t        focused = 0, samples = 2000000 / (mesh->triangle_count + 1), seen = 0;
    samples = samples < 8 ? 8 : samples > 48 ? 48 : samples;
    for (uint32_t p = 0; p < mesh->point_count; p++) focused += s->focused[p];
    float    size = length(sub(s->high, s->low)), far = 2.6f * size; // approximate distance of the eye
    uint32_t stride = focused / samples + 1;
    for (uint32_t p = 0; p < mesh->point_count; p++) {
        if (!s->focused[p] || seen++ % stride != 0) continue;
        s->sight_samples++;
        for (int k = 0; k <= STAGE_SIDES; k++) {
            sup_vec3 ray = picture_camera_direction(s->d.character->up, s->d.front, k == STAGE_SIDES ? s->d.camera : sides[k]);
            s->sight[k] += !is_hidden(mesh, points, points[p], ray, 0.005f * size, far);
        }
    }
}

picture_camera stage_best_side(const stage* s, bool* hidden)
{
    int best = 0;
    for (int k = 1; k < STAGE_SIDES; k++)
        if (s->sight[k] > s->sight[best]) best = k;
    // The requested side is kept unless little can be seen from there.
    *hidden = s->sight_samples > 0 && 10 * s->sight[STAGE_SIDES] < 3 * s->sight[best];
    return *hidden ? sides[best] : s->d.camera;
}
