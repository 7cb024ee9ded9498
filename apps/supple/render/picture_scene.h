/// picture_scene.h: the input of ray casting: the camera, surfaces in Embree, lines sorted into screen tiles.
#ifndef SUPPLE_APP_PICTURE_SCENE_H
#define SUPPLE_APP_PICTURE_SCENE_H

#include "picture_math.h"

/// The camera: where the eye is and how the world projects to pixels.
typedef struct view {
    sup_vec3 eye, right, up, forward; ///< unit
    sup_vec3 world_up, key;           ///< key: towards the main light
    float    tan_x, tan_y;            ///< half the picture at distance 1
    float    width, height;           ///< pixels
    float    diagonal;                ///< of the framed box
    sup_vec3 center;
} view;

view     view_make(const picture_desc* desc);
sup_vec3 view_ray(const view* v, float x, float y); ///< unit direction through a place in pixels
/// Pixels and distance along the view; false behind the eye.
bool view_project(const view* v, sup_vec3 p, float* x, float* y, float* depth);

/// The triangles to cast: fans over the faces, so that an edge knows whether it belongs to a face.
typedef struct cast_mesh {
    const picture_surface* surface; ///< NULL: the loose triangles
    uint32_t               triangle_count;
    uint32_t*              points;  ///< three each
    uint32_t*              corners; ///< likewise, corners of the mesh's faces; NULL: loose triangles
    uint8_t*               edges;   ///< bit k: the edge from corner k to the next belongs to the face
} cast_mesh;

typedef struct ray_hit {
    float            distance;
    sup_vec3         at, normal; ///< unit normal of the triangle's plane, facing outwards
    float            u, v;       ///< barycentric coordinates of the second and third corner
    const cast_mesh* mesh;
    uint32_t         triangle;
    bool             back; ///< seen from the inside
} ray_hit;

typedef struct cast_scene cast_scene;

cast_scene* cast_scene_create(const picture_desc* desc, sup_error* error); ///< NULL after an error
void        cast_scene_destroy(cast_scene* scene);
/// The nearest hit of an opaque (or ghost) surface within `far`.
bool cast_ray(const cast_scene* scene, bool ghosts, sup_vec3 from, sup_vec3 direction, float far, ray_hit* hit);
/// Whether anything opaque lies within `far`.
bool cast_blocked(const cast_scene* scene, sup_vec3 from, sup_vec3 direction, float far);
bool cast_has_ghosts(const cast_scene* scene);

/// Lines on the screen by tiles.
#define LINE_TILE 32
typedef struct line_map line_map;

line_map* line_map_create(const picture_desc* desc, const view* v, sup_error* error);
void      line_map_destroy(line_map* map);
bool      line_map_empty(const line_map* map, uint32_t x, uint32_t y); ///< no line near this pixel
/// Draws the lines at this pixel over a surface at `depth`. Returns the share of it still visible, 0 to 1; color is
/// premultiplied.
float line_map_cover(const line_map* map, float x, float y, float depth, picture_color* color);
/// The distance in pixels from a point to a segment; t is the parameter on it.
float segment_distance(float x, float y, float ax, float ay, float bx, float by, float* t);

#endif
