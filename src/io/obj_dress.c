// What an OBJ says at every corner: texture coordinates, normals, the material of its face. Read from the kept text when it is
// wanted, so that a mesh that is only deformed does not pay for it. Points on seams become several stored vertices; vertices
// of one material stand together, by point.
#include "base/internal.h"
#include "io/dress.h"
#include "io/obj_lines.h"
#include "math/vec.h"

// Above this many changes of material, faces are gathered by it; below, they keep their order.
enum { RUNS_MAX = 256, COPIES_MAX = 64 };

typedef struct corner {
    uint32_t uv, normal; // SUP_NONE: none
} corner;

typedef struct dresser {
    const sup_character* character;
    const obj_source*    source;
    sup_arena*           arena;
    sup_error*           error;
    uint32_t             uv_total, normal_total; // counted first
    uint32_t             point_count, uv_count, normal_count, corner_count, face_count, run_count, colored;
    float*               uvs;
    sup_vec3*            normals;
    float*               colors; // four for each point
    corner*              corners;
    uint32_t*            face_runs;
    uint32_t             run_room;
    dress_piece*         runs;
} dresser;

// ---------------------------------------------------------------------------------------------- lines

static void count(dresser* d, const char* text, const char* end)
{
    obj_line l = { 0 };
    for (size_t number = 1; obj_next_line(&text, end, number, &l); number = l.next_number) {
        if (l.at >= l.end) continue;
        if (*l.at == 'v') {
            if (obj_starts_with(&l, "vt")) d->uv_total++;
            else if (obj_starts_with(&l, "vn")) d->normal_total++;
        } else if (*l.at == 'u' && obj_starts_with(&l, "usemtl")) d->run_room++;
    }
}

static uint32_t read_numbers(obj_line* l, uint32_t most, float* out)
{
    uint32_t n = 0;
    for (; n < most && l->at < l->end; ++n) {
        double value = 0;
        size_t length = sup_quick_double(l->at, l->end, &value);
        if (length == 0 || !obj_ends_word(l, l->at + length)) break;
        out[n] = isfinite((float)value) ? (float)value : 0;
        l->at += length;
        obj_skip_space(l);
    }
    return n;
}

// "v x y z r g b", as sculpting and scanning programs write it. A seventh number is none of them.
static void read_point(dresser* d, obj_line* l)
{
    float values[7];
    if (read_numbers(l, 7, values) == 6) {
        float* color = d->colors + 4 * (size_t)d->point_count;
        for (int i = 0; i < 3; ++i) color[i] = dress_linear(values[3 + i]);
        color[3] = 1;
        d->colored++;
    }
    d->point_count++;
}

static void read_corners(dresser* d, obj_line* l, uint32_t most)
{
    for (; l->at < l->end && *l->at != '#' && d->corner_count < most; obj_skip_space(l)) {
        int64_t number;
        corner* c = &d->corners[d->corner_count++];
        *c = (corner){ SUP_NONE, SUP_NONE };
        obj_read_integer(l, &number);
        for (int i = 0; i < 2 && l->at < l->end && *l->at == '/'; ++i) {
            ++l->at;
            uint32_t listed = i ? d->normal_count : d->uv_count, total = i ? d->normal_total : d->uv_total, index;
            if (obj_read_integer(l, &number) && obj_to_index(number, listed, total, &index)) *(i ? &c->normal : &c->uv) = index;
        }
        while (!obj_ends_word(l, l->at)) ++l->at;
    }
}

static const dress_material* find_material(const dresser* d, const obj_line* l)
{
    const char* end = l->end;
    while (end > l->at && obj_is_space(end[-1])) --end;
    for (const dress_material* m = d->source->materials; m; m = m->next)
        if (strncmp(m->name, l->at, (size_t)(end - l->at)) == 0 && !m->name[end - l->at]) return m;
    return NULL;
}

static void use_material(dresser* d, const dress_material* m)
{
    dress_piece* last = &d->runs[d->run_count - 1];
    // A run without faces so far is another's name.
    if (d->face_count == 0 || d->face_runs[d->face_count - 1] != d->run_count - 1) last->material = m;
    else if (last->material != m) d->runs[d->run_count++].material = m;
}

static void read_lines(dresser* d, const char* text, const char* end)
{
    const sup_mesh* mesh = &d->character->mesh;
    obj_line        l = { 0 };
    for (size_t number = 1; obj_next_line(&text, end, number, &l); number = l.next_number) {
        if (l.at >= l.end) continue;
        if (*l.at == 'v') {
            if (obj_starts_with(&l, "v")) {
                if (d->point_count < mesh->point_count) read_point(d, &l);
            } else if (obj_starts_with(&l, "vt")) read_numbers(&l, 2, d->uvs + 2 * (size_t)d->uv_count++);
            else if (obj_starts_with(&l, "vn")) read_numbers(&l, 3, &d->normals[d->normal_count++].x);
        } else if (*l.at == 'f' && d->face_count < mesh->face_count && obj_starts_with(&l, "f")) {
            d->face_runs[d->face_count++] = d->run_count - 1;
            read_corners(d, &l, mesh->corner_count);
        } else if (*l.at == 'u' && obj_starts_with(&l, "usemtl")) use_material(d, find_material(d, &l));
    }
}

