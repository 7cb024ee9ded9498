// Resolves what a document references. A file may only reference files beside or below itself: a character from the network
// must not be able to read the rest of the disk.
#include "io/gltf/gltf_reader.h"
#include "io/path.h"

#include <string.h>

// %41 becomes A; a stray % stays. Returns the length; out must hold length bytes.
static size_t percent_decode(const char* text, size_t length, char* out)
{
    size_t n = 0;
    for (size_t i = 0; i < length; ++i) {
        int high = text[i] == '%' && i + 2 < length ? sup_hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? sup_hex_digit(text[i + 2]) : -1;
        if (low >= 0) {
            out[n++] = (char)(high * 16 + low);
            i += 2;
        } else {
            out[n++] = text[i];
        }
    }
    return n;
}

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    if (c == '/' || c == '_') return 63;
    return -1;
}

// False for a character that is not base64, or an impossible length.
static bool base64_decode(const char* text, size_t length, uint8_t* out, size_t* size)
{
    while (length && text[length - 1] == '=') --length;
    if (length % 4 == 1) return false;
    uint32_t bits = 0;
    size_t   n = 0;
    for (size_t i = 0; i < length; ++i) {
        int digit = base64_digit(text[i]);
        if (digit < 0) return false;
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 == 1) out[n++] = (uint8_t)(bits >> 4);
        if (i % 4 == 2) out[n++] = (uint8_t)(bits >> 2);
        if (i % 4 == 3) out[n++] = (uint8_t)bits;
    }
    *size = n;
    return true;
}

bool gltf_uri_is_data(const char* uri, size_t length)
{
    static const char scheme[] = "data:";
    for (size_t i = 0; i < sizeof scheme - 1; ++i)
        if (i >= length || (uri[i] | 0x20) != (scheme[i] | 0x20)) return false;
    return true;
}

sup_result gltf_uri_data(sup_arena* arena, const char* uri, size_t length, const char* what, sup_bytes* out, sup_error* error)
{
    static const char base64[] = ";base64";
    const char*       comma = memchr(uri, ',', length);
    if (!comma)
        return sup_fail(error, SUP_ERROR_INPUT, "%s: its data URI has no comma before the data; the file is damaged", what);
    size_t      head = (size_t)(comma - uri), body = length - head - 1;
    const char* text = comma + 1;
    uint8_t*    data = sup_arena_alloc(arena, body, 1);
    if (!data) return sup_fail_memory(error, what);
    *out = (sup_bytes){ data, 0 };
    if (head >= sizeof base64 - 1 && memcmp(comma - (sizeof base64 - 1), base64, sizeof base64 - 1) == 0) {
        if (!base64_decode(text, body, data, &out->size))
            return sup_fail(error, SUP_ERROR_INPUT, "%s: its data URI is not base64; the file is damaged", what);
    } else {
        out->size = percent_decode(text, body, (char*)data);
    }
    return SUP_OK;
}

// Why a decoded path may not be opened, NULL when it may.
static const char* objection(const char* path, size_t length)
{
    if (length == 0) return "is empty";
    if (memchr(path, 0, length)) return "contains a zero byte";
    if (path[0] == '/' || path[0] == '\\') return "is an absolute path";
    for (size_t i = 0; i < length; ++i) {
        if (path[i] == ':') return "has a scheme or drive, which is not supported";
        bool starts = i == 0 || path[i - 1] == '/' || path[i - 1] == '\\';
        bool dots = i + 1 < length && path[i] == '.' && path[i + 1] == '.';
        bool ends = i + 2 == length || (i + 2 < length && (path[i + 2] == '/' || path[i + 2] == '\\'));
        if (starts && dots && ends) return "leaves the file's own folder";
    }
    return NULL;
}

sup_result gltf_uri_load(gltf_reader* r, const char* uri, size_t length, const char* what, sup_bytes* out, sup_error* error)
{
    if (gltf_uri_is_data(uri, length)) return gltf_uri_data(r->keep, uri, length, what, out, error);

    size_t folder = sup_path_folder(r->in->path);
    char*  path = sup_arena_alloc(r->work, folder + length + 1, 1);
    if (!path) return sup_fail_memory(error, what);
    memcpy(path, r->in->path, folder);
    size_t      decoded = percent_decode(uri, length, path + folder);
    const char* why = objection(path + folder, decoded);
    if (why)
        return sup_fail(error, SUP_ERROR_INPUT, "%s: its uri '%.*s' %s; put the file beside the glTF and use its plain name",
                        what, (int)(length < 200 ? length : 200), uri, why);
    if (!r->in->files || !r->in->files->read)
        return sup_fail(error, SUP_ERROR_FILE, "%s: cannot open '%s' from here; convert the glTF to one .glb", what, path);
    return sup_path_read(r->in->files, path, folder, r->keep, out, error);
}
