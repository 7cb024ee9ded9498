/// deform/fourier/fourier_file.h: a runtime file (.sfc, docs/deformers/fourier.md) under construction. To its player a file is
/// numbers moved by functions of time, and points that take from them by functions of the place on a curve; every such function
/// is a sum of elements x^p exp(g (x - s)) cos(k x - phase). fourier_save.c defines which.
#ifndef SUP_DEFORM_FOURIER_FILE_H
#define SUP_DEFORM_FOURIER_FILE_H

#include "solve/curves/closed_form.h"

/// Arrays in file order: the widest numbers first, so that none needs a gap before it.
enum sfc_kind {
    SFC_ELEMENT,  ///< f64 x 6
    SFC_PIECE,    ///< f64 x 4
    SFC_MOVE,     ///< u32 x 6
    SFC_ROW,      ///< u32 x 5
    SFC_REST,     ///< f32 x 3
    SFC_LEAN,     ///< u32 x 2
    SFC_PLACE,    ///< u16 x 6
    SFC_STAND,    ///< u16 x 2
    SFC_STRENGTH, ///< u16
    SFC_SHAPE,    ///< i16
    SFC_ARRAYS,
};

typedef struct sfc_array {
    uint8_t* bytes;
    size_t   size, capacity;
} sfc_array;

/// A function: elements `first` to `first + count`; without elements it is 0.
typedef struct sfc_function {
    uint32_t first, count;
} sfc_function;

typedef struct sfc_file {
    sup_arena*           arena;
    bool                 failed; ///< memory ran out; all later calls do nothing
    uint32_t             numbers, points;
    double               begin, period;
    sfc_array            arrays[SFC_ARRAYS];
    sup_fourier_element* elements; ///< the contents of the first array
    uint32_t             element_count;
    size_t               element_capacity;
} sfc_file;

/// Little-endian on every machine.
void sfc_put(sfc_file* file, enum sfc_kind array, uint64_t value, uint32_t bytes);
void sfc_put_float(sfc_file* file, enum sfc_kind array, float value);
/// 0 to 1 in 65535ths.
void   sfc_put_share(sfc_file* file, enum sfc_kind array, float x);
double sfc_share(float x); ///< the value that a player reads

/// Reuses known functions that are equal to within a few double operations.
sfc_function sfc_add_function(sfc_file* file, const sup_fourier_element* elements, uint32_t count);
sfc_function sfc_add_motion(sfc_file* file, const sup_closed_form* form);
/// Piece of time: for from <= time < until functions take (time - zero) / unit.
uint32_t sfc_add_piece(sfc_file* file, double from, double until, double zero, double unit);
/// Numbers in 16 bits times a power of two; `values` become what a player reads. SUP_NONE: all are 0.
uint32_t sfc_add_shape(sfc_file* file, double* values, uint32_t count);
/// Within a piece of time, numbers first to first + count grow by function x shape.
void sfc_add_move(sfc_file* file, uint32_t piece, sfc_function function, uint32_t first, uint32_t count, uint32_t shape);

sup_result sfc_finish(sfc_file* file, const void** bytes, size_t* size, sup_error* error);

#endif
