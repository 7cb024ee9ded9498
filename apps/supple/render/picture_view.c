// The camera: named views, and a distance that fits what is framed.
#include "picture_scene.h"

#include <stdlib.h>
#include <string.h>

// A long lens, as for portraits: a wide one would enlarge what is near.
static const float HALF_FIELD_TAN = 0.21f;
// Margin around what is framed, and below it for the shadow.
static const float MARGIN = 0.90f;
// The key light stays to the left of the camera, so that a turntable keeps its light.
static const double KEY_AZIMUTH = -42.0, KEY_ELEVATION = 50.0;

bool picture_camera_read(const char* text, picture_camera* out)
{
    static const struct {
        const char*    name;
        picture_camera camera;
    } known[] = { { "front", { 0, 6, 0 } },          { "back", { 180, 6, 0 } }, { "left", { 90, 6, 0 } },
                  { "right", { -90, 6, 0 } },        { "side", { 90, 6, 0 } },  { "top", { 0, 89.5, 0 } },
                  { "three-quarter", { 38, 16, 0 } } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(text, known[i].name) == 0) {
            *out = known[i].camera;
            return true;
        }
    }
    if (strncmp(text, "orbit:", 6) != 0) return false;
    double      values[3] = { 0, 0, 0 };
    const char* at = text + 6;
    int         count = 0;
    while (count < 3) {
        char* end = NULL;
        values[count] = strtod(at, &end);
        if (end == at || !isfinite(values[count])) return false;
        count++;
        at = end;
        if (*at != ',') break;
        at++;
    }
    if (*at || count < 2 || fabs(values[0]) > 36000 || fabs(values[1]) > 90 || values[2] < 0 || values[2] > 1000) return false;
    *out = (picture_camera){ values[0], values[1], values[2] };
    return true;
}

// From the center to a camera or a light. If the front is unknown, Y up faces +Z and Z up -Y, as in modeling programs.
static sup_vec3 towards(sup_axis axis, sup_vec3 front, double azimuth, double elevation)
{
    static const sup_vec3 ups[] = { [SUP_AXIS_Y] = { 0, 1, 0 }, [SUP_AXIS_Z] = { 0, 0, 1 }, [SUP_AXIS_X] = { 1, 0, 0 } };
    static const sup_vec3 fronts[] = { [SUP_AXIS_Y] = { 0, 0, 1 }, [SUP_AXIS_Z] = { 0, -1, 0 }, [SUP_AXIS_X] = { 0, 0, 1 } };
    double                a = azimuth * (PI / 180.0), e = elevation * (PI / 180.0);
    sup_vec3              up = ups[axis], ahead = unit_or(front, fronts[axis]), side = cross(up, ahead);
    sup_vec3              flat = add(scale(side, (float)sin(a)), scale(ahead, (float)cos(a)));
    return add(scale(flat, (float)cos(e)), scale(up, (float)sin(e)));
}

sup_vec3 picture_camera_direction(sup_axis up, sup_vec3 front, picture_camera camera)
{
    return towards(up, front, camera.azimuth, camera.elevation);
}

// The nearest position of the eye, along its own axes, from which all points are inside the picture. Each side of the picture
// gives one linear bound, so the answer is exact.
static void fit(view* v, const sup_vec3* points, uint32_t count, float* across, float* above, float* along)
{
    float tx = v->tan_x * MARGIN, ty = v->tan_y * MARGIN;
    float right = -INFINITY, left = -INFINITY, top = -INFINITY, bottom = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        sup_vec3 p = sub(points[i], v->center);
        float    x = dot(p, v->right), y = dot(p, v->up), z = dot(p, v->forward);
        right = fmaxf(right, x - tx * z);
        left = fmaxf(left, -x - tx * z);
        top = fmaxf(top, y - ty * z);
        bottom = fmaxf(bottom, -y - ty * z);
    }
    *across = 0.5f * (right - left);
    *above = 0.5f * (top - bottom);
    *along = fminf(-0.5f * (right + left) / tx, -0.5f * (top + bottom) / ty);
}

view view_make(const picture_desc* desc)
{
    view     v = { .width = (float)desc->width, .height = (float)desc->height };
    sup_vec3 low = desc->frame_low, high = desc->frame_high;
    v.center = scale(add(low, high), 0.5f);
    v.diagonal = fmaxf(length(sub(high, low)), 1e-12f);
    v.world_up = towards(desc->up, desc->front, 0, 90);
    v.forward = scale(picture_camera_direction(desc->up, desc->front, desc->camera), -1.0f);
    v.key = towards(desc->up, desc->front, desc->camera.azimuth + KEY_AZIMUTH, KEY_ELEVATION);
    sup_vec3 upright = v.world_up; // from straight above or below, the front points to the top of the picture
    if (fabsf(dot(upright, v.forward)) > 0.99999f)
        upright = scale(towards(desc->up, desc->front, desc->camera.azimuth, 0), desc->camera.elevation > 0 ? -1.0f : 1.0f);
    v.right = unit_or(cross(v.forward, upright), vec(1, 0, 0));
    v.up = cross(v.right, v.forward);
    float aspect = v.width / v.height;
    v.tan_y = aspect >= 1.0f ? HALF_FIELD_TAN : HALF_FIELD_TAN / aspect;
    v.tan_x = v.tan_y * aspect;

    sup_vec3 corners[8];
    for (int i = 0; i < 8; i++) corners[i] = vec(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    float across, above, along;
    bool  closer = desc->frame_point_count > 0;
    fit(&v, closer ? desc->frame_points : corners, closer ? desc->frame_point_count : 8, &across, &above, &along);
    if (desc->camera.distance > 0.0) along = -(float)desc->camera.distance * v.diagonal;
    else along = fminf(along, -0.05f * v.diagonal); // a single point still needs a viewing distance
    v.eye = mad(mad(mad(v.center, across, v.right), above, v.up), along, v.forward);
    return v;
}

sup_vec3 view_ray(const view* v, float x, float y)
{
    float a = (2.0f * x / v->width - 1.0f) * v->tan_x, b = (1.0f - 2.0f * y / v->height) * v->tan_y;
    return unit_or(mad(mad(v->forward, a, v->right), b, v->up), v->forward);
}

bool view_project(const view* v, sup_vec3 p, float* x, float* y, float* depth)
{
    sup_vec3 d = sub(p, v->eye);
    *depth = dot(d, v->forward);
    if (*depth <= 1e-4f * v->diagonal) return false;
    *x = 0.5f * v->width * (1.0f + dot(d, v->right) / (*depth * v->tan_x));
    *y = 0.5f * v->height * (1.0f - dot(d, v->up) / (*depth * v->tan_y));
    return true;
}
