// Films on Windows: none yet, because pictures need a ray caster that is not built there (docs/install.md).
#include "film.h"
#include "supple/io.h"

#include <string.h>

bool film_ending(const char* path) { return sup_path_ends_in(path, "mp4 webm gif"); }

film* film_begin(const char* path, uint32_t width, uint32_t height, double fps, sup_error* error)
{
    (void)width;
    (void)height;
    (void)fps;
    sup_fail(error, SUP_ERROR_INPUT, "cannot write '%s': films are not made on Windows; bake to a .glb and film it elsewhere",
             path);
    return NULL;
}

bool film_add(film* f, const image* frame, sup_error* error)
{
    (void)f;
    (void)frame;
    (void)error;
    return false;
}

bool film_end(film* f, sup_error* error)
{
    (void)f;
    (void)error;
    return false;
}

void film_destroy(film* f) { (void)f; }
