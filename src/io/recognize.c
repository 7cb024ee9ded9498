// Recognizes formats by their first bytes. Names lie: a GLB is saved as .obj, a web page as .glb.
#include "io/recognize.h"

#include <string.h>

enum { LOOK = 4096 }; // bytes to examine from the beginning

static bool begins(sup_bytes b, const char* with)
{
    size_t length = strlen(with);
    return b.size >= length && memcmp(b.data, with, length) == 0;
}

static bool is_blank(uint8_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Skips a byte order mark and blanks.
static sup_bytes text_of(sup_bytes b)
{
    if (begins(b, "\xEF\xBB\xBF")) b.data += 3, b.size -= 3;
    while (b.size && is_blank(*b.data)) b.data++, b.size--;
    if (b.size > LOOK) b.size = LOOK;
    return b;
}

static bool holds(sup_bytes b, const char* words)
{
    size_t length = strlen(words);
    for (size_t i = 0; i + length <= b.size; ++i)
        if (memcmp(b.data + i, words, length) == 0) return true;
    return false;
}

// The JSON of a glTF may name its asset at the very end, so a bracket is enough: nothing else here begins with one.
bool gltf_recognize(sup_bytes bytes)
{
    sup_bytes b = text_of(bytes);
    return begins(bytes, "glTF") || begins(b, "{") || begins(b, "[");
}

bool ply_recognize(sup_bytes bytes) { return begins(bytes, "ply\n") || begins(bytes, "ply\r"); }

bool medit_recognize(sup_bytes bytes) { return begins(text_of(bytes), "MeshVersionFormatted"); }

bool bvh_recognize(sup_bytes bytes) { return begins(text_of(bytes), "HIERARCHY"); }

// OBJ has no signature: the first line that is not a comment must begin as an OBJ line does, and the bytes examined must be
// text.
bool obj_recognize(sup_bytes bytes)
{
    static const char* const words[] = { "v ", "v\t", "vn ", "vt ", "o ", "g ", "mtllib ", "usemtl ", "s ", "f " };
    sup_bytes                b = text_of(bytes);
    if (memchr(b.data, 0, b.size)) return false;
    while (b.size && *b.data == '#') {
        const uint8_t* end = memchr(b.data, '\n', b.size);
        if (!end) return false;
        b = (sup_bytes){ end + 1, b.size - (size_t)(end + 1 - b.data) };
        b = text_of(b);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (begins(b, words[i])) return holds(b, "v ") || holds(b, "v\t");
    return false;
}

const char* sup_no_character(sup_bytes bytes, bool packed)
{
    sup_bytes b = text_of(bytes);
    if (bytes.size == 0) return "it is empty; copy or download it again";
    if (begins(b, "version https://git-lfs")) return "it is a Git LFS pointer, not the file itself; run 'git lfs pull'";
    if (begins(b, "<!DOCTYPE html") || begins(b, "<!doctype html") || begins(b, "<html"))
        return "it is a web page; download the file itself";
    if (packed) return NULL;
    if (holds(b, "<COLLADA")) return "it is COLLADA with another ending; rename it to .dae";
    if (begins(bytes, "PK\x03\x04")) return "it is a zip archive; unpack it and name the file in it";
    if (begins(bytes, "\x1f\x8b") || begins(bytes, "7z\xBC\xAF") || begins(bytes, "Rar!"))
        return "it is an archive; unpack it and name the file in it";
    if (begins(bytes, "\x89PNG") || begins(bytes, "\xFF\xD8\xFF")) return "it is a picture; name the file with the mesh";
    return NULL;
}
