/// io/obj/obj_write.h: writing OBJ.
#ifndef SUP_IO_OBJ_OBJ_WRITE_H
#define SUP_IO_OBJ_OBJ_WRITE_H

#include "supple/io.h"

sup_result obj_bake_begin(sup_bake* bake, sup_error* error);
sup_result obj_bake_frame(sup_bake* bake, const sup_bake_frame* frame, sup_error* error);
sup_result obj_bake_end(sup_bake* bake, sup_error* error);

#endif
