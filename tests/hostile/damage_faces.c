// Faces and places that no modeler makes: stacked, doubled, flipped, without area, all over the place.
#include "hostile.h"

#include <math.h>
#include <string.h>

enum { FACES_MAX = 4000 };

// ---------------------------------------------------------------------------------------------- faces

// Corners of one primitive, taken out to be changed and put back as an accessor of their own.
typedef struct faces {
    sup_json* primitive;
    uint32_t  vertices, count;
    uint32_t* corners; ///< room for FACES_MAX more
} faces;

static bool faces_open(pieces* p, chance* c, faces* out)
{
    elements points, indices = { 0 };
    *out = (faces){ .primitive = pieces_primitive(p, c) };
    if (!pieces_elements(p, sup_json_get(sup_json_get(out->primitive, "attributes"), "POSITION"), &points)) return false;
    bool indexed = pieces_elements(p, sup_json_get(out->primitive, "indices"), &indices);
    out->vertices = points.count;
    out->count = (indexed ? indices.count : points.count) / 3;
    out->corners = sup_arena_alloc(p->arena, 3 * ((size_t)out->count + FACES_MAX), sizeof *out->corners);
    if (!out->corners || !out->count) return false;
    for (uint32_t i = 0; i < 3 * out->count; ++i) out->corners[i] = indexed ? elements_index(&indices, i, 0) : i;
    return true;
}

static void faces_close(pieces* p, faces* f)
{
    pieces_number(p, f->primitive, "indices", pieces_append(p, f->corners, 3 * f->count, 1, 5125));
}

static void repeat(faces* f, uint32_t face, uint32_t times)
{
    for (uint32_t i = 0; i < times && i < FACES_MAX; ++i, ++f->count)
        memcpy(f->corners + 3 * (size_t)f->count, f->corners + 3 * (size_t)face, 3 * sizeof *f->corners);
}

static void stacked(pieces* p, chance* c)
{
    static const uint32_t times[] = { 1, 2, 40, 400, 2000 };
    faces                 f;
    if (!faces_open(p, c, &f)) return;
    repeat(&f, chance_below(c, f.count), times[chance_below(c, 5)]);
    faces_close(p, &f);
}

static void doubled(pieces* p, chance* c)
{
    faces f;
    if (!faces_open(p, c, &f)) return;
    uint32_t count = f.count < FACES_MAX ? f.count : FACES_MAX;
    for (uint32_t i = 0; i < count; ++i) repeat(&f, i, 1);
    faces_close(p, &f);
}

static void shuffled_faces(pieces* p, chance* c)
{
    faces f;
    if (!faces_open(p, c, &f)) return;
    for (uint32_t i = f.count; i > 1; --i) {
        uint32_t t[3], other = chance_below(c, i);
        memcpy(t, f.corners + 3 * (size_t)other, sizeof t);
        memcpy(f.corners + 3 * (size_t)other, f.corners + 3 * (size_t)(i - 1), sizeof t);
        memcpy(f.corners + 3 * (size_t)(i - 1), t, sizeof t);
    }
    faces_close(p, &f);
}

// Soup: any point may be at any corner, of all faces or of a few.
static void shuffled_corners(pieces* p, chance* c)
{
    faces f;
    if (!faces_open(p, c, &f)) return;
    uint32_t few = chance_one_in(c, 2) ? 1 : 1 + chance_below(c, 20);
    for (uint32_t i = 0; i < 3 * f.count; ++i)
        if (chance_one_in(c, few)) f.corners[i] = chance_below(c, f.vertices);
    faces_close(p, &f);
}

static void flipped(pieces* p, chance* c)
{
    faces f;
    if (!faces_open(p, c, &f)) return;
    uint32_t few = 1 + chance_below(c, 3);
    for (uint32_t i = 0; i < f.count; ++i) {
        if (!chance_one_in(c, few)) continue;
        uint32_t* t = f.corners + 3 * (size_t)i;
        uint32_t  first = t[0];
        t[0] = t[1];
        t[1] = first;
    }
    faces_close(p, &f);
}

