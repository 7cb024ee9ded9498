// What an OBJ stores at every corner: texture coordinates, normals, the material of its face. Read from the kept text on
// demand, so that a mesh that is only deformed does not pay for it. Points on seams become several stored vertices; vertices of
// one material are consecutive, ordered by point.
#include "base/internal.h"
#include "io/appearance.h"
#include "io/obj/obj_lines.h"
#include "math/vec.h"

// Above this many changes of material, faces are grouped by it; below, they keep their order.
enum { RUNS_MAX = 256, COPIES_MAX = 64 };

// A new stored vertex: a point as some corners of one run show it.
typedef struct split_vertex {
    uint32_t point, run;
    uint32_t uv, normal; // SUP_NONE: none
    uint32_t next;       // the previous one of the same point; SUP_NONE: the first
} split_vertex;

typedef struct appearance_reader {
    const sup_character* character;
    const obj_source*    source;
    sup_arena*           arena;
    sup_error*           error;
    uint32_t             uv_total, normal_total; // counted in a first pass
    uint32_t             point_count, uv_count, normal_count, corner_count, face_count, run_count, colored;
    float*               uvs;
    sup_vec3*            normals;
    float*               colors;                      // four for each point; allocated when the first point has one
    bool                 starved;                     // out of memory for them
    uint32_t *           corner_uvs, *corner_normals; // SUP_NONE: none; NULL: no corner has any
    uint32_t*            face_runs;
    uint32_t             run_workspace;
    appearance_piece*    runs;
} appearance_reader;

// ---------------------------------------------------------------------------------------------- lines

