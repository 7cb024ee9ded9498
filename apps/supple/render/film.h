/// film.h: frames to a film through the ffmpeg program. It is started without a shell, fed through a pipe, and ended with us.
#ifndef SUPPLE_APP_FILM_H
#define SUPPLE_APP_FILM_H

#include "picture.h"

typedef struct film film;

/// Whether the ending is one that ffmpeg is asked for: mp4, webm, gif.
bool film_ending(const char* path);
/// Starts ffmpeg. NULL after an error: the output cannot be written, or ffmpeg is not installed.
film* film_begin(const char* path, uint32_t width, uint32_t height, double fps, sup_error* error);
/// A frame of the size given; odd sizes are cut by one row or column, as the formats demand.
bool film_add(film* f, const image* frame, sup_error* error);
/// Waits for ffmpeg and puts the film in its place. Its last words on failure.
bool film_end(film* f, sup_error* error);
/// Frees; before film_end it ends ffmpeg and leaves nothing behind. NULL is allowed.
void film_destroy(film* f);

#endif
