/// io/usd/usda.h: what the files of the USD writer share: the stage and its meshes, the skeleton, and the materials.
#ifndef SUP_IO_USD_USDA_H
#define SUP_IO_USD_USDA_H

#include "io/appearance.h"
#include "io/identifier.h"
#include "io/text_out.h"

enum { USDA_JOINT_FLOATS = 10 }; ///< translation, rotation as w x y z, scale

/// A material.
typedef struct usda_material {
    const char* name;     ///< the prim's name
    float       color[4]; ///< linear color, and opacity
    float       glow[3];
    float       roughness, metal;
    const char* picture; ///< file of the base color beside the stage, multiplied by it; NULL: none
} usda_material;

/// The state of one bake. The file has time samples by attribute but frames come one by one, so frames wait in a spill file: a
/// box for every part (or one for the skeleton), then points and normals (or joints).
typedef struct usda_stage {
    text_out      text;
    sup_out_file* spill;
    bool          skeletal;
    char          root[SUP_IDENTIFIER];
    char (*part_names)[SUP_IDENTIFIER];
    uint32_t     box_count;
    uint64_t     frame_bytes;
    float*       record; ///< scratch: boxes, then joints or one part's points
    size_t       record_bytes;
    const float* uvs;
    const bool*  parts_with;
    const appearance* appearance; ///< of an OBJ or PLY; NULL: none
    uint32_t       material_count;
    usda_material*    materials;
    uint32_t*         face_materials; ///< per face; SUP_NONE: none
    double*      own;        ///< scale factored out of each joint
    double*      above;      ///< and out of all its ancestors
} usda_stage;

/// Opens the "{" of time samples, or begins the sample of one frame.
void usda_samples(usda_stage* s, const char* indent, const char* attribute);
void usda_code(usda_stage* s, const char* indent, uint32_t frame);
void usda_quoted(text_out* t, const char* text);
void usda_box(usda_stage* s, const float box[6]);
/// Reads floats of a frame from the spill file, starting at index `at`.
void usda_fetch(usda_stage* s, uint32_t frame, uint64_t at, float* out, size_t count);

/// Finds the scales that are factored out of the skeleton; call before the other two.
sup_result usda_skel_fold(usda_stage* s, const sup_bake* bake, const sup_pose* pose, sup_error* error);
/// Whether skinning alone reproduces this pose and motion, so that USD's own skinning shows the same. `why` is a reason if not.
bool usda_skel_fits(const usda_stage* s, const sup_bake* bake, const sup_pose* pose, const char** why);
/// The joints of a pose into a record.
void usda_skel_record(const usda_stage* s, const sup_pose* pose, float* out);
/// The Skeleton prim with its animation, inside the SkelRoot.
sup_result usda_skel_write(usda_stage* s, sup_bake* bake, sup_error* error);
/// The influences of one part's stored vertices, inside its Mesh prim.
void usda_skel_influences(usda_stage* s, const sup_character* character, const sup_part* part);

/// Finds texture coordinates, materials and their pictures; call before anything is written.
sup_result usda_material_find(usda_stage* s, sup_bake* bake, sup_error* error);
/// Whether the Mesh prim itself binds a material.
bool usda_material_binds(const usda_stage* s, const sup_part* part);
/// Writes the material's part of a Mesh prim, and the materials themselves, inside the root.
void usda_material_mesh(usda_stage* s, const sup_bake* bake, uint32_t part);
void usda_material_write(usda_stage* s);

sup_result usda_bake_begin(sup_bake* bake, sup_error* error);
sup_result usda_bake_frame(sup_bake* bake, const sup_bake_frame* frame, sup_error* error);
sup_result usda_bake_end(sup_bake* bake, sup_error* error);

#endif
