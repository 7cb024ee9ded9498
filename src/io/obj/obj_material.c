// MTL: the materials beside an OBJ. They follow a lighting model of 1990; glTF can express the color, its picture, opacity,
// gloss, emission, and (in later dialects) metal, roughness and a normal map.
#include "base/internal.h"
#include "io/appearance.h"
#include "io/obj/obj_lines.h"
#include "io/path.h"

#include <math.h>

typedef struct mtl_reader {
    const sup_read_input* in;
    appearance_material*  first; // of the list under construction
    appearance_material*  at;
    bool                  rough; // Pr set the roughness of `at`
    sup_error*            error;
} mtl_reader;

// Reads a file beside or below ours. False: not found.
static bool read_beside(const sup_read_input* in, const char* name, size_t length, sup_bytes* out)
{
    size_t folder = sup_path_folder(in->path);
    char*  path = SUP_NEW(in->arena, char, folder + length + 1);
    if (!path || length == 0 || !in->files || !in->files->read) return false;
    memcpy(path, in->path, folder);
    for (size_t i = 0; i < length; ++i) path[folder + i] = name[i] == '\\' ? '/' : name[i];
    if (!sup_path_stays_below(path + folder)) return false;
    sup_error ignored;
    return sup_path_read(in->files, path, folder, in->arena, out, &ignored) == SUP_OK;
}

// ---------------------------------------------------------------------------------------------- lines

static const char* rest_of_line(mtl_reader* m, obj_line* l)
{
    const char* end = l->end;
    while (end > l->at && obj_is_space(end[-1])) --end;
    return sup_arena_text(m->in->arena, l->at, (size_t)(end - l->at));
}

// Reads up to `count` numbers; returns how many there are.
static int read_numbers(obj_line* l, int count, float* out)
{
    int n = 0;
    for (; n < count; ++n) {
        double value = 0;
        size_t length = sup_quick_double(l->at, l->end, &value);
        if (length == 0 || !obj_ends_word(l, l->at + length) || !isfinite((float)value)) break;
        out[n] = (float)value;
        l->at += length;
        obj_skip_space(l);
    }
    return n;
}

static float clamp_unit(float x) { return x >= 0 ? (x <= 1 ? x : 1) : 0; }

// One number stands for all three.
static void read_color(obj_line* l, float out[3])
{
    float values[3];
    int   n = read_numbers(l, 3, values);
    for (int i = 0; i < 3 && n > 0; ++i) out[i] = clamp_unit(values[n == 3 ? i : 0]);
}

static void read_unit(obj_line* l, bool complement, float* out)
{
    float value;
    if (read_numbers(l, 1, &value) == 1) *out = clamp_unit(complement ? 1 - value : value);
}

// A picture's name follows its options, each with a number of words: "-s 1 1 1 -clamp on wood.png". Names may contain blanks.
static const char* read_picture(mtl_reader* m, obj_line* l)
{
    static const struct {
        const char* name;
        int         words;
        bool        numbers; // up to that many
    } options[] = { { "-blendu", 1, false }, { "-blendv", 1, false },    { "-boost", 1, true },    { "-mm", 2, true },
                    { "-o", 3, true },       { "-s", 3, true },          { "-t", 3, true },        { "-texres", 1, true },
                    { "-clamp", 1, false },  { "-bm", 1, true },         { "-imfchan", 1, false }, { "-type", 1, false },
                    { "-cc", 1, false },     { "-colorspace", 1, false } };
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < SUP_COUNT_OF(options) && !found; ++i) {
            float skipped[3];
            found = obj_starts_with(l, options[i].name);
            if (found && options[i].numbers) read_numbers(l, options[i].words, skipped);
            for (int w = 0; found && !options[i].numbers && w < options[i].words; ++w) {
                while (!obj_ends_word(l, l->at)) ++l->at;
                obj_skip_space(l);
            }
        }
    }
    return l->at < l->end ? rest_of_line(m, l) : NULL;
}

static bool start_material(mtl_reader* m, obj_line* l)
{
    appearance_material* made = SUP_NEW(m->in->arena, appearance_material, 1);
    if (!made) return false;
    *made = (appearance_material){
        .name = rest_of_line(m, l), .color = { 0.8f, 0.8f, 0.8f, 1 }, .roughness = 0.8f, .next = m->first
    };
    m->first = m->at = made;
    m->rough = false;
    return made->name != NULL;
}

