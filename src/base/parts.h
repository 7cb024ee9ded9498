/// base/parts.h: parts that a build leaves out when nobody can ask for them, or SUPPLE_WITHOUT (CMakeLists.txt) names them.
/// Code tests these constants rather than the preprocessor, so that every build compiles all of it and the linker drops the
/// rest.
#ifndef SUP_BASE_PARTS_H
#define SUP_BASE_PARTS_H

#ifdef SUP_WITHOUT_BAKE
enum { SUP_HAS_BAKES = 0 }; // formats that read and write only read
#else
enum { SUP_HAS_BAKES = 1 };
#endif

// The flat interface has no budgets, no animation textures and no runtime files, and WebAssembly has nothing but that.
#ifdef __wasm__
enum { SUP_HAS_BUDGETS = 0, SUP_HAS_TEXTURES = 0, SUP_HAS_RUNTIME_FILES = 0 };
#else
enum { SUP_HAS_BUDGETS = 1, SUP_HAS_TEXTURES = 1, SUP_HAS_RUNTIME_FILES = 1 };
#endif

#endif
