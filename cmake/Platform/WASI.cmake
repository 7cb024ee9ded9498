# CMake 3.25 does not know the system by name; there is nothing to say about it but that programs end in .wasm.
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
