// Surfaces in Embree. All code that uses Embree is here, so that a build without it lacks only this.
#include "picture_scene.h"

#include <stdlib.h>

#ifdef SUPPLE_EMBREE

#include <embree3/rtcore.h>

struct cast_scene {
    RTCDevice  device;
    RTCScene   solid, ghost;
    cast_mesh* meshes; // surfaces in order, then the loose triangles; indexed by geometry id
    uint32_t   mesh_count;
    bool       has_ghosts;
    bool       cut;
    sup_vec3   cut_normal;
    float      cut_distance;
};

bool picture_available(void) { return true; }

// ---------------------------------------------------------------------------------------------- triangles

static bool split_faces(cast_mesh* out, const picture_surface* surface)
{
    const sup_mesh* mesh = surface->mesh;
    size_t          count = 0;
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        uint32_t corners = mesh->face_begin[f + 1] - mesh->face_begin[f];
        count += corners > 2 ? corners - 2 : 0;
    }
    out->surface = surface;
    out->points = malloc((3 * count + 1) * sizeof *out->points);
    out->corners = malloc((3 * count + 1) * sizeof *out->corners);
    out->edges = malloc(count + 1);
    if (!out->points || !out->corners || !out->edges || count > UINT32_MAX / 4) return false;
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        uint32_t begin = mesh->face_begin[f], corners = mesh->face_begin[f + 1] - begin;
        for (uint32_t k = 2; k < corners; k++) {
            const uint32_t corner[3] = { begin, begin + k - 1, begin + k };
            size_t         t = out->triangle_count++;
            for (int i = 0; i < 3; i++) {
                out->points[3 * t + i] = mesh->corner_points[corner[i]];
                out->corners[3 * t + i] = corner[i];
            }
            out->edges[t] = (uint8_t)((k == 2 ? 1 : 0) | 2 | (k + 1 == corners ? 4 : 0));
        }
    }
    return true;
}

static bool number_loose(cast_mesh* out, uint32_t count)
{
    out->points = malloc((3 * (size_t)count + 1) * sizeof *out->points);
    if (!out->points) return false;
    for (uint32_t i = 0; i < 3 * count; i++) out->points[i] = i;
    out->triangle_count = count;
    return true;
}

// ---------------------------------------------------------------------------------------------- scene

// Lets rays pass through what the cut hides. Called for one ray at a time.
static void pass_hidden(const struct RTCFilterFunctionNArguments* arguments)
{
    const cast_scene*    scene = arguments->geometryUserPtr;
    const struct RTCRay* ray = (const struct RTCRay*)arguments->ray;
    sup_vec3             from = vec(ray->org_x, ray->org_y, ray->org_z), direction = vec(ray->dir_x, ray->dir_y, ray->dir_z);
    if (dot(scene->cut_normal, mad(from, ray->tfar, direction)) > scene->cut_distance) arguments->valid[0] = 0;
}

static bool attach(cast_scene* scene, RTCScene to, uint32_t number, const sup_vec3* points, uint32_t point_count, bool cut)
{
    const cast_mesh* mesh = &scene->meshes[number];
    RTCGeometry      geometry = rtcNewGeometry(scene->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!geometry) return false;
    float* place = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof *points, point_count);
    uint32_t* corners = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof *corners,
                                                mesh->triangle_count);
    if (place && corners) {
        for (uint32_t i = 0; i < point_count; i++) {
            place[3 * i] = points[i].x;
            place[3 * i + 1] = points[i].y;
            place[3 * i + 2] = points[i].z;
        }
        for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) corners[i] = mesh->points[i];
        if (cut) {
            rtcSetGeometryUserData(geometry, scene);
            rtcSetGeometryIntersectFilterFunction(geometry, pass_hidden);
            rtcSetGeometryOccludedFilterFunction(geometry, pass_hidden);
        }
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(to, geometry, number);
    }
    rtcReleaseGeometry(geometry);
    return place && corners;
}

