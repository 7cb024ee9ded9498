// A stroke font of our own: each character is a few pen strokes on a grid, drawn with a round pen at any size.
#include "picture_math.h"

#include <stdlib.h>
#include <string.h>

// Width, then strokes. A place is two characters: x from 0, and y from 0 (foot of a g) over 3 (base line), 9 (top of an x) to c
// (top of an H). Strokes are separated by spaces: straight lines, or with '~' a smooth curve with its places as control points
// (it runs through the midpoints between them), with '@' a closed one. The same place twice is a dot.
static const struct glyph {
    char        width;
    const char* strokes;
} glyphs[95] = {
    { 3, "" },                                   // space
    { 0, "0c07 0303" },                          // !
    { 2, "0c0a 2c2a" },                          // "
    { 6, "2c13 5c43 0969 0666" },                // #
    { 5, "~5a5c0c0857530305 2d22" },             // $
    { 7, "@0c3c3808 @47777343 6c13" },           // %
    { 6, "~63191c4c490703436367" },              // &
    { 0, "0c0a" },                               // '
    { 2, "~2d0a0421" },                          // (
    { 2, "~0d2a2401" },                          // )
    { 4, "2b27 0a48 4a08" },                     // *
    { 4, "2925 0747" },                          // +
    { 1, "1301" },                               // ,
    { 3, "0737" },                               // -
    { 0, "0303" },                               // .
    { 4, "024d" },                               // /
    { 5, "@0c5c5303" },                          // 0
    { 5, "0a3c33" },                             // 1
    { 5, "~0a0c5c5803 0353" },                   // 2
    { 5, "~0a0c5c5828 ~2858530305" },            // 3
    { 5, "434c0656" },                           // 4
    { 5, "5c0c08 ~0859530304" },                 // 5
    { 5, "@08585303 ~4c0c05" },                  // 6
    { 5, "0c5c13" },                             // 7
    { 5, "@0c5c5808 @08585303" },                // 8
    { 5, "@0c5c5707 ~595313" },                  // 9
    { 0, "0808 0303" },                          // :
    { 1, "1818 1301" },                          // ;
    { 4, "4a0744" },                             // <
    { 4, "0848 0545" },                          // =
    { 4, "0a4704" },                             // >
    { 5, "~0a0c5c582826 2323" },                 // ?
    { 7, "@0c7c7202 @29595525" },                // @
    { 6, "033c63 1656" },                        // A
    { 6, "23030c2c ~2c5c5828 0828 ~28686323" },  // B
    { 6, "~6a6c0c036365" },                      // C
    { 6, "23030c2c ~2c6c6323" },                 // D
    { 5, "53030c5c 0848" },                      // E
    { 5, "030c5c 0848" },                        // F
    { 6, "~6a6c0c036367 6747" },                 // G
    { 6, "030c 636c 0868" },                     // H
    { 0, "030c" },                               // I
    { 4, "4c46 ~46430305" },                     // J
    { 5, "030c 5c07 2953" },                     // K
    { 5, "0c0353" },                             // L
    { 6, "030c366c63" },                         // M
    { 6, "030c636c" },                           // N
    { 6, "@0c6c6303" },                          // O
    { 6, "030c2c ~2c6c6727 2707" },              // P
    { 6, "@0c6c6303 4562" },                     // Q
    { 6, "030c2c ~2c6c6727 2707 3763" },         // R
    { 5, "~5a5c0c0857530305" },                  // S
    { 6, "0c6c 3c33" },                          // T
    { 6, "0c07 ~07036367 676c" },                // U
    { 6, "0c336c" },                             // V
    { 8, "0c234a638c" },                         // W
    { 6, "0c63 036c" },                          // X
    { 6, "0c376c 3733" },                        // Y
    { 6, "0c6c0363" },                           // Z
    { 2, "2d0d0121" },                           // [
    { 4, "0d42" },                               // backslash
    { 2, "0d2d2101" },                           // ]
    { 4, "092c49" },                             // ^
    { 5, "0252" },                               // _
    { 1, "0c1a" },                               // `
    { 5, "@09595303 5953" },                     // a
    { 5, "0c03 @09595303" },                     // b
    { 5, "~585909035354" },                      // c
    { 5, "5c53 @09595303" },                     // d
    { 5, "0656 ~565909035354" },                 // e
    { 3, "~3c1c19 1913 0939" },                  // f
    { 5, "@09595303 5952 ~52500001" },           // g
    { 5, "0c03 ~06095956 5653" },                // h
    { 0, "0903 0c0c" },                          // i
    { 1, "1911 ~111000 1c1c" },                  // j
    { 4, "0c03 4905 2743" },                     // k
    { 0, "0c03" },                               // l
    { 8, "0903 ~06094946 4643 ~46498986 8683" }, // m
    { 5, "0903 ~06095956 5653" },                // n
    { 5, "@09595303" },                          // o
    { 5, "0900 @09595303" },                     // p
    { 5, "5950 @09595303" },                     // q
    { 3, "0903 ~060939" },                       // r
    { 4, "~4849090646430304" },                  // s
    { 3, "1c15 ~151333 0939" },                  // t
    { 5, "0906 ~06035356 5953" },                // u
    { 4, "092349" },                             // v
    { 6, "0913395369" },                         // w
    { 4, "0943 0349" },                          // x
    { 4, "0923 4910" },                          // y
    { 4, "09490343" },                           // z
    { 3, "~3d1d1707 ~07171131" },                // {
    { 0, "0d01" },                               // |
    { 3, "~0d2d2737 ~37272101" },                // }
    { 5, "~06194558" },                          // ~
};

