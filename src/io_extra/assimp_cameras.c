// Cameras and lights. Both belong to the node with their name and have a direction; glTF's look along -z of a node, so most
// need one of their own below it. Brightness has no unit in the formats assimp reads: it is used as glTF's.
#include "io_extra/assimp.h"

#include "math/trig.h"
#include "math/vec.h"

#include <assimp/camera.h>
#include <assimp/light.h>
#include <string.h>

static const char lights_extension[] = "KHR_lights_punctual";

static sup_vec3 vector_of(const struct aiVector3D* v) { return v3((float)v->x, (float)v->y, (float)v->z); }

// ---------------------------------------------------------------------------------------------- nodes

// Rotates -z to the direction and y as close to up as possible.
static sup_quat look_rotation(sup_vec3 along, sup_vec3 up)
{
    sup_vec3 z = v3_normalize(v3_scale(along, -1), v3(0, 0, 1));
    sup_vec3 x = v3_normalize(v3_cross(up, z), v3(0, 0, 0));
    if (v3_length2(x) == 0) // up lies along it or is missing
        x = v3_normalize(v3_cross(fabsf(z.y) < 0.9f ? v3(0, 1, 0) : v3(0, 0, -1), z), v3(1, 0, 0));
    sup_vec3   y = v3_cross(z, x);
    sup_affine turn = { { { x.x, y.x, z.x, 0 }, { x.y, y.y, z.y, 0 }, { x.z, y.z, z.z, 0 } } };
    return quat_from_affine(&turn);
}

// The node that carries it: the named one, or a child with another position or orientation. NULL: no node has that name.
static sup_json* stand(assimp_reader* r, const char* name, sup_vec3 place, sup_quat turn)
{
    uint32_t node = assimp_node_find(r, name);
    if (node == SUP_NONE) return NULL;
    bool still = v3_length2(place) == 0 && fabsf(turn.w) > 1 - 1e-6f;
    if (still || !v3_finite(place)) return r->nodes[node].json;
    sup_json* own = gltf_edit_new(&r->edit, SUP_JSON_OBJECT);
    char      text[220];
    sup_format(text, sizeof text, "%.200s sight", name);
    gltf_edit_string(&r->edit, own, "name", text);
    gltf_edit_numbers(&r->edit, own, "translation", &place.x, 3);
    gltf_edit_numbers(&r->edit, own, "rotation", &turn.x, 4);
    uint32_t index = gltf_edit_add(&r->edit, "nodes", own);
    gltf_edit_push_number(&r->edit, gltf_edit_array(&r->edit, r->nodes[node].json, "children"), index);
    return own;
}

// ---------------------------------------------------------------------------------------------- cameras

static float between(float value, float low, float high, float otherwise)
{
    return !isfinite(value) || value <= 0 ? otherwise : value < low ? low : value > high ? high : value;
}

static void make_camera(assimp_reader* r, const struct aiCamera* from)
{
    gltf_edit*  edit = &r->edit;
    const char* name = assimp_text(r, &from->mName);
    sup_json*   node =
        stand(r, name, vector_of(&from->mPosition), look_rotation(vector_of(&from->mLookAt), vector_of(&from->mUp)));
    if (!node) {
        assimp_warn(r, "the camera '%.80s' belongs to no node; it is left out", name);
        return;
    }
    float     near = between(from->mClipPlaneNear, 1e-6f, 1e6f, 0.1f), far = between(from->mClipPlaneFar, 1e-6f, 1e9f, 0);
    float     aspect = between(from->mAspect, 0.01f, 100, 0);
    bool      flat = from->mOrthographicWidth > 0 && isfinite(from->mOrthographicWidth);
    sup_json* camera = gltf_edit_new(edit, SUP_JSON_OBJECT);
    if (name[0]) gltf_edit_string(edit, camera, "name", name);
    gltf_edit_string(edit, camera, "type", flat ? "orthographic" : "perspective");
    sup_json* lens = gltf_edit_object(edit, camera, flat ? "orthographic" : "perspective");
    if (flat) {
        gltf_edit_number(edit, lens, "xmag", (double)from->mOrthographicWidth);
        gltf_edit_number(edit, lens, "ymag", (double)(from->mOrthographicWidth / (aspect > 0 ? aspect : 1)));
        gltf_edit_number(edit, lens, "zfar", (double)(far > near ? far : near + 1000));
    } else {
        // assimp's documentation says half the angle, but its readers all return the whole one. If COLLADA's finds none, it
        // uses its default in radians as degrees, which is below one degree.
        bool   known = from->mHorizontalFOV > 0.0174f;
        double half = (double)between(known ? from->mHorizontalFOV : 0, 0.01f, 3.1f, 0.8f) / 2;
        double height = sup_sin(half) / (sup_cos(half) * (aspect > 0 ? (double)aspect : 1));
        gltf_edit_number(edit, lens, "yfov", 2 * sup_atan2(height, 1));
        if (aspect > 0) gltf_edit_number(edit, lens, "aspectRatio", (double)aspect);
        if (far > near) gltf_edit_number(edit, lens, "zfar", (double)far);
    }
    gltf_edit_number(edit, lens, "znear", (double)near);
    gltf_edit_number(edit, node, "camera", gltf_edit_add(edit, "cameras", camera));
}

