/// io/gltf/gltf_ngon.h: FB_ngon_encoding. A primitive with it stores its polygons as fans of triangles: those of one polygon
/// are consecutive and share their first vertex, and consecutive polygons start with different ones.
#ifndef SUP_IO_GLTF_GLTF_NGON_H
#define SUP_IO_GLTF_GLTF_NGON_H

#include "io/gltf/gltf_write.h"

#define GLTF_NGON "FB_ngon_encoding"

/// Marks the primitive, and lists the extension in the document once.
SUP_API void gltf_ngon_mark(gltf_edit* edit, sup_json* primitive);

#endif
