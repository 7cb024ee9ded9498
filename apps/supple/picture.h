/// picture.h: pictures of skin by ray casting (Embree): clay or base color, ambient occlusion, a soft shadow on a ground
/// plane, heat colors with a legend, lines, captions. The same picture for the same input, whatever the thread count.
#ifndef SUPPLE_APP_PICTURE_H
#define SUPPLE_APP_PICTURE_H

#include "supple/scene.h"

/// 8-bit RGB, row by row from the top.
typedef struct image {
    uint32_t width, height;
    uint8_t* pixels; ///< malloc'ed; image_free
} image;

typedef struct picture_color {
    float r, g, b; ///< linear, 0 to 1
} picture_color;

/// A surface in world space. Arrays are borrowed.
typedef struct picture_surface {
    const sup_mesh*      mesh;
    const sup_vec3*      points;
    const sup_vec3*      vertex_normals; ///< per stored vertex; NULL: by face
    const picture_color* colors;         ///< per point; NULL: clay
    float                alpha;          ///< 1 opaque, less: a ghost
    bool                 wire;           ///< face edges on top
} picture_surface;

typedef struct picture_line {
    sup_vec3      a, b;
    float         radius; ///< pixels
    picture_color color;
    bool          on_top; ///< drawn through the surface (bones)
} picture_line;

typedef struct picture_camera {
    double azimuth, elevation; ///< degrees; azimuth 0 looks at the front (+Z for Y up)
    double distance;           ///< in diagonals of what is framed; 0: fits it
} picture_camera;

typedef struct picture_desc {
    uint32_t               surface_count;
    const picture_surface* surfaces;
    uint32_t               line_count;
    const picture_line*    lines;
    uint32_t               triangle_count; ///< loose triangles that deformers draw; points and colors three each
    const sup_vec3*        triangle_points;
    const picture_color*   triangle_colors;
    sup_axis               up;
    picture_camera         camera;
    sup_vec3               frame_low, frame_high; ///< box that is framed, so that the frames of a film share one camera
    bool                   ground;
    float                  ground_height; ///< along up
    uint32_t               width, height, samples;
    bool                   cut; ///< hide what lies in front of this plane: n . p > d, and cap it
    sup_vec3               cut_normal;
    float                  cut_distance;
} picture_desc;

/// False when Embree is missing in this build or memory ran out; then *error says so.
bool picture_render(const picture_desc* desc, const sup_tasks* tasks, image* out, sup_error* error);
bool picture_available(void);

void image_free(image* i);
/// A heat color for 0..1 (perceptually even, dark to bright).
picture_color picture_heat(float value);
/// Text in a built-in font, `size` pixels high.
void image_text(image* i, int x, int y, int size, picture_color color, const char* text);
/// A legend bar with its ends and unit: "0 ... 12.4 mm".
void image_legend(image* i, const char* title, double low, double high, const char* unit);
/// Side by side, or in rows of `columns`.
bool image_grid(const image* images, uint32_t count, uint32_t columns, image* out);
/// PNG through libpng, written beside and renamed. And into memory (malloc'ed) for reports.
bool image_write_png(const image* i, const char* path, sup_error* error);
bool image_encode_png(const image* i, uint8_t** bytes, size_t* size, sup_error* error);

#endif
