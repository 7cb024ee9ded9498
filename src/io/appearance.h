/// io/appearance.h: what OBJ and PLY files say about a surface besides its points: texture coordinates, corner normals, colors,
/// materials. It is kept with the character and goes into a glTF document made from it.
#ifndef SUP_IO_APPEARANCE_H
#define SUP_IO_APPEARANCE_H

#include "supple/io.h"

/// A PNG or JPEG file.
typedef struct appearance_picture {
    const char*                 path; ///< as the file names it
    sup_bytes                   bytes;
    const struct appearance_picture* next;
} appearance_picture;

typedef struct appearance_material {
    const char*            name;
    bool                   used; ///< by a face
    float                  color[4], glow[3];
    float                  roughness, metal;
    const char*            picture_path; ///< of the base color; NULL: none
    const char*            normals_path;
    const appearance_picture*   picture; ///< NULL: not found
    const appearance_picture*   normals;
    struct appearance_material* next;
} appearance_material;

/// character->source when source_format is "obj".
typedef struct obj_source {
    sup_bytes             text;
    const appearance_material* materials;
} obj_source;

/// character->source when source_format is VERTEX_SOURCE, for a PLY or a built-in character. Either member may be NULL.
#define VERTEX_SOURCE "vertices"
typedef struct vertex_source {
    const float* uvs;    ///< two for each vertex, the first row of the picture at v = 1
    const float* colors; ///< four for each vertex, as in the file: 0 to 1, sRGB
} vertex_source;

/// Stored vertices of one material.
typedef struct appearance_piece {
    const appearance_material* material; ///< NULL: none
    uint32_t              vertex_begin, vertex_count;
} appearance_piece;

typedef struct appearance {
    /// The character with other stored vertices: a point on a seam is split. Points, skeleton and clips are the original's.
    sup_character      character;
    const float*       uvs;    ///< two for each stored vertex, in glTF's convention: the first row at v = 0; NULL: none
    const float*       colors; ///< four for each *point*, linear; NULL: none
    uint32_t           piece_count;
    const appearance_piece* pieces;      ///< in the order of their vertices
    const uint32_t*    face_pieces; ///< the piece of each face; NULL: the first
} appearance;

/// *out is NULL if the source has no appearance. Lives in the arena.
sup_result appearance_make(const sup_character* character, sup_arena* arena, const appearance** out, sup_error* error);
/// The same for an OBJ.
sup_result obj_appearance_make(const sup_character* character, const obj_source* source, sup_arena* arena, appearance* out,
                               sup_error* error);
/// Reads the materials of the file or files that a line `mtllib` names, and prepends them to the list. Unreadable ones are left
/// out with a note: an OBJ without its materials is still a mesh.
sup_result obj_materials_read(const sup_read_input* in, const char* names, size_t length, appearance_material** list,
                              sup_notes* notes, sup_error* error);
/// Reads the pictures of the materials that are used.
sup_result obj_pictures_read(const sup_read_input* in, appearance_material* list, sup_notes* notes, sup_error* error);
/// From sRGB to linear, both 0 to 1.
float appearance_linear(float value);

#endif
