/// studio_convert.h: converts files that only this program can read (FBX, COLLADA, ...) to GLB for the page.
#ifndef SUPPLE_APP_STUDIO_CONVERT_H
#define SUPPLE_APP_STUDIO_CONVERT_H

/// `supple convert FILE`, for machines: reads the file with every reader of this build and writes a GLB to stdout, warnings and
/// errors to stderr. It is a process of its own, because assimp can only be isolated from a single-threaded program
/// (io_extra/assimp_apart.c), and a server has many threads.
int convert_file(const char* path);

#endif
