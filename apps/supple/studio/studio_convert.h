/// studio_convert.h: files that only this program can read (FBX, COLLADA, ...) as GLB for the page.
#ifndef SUPPLE_APP_STUDIO_CONVERT_H
#define SUPPLE_APP_STUDIO_CONVERT_H

/// `supple convert FILE`, for machines: reads the file with everything this build can read and writes a GLB to stdout, warnings
/// and errors to stderr. A process of its own, because assimp is only kept apart from a program that has one thread
/// (io_extra/assimp_apart.c), and a server has many.
int convert_file(const char* path);

#endif
