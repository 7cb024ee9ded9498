# WebAssembly with clang, lld and wasi-libc, all from Debian's packages.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}) # Platform/WASI.cmake
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
find_program(SUPPLE_LLVM_AR NAMES llvm-ar llvm-ar-14 REQUIRED)
find_program(SUPPLE_LLVM_RANLIB NAMES llvm-ranlib llvm-ranlib-14 REQUIRED)
set(CMAKE_AR ${SUPPLE_LLVM_AR})
set(CMAKE_RANLIB ${SUPPLE_LLVM_RANLIB})
set(CMAKE_C_FLAGS_INIT "-msimd128 -fno-exceptions")
# Objects are compiled with -O3; the link stays at -O0, because clang would run wasm-opt, which refuses SIMD.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-O0 -mexec-model=reactor -Wl,--strip-all")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
