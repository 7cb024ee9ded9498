// The page: growing text, styles, pictures.
#include "html.h"

#include "output.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- text

static bool reserve(html* h, size_t more)
{
    if (h->failed) return false;
    size_t wanted = h->length + more + 1;
    if (wanted <= h->capacity) return true;
    size_t capacity = h->capacity ? h->capacity : 1 << 16;
    while (capacity < wanted) capacity *= 2;
    char* grown = realloc(h->text, capacity);
    if (!grown) {
        h->failed = true;
        return false;
    }
    h->text = grown;
    h->capacity = capacity;
    return true;
}

static void put(html* h, const char* bytes, size_t length)
{
    if (!reserve(h, length)) return;
    memcpy(h->text + h->length, bytes, length);
    h->length += length;
    h->text[h->length] = 0;
}

void html_add(html* h, const char* format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > 0 && reserve(h, (size_t)length)) {
        vsnprintf(h->text + h->length, (size_t)length + 1, format, again);
        h->length += (size_t)length;
    }
    va_end(again);
}

void html_text(html* h, const char* text)
{
    for (const char* at = text; *at;) {
        size_t plain = strcspn(at, "&<>\"'%");
        bool   spaced = at[plain] == '%' && plain && at[plain - 1] == ' ';
        put(h, at, spaced ? plain - 1 : plain);
        at += plain;
        if (!*at) break;
        // A percent sign stays on the line of its number.
        if (*at == '%') {
            put(h, spaced ? "&nbsp;%" : "%", spaced ? 7 : 1);
            at++;
            continue;
        }
        const char* name = *at == '&' ? "&amp;" : *at == '<' ? "&lt;" : *at == '>' ? "&gt;" : *at == '"' ? "&quot;" : "&#39;";
        put(h, name, strlen(name));
        at++;
    }
}

// ---------------------------------------------------------------------------------------------- page

static const char STYLE[] =
    ":root{--paper:#fff;--ink:#1c2126;--soft:#59636e;--line:#d8dee4;--band:#f5f7f9;--bad:#b3261e;--good:#1a7f4b;"
    "--s0:#c2541a;--s1:#1f6fb2;--s2:#2e8b57;--s3:#8250a5;--s4:#a07d00;--s5:#c03a7a;--s6:#16837f;--s7:#5b6470}"
    "@media(prefers-color-scheme:dark){:root{--paper:#14181c;--ink:#e4e8ec;--soft:#9aa5b0;--line:#333b44;--band:#1c2228;"
    "--bad:#ff8a80;--good:#6fcf97;--s0:#f08a4b;--s1:#64aee8;--s2:#66c08c;--s3:#bd93dd;--s4:#d8b84a;--s5:#ec7fb0;"
    "--s6:#52bfba;--s7:#a3adb8}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:1180px;padding:2rem 1.25rem 3rem;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}"
    "h1{font-size:1.7rem;line-height:1.2;margin:0 0 .3rem}h2{font-size:1.2rem;margin:2.4rem 0 .8rem}"
    "h3{font-size:1rem;margin:1.6rem 0 .4rem}p{margin:.4rem 0;max-width:46rem}.soft{color:var(--soft)}"
    ".bad{color:var(--bad)}.good{color:var(--good)}"
    ".wide{overflow-x:auto;margin:1rem 0}table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}"
    "th,td{padding:.35rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}"
    "th{font-weight:600;color:var(--soft);vertical-align:bottom}td.l,th.l{text-align:left}"
    "a{color:inherit}td b{font-weight:650}tbody tr:hover{background:var(--band)}"
    "td.say{white-space:normal;min-width:20rem;text-align:left}"
    ".pair{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,360px),1fr));gap:1.2rem;max-width:860px}"
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,330px),1fr));gap:1.2rem}"
    ".next{margin-top:1.3rem}figure{margin:0;min-width:0}figcaption{font-size:.86rem;color:var(--soft);margin-top:.3rem}"
    "img{display:block;width:100%;height:auto;border-radius:6px}"
    "svg{display:block;width:100%;height:auto}svg text{font-size:11.5px;fill:var(--soft);font-family:inherit}"
    ".axis{stroke:var(--soft)}.net{stroke:var(--line)}.zero{stroke:var(--soft);stroke-width:1}"
    ".limit{stroke:var(--bad);stroke-dasharray:5 4}.curve{fill:none;stroke-width:2;stroke-linejoin:round}"
    ".title{font-weight:600;margin:0 0 .2rem}"
    ".key{display:flex;flex-wrap:wrap;gap:.1rem 1rem;font-size:.86rem;margin:.1rem 0 0;padding:0;list-style:none}"
    ".dot{display:inline-block;width:.7em;height:.7em;border-radius:2px;margin-right:.45em}"
    ".legend{display:flex;align-items:center;gap:.6rem;font-size:.86rem;color:var(--soft);margin:.6rem 0;flex-wrap:wrap}"
    ".bar{display:inline-flex;align-items:center;gap:.6rem}"
    ".legend svg{width:180px;height:12px;flex:none}"
    "pre{background:var(--band);border:1px solid var(--line);border-radius:6px;padding:.7rem .9rem;overflow-x:auto;"
    "font-size:.86rem;white-space:pre-wrap;overflow-wrap:anywhere}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;font-size:.9rem;max-width:52rem}"
    "dt{font-weight:600}dd{margin:0;color:var(--soft)}"
    "@media(max-width:640px){body{padding:1.2rem .9rem 2rem}dl{display:block}dd{margin:0 0 .5rem}}"
    "@media print{body{max-width:none}figure{break-inside:avoid}}";