// ---------------------------------------------------------------------------------------------- pieces

// One piece for each material in the order of its first face.
static void gather_runs(dresser* d)
{
    uint32_t count_kept = 0;
    uint32_t piece_of[RUNS_MAX];
    if (d->run_count <= RUNS_MAX) return;
    for (uint32_t f = 0; f < d->face_count; ++f) {
        const dress_material* m = d->runs[d->face_runs[f]].material;
        uint32_t              k = 0;
        while (k < count_kept && d->runs[piece_of[k]].material != m) ++k;
        if (k == count_kept && count_kept < RUNS_MAX) piece_of[count_kept++] = d->face_runs[f];
        d->face_runs[f] = k < RUNS_MAX ? k : RUNS_MAX - 1; // more materials than anyone tells apart share the last
    }
    for (uint32_t k = 0; k < count_kept; ++k) d->runs[k] = d->runs[piece_of[k]];
    d->run_count = count_kept;
}

static bool same_uv(const dresser* d, uint32_t a, uint32_t b)
{
    if (a == SUP_NONE || b == SUP_NONE) return a == b;
    return d->uvs[2 * (size_t)a] == d->uvs[2 * (size_t)b] && d->uvs[2 * (size_t)a + 1] == d->uvs[2 * (size_t)b + 1];
}

static bool same_normal(const dresser* d, uint32_t a, uint32_t b)
{
    if (a == SUP_NONE || b == SUP_NONE) return a == b;
    return d->normals[a].x == d->normals[b].x && d->normals[a].y == d->normals[b].y && d->normals[a].z == d->normals[b].z;
}

// Stable counting sort of the items in `from` by a key each.
static bool sort_by(sup_arena* arena, const uint32_t* from, uint32_t count, const uint32_t* keys, uint32_t key_count,
                    uint32_t* to)
{
    uint32_t* next = SUP_NEW(arena, uint32_t, (size_t)key_count + 1);
    if (!next) return false;
    for (uint32_t i = 0; i < count; ++i) next[keys[i] + 1]++;
    for (uint32_t k = 0; k < key_count; ++k) next[k + 1] += next[k];
    for (uint32_t i = 0; i < count; ++i) to[next[keys[from ? from[i] : i]]++] = from ? from[i] : i;
    return true;
}

// Corners by piece, then by point. Behind the corners stand the points of no face, in the first piece, so that none is lost.
static uint32_t* sort_corners(dresser* d, sup_arena* temp, uint32_t* points, uint32_t* item_count)
{
    const sup_mesh* mesh = &d->character->mesh;
    uint32_t        n = mesh->corner_count;
    uint32_t*       runs = SUP_NEW(temp, uint32_t, (size_t)n + mesh->point_count);
    uint32_t*       by_point = SUP_NEW(temp, uint32_t, (size_t)n + mesh->point_count);
    uint32_t*       items = SUP_NEW(temp, uint32_t, (size_t)n + mesh->point_count);
    bool*           met = SUP_NEW(temp, bool, mesh->point_count);
    if (!runs || !by_point || !items || !met) return NULL;
    for (uint32_t f = 0; f < mesh->face_count; ++f)
        for (uint32_t c = mesh->face_begin[f]; c < mesh->face_begin[f + 1]; ++c) {
            points[c] = mesh->corner_points[c];
            runs[c] = d->face_runs[f];
            met[points[c]] = true;
        }
    for (uint32_t p = 0; p < mesh->point_count; ++p)
        if (!met[p]) points[n++] = p;
    *item_count = n;
    if (!sort_by(temp, NULL, n, points, mesh->point_count, by_point)) return NULL;
    return sort_by(temp, by_point, n, runs, d->run_count, items) ? items : NULL;
}

typedef struct splitting {
    uint32_t* vertex_points;
    corner*   vertices; // what the first corner of each says
    uint32_t* corner_vertices;
    uint32_t  count;
} splitting;