static bool fill(cast_scene* scene, const picture_desc* desc)
{
    scene->meshes = calloc(desc->surface_count + 1, sizeof *scene->meshes);
    scene->mesh_count = desc->surface_count + 1;
    // One thread inside Embree: the tree, and with it the answer when two triangles are hit at once, must not depend on our
    // threads.
    scene->device = rtcNewDevice("threads=1");
    if (!scene->meshes || !scene->device) return false;
    scene->solid = rtcNewScene(scene->device);
    scene->ghost = rtcNewScene(scene->device);
    if (!scene->solid || !scene->ghost) return false;
    rtcSetSceneFlags(scene->solid, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneFlags(scene->ghost, RTC_SCENE_FLAG_ROBUST);
    for (uint32_t i = 0; i < desc->surface_count; i++) {
        const picture_surface* s = &desc->surfaces[i];
        bool                   ghost = s->alpha < 1.0f;
        if (!split_faces(&scene->meshes[i], s)) return false;
        if (scene->meshes[i].triangle_count == 0) continue;
        if (!attach(scene, ghost ? scene->ghost : scene->solid, i, s->points, s->mesh->point_count, scene->cut)) return false;
        scene->has_ghosts |= ghost;
    }
    // A cut is there to show what deformers draw inside: it stays whole.
    uint32_t last = desc->surface_count;
    if (desc->triangle_count) {
        if (!number_loose(&scene->meshes[last], desc->triangle_count)) return false;
        if (!attach(scene, scene->solid, last, desc->triangle_points, 3 * desc->triangle_count, false)) return false;
    }
    rtcCommitScene(scene->solid);
    rtcCommitScene(scene->ghost);
    return rtcGetDeviceError(scene->device) == RTC_ERROR_NONE;
}

cast_scene* cast_scene_create(const picture_desc* desc, sup_error* error)
{
    cast_scene* scene = calloc(1, sizeof *scene);
    if (scene) {
        scene->cut = desc->cut;
        scene->cut_normal = desc->cut_normal;
        scene->cut_distance = desc->cut_distance;
        if (fill(scene, desc)) return scene;
    }
    cast_scene_destroy(scene);
    sup_fail(error, SUP_ERROR_MEMORY, "out of memory while preparing the picture; close other programs or use a smaller file");
    return NULL;
}

void cast_scene_destroy(cast_scene* scene)
{
    if (!scene) return;
    if (scene->solid) rtcReleaseScene(scene->solid);
    if (scene->ghost) rtcReleaseScene(scene->ghost);
    if (scene->device) rtcReleaseDevice(scene->device);
    for (uint32_t i = 0; i < scene->mesh_count && scene->meshes; i++) {
        free(scene->meshes[i].points);
        free(scene->meshes[i].corners);
        free(scene->meshes[i].edges);
    }
    free(scene->meshes);
    free(scene);
}

bool cast_has_ghosts(const cast_scene* scene) { return scene->has_ghosts; }

// ---------------------------------------------------------------------------------------------- rays

static struct RTCRay make_ray(sup_vec3 from, sup_vec3 direction, float far)
{
    return (struct RTCRay){ .org_x = from.x,
                            .org_y = from.y,
                            .org_z = from.z,
                            .dir_x = direction.x,
                            .dir_y = direction.y,
                            .dir_z = direction.z,
                            .tfar = far,
                            .mask = UINT32_MAX };
}

bool cast_ray(const cast_scene* scene, bool ghosts, sup_vec3 from, sup_vec3 direction, float far, ray_hit* hit)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRayHit query = { .ray = make_ray(from, direction, far) };
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(ghosts ? scene->ghost : scene->solid, &context, &query);
    if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    hit->distance = query.ray.tfar;
    hit->at = mad(from, query.ray.tfar, direction);
    hit->normal = unit_or(vec(query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z), scale(direction, -1.0f));
    hit->u = query.hit.u;
    hit->v = query.hit.v;
    hit->mesh = &scene->meshes[query.hit.geomID];
    hit->triangle = query.hit.primID;
    hit->back = dot(hit->normal, direction) > 0.0f;
    return true;
}

bool cast_blocked(const cast_scene* scene, sup_vec3 from, sup_vec3 direction, float far)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRay ray = make_ray(from, direction, far);
    rtcOccluded1(scene->solid, &context, &ray);
    return ray.tfar < 0.0f;
}

#else

bool picture_available(void) { return false; }

cast_scene* cast_scene_create(const picture_desc* desc, sup_error* error)
{
    (void)desc;
    sup_fail(error, SUP_ERROR_INPUT, PICTURES_MISSING);
    return NULL;
}
void cast_scene_destroy(cast_scene* scene) { (void)scene; }
bool cast_has_ghosts(const cast_scene* scene) { return scene != NULL; }
bool cast_ray(const cast_scene* scene, bool ghosts, sup_vec3 from, sup_vec3 direction, float far, ray_hit* hit)
{
    (void)scene, (void)ghosts, (void)from, (void)direction, (void)far, (void)hit;
    return false;
}
bool cast_blocked(const cast_scene* scene, sup_vec3 from, sup_vec3 direction, float far)
{
    (void)scene, (void)from, (void)direction, (void)far;
    return false;
}

#endif