static void count(appearance_reader* d, const char* text, const char* end)
{
    obj_line l = { 0 };
    for (size_t number = 1; obj_next_line(&text, end, number, &l); number = l.next_number) {
        if (l.at >= l.end) continue;
        if (*l.at == 'v') {
            if (obj_starts_with(&l, "vt")) d->uv_total++;
            else if (obj_starts_with(&l, "vn")) d->normal_total++;
        } else if (*l.at == 'u' && obj_starts_with(&l, "usemtl")) d->run_workspace++;
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

// White by default.
static bool take_colors(appearance_reader* d)
{
    size_t count = 4 * (size_t)d->character->mesh.point_count;
    if (d->colors || d->starved) return d->colors != NULL;
    d->colors = SUP_NEW(d->arena, float, count);
    d->starved = !d->colors;
    for (size_t i = 0; d->colors && i < count; ++i) d->colors[i] = 1;
    return d->colors != NULL;
}

// "v x y z r g b", as sculpting and scanning programs write it. With a seventh number it is something else.
static void read_point(appearance_reader* d, obj_line* l)
{
    float values[7];
    if (read_numbers(l, 7, values) == 6 && take_colors(d)) {
        float* color = d->colors + 4 * (size_t)d->point_count;
        for (int i = 0; i < 3; ++i) color[i] = appearance_linear(values[3 + i]);
        color[3] = 1;
        d->colored++;
    }
    d->point_count++;
}

static void read_corners(appearance_reader* d, obj_line* l, uint32_t most)
{
    for (; l->at < l->end && *l->at != '#' && d->corner_count < most; obj_skip_space(l)) {
        int64_t   number;
        uint32_t* lists[2] = { d->corner_uvs, d->corner_normals };
        uint32_t  corner = d->corner_count++;
        for (int i = 0; i < 2; ++i)
            if (lists[i]) lists[i][corner] = SUP_NONE;
        obj_read_integer(l, &number);
        for (int i = 0; i < 2 && l->at < l->end && *l->at == '/'; ++i) {
            ++l->at;
            uint32_t listed = i ? d->normal_count : d->uv_count, total = i ? d->normal_total : d->uv_total, index;
            if (obj_read_integer(l, &number) && obj_to_index(number, listed, total, &index) && lists[i])
                lists[i][corner] = index;
        }
        while (!obj_ends_word(l, l->at)) ++l->at;
    }
}

static const appearance_material* find_material(const appearance_reader* d, const obj_line* l)
{
    const char* end = l->end;
    while (end > l->at && obj_is_space(end[-1])) --end;
    for (const appearance_material* m = d->source->materials; m; m = m->next)
        if (strncmp(m->name, l->at, (size_t)(end - l->at)) == 0 && !m->name[end - l->at]) return m;
    return NULL;
}

static void use_material(appearance_reader* d, const appearance_material* m)
{
    appearance_piece* last = &d->runs[d->run_count - 1];
    // A run without faces is renamed.
    if (d->face_count == 0 || d->face_runs[d->face_count - 1] != d->run_count - 1) last->material = m;
    else if (last->material != m) d->runs[d->run_count++].material = m;
}

static void read_lines(appearance_reader* d, const char* text, const char* end)
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
static void gather_runs(appearance_reader* d)
{
    uint32_t count_kept = 0;
    uint32_t piece_of[RUNS_MAX];
    if (d->run_count <= RUNS_MAX) return;
    for (uint32_t f = 0; f < d->face_count; ++f) {
        const appearance_material* m = d->runs[d->face_runs[f]].material;
        uint32_t              k = 0;
        while (k < count_kept && d->runs[piece_of[k]].material != m) ++k;
        if (k == count_kept && count_kept < RUNS_MAX) piece_of[count_kept++] = d->face_runs[f];
        d->face_runs[f] = k < RUNS_MAX ? k : RUNS_MAX - 1; // further materials share the last piece
    }
    for (uint32_t k = 0; k < count_kept; ++k) d->runs[k] = d->runs[piece_of[k]];
    d->run_count = count_kept;
}

static bool same_uv(const appearance_reader* d, uint32_t a, uint32_t b)
{
    if (a == SUP_NONE || b == SUP_NONE) return a == b;
    return d->uvs[2 * (size_t)a] == d->uvs[2 * (size_t)b] && d->uvs[2 * (size_t)a + 1] == d->uvs[2 * (size_t)b + 1];
}

static bool same_normal(const appearance_reader* d, uint32_t a, uint32_t b)
{
    if (a == SUP_NONE || b == SUP_NONE) return a == b;
    return d->normals[a].x == d->normals[b].x && d->normals[a].y == d->normals[b].y && d->normals[a].z == d->normals[b].z;
}

typedef struct splitting {
    uint32_t      count;
    split_vertex* vertices; // in order of creation
    uint32_t*     newest;   // of each point
    uint32_t*     order;    // vertices by run, then by point, then in order of creation
    uint32_t*     vertex_points;
    uint32_t*     corner_vertices;
} splitting;

// The vertex of a point with these attributes, found among its copies or made. Beyond a number of copies it stores another
// rather than search: a hostile fan would take forever.
static uint32_t find_vertex(const appearance_reader* d, splitting* s, const split_vertex* wanted)
{
    uint32_t v = s->newest[wanted->point];
    for (int looks = 0; v != SUP_NONE && looks < COPIES_MAX; ++looks, v = s->vertices[v].next) {
        const split_vertex* at = &s->vertices[v];
        if (at->run == wanted->run && same_uv(d, at->uv, wanted->uv) && same_normal(d, at->normal, wanted->normal)) return v;
    }
    s->vertices[s->count] = *wanted;
    s->vertices[s->count].next = s->newest[wanted->point];
    return s->newest[wanted->point] = s->count++;
}

// A corner's vertex overwrites its texture coordinate, which is no longer needed. Points without faces go to the first run, so
// that none is lost.
static void find_vertices(const appearance_reader* d, splitting* s)
{
    const sup_mesh* mesh = &d->character->mesh;
    for (uint32_t p = 0; p < mesh->point_count; ++p) s->newest[p] = SUP_NONE;
    for (uint32_t f = 0; f < mesh->face_count; ++f)
        for (uint32_t c = mesh->face_begin[f]; c < mesh->face_begin[f + 1]; ++c) {
            split_vertex wanted = { mesh->corner_points[c], d->face_runs[f], d->corner_uvs ? d->corner_uvs[c] : SUP_NONE,
                                    d->corner_normals ? d->corner_normals[c] : SUP_NONE, SUP_NONE };
            s->corner_vertices[c] = find_vertex(d, s, &wanted);
        }
    for (uint32_t p = 0; p < mesh->point_count; ++p)
        if (s->newest[p] == SUP_NONE) find_vertex(d, s, &(split_vertex){ p, 0, SUP_NONE, SUP_NONE, SUP_NONE });
}

// Two stable counting sorts, by point and then by run.
static bool sort_vertices(const appearance_reader* d, sup_arena* temp, splitting* s)
{
    uint32_t  points = d->character->mesh.point_count;
    uint32_t* begin = s->newest; // is no longer needed
    uint32_t* by_point = SUP_NEW(temp, uint32_t, s->count);
    uint32_t* runs = SUP_NEW(temp, uint32_t, (size_t)d->run_count + 1);
    s->order = SUP_NEW(temp, uint32_t, s->count);
    if (!by_point || !runs || !s->order) return false;
    memset(begin, 0, points * sizeof *begin);
    for (uint32_t v = 0; v < s->count; ++v) begin[s->vertices[v].point]++;
    for (uint32_t p = 0, at = 0; p < points; ++p) {
        uint32_t size = begin[p];
        begin[p] = at;
        at += size;
    }
    for (uint32_t v = 0; v < s->count; ++v) by_point[begin[s->vertices[v].point]++] = v;
    for (uint32_t v = 0; v < s->count; ++v) runs[s->vertices[v].run + 1]++;
    for (uint32_t r = 0; r < d->run_count; ++r) {
        d->runs[r].vertex_begin = runs[r];
        d->runs[r].vertex_count = runs[r + 1];
        runs[r + 1] += runs[r];
    }
    for (uint32_t i = 0; i < s->count; ++i) s->order[runs[s->vertices[by_point[i]].run]++] = by_point[i];
    return true;
}

static bool split(appearance_reader* d, sup_arena* temp, splitting* s)
{
    const sup_mesh* mesh = &d->character->mesh;
    // Space for the worst case; untouched pages cost nothing.
    s->vertices = SUP_NEW(temp, split_vertex, (size_t)mesh->corner_count + mesh->point_count);
    s->newest = SUP_NEW(temp, uint32_t, mesh->point_count);
    s->corner_vertices = d->corner_uvs ? d->corner_uvs : SUP_NEW(d->arena, uint32_t, mesh->corner_count);
    if (!s->vertices || !s->newest || !s->corner_vertices) return false;
    find_vertices(d, s);
    if (!sort_vertices(d, temp, s)) return false;
    s->vertex_points = SUP_NEW(d->arena, uint32_t, s->count);
    uint32_t* places = SUP_NEW(temp, uint32_t, s->count);
    if (!s->vertex_points || !places) return false;
    for (uint32_t i = 0; i < s->count; ++i) {
        s->vertex_points[i] = s->vertices[s->order[i]].point;
        places[s->order[i]] = i;
    }
    for (uint32_t c = 0; c < mesh->corner_count; ++c) s->corner_vertices[c] = places[s->corner_vertices[c]];
    return true;
}

// ---------------------------------------------------------------------------------------------- whole

// The character with these vertices instead of its own.
static sup_result finish(appearance_reader* d, const splitting* s, appearance* out)
{
    sup_mesh* mesh = &out->character.mesh;
    sup_part* part = sup_arena_copy(d->arena, mesh->parts, 1, sizeof *part);
    float*    uvs = d->uv_total ? SUP_NEW(d->arena, float, 2 * (size_t)s->count) : NULL;
    sup_vec3* normals = d->normal_total ? SUP_NEW(d->arena, sup_vec3, s->count) : NULL;
    if (!part || (d->uv_total && !uvs) || (d->normal_total && !normals)) return sup_fail_memory(d->error, "a surface");
    for (uint32_t v = 0; v < s->count; ++v) {
        const split_vertex* from = &s->vertices[s->order[v]];
        if (uvs && from->uv != SUP_NONE) {
            uvs[2 * (size_t)v] = d->uvs[2 * (size_t)from->uv];
            uvs[2 * (size_t)v + 1] = 1 - d->uvs[2 * (size_t)from->uv + 1];
        }
        if (normals && from->normal != SUP_NONE) normals[v] = v3_normalize(d->normals[from->normal], v3(0, 0, 0));
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

static sup_result make(const sup_character* character, const obj_source* source, sup_arena* arena, sup_arena* temp,
                       appearance* out, sup_error* error)
{
    const sup_mesh* mesh = &character->mesh;
    appearance_reader d = { .character = character, .source = source, .arena = arena, .error = error, .run_count = 1 };
    splitting       s = { 0 };
    const char *    text = (const char*)source->text.data, *end = text + source->text.size;
    if (source->text.size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
    count(&d, text, end);
    d.uvs = SUP_NEW(temp, float, 2 * (size_t)d.uv_total);
    d.normals = SUP_NEW(temp, sup_vec3, d.normal_total);
    if (d.uv_total) d.corner_uvs = SUP_NEW(arena, uint32_t, mesh->corner_count);
    if (d.normal_total) d.corner_normals = SUP_NEW(temp, uint32_t, mesh->corner_count);
    d.face_runs = SUP_NEW(arena, uint32_t, mesh->face_count);
    d.runs = SUP_NEW(arena, appearance_piece, (size_t)d.run_workspace + 1);
    if (!d.uvs || !d.normals || (d.uv_total && !d.corner_uvs) || (d.normal_total && !d.corner_normals) || !d.face_runs ||
        !d.runs)
        return sup_fail_memory(error, "a surface");
    read_lines(&d, text, end);
    if (d.starved) return sup_fail_memory(error, "a surface");
    if (d.face_count != mesh->face_count || d.corner_count != mesh->corner_count) return SUP_OK;
    if (!d.uv_total && !d.normal_total && !d.colored && !d.run_workspace) return SUP_OK;
    gather_runs(&d);
    if (!split(&d, temp, &s)) return sup_fail_memory(error, "a surface");
    return finish(&d, &s, out);
}

sup_result obj_appearance_make(const sup_character* character, const obj_source* source, sup_arena* arena, appearance* out,
                               sup_error* error)
{
    sup_arena* temp = sup_arena_beside(arena);
    sup_result result = temp ? make(character, source, arena, temp, out, error) : sup_fail_memory(error, "a surface");
    sup_arena_destroy(temp);
    return result;
}
