// Images: creating, pasting, heat colors and legends.
#include "picture_light.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool image_create(image* i, uint32_t width, uint32_t height, picture_color color)
{
    uint8_t bytes[3];
    light_encode(color, 0.5f, bytes);
    *i = (image){ width, height, malloc(3 * (size_t)width * height + 1) };
    for (size_t p = 0; p < (size_t)width * height && i->pixels; p++) memcpy(&i->pixels[3 * p], bytes, 3);
    return i->pixels != NULL;
}

void image_free(image* i)
{
    free(i->pixels);
    *i = (image){ 0 };
}

void image_paste(image* i, const image* piece, int x, int y)
{
    for (int row = 0; row < (int)piece->height; row++) {
        int from = x < 0 ? -x : 0, to = (int)piece->width;
        if (x + to > (int)i->width) to = (int)i->width - x;
        if (y + row < 0 || y + row >= (int)i->height || to <= from) continue;
        memcpy(&i->pixels[3 * ((size_t)(y + row) * i->width + (size_t)(x + from))],
               &piece->pixels[3 * ((size_t)row * piece->width + (size_t)from)], 3 * (size_t)(to - from));
    }
}

bool image_grid(const image* images, uint32_t count, uint32_t columns, image* out)
{
    uint32_t width = 0, height = 0;
    if (columns == 0 || columns > count) columns = count;
    for (uint32_t i = 0; i < count; i++) {
        width = images[i].width > width ? images[i].width : width;
        height = images[i].height > height ? images[i].height : height;
    }
    uint32_t rows = columns ? (count + columns - 1) / columns : 0;
    if (!image_create(out, width * columns, height * rows, (picture_color){ 1, 1, 1 })) return false;
    for (uint32_t i = 0; i < count; i++) image_paste(out, &images[i], (int)(i % columns * width), (int)(i / columns * height));
    return true;
}

// ---------------------------------------------------------------------------------------------- colors

static float decode(int byte)
{
    float s = clampf((float)byte / 255.0f, 0.0f, 1.0f);
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

picture_color picture_color_srgb(int r, int g, int b) { return (picture_color){ decode(r), decode(g), decode(b) }; }

// Lightness and two color axes of the Oklab space (Ottosson 2020), where equal steps look equal.
typedef struct lab {
    float l, a, b;
} lab;

static picture_color from_lab(lab c)
{
    float l = c.l + 0.3963377774f * c.a + 0.2158037573f * c.b, m = c.l - 0.1055613458f * c.a - 0.0638541728f * c.b,
          s = c.l - 0.0894841775f * c.a - 1.2914855480f * c.b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return (picture_color){ clampf(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s, 0.0f, 1.0f),
                            clampf(-1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s, 0.0f, 1.0f),
                            clampf(-0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s, 0.0f, 1.0f) };
}

static lab between(const lab* stops, int count, float t)
{
    float at = clampf(t, 0.0f, 1.0f) * (float)(count - 1);
    int   i = (int)at < count - 2 ? (int)at : count - 2;
    float f = at - (float)i;
    return (lab){ mix(stops[i].l, stops[i + 1].l, f), mix(stops[i].a, stops[i + 1].a, f), mix(stops[i].b, stops[i + 1].b, f) };
}

picture_color picture_heat(float value)
{
    // Indigo, violet, red, orange, pale yellow: lightness rises evenly.
    static const lab stops[] = { { 0.34f, 0.01f, -0.13f },
                                 { 0.47f, 0.11f, -0.10f },
                                 { 0.61f, 0.17f, 0.05f },
                                 { 0.75f, 0.09f, 0.14f },
                                 { 0.92f, -0.02f, 0.14f } };
    return from_lab(between(stops, 5, value == value ? value : 0.0f));
}

picture_color picture_heat_signed(float value)
{
    static const lab stops[] = { { 0.42f, -0.01f, -0.16f },
                                 { 0.61f, -0.03f, -0.11f },
                                 { 0.80f, 0.0f, 0.005f },
                                 { 0.64f, 0.12f, 0.08f },
                                 { 0.46f, 0.17f, 0.09f } };
    return from_lab(between(stops, 5, value == value ? 0.5f + 0.5f * value : 0.5f));
}

// ---------------------------------------------------------------------------------------------- legend

int image_legend_height(const image* i)
{
    int size = (int)(i->width / 50 < i->height / 36 ? i->width / 50 : i->height / 36);
    size = size < 13 ? 13 : size > 26 ? 26 : size;
    return 3 * size;
}

// Three digits are enough to read, without digits that carry no information.
static void write_number(char* text, size_t size, double value, const char* unit)
{
    double a = fabs(value);
    int    digits = a >= 100.0 || a == 0.0 ? 0 : a >= 10.0 ? 1 : a >= 1.0 ? 2 : 3;
    snprintf(text, size, "%.*f", digits, value);
    if (strchr(text, '.')) {
        size_t end = strlen(text);
        while (text[end - 1] == '0') text[--end] = 0;
        if (text[end - 1] == '.') text[--end] = 0;
    }
    if (a > 0.0 && a < 0.001) snprintf(text, size, "%.1e", value);
    size_t end = strlen(text);
    if (*unit) snprintf(text + end, size - end, " %s", unit);
}

static bool is_dark(const image* i, int x, int y)
{
    const uint8_t* p = &i->pixels[3 * ((size_t)y * i->width + (size_t)x)];
    return p[0] + p[1] + p[2] < 330;
}

void image_legend(image* i, const char* title, double low, double high, const char* unit)
{
    int  tall = image_legend_height(i), size = tall / 3, top = (int)i->height - tall;
    char left[64], right[64];
    write_number(left, sizeof left, low, low == 0.0 ? "" : unit);
    write_number(right, sizeof right, high, unit);
    int bar = (int)i->width * 2 / 5, bar_height = size * 4 / 5;
    int needed = image_text_width(size, title) + image_text_width(size, left) + image_text_width(size, right) + bar + 5 * size;
    if (needed > (int)i->width) bar -= needed - (int)i->width;
    if (top < 0 || bar < 2 * size || i->width == 0) return;
    int           x = ((int)i->width - (needed > (int)i->width ? (int)i->width : needed)) / 2 + size, y = top + size;
    picture_color ink = is_dark(i, x, y) ? picture_color_srgb(225, 228, 232) : picture_color_srgb(45, 48, 54);

    image_text(i, x, y, size, ink, title);
    x += image_text_width(size, title) + size;
    image_text(i, x, y, size, ink, left);
    x += image_text_width(size, left) + size / 2;
    bool both = low < 0.0 && high > 0.0;
    for (int k = 0; k < bar; k++) {
        float         t = (float)k / (float)(bar - 1);
        picture_color c = both ? picture_heat_signed(2.0f * t - 1.0f) : picture_heat(t);
        uint8_t       bytes[3];
        light_encode(c, 0.5f, bytes);
        for (int j = 0; j < bar_height; j++)
            memcpy(&i->pixels[3 * ((size_t)(y + 1 + j) * i->width + (size_t)(x + k))], bytes, 3);
    }
    x += bar + size / 2;
    image_text(i, x, y, size, ink, right);
}
