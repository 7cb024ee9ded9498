// Files that lie about themselves: counts, strides, values and bytes of one place put into another, ends that come too early.
#include "hostile.h"

#include <string.h>

double chance_odd_number(chance* c)
{
    static const double odd[] = { 0,     1,     -1,  2,          3,          4,          7,          0.5,  255,   256,
                                  65535, 65536, 1e6, 2147483647, 2147483648, 4294967295, 4294967296, 1e18, 1e300, -1e300 };
    return odd[chance_below(c, sizeof odd / sizeof *odd)];
}

// ---------------------------------------------------------------------------------------------- document

typedef struct values {
    sup_json** items;
    uint32_t   count, capacity;
} values;

// Every value of the document, parents before children.
static values list_values(pieces* p)
{
    enum { ROOM = 20000 };
    values all = { sup_arena_alloc(p->arena, ROOM, sizeof(sup_json*)), 0, ROOM };
    if (!all.items) return all;
    all.items[all.count++] = p->root;
    for (uint32_t i = 0; i < all.count; ++i)
        for (sup_json* v = all.items[i]->first; v && all.count < all.capacity; v = v->next) all.items[all.count++] = v;
    return all;
}

static void set_number(sup_json* v, double number)
{
    if (!v || v->type != SUP_JSON_NUMBER) return;
    v->text = NULL;
    v->number = number;
}

static void odd_value(pieces* p, chance* c)
{
    values all = list_values(p);
    for (uint32_t tries = 0; tries < 50 && all.count; ++tries) {
        sup_json* v = all.items[chance_below(c, all.count)];
        if (v->type != SUP_JSON_NUMBER) continue;
        bool near = chance_one_in(c, 3);
        set_number(v, near ? v->number + (chance_one_in(c, 2) ? 1 : -1) : chance_odd_number(c));
        return;
    }
}

// One value in the place of another, with all that is in it.
static void spliced_value(pieces* p, chance* c)
{
    values all = list_values(p);
    if (all.count < 3) return;
    sup_json* to = all.items[1 + chance_below(c, all.count - 1)];
    sup_json* from = sup_json_clone(p->arena, all.items[1 + chance_below(c, all.count - 1)]);
    if (!from) return;
    const char* key = to->key;
    sup_json*   next = to->next;
    *to = *from;
    to->key = key;
    to->next = next;
}

static void lost_value(pieces* p, chance* c)
{
    values    all = list_values(p);
    sup_json* v = all.count ? all.items[chance_below(c, all.count)] : NULL;
    sup_json* child = pieces_pick(c, v);
    if (child && v->type == SUP_JSON_OBJECT) sup_json_remove(v, child->key);
}

static void repeated_value(pieces* p, chance* c)
{
    values all = list_values(p);
    for (uint32_t tries = 0; tries < 50 && all.count; ++tries) {
        sup_json* v = all.items[chance_below(c, all.count)];
        if (v->type != SUP_JSON_ARRAY || !v->count) continue;
        for (uint32_t n = 1 + chance_below(c, 3); n; --n) sup_json_push(v, sup_json_clone(p->arena, pieces_pick(c, v)));
        return;
    }
}

// Counts, strides, offsets and types of accessors and views: what a reader trusts first.
static void layout(pieces* p, chance* c)
{
    static const char* const keys[] = { "count",      "byteOffset", "componentType", "bufferView",
                                        "byteLength", "byteStride", "buffer" };
    static const double      types[] = { 5120, 5121, 5122, 5123, 5125, 5126 };
    static const double      strides[] = { 0, 1, 2, 3, 4, 12, 252, 256 };
    uint32_t                 kind = chance_below(c, 7);
    sup_json*                list = pieces_get(p->root, kind < 4 ? "accessors" : "bufferViews");
    sup_json*                one = pieces_pick(c, list);
    const sup_json*          old = sup_json_get(one, keys[kind]);
    double                   value = chance_odd_number(c);
    if (kind == 2 && !chance_one_in(c, 4)) value = types[chance_below(c, 6)];
    if (kind == 5 && !chance_one_in(c, 4)) value = strides[chance_below(c, 8)];
    if (old && chance_one_in(c, 3)) value = sup_json_number(old, 0) + (chance_one_in(c, 2) ? 1 : -1);
    if (old && chance_one_in(c, 6)) value = sup_json_number(old, 0) / 2;
    pieces_number(p, one, keys[kind], value);
}

