/// film.h: frames to a film through the ffmpeg program, which is started without a shell, fed through a pipe, and ended with
/// us.
#ifndef SUPPLE_APP_FILM_H
#define SUPPLE_APP_FILM_H

#include "picture.h"

typedef struct film film;

/// Whether ffmpeg handles the ending: mp4, webm, gif.
bool film_ending(const char* path);
/// Starts ffmpeg. NULL after an error: the output cannot be written, or ffmpeg is not installed.
film* film_begin(const char* path, uint32_t width, uint32_t height, double fps, sup_error* error);
/// Adds a frame of the given size; odd sizes lose one row or column, as the formats demand.
bool film_add(film* f, const image* frame, sup_error* error);
/// Waits for ffmpeg and moves the film to its target. On failure the error has its last message.
bool film_end(film* f, sup_error* error);
/// Frees; before film_end it ends ffmpeg and removes its output. NULL is allowed.
void film_destroy(film* f);

#endif