static void without_area(pieces* p, chance* c)
{
    faces f;
    if (!faces_open(p, c, &f)) return;
    uint32_t few = 1 + chance_below(c, 10);
    bool     points = chance_one_in(c, 3);
    for (uint32_t i = 0; i < f.count; ++i)
        if (chance_one_in(c, few)) {
            f.corners[3 * i + 1] = f.corners[3 * i];
            if (points) f.corners[3 * i + 2] = f.corners[3 * i];
        }
    faces_close(p, &f);
}

// All faces, or some, on one edge.
static void star(pieces* p, chance* c)
{
    faces f;
    if (!faces_open(p, c, &f)) return;
    uint32_t a = chance_below(c, f.vertices), b = chance_below(c, f.vertices), few = 1 + chance_below(c, 4);
    for (uint32_t i = 0; i < f.count; ++i)
        if (chance_one_in(c, few)) {
            f.corners[3 * i] = a;
            f.corners[3 * i + 1] = b;
        }
    faces_close(p, &f);
}

static void dropped(pieces* p, chance* c)
{
    static const uint32_t left[] = { 0, 1, 2, 3, 20 };
    faces                 f;
    if (!faces_open(p, c, &f)) return;
    uint32_t few = 1 + chance_below(c, 4), kept = 0;
    for (uint32_t i = 0; i < f.count; ++i)
        if (!chance_one_in(c, 1 + few)) memmove(f.corners + 3 * (size_t)kept++, f.corners + 3 * (size_t)i, 12);
    f.count = chance_one_in(c, 3) ? left[chance_below(c, 5)] % (kept + 1) : kept;
    faces_close(p, &f);
}

static void wrong_corners(pieces* p, chance* c)
{
    faces f;
    if (!faces_open(p, c, &f)) return;
    for (uint32_t n = 1 + chance_below(c, 5); n; --n)
        f.corners[chance_below(c, 3 * f.count)] = (uint32_t)(int64_t)fmod(chance_odd_number(c), 4294967296.0);
    faces_close(p, &f);
}

// ---------------------------------------------------------------------------------------------- pieces

// Every face with points of its own, and moved a little: as many components as there are faces, up to thousands.
static void many_pieces(pieces* p, chance* c)
{
    faces f;
    if (!faces_open(p, c, &f)) return;
    sup_json* attributes = pieces_get(f.primitive, "attributes");
    uint32_t  count = 1 + chance_below(c, chance_one_in(c, 4) ? FACES_MAX : 3 * f.count), first = chance_below(c, f.count);
    for (sup_json *a = attributes ? attributes->first : NULL, *next; a; a = next) {
        elements e;
        next = a->next; // putting another in its place takes it out of the list
        if (!pieces_elements(p, a, &e)) continue;
        bool     places = strcmp(a->key, "POSITION") == 0;
        uint32_t size = e.stride < 64 ? e.stride : 64;
        uint8_t* data = sup_arena_alloc(p->arena, 3 * (size_t)count * size, 1);
        if (!data || size % 4) continue;
        for (uint32_t i = 0; i < 3 * count; ++i)
            memcpy(data + (size_t)i * size, e.at + (size_t)(f.corners[(3 * first + i) % (3 * f.count)] % e.count) * e.stride,
                   size);
        for (uint32_t i = 0; places && size >= 12 && i < 3 * count; ++i) {
            float* at = (float*)(void*)(data + (size_t)i * size);
            for (int k = 0; k < 3; ++k) at[k] += 1e-3f * (float)(i / 3);
        }
        uint32_t components = size / (e.type == 5126 ? 4 : e.type == 5123 ? 2 : 1);
        if (components > 4) continue;
        pieces_number(p, attributes, a->key, pieces_append(p, data, 3 * count, components, e.type));
    }
    for (uint32_t i = 0; i < 3 * count && i < 3 * (f.count + FACES_MAX); ++i) f.corners[i] = i;
    f.count = count < f.count + FACES_MAX ? count : f.count + FACES_MAX;
    faces_close(p, &f);
}

// ---------------------------------------------------------------------------------------------- places