static void other_type(pieces* p, chance* c)
{
    static const char* const types[] = { "SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4", "" };
    sup_json*                one = pieces_pick(c, pieces_get(p->root, "accessors"));
    if (one && one->type == SUP_JSON_OBJECT)
        sup_json_set(p->arena, one, "type", sup_json_new_string(p->arena, types[chance_below(c, 8)]));
}

// ---------------------------------------------------------------------------------------------- bytes

static void spliced_buffer(pieces* p, chance* c)
{
    uint32_t size = (uint32_t)p->bin_size;
    if (size < 8) return;
    uint32_t length = 4 * (1 + chance_below(c, chance_one_in(c, 2) ? 16 : size / 8)), from = chance_below(c, size) & ~3u,
             to = chance_below(c, size) & ~3u;
    if (length > size - from) length = size - from;
    if (length > size - to) length = size - to;
    memmove(p->bin + to, p->bin + from, length);
}

static void overwritten_buffer(pieces* p, chance* c)
{
    uint32_t size = (uint32_t)p->bin_size;
    if (size < 8) return;
    uint32_t begin = chance_below(c, size), length = 1 + chance_below(c, chance_one_in(c, 2) ? 16 : size - begin);
    if (length > size - begin) length = size - begin;
    uint32_t kind = chance_below(c, 3);
    for (uint32_t i = 0; i < length; ++i) p->bin[begin + i] = kind == 0 ? 0 : kind == 1 ? 0xff : (uint8_t)chance_next(c);
}

static void short_buffer(pieces* p, chance* c) { p->bin_size = chance_below(c, (uint32_t)p->bin_size); }

// The container: words of its head, bytes anywhere, its end. Nothing can be damaged after that but more bytes.
static void broken_container(pieces* p, chance* c)
{
    sup_bytes whole = pieces_close(p);
    uint8_t*  bytes = sup_arena_copy(p->arena, whole.data, whole.size, 1);
    if (!bytes || whole.size < 28) return;
    size_t   size = whole.size;
    uint32_t kind = chance_below(c, 3), word = (uint32_t)(int64_t)(chance_odd_number(c) < 4e9 ? chance_odd_number(c) : 0);
    if (kind == 0) size = chance_below(c, (uint32_t)size);
    if (kind == 1) memcpy(bytes + 4 * (size_t)chance_below(c, 5), &word, sizeof word);
    for (uint32_t n = chance_below(c, 8); kind == 2 && n; --n) bytes[chance_below(c, (uint32_t)size)] = (uint8_t)chance_next(c);
    p->whole = (sup_bytes){ bytes, size };
}

const damage damage_of_files[] = {
    { "odd value", odd_value },           { "spliced value", spliced_value },
    { "lost value", lost_value },         { "repeated value", repeated_value },
    { "layout of a buffer", layout },     { "other type", other_type },
    { "spliced buffer", spliced_buffer }, { "overwritten buffer", overwritten_buffer },
    { "short buffer", short_buffer },     { "broken container", broken_container },
};
const uint32_t damage_of_files_count = sizeof damage_of_files / sizeof *damage_of_files;

// ---------------------------------------------------------------------------------------------- texts

typedef struct lines {
    const char** at;
    size_t*      length;
    uint32_t     count, capacity;
} lines;

static lines cut_lines(sup_bytes text, sup_arena* arena)
{
    enum { MORE = 4000 };
    uint32_t count = 1;
    for (size_t i = 0; i < text.size; ++i) count += text.data[i] == '\n';
    lines l = { sup_arena_alloc(arena, count + MORE, sizeof(char*)), sup_arena_alloc(arena, count + MORE, sizeof(size_t)), 0,
                count + MORE };
    const char* at = (const char*)text.data;
    const char* end = at + text.size;
    while (l.at && l.length && at < end) {
        const char* stop = memchr(at, '\n', (size_t)(end - at));
        size_t      length = stop ? (size_t)(stop - at) : (size_t)(end - at);
        l.at[l.count] = at;
        l.length[l.count++] = length;
        at += length + (stop != NULL);
    }
    return l;
}