static bool read_line(mtl_reader* m, obj_line* l)
{
    if (obj_starts_with(l, "newmtl")) return start_material(m, l);
    appearance_material* at = m->at;
    float           shine;
    if (!at) return true;
    if (obj_starts_with(l, "Kd")) read_color(l, at->color);
    else if (obj_starts_with(l, "Ke")) read_color(l, at->glow);
    else if (obj_starts_with(l, "d")) read_unit(l, false, &at->color[3]);
    else if (obj_starts_with(l, "Tr")) read_unit(l, true, &at->color[3]);
    else if (obj_starts_with(l, "Pm")) read_unit(l, false, &at->metal);
    else if (obj_starts_with(l, "Pr")) read_unit(l, false, &at->roughness), m->rough = true;
    else if (obj_starts_with(l, "Ns") && !m->rough) {
        // The width of a Blinn-Phong highlight as that of a microfacet one.
        if (read_numbers(l, 1, &shine) == 1 && shine >= 0) at->roughness = sqrtf(2 / (shine + 2));
    } else if (obj_starts_with(l, "map_Kd")) at->picture_path = read_picture(m, l);
    else if (obj_starts_with(l, "norm")) at->normals_path = read_picture(m, l);
    return true;
}

static bool read_text(mtl_reader* m, sup_bytes bytes)
{
    const char *text = (const char*)bytes.data, *end = text + bytes.size;
    obj_line    l = { 0 };
    if (bytes.size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
    for (size_t number = 1; obj_next_line(&text, end, number, &l); number = l.next_number)
        if (l.at < l.end && !read_line(m, &l)) return false;
    // Exporters that mean the opposite (d 0 for opaque): nobody bakes what is invisible.
    for (appearance_material* d = m->first; d; d = d->next)
        if (d->color[3] == 0) d->color[3] = 1;
    return true;
}

// ---------------------------------------------------------------------------------------------- files

sup_result obj_materials_read(const sup_read_input* in, const char* names, size_t length, appearance_material** list,
                              sup_notes* notes, sup_error* error)
{
    mtl_reader m = { .in = in, .first = *list, .error = error };
    sup_bytes  bytes;
    bool       found = read_beside(in, names, length, &bytes), good = true;
    if (found) good = read_text(&m, bytes);
    // A name with blanks, or several names.
    for (size_t at = 0; !found && good && at < length;) {
        size_t end = at;
        while (end < length && !obj_is_space(names[end])) ++end;
        if (end > at && end - at < length && read_beside(in, names + at, end - at, &bytes))
            good = read_text(&m, bytes), m.at = NULL;
        else if (end > at)
            sup_note(notes, "the material file '%.*s' is not beside the file and is left out; put it there",
                     (int)(end - at < 200 ? end - at : 200), names + at);
        at = end + 1;
    }
    *list = m.first;
    return good ? SUP_OK : sup_fail_memory(error, "the materials");
}

static bool is_picture(sup_bytes b)
{
    return (b.size > 8 && memcmp(b.data, "\x89PNG\r\n\x1a\n", 8) == 0) ||
           (b.size > 3 && memcmp(b.data, "\xff\xd8\xff", 3) == 0);
}

// The path as given, else its name beside the file or in a texture folder: paths in files refer to the author's disk.
static bool find_picture(const sup_read_input* in, const char* path, sup_bytes* out)
{
    static const char* const folders[] = { "", "textures/", "Textures/", "images/" };
    if (read_beside(in, path, strlen(path), out)) return true;
    const char* name = path + sup_path_folder(path);
    for (size_t i = 0; i < SUP_COUNT_OF(folders); ++i) {
        char   beside[600];
        size_t length = sup_format(beside, sizeof beside, "%s%s", folders[i], name);
        if (length < sizeof beside && read_beside(in, beside, length, out)) return true;
    }
    return false;
}

static sup_result take_picture(const sup_read_input* in, const char* path, const appearance_picture** album,
                               const appearance_picture** out, sup_notes* notes, sup_error* error)
{
    *out = NULL;
    if (!path || !path[0]) return SUP_OK;
    for (const appearance_picture* p = *album; p; p = p->next)
        if (strcmp(p->path, path) == 0) {
            *out = p->bytes.data ? p : NULL;
            return SUP_OK;
        }
    appearance_picture* made = SUP_NEW(in->arena, appearance_picture, 1);
    if (!made) return sup_fail_memory(error, "a picture");
    *made = (appearance_picture){ .path = path, .next = *album };
    *album = made;
    if (!find_picture(in, path, &made->bytes)) {
        made->bytes = (sup_bytes){ 0 };
        sup_note(notes, "the texture '%.200s' is not beside the file and is left out; put it there or into a folder 'textures'",
                 path);
        return SUP_OK;
    }
    if (!is_picture(made->bytes)) {
        made->bytes = (sup_bytes){ 0 };
        sup_note(notes, "the texture '%.200s' is neither PNG nor JPEG, the formats of glTF, and is left out; convert it",
                 path);
        return SUP_OK;
    }
    *out = made;
    return SUP_OK;
}

sup_result obj_pictures_read(const sup_read_input* in, appearance_material* list, sup_notes* notes, sup_error* error)
{
    const appearance_picture* album = NULL;
    for (appearance_material* m = list; m; m = m->next) {
        if (!m->used) continue;
        sup_result result = take_picture(in, m->picture_path, &album, &m->picture, notes, error);
        if (result == SUP_OK) result = take_picture(in, m->normals_path, &album, &m->normals, notes, error);
        if (result != SUP_OK) return result;
    }
    return SUP_OK;
}
