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
    const picture_color* corner_colors;  ///< per face corner, instead: sharp where faces of two materials meet
    float                alpha;          ///< 1 opaque, less: a ghost
    bool                 wire;           ///< draw face edges on top
    const picture_color* color;          ///< of all points, if there are no colors; NULL: clay
    /// Pictures that multiply the colors: per stored vertex the number of one and the position on it. NULL: none.
    const struct texture* textures;
    const uint32_t*       vertex_textures;
    const float (*vertex_uv)[2];
    const uint32_t*      corner_entries; ///< of both for each face corner; NULL: those of its stored vertex
    const struct relief* relief;         ///< folds finer than its points; NULL: none
} picture_surface;

typedef struct texture texture;

typedef struct picture_line {
    sup_vec3      a, b;
    float         radius; ///< pixels
    picture_color color;
    bool          on_top;     ///< drawn through the surface (bones)
    float         radius_end; ///< at b; 0: as at a. a = b is a round dot
} picture_line;

typedef struct picture_camera {
    double azimuth, elevation; ///< degrees; azimuth 0 looks at the front
    double distance;           ///< in diagonals of what is framed; 0: fits it
} picture_camera;

typedef struct picture_desc {
    uint32_t               surface_count;
    const picture_surface* surfaces;
    uint32_t               line_count;
    const picture_line*    lines;
    uint32_t               triangle_count; ///< loose triangles that deformers draw; three points and colors each
    const sup_vec3*        triangle_points;
    const picture_color*   triangle_colors;
    sup_axis               up;
    sup_vec3               front; ///< the direction that the front faces, across up; zero: +Z, or -Y where Z is up
    picture_camera         camera;
    sup_vec3               frame_low, frame_high; ///< box to frame, so that the frames of a film share one camera
    bool                   ground;
    float                  ground_height; ///< along up
    uint32_t               width, height, samples;
    bool                   draft; ///< no ambient occlusion, hard shadows: a tenth of the time with few samples
    bool                   cut;   ///< hide everything in front of this plane: n . p > d, and cap it
    sup_vec3               cut_normal;
    float                  cut_distance;
    bool                   cut_open; ///< no cap: show the inside of the skin
    /// Points that the camera fits instead of the box's corners, for a closer view. The shadows still use the box.
    uint32_t             frame_point_count;
    const sup_vec3*      frame_points;
    const picture_color* background; ///< NULL: a light gradient
    const sup_progress*  progress;   ///< called while it works; false from it stops with SUP_ERROR_CANCELLED
} picture_desc;

/// False if this build lacks Embree or memory ran out; then *error says so.
bool picture_render(const picture_desc* desc, const sup_tasks* tasks, image* out, sup_error* error);
bool picture_available(void);
#if defined(_WIN32)
#define PICTURES_MISSING                                                                                                       \
    "this build for Windows draws no pictures, because it has no ray caster; bake to a .glb and open it in any viewer"
#else
#define PICTURES_MISSING                                                                                                       \
    "this build has no pictures: it was built without Embree; install libembree-dev and build again"
#endif
/// front, back, left, right, side, top, three-quarter, or orbit:AZ,EL[,DIST]. False: none of them.
bool picture_camera_read(const char* text, picture_camera* out);
/// From the target toward the camera.
sup_vec3 picture_camera_direction(sup_axis up, sup_vec3 front, picture_camera camera);

void image_free(image* i);
/// A heat color for 0..1 (perceptually even, dark to bright).
picture_color picture_heat(float value);
/// For -1..1: blue below 0, light gray at 0, red above.
picture_color picture_heat_signed(float value);
/// The lowest row of the gradient behind a picture, for strips below it.
picture_color picture_color_background_foot(void);
/// From sRGB bytes.
picture_color picture_color_srgb(int r, int g, int b);
/// Fills an image with one color. False: out of memory.
bool image_create(image* i, uint32_t width, uint32_t height, picture_color color);
/// Text in a built-in font, `size` pixels high; x, y is the upper left corner.
void image_text(image* i, int x, int y, int size, picture_color color, const char* text);
int  image_text_width(int size, const char* text);
/// A legend bar with its ends and unit: "0 ... 12.4 mm", centered in the lowest image_legend_height rows; if low is below 0 and
/// high above, in the colors of picture_heat_signed.
void image_legend(image* i, const char* title, double low, double high, const char* unit);
int  image_legend_height(const image* i);
/// Puts a smaller picture into a larger one, clipped at its borders.
void image_paste(image* i, const image* piece, int x, int y);
/// Side by side, or in rows of `columns`.
bool image_grid(const image* images, uint32_t count, uint32_t columns, image* out);
/// PNG through libpng, written beside the target and renamed. And into memory (malloc'ed) for reports.
bool image_write_png(const image* i, const char* path, sup_error* error);
bool image_png_available(void); ///< whether this build has libpng
bool image_encode_png(const image* i, uint8_t** bytes, size_t* size, sup_error* error);
/// The same with 16 bits for each of red, green and blue, high byte first: numbers rather than colors.
bool image_encode_png16(const uint8_t* pixels, uint32_t width, uint32_t height, uint8_t** bytes, size_t* size,
                        sup_error* error);

#endif
