/// io/motion/motion_file.h: readers of motion and rigs, from bytes. What they give lives in the arena; the bytes need not stay.
#ifndef SUP_IO_MOTION_MOTION_FILE_H
#define SUP_IO_MOTION_MOTION_FILE_H

#include "supple/io.h"

/// BVH. The path only gives the motion its name.
sup_result sup_bvh_parse(const char* path, sup_bytes bytes, sup_arena* arena, sup_mocap* out, sup_error* error);
/// TGF: numbered points, '#', edges between them. Every edge is a bone.
sup_result sup_tgf_parse(sup_bytes bytes, sup_arena* arena, sup_rig* out, sup_error* error);
/// DMAT: "columns rows", then values column by column; "0 0" first: a second such line, then little-endian doubles.
sup_result sup_dmat_parse(sup_bytes bytes, sup_arena* arena, sup_matrix* out, sup_error* error);
/// TMAT: rows of numbers, nothing else.
sup_result sup_tmat_parse(sup_bytes bytes, sup_arena* arena, sup_matrix* out, sup_error* error);
/// Pairs of joints: lines "joint of the character = joint of the motion" ('-': nobody; '#': a remark), or a JSON object.
sup_result sup_motion_map_parse(sup_bytes bytes, sup_arena* arena, sup_joint_pair** pairs, uint32_t* count, sup_error* error);

#endif