// ---------------------------------------------------------------------------------------------- lights

static const char* kind_of(const struct aiLight* from)
{
    switch (from->mType) {
    case aiLightSource_DIRECTIONAL: return "directional";
    case aiLightSource_POINT: return "point";
    case aiLightSource_SPOT: return "spot";
    default: return NULL;
    }
}

static void put_cone(gltf_edit* edit, sup_json* light, const struct aiLight* from)
{
    const float half_turn = 1.5707963f;
    float       outer = between(from->mAngleOuterCone / 2, 1e-3f, half_turn, 0.7853982f);
    float       inner = between(from->mAngleInnerCone / 2, 0, outer, 0);
    sup_json*   cone = gltf_edit_object(edit, light, "spot");
    gltf_edit_number(edit, cone, "innerConeAngle", (double)(inner < outer ? inner : 0.99f * outer));
    gltf_edit_number(edit, cone, "outerConeAngle", (double)outer);
}

static void make_light(assimp_reader* r, const struct aiLight* from)
{
    gltf_edit*  edit = &r->edit;
    const char* name = assimp_text(r, &from->mName);
    const char* kind = kind_of(from);
    sup_vec3    along = vector_of(&from->mDirection);
    if (v3_length2(along) == 0) along = v3(0, 0, -1); // a point shines everywhere
    sup_json* node = kind ? stand(r, name, vector_of(&from->mPosition), look_rotation(along, vector_of(&from->mUp))) : NULL;
    if (!node) {
        assimp_warn(r, "the light '%.80s' %s; it is left out", name,
                    kind ? "stands on no node" : "has a type that glTF does not support");
        return;
    }
    float color[3] = { (float)from->mColorDiffuse.r, (float)from->mColorDiffuse.g, (float)from->mColorDiffuse.b }, most = 0;
    for (int i = 0; i < 3; ++i) {
        color[i] = isfinite(color[i]) && color[i] > 0 ? color[i] : 0;
        most = color[i] > most ? color[i] : most;
    }
    for (int i = 0; i < 3 && most > 0; ++i) color[i] /= most;
    sup_json* light = gltf_edit_new(edit, SUP_JSON_OBJECT);
    if (name[0]) gltf_edit_string(edit, light, "name", name);
    gltf_edit_string(edit, light, "type", kind);
    gltf_edit_numbers(edit, light, "color", color, 3);
    gltf_edit_number(edit, light, "intensity", (double)most);
    if (from->mType == aiLightSource_SPOT) put_cone(edit, light, from);
    sup_json* list = gltf_edit_array(
        edit, gltf_edit_object(edit, gltf_edit_object(edit, edit->root, "extensions"), lights_extension), "lights");
    if (!list || !light) return;
    sup_json_push(list, light);
    gltf_edit_use(edit, lights_extension);
    gltf_edit_number(edit, gltf_edit_object(edit, gltf_edit_object(edit, node, "extensions"), lights_extension), "light",
                     list->count - 1);
}

sup_result assimp_cameras_make(assimp_reader* r)
{
    for (uint32_t i = 0; i < r->scene->mNumCameras; ++i)
        if (r->scene->mCameras[i]) make_camera(r, r->scene->mCameras[i]);
    for (uint32_t i = 0; i < r->scene->mNumLights; ++i)
        if (r->scene->mLights[i]) make_light(r, r->scene->mLights[i]);
    return r->edit.failed ? sup_fail_memory(r->error, "cameras and lights") : SUP_OK;
}