static bool split(dresser* d, sup_arena* temp, splitting* s)
{
    const sup_mesh* mesh = &d->character->mesh;
    uint32_t        item_count = 0, begin = 0, run = 0, left = 0;
    uint32_t*       points = SUP_NEW(temp, uint32_t, (size_t)mesh->corner_count + mesh->point_count);
    uint32_t*       items = points ? sort_corners(d, temp, points, &item_count) : NULL;
    s->vertex_points = SUP_NEW(d->arena, uint32_t, item_count);
    s->vertices = SUP_NEW(temp, corner, item_count);
    s->corner_vertices = SUP_NEW(d->arena, uint32_t, mesh->corner_count);
    if (!items || !s->vertex_points || !s->vertices || !s->corner_vertices) return false;
    uint32_t* sizes = SUP_NEW(temp, uint32_t, d->run_count); // items of each run
    if (!sizes) return false;
    for (uint32_t f = 0; f < mesh->face_count; ++f) sizes[d->face_runs[f]] += mesh->face_begin[f + 1] - mesh->face_begin[f];
    sizes[0] += item_count - mesh->corner_count;
    for (uint32_t i = 0; i < item_count; ++i, --left) {
        bool fresh = i == 0 || points[items[i]] != points[items[i - 1]];
        for (; left == 0; ++run) left = sizes[run], fresh = true;
        if (fresh) begin = s->count;
        corner c = items[i] < mesh->corner_count ? d->corners[items[i]] : (corner){ SUP_NONE, SUP_NONE };
        // Copies beyond these are stored again rather than searched for: a hostile fan would take forever.
        uint32_t v = s->count - begin > COPIES_MAX ? s->count - COPIES_MAX : begin;
        while (v < s->count && !(same_uv(d, c.uv, s->vertices[v].uv) && same_normal(d, c.normal, s->vertices[v].normal))) ++v;
        if (v == s->count) {
            s->vertices[v] = c;
            s->vertex_points[v] = points[items[i]];
            d->runs[run - 1].vertex_count++;
            s->count++;
        }
        if (items[i] < mesh->corner_count) s->corner_vertices[items[i]] = v;
    }
    for (uint32_t r = 1; r < d->run_count; ++r)
        d->runs[r].vertex_begin = d->runs[r - 1].vertex_begin + d->runs[r - 1].vertex_count;
    return true;
}

// ---------------------------------------------------------------------------------------------- whole

// The character again, with these vertices in the place of its own.
static sup_result finish(dresser* d, const splitting* s, dress* out)
{
    sup_mesh* mesh = &out->character.mesh;
    sup_part* part = sup_arena_copy(d->arena, mesh->parts, 1, sizeof *part);
    float*    uvs = d->uv_total ? SUP_NEW(d->arena, float, 2 * (size_t)s->count) : NULL;
    sup_vec3* normals = d->normal_total ? SUP_NEW(d->arena, sup_vec3, s->count) : NULL;
    if (!part || (d->uv_total && !uvs) || (d->normal_total && !normals)) return sup_fail_memory(d->error, "a surface");
    for (uint32_t v = 0; v < s->count; ++v) {
        corner c = s->vertices[v];
        if (uvs && c.uv != SUP_NONE) {
            uvs[2 * (size_t)v] = d->uvs[2 * (size_t)c.uv];
            uvs[2 * (size_t)v + 1] = 1 - d->uvs[2 * (size_t)c.uv + 1];
        }
        if (normals && c.normal != SUP_NONE) normals[v] = v3_normalize(d->normals[c.normal], v3(0, 0, 0));
    }
    part->vertex_count = s->count;
    mesh->parts = part;
    mesh->vertex_count = s->count;
    mesh->vertex_points = s->vertex_points;
    mesh->corner_vertices = s->corner_vertices;
    mesh->vertex_normals = normals;
    mesh->vertex_tangents = NULL;
    out->uvs = uvs;
    out->colors = d->colored ? d->colors : NULL;
    out->piece_count = d->run_count;
    out->pieces = d->runs;
    out->face_pieces = d->face_runs;
    return SUP_OK;
}

static sup_result make(const sup_character* character, const obj_source* source, sup_arena* arena, sup_arena* temp, dress* out,
                       sup_error* error)
{
    const sup_mesh* mesh = &character->mesh;
    dresser         d = { .character = character, .source = source, .arena = arena, .error = error, .run_count = 1 };
    splitting       s = { 0 };
    const char *    text = (const char*)source->text.data, *end = text + source->text.size;
    if (source->text.size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
    count(&d, text, end);
    d.uvs = SUP_NEW(temp, float, 2 * (size_t)d.uv_total);
    d.normals = SUP_NEW(temp, sup_vec3, d.normal_total);
    d.colors = SUP_NEW(arena, float, 4 * (size_t)mesh->point_count);
    d.corners = SUP_NEW(temp, corner, mesh->corner_count);
    d.face_runs = SUP_NEW(arena, uint32_t, mesh->face_count);
    d.runs = SUP_NEW(arena, dress_piece, (size_t)d.run_room + 1);
    if (!d.uvs || !d.normals || !d.colors || !d.corners || !d.face_runs || !d.runs) return sup_fail_memory(error, "a surface");
    for (uint32_t p = 0; p < mesh->point_count; ++p)
        for (int i = 0; i < 4; ++i) d.colors[4 * (size_t)p + (size_t)i] = 1;
    read_lines(&d, text, end);
    if (d.face_count != mesh->face_count || d.corner_count != mesh->corner_count) return SUP_OK;
    if (!d.uv_total && !d.normal_total && !d.colored && !d.run_room) return SUP_OK;
    gather_runs(&d);
    if (!split(&d, temp, &s)) return sup_fail_memory(error, "a surface");
    return finish(&d, &s, out);
}

sup_result obj_dress_make(const sup_character* character, const obj_source* source, sup_arena* arena, dress* out,
                          sup_error* error)
{
    sup_arena* temp = sup_arena_beside(arena);
    sup_result result = temp ? make(character, source, arena, temp, out, error) : sup_fail_memory(error, "a surface");
    sup_arena_destroy(temp);
    return result;
}