static sup_bytes join_lines(const lines* l, sup_arena* arena)
{
    size_t size = 0;
    for (uint32_t i = 0; i < l->count; ++i) size += l->length[i] + 1;
    uint8_t* out = sup_arena_alloc(arena, size + 1, 1);
    size = 0;
    for (uint32_t i = 0; out && i < l->count; ++i) {
        memcpy(out + size, l->at[i], l->length[i]);
        size += l->length[i];
        out[size++] = '\n';
    }
    return (sup_bytes){ out, size };
}

// Another word in the line: any but the first. Tame ones are numbers that any mesh may have.
static void change_word(lines* l, uint32_t line, bool tame, sup_arena* arena, chance* c)
{
    static const char* const words[] = { "1",     "2",    "3",   "5",   "0",          "-1",    "1e-30", "1e30", "1e38",
                                         "-1e38", "1e39", "nan", "inf", "4294967296", "2/9/9", "x",     "" };
    const char*              at = l->at[line];
    uint32_t                 kinds = !tame ? sizeof words / sizeof *words : at[0] == 'f' ? 4 : 8;
    const char*              word = words[chance_below(c, kinds)];
    size_t                   length = l->length[line], spaces = 0, begin = 0, end = 0;
    for (size_t i = 0; i < length; ++i) spaces += at[i] == ' ';
    if (!spaces) return;
    size_t chosen = 1 + chance_below(c, (uint32_t)spaces);
    for (size_t i = 0, n = 0; i < length && n <= chosen; ++i)
        if (at[i] == ' ' && ++n == chosen) begin = i + 1;
    for (end = begin; end < length && at[end] != ' ';) ++end;
    char* out = sup_arena_alloc(arena, length + 16, 1);
    if (!out) return;
    size_t more = strlen(word);
    memcpy(out, at, begin);
    memcpy(out + begin, word, more);
    memcpy(out + begin + more, at + end, length - end);
    l->at[line] = out;
    l->length[line] = begin + more + length - end;
}

// Lines of one kind (all that begin like the chosen one, or where that is wild all) swapped, lost or made equal.
static void change_lines(lines* l, uint32_t kind, bool tame, chance* c)
{
    uint32_t few = 1 + chance_below(c, 30), faces = 0;
    for (uint32_t i = 0; i < l->count; ++i) faces += l->at[i][0] == 'f';
    for (uint32_t i = 0; i < l->count; ++i) {
        uint32_t other = chance_below(c, l->count);
        if (!chance_one_in(c, few) || (tame && faces && (l->at[i][0] != 'f' || l->at[other][0] != 'f'))) continue;
        const char* at = l->at[i];
        size_t      length = l->length[i];
        l->at[i] = l->at[other];
        l->length[i] = l->length[other];
        if (kind == 2) l->at[other] = at, l->length[other] = length;
        if (kind == 3) l->length[i] = 0;
    }
}

const char* damage_text(sup_bytes* text, sup_arena* arena, chance* c)
{
    static const char* const names[] = { "odd words",  "repeated line", "lines in another order",
                                         "lost lines", "equal lines",   "early end" };
    lines                    l = cut_lines(*text, arena);
    bool                     tame = !chance_one_in(c, 6);
    uint32_t                 kind = chance_below(c, tame ? 5 : 6), line = chance_below(c, l.count);
    if (!l.count) return "nothing";
    for (uint32_t n = 1 + chance_below(c, 20); kind == 0 && n; --n) change_word(&l, chance_below(c, l.count), tame, arena, c);
    for (uint32_t n = chance_below(c, chance_one_in(c, 2) ? 4 : 3000); kind == 1 && n && l.count < l.capacity; --n) {
        l.at[l.count] = l.at[line];
        l.length[l.count++] = l.length[line];
    }
    if (kind >= 2 && kind <= 4) change_lines(&l, kind, tame, c);
    *text = join_lines(&l, arena);
    if (kind == 5) text->size = chance_below(c, (uint32_t)text->size + 1);
    return names[kind];
}