typedef void place_fn(float* at, uint32_t i, float amount, chance* c);

static void to_one_place(float* at, uint32_t i, float amount, chance* c)
{
    (void)i, (void)c;
    for (int k = 0; k < 3; ++k) at[k] = amount;
}
static void to_a_line(float* at, uint32_t i, float amount, chance* c)
{
    (void)c;
    for (int k = 1; k < 3; ++k) at[k] = (float)(i % 2) * amount * 1e-7f;
}
static void to_a_plane(float* at, uint32_t i, float amount, chance* c)
{
    (void)i, (void)c;
    at[1] = amount;
}
static void scaled(float* at, uint32_t i, float amount, chance* c)
{
    (void)i, (void)c;
    for (int k = 0; k < 3; ++k) at[k] *= amount;
}
static void shifted(float* at, uint32_t i, float amount, chance* c)
{
    (void)i, (void)c;
    at[0] += amount;
}
static void crumpled(float* at, uint32_t i, float amount, chance* c)
{
    (void)i, (void)amount;
    for (int k = 0; k < 3; ++k) at[k] += chance_float(c, -0.2f, 0.2f);
}
static void snapped(float* at, uint32_t i, float amount, chance* c)
{
    (void)i, (void)amount, (void)c;
    for (int k = 0; k < 3; ++k) at[k] = floorf(at[k] * 4) / 4;
}
static void scattered(float* at, uint32_t i, float amount, chance* c)
{
    (void)i;
    if (chance_one_in(c, 40)) at[chance_below(c, 3)] = amount;
}
static void odd(float* at, uint32_t i, float amount, chance* c)
{
    (void)i, (void)amount;
    if (chance_one_in(c, 40)) at[chance_below(c, 3)] = chance_odd_float(c);
}

static void places(pieces* p, chance* c, place_fn* move)
{
    static const float amounts[] = { 0, 1, -1, 1e-30f, 1e-20f, 1e-6f, 1e6f, 1e10f, 1e18f, 1e30f, 3e38f };
    sup_json*          primitive = pieces_primitive(p, c);
    elements           e;
    float              amount = amounts[chance_below(c, sizeof amounts / sizeof *amounts)];
    if (!pieces_elements(p, sup_json_get(sup_json_get(primitive, "attributes"), "POSITION"), &e)) return;
    for (uint32_t i = 0; i < e.count && e.components == 3; ++i)
        if (elements_float(&e, i)) move(elements_float(&e, i), i, amount, c);
}

static void places_equal(pieces* p, chance* c) { places(p, c, to_one_place); }
static void places_in_line(pieces* p, chance* c) { places(p, c, to_a_line); }
static void places_in_plane(pieces* p, chance* c) { places(p, c, to_a_plane); }
static void places_scaled(pieces* p, chance* c) { places(p, c, scaled); }
static void places_shifted(pieces* p, chance* c) { places(p, c, shifted); }
static void places_crumpled(pieces* p, chance* c) { places(p, c, crumpled); }
static void places_snapped(pieces* p, chance* c) { places(p, c, snapped); }
static void places_scattered(pieces* p, chance* c) { places(p, c, scattered); }
static void places_odd(pieces* p, chance* c) { places(p, c, odd); }

const damage damage_of_faces[] = {
    { "stacked faces", stacked },
    { "doubled faces", doubled },
    { "shuffled faces", shuffled_faces },
    { "shuffled corners", shuffled_corners },
    { "flipped faces", flipped },
    { "faces without area", without_area },
    { "faces on one edge", star },
    { "dropped faces", dropped },
    { "wrong corners", wrong_corners },
    { "many pieces", many_pieces },
    { "points at one place", places_equal },
    { "points in a line", places_in_line },
    { "points in a plane", places_in_plane },
    { "scaled points", places_scaled },
    { "shifted points", places_shifted },
    { "crumpled points", places_crumpled },
    { "snapped points", places_snapped },
    { "scattered points", places_scattered },
    { "odd points", places_odd },
};
const uint32_t damage_of_faces_count = sizeof damage_of_faces / sizeof *damage_of_faces;
