/// io/motion/motion_file.h: readers of motion and rigs, from bytes. Results live in the arena; the bytes may be freed.
#ifndef SUP_IO_MOTION_MOTION_FILE_H
#define SUP_IO_MOTION_MOTION_FILE_H

#include "supple/io.h"

/// BVH. The path only names the motion.
sup_result sup_bvh_parse(const char* path, sup_bytes bytes, sup_arena* arena, sup_mocap* out, sup_error* error);
/// TGF: numbered points, '#', edges between them. Every edge is a bone.
sup_result sup_tgf_parse(sup_bytes bytes, sup_arena* arena, sup_rig* out, sup_error* error);
/// DMAT: "columns rows", then values column by column; if that is "0 0", a second such line, then little-endian doubles.
sup_result sup_dmat_parse(sup_bytes bytes, sup_arena* arena, sup_matrix* out, sup_error* error);
/// TMAT: rows of numbers, nothing else.
sup_result sup_tmat_parse(sup_bytes bytes, sup_arena* arena, sup_matrix* out, sup_error* error);
/// Pairs of joints: lines "joint of the character = joint of the motion" ('-': none; '#': a comment), or a JSON object.
sup_result sup_motion_map_parse(sup_bytes bytes, sup_arena* arena, sup_joint_pair** pairs, uint32_t* count, sup_error* error);

#endif