enum { PLACES_MAX = 16, CURVE_STEPS = 6, GRID_HEIGHT = 14 };
static const float PEN = 0.62f;    // half the width of a stroke, in grid units
static const float SPACING = 2.3f; // between characters
static const float TOP = 13.0f;    // y of the upper edge

typedef struct place {
    float x, y;
} place;

static int grid_value(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

static const struct glyph* glyph_of(unsigned char c) { return &glyphs[(c >= 32 && c < 127 ? c : '?') - 32]; }

// The pen: paints a straight stroke, keeping the darker of what is there and what it adds.
typedef struct pen {
    uint8_t* mask;
    int      width, height;
    float    radius;
} pen;

static void draw_piece(pen* p, place a, place b)
{
    float reach = p->radius + 1.0f;
    int   x0 = (int)floorf(fminf(a.x, b.x) - reach), x1 = (int)ceilf(fmaxf(a.x, b.x) + reach);
    int   y0 = (int)floorf(fminf(a.y, b.y) - reach), y1 = (int)ceilf(fmaxf(a.y, b.y) + reach);
    float dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    for (int y = y0 < 0 ? 0 : y0; y < (y1 < p->height ? y1 : p->height); y++) {
        for (int x = x0 < 0 ? 0 : x0; x < (x1 < p->width ? x1 : p->width); x++) {
            float    px = (float)x + 0.5f - a.x, py = (float)y + 0.5f - a.y;
            float    t = square > 0.0f ? clampf((px * dx + py * dy) / square, 0.0f, 1.0f) : 0.0f;
            float    ex = px - t * dx, ey = py - t * dy;
            float    cover = clampf(p->radius + 0.5f - sqrtf(ex * ex + ey * ey), 0.0f, 1.0f);
            uint8_t* m = &p->mask[(size_t)y * (size_t)p->width + (size_t)x];
            if (cover * 255.0f > *m) *m = (uint8_t)(cover * 255.0f);
        }
    }
}

static place middle(place a, place b) { return (place){ 0.5f * (a.x + b.x), 0.5f * (a.y + b.y) }; }

static void draw_bow(pen* p, place from, place pull, place to)
{
    place last = from;
    for (int i = 1; i <= CURVE_STEPS; i++) {
        float t = (float)i / CURVE_STEPS, u = 1.0f - t;
        place next = { u * u * from.x + 2 * u * t * pull.x + t * t * to.x, u * u * from.y + 2 * u * t * pull.y + t * t * to.y };
        draw_piece(p, last, next);
        last = next;
    }
}

static void draw_stroke(pen* p, const char* text, size_t size, float x, float y, float unit)
{
    char  kind = *text == '~' || *text == '@' ? *text : 0;
    place places[PLACES_MAX];
    int   count = 0;
    for (size_t i = kind ? 1 : 0; i + 1 < size && count < PLACES_MAX; i += 2)
        places[count++] = (place){ x + unit * (float)grid_value(text[i]), y + unit * (TOP - (float)grid_value(text[i + 1])) };
    if (kind == '@') {
        for (int i = 0; i < count; i++) {
            place before = places[(i + count - 1) % count], here = places[i], after = places[(i + 1) % count];
            draw_bow(p, middle(before, here), here, middle(here, after));
        }
    } else if (kind == '~') {
        for (int i = 1; i + 1 < count; i++) {
            place from = i == 1 ? places[0] : middle(places[i - 1], places[i]);
            place to = i + 2 == count ? places[i + 1] : middle(places[i], places[i + 1]);
            draw_bow(p, from, places[i], to);
        }
    } else
        for (int i = 0; i + 1 < count; i++) draw_piece(p, places[i], places[i + 1]);
}

int image_text_width(int size, const char* text)
{
    float wide = 0.0f;
    for (; *text; text++)
        if (((unsigned char)*text & 0xc0) != 0x80) wide += (float)glyph_of((unsigned char)*text)->width + SPACING;
    return (int)ceilf(wide * (float)size / GRID_HEIGHT);
}

static uint8_t blend(uint8_t under, float over, float cover)
{
    float s = over <= 0.0031308f ? 12.92f * over : 1.055f * powf(over, 1.0f / 2.4f) - 0.055f;
    return (uint8_t)(mix((float)under, clampf(s, 0.0f, 1.0f) * 255.0f, cover) + 0.5f);
}

static void lay_mask(image* i, const pen* p, int left, int top, picture_color color)
{
    for (int y = 0; y < p->height; y++) {
        for (int x = 0; x < p->width; x++) {
            float cover = (float)p->mask[(size_t)y * (size_t)p->width + (size_t)x] / 255.0f;
            int   ix = left + x, iy = top + y;
            if (cover == 0.0f || ix < 0 || iy < 0 || ix >= (int)i->width || iy >= (int)i->height) continue;
            uint8_t* at = &i->pixels[3 * ((size_t)iy * i->width + (size_t)ix)];
            at[0] = blend(at[0], color.r, cover);
            at[1] = blend(at[1], color.g, cover);
            at[2] = blend(at[2], color.b, cover);
        }
    }
}

// Text for which there is no memory is left out: a picture without its caption is still useful.
void image_text(image* i, int x, int y, int size, picture_color color, const char* text)
{
    float unit = (float)size / GRID_HEIGHT, margin = 2.0f;
    pen   p = { .width = image_text_width(size, text) + 4, .height = size + 4, .radius = fmaxf(PEN * unit, 0.55f) };
    if (size < 1 || size > 1000 || p.width > 100000) return;
    p.mask = calloc((size_t)p.width * (size_t)p.height, 1);
    if (!p.mask) return;
    float at = margin;
    for (; *text; text++) {
        if (((unsigned char)*text & 0xc0) == 0x80) continue; // continuation byte
        const struct glyph* g = glyph_of((unsigned char)*text);
        for (const char* s = g->strokes; *s;) {
            size_t length_of = strcspn(s, " ");
            draw_stroke(&p, s, length_of, at, margin, unit);
            s += length_of + (s[length_of] == ' ');
        }
        at += ((float)g->width + SPACING) * unit;
    }
    lay_mask(i, &p, x - (int)margin, y - (int)margin, color);
    free(p.mask);
}