void html_begin(html* h, const char* title, const char* subtitle)
{
    *h = (html){ 0 };
    html_add(h, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                "<meta name=\"color-scheme\" content=\"light dark\"><title>");
    html_text(h, title);
    html_add(h, "</title>\n<style>");
    put(h, STYLE, sizeof STYLE - 1);
    for (int i = 0; i < 8; i++) html_add(h, ".c%d{stroke:var(--s%d)}.b%d{background:var(--s%d)}", i, i, i, i);
    html_add(h, "</style></head>\n<body>\n<h1>");
    html_text(h, title);
    html_add(h, "</h1>\n<p class=\"soft\">");
    html_text(h, subtitle);
    html_add(h, "</p>\n");
}

void html_end(html* h, const char* command)
{
    html_add(h, "<h2>Repeat it</h2>\n<pre><code>");
    html_text(h, command);
    html_add(h,
             "</code></pre>\n<p class=\"soft\">Made by supple %s. Everything except the times repeats bit for bit.</p>\n"
             "</body></html>\n",
             SUP_VERSION);
}

bool html_probe(const char* path, sup_error* error)
{
    output_file file = { 0 };
    bool        good = output_begin(&file, path, error);
    output_drop(&file);
    return good;
}

bool html_write(const html* h, const char* path, sup_error* error)
{
    output_file file = { 0 };
    if (h->failed) {
        sup_fail(error, SUP_ERROR_MEMORY, "out of memory while building '%s'; ask for fewer chains", path);
        return false;
    }
    bool good = output_begin(&file, path, error) && output_write(&file, h->text, h->length, error) && output_keep(&file, error);
    output_drop(&file);
    return good;
}

void html_free(html* h)
{
    free(h->text);
    *h = (html){ 0 };
}

void html_verdict(html* h, const char* lines)
{
    for (const char* at = lines; at && *at;) {
        char   line[600];
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        html_add(h, "<p class=\"bad\">Over the limit: ");
        html_text(h, line);
        html_add(h, ".</p>\n");
        at += length + (at[length] == '\n');
    }
}

void html_swatch(html* h, uint32_t series) { html_add(h, "<span class=\"dot b%u\"></span>", series % 8); }

// ---------------------------------------------------------------------------------------------- pictures

static void put_base64(html* h, const uint8_t* bytes, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!reserve(h, (size + 2) / 3 * 4)) return;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t left = size - i > 2 ? 3 : (uint32_t)(size - i);
        uint32_t word = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
        char     four[4] = { letters[word >> 18], letters[word >> 12 & 63], left > 1 ? letters[word >> 6 & 63] : '=',
                         left > 2 ? letters[word & 63] : '=' };
        put(h, four, 4);
    }
}

static void put_figure(html* h, const uint8_t* bytes, size_t size, const char* dimensions, const char* alt, const char* caption,
                       const char* missing)
{
    html_add(h, "<figure>");
    if (bytes) {
        html_add(h, "<img%s alt=\"", dimensions);
        html_text(h, alt);
        html_add(h, "\" src=\"data:image/png;base64,");
        put_base64(h, bytes, size);
        html_add(h, "\">");
    } else {
        html_add(h, "<p class=\"bad\">");
        html_text(h, missing);
        html_add(h, "</p>");
    }
    html_add(h, "<figcaption>");
    html_text(h, caption);
    html_add(h, "</figcaption></figure>\n");
}

void html_picture(html* h, const image* picture, const char* alt, const char* caption)
{
    uint8_t*  bytes = NULL;
    size_t    size = 0;
    sup_error error;
    char      dimensions[64];
    snprintf(dimensions, sizeof dimensions, " width=\"%u\" height=\"%u\"", picture->width, picture->height);
    bool made = image_encode_png(picture, &bytes, &size, &error);
    put_figure(h, made ? bytes : NULL, size, dimensions, alt, caption, error.text);
    free(bytes);
}

void html_png(html* h, const void* bytes, size_t size, const char* alt, const char* caption)
{
    put_figure(h, bytes, size, "", alt, caption, "The picture could not be drawn; its log says why.");
}

static int to_byte(float linear)
{
    double v = linear < 0.0f ? 0.0 : linear > 1.0f ? 1.0 : (double)linear;
    return (int)(255.0 * (v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1.0 / 2.4) - 0.055) + 0.5);
}

void html_legend(html* h, const char* title, const char* low, const char* high, bool both)
{
    enum { STEPS = 45 };
    html_add(h, "<div class=\"legend\"><span>");
    html_text(h, title);
    html_add(h, ":</span><span class=\"bar\"><span>");
    html_text(h, low);
    html_add(h, "</span><svg viewBox=\"0 0 %d 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\">", STEPS);
    for (int i = 0; i < STEPS; i++) {
        float         t = (float)i / (STEPS - 1);
        picture_color c = both ? picture_heat_signed(2.0f * t - 1.0f) : picture_heat(t);
        html_add(h, "<rect x=\"%d\" width=\"1.1\" height=\"1\" fill=\"#%02x%02x%02x\"/>", i, to_byte(c.r), to_byte(c.g),
                 to_byte(c.b));
    }
    html_add(h, "</svg><span>");
    html_text(h, high);
    html_add(h, "</span></span></div>\n");
}
