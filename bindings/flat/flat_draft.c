// Characters from arrays: a draft collects them by name, flat_make checks and completes.
#include "handles.h"

#include <math.h>
#include <string.h>

flat_handle flat_draft(flat_handle session)
{
    int32_t      status;
    flat_object* o = flat_enter(session, FLAT_SESSION, &status);
    flat_object* made = o ? flat_object_new(FLAT_DRAFT, o) : NULL;
    sup_result   r = SUP_OK;
    if (made && !(made->arena = sup_arena_create(NULL))) r = sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory");
    return flat_leave_with(o, made, r);
}

int32_t flat_give(flat_handle draft, const char* name, const void* data, uint64_t count)
{
    int32_t      status;
    flat_object* o = flat_enter(draft, FLAT_DRAFT, &status);
    if (!o) return status;
    sup_result r = SUP_OK;
    if (!name || !name[0]) r = sup_fail(&o->error, SUP_ERROR_INPUT, "an array needs a name");
    else if (count && !data) r = sup_fail(&o->error, SUP_ERROR_INPUT, "the array '%s' is at address 0", name);
    else if (count > UINT32_MAX)
        r = sup_fail(&o->error, SUP_ERROR_INPUT, "the array '%s' has %llu elements; %u are the most", name,
                     (unsigned long long)count, UINT32_MAX);
    flat_given* given = r ? NULL : sup_arena_alloc(o->arena, 1, sizeof *given);
    if (given) {
        *given = (flat_given){ o->given, sup_arena_text(o->arena, name, strlen(name)),
                               sup_arena_copy(o->arena, data, (size_t)count, 4), count };
        if (given->name && given->data) o->given = given; // prepended: the last array with a name wins
        else given = NULL;
    }
    if (!r && !given) r = sup_fail(&o->error, SUP_ERROR_MEMORY, "out of memory while taking the array '%s'", name);
    flat_leave(o);
    return (int32_t)r;
}

// ---------------------------------------------------------------------------------------------- arrays of the draft

typedef struct maker {
    flat_object* draft;
    sup_arena*   arena; ///< until the character is made
    sup_error*   error;
    uint32_t     part_count, joint_count;
} maker;

/// The part that a name ends with: "points#2" is the second, "points" the first. 0: no number.
static uint32_t part_of(const char* name, size_t* length)
{
    const char* sign = strrchr(name, '#');
    *length = sign ? (size_t)(sign - name) : strlen(name);
    if (!sign) return 1;
    uint32_t part = 0;
    for (const char* c = sign + 1; *c; ++c) {
        if (*c < '0' || *c > '9' || part > 99999) return 0;
        part = part * 10 + (uint32_t)(*c - '0');
    }
    return part;
}

/// An array of the part (from 0), or of the skeleton if it belongs there; NULL: not given.
static const flat_given* find(const maker* m, uint32_t part, const char* name)
{
    for (const flat_given* g = m->draft->given; g; g = g->next) {
        size_t length;
        if (part_of(g->name, &length) == part + 1 && strlen(name) == length && !strncmp(g->name, name, length)) return g;
    }
    return NULL;
}

/// An array with that many elements; absent: NULL without an error.
static sup_result take(const maker* m, uint32_t part, const char* name, uint64_t count, const void** out)
{
    const flat_given* g = find(m, part, name);
    *out = g && g->count ? g->data : NULL;
    if (!g || g->count == count) return SUP_OK;
    return sup_fail(m->error, SUP_ERROR_INPUT, "the array '%s' of mesh %u has %llu elements where %llu are needed", name,
                    part + 1, (unsigned long long)g->count, (unsigned long long)count);
}

static bool is_known(const char* name, size_t length)
{
    static const char* const names[] = { "points",        "normals",       "face_sizes", "corners",           "weight_begin",
                                         "weight_joints", "weight_values", "joint_rest", "joint_inverse_bind" };
    if ((length > 4 && !strncmp(name, "map:", 4)) || (length > 6 && !strncmp(name, "morph:", 6))) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strlen(names[i]) == length && !strncmp(name, names[i], length)) return true;
    return false;
}

/// Every array must have a known name and a mesh; there are as many meshes as the highest number.
static sup_result count_parts(maker* m)
{
    for (const flat_given* g = m->draft->given; g; g = g->next) {
        size_t   length;
        uint32_t part = part_of(g->name, &length);
        if (!part || !is_known(g->name, length))
            return sup_fail(m->error, SUP_ERROR_INPUT, "characters have no array '%s'; flat.h lists them", g->name);
        if (part > m->part_count) m->part_count = part;
    }
    for (uint32_t i = 0; i < m->part_count; ++i)
        if (!find(m, i, "points"))
            return sup_fail(m->error, SUP_ERROR_INPUT, "mesh %u has no array 'points'; give it three floats per point", i + 1);
    return m->part_count ? SUP_OK : sup_fail(m->error, SUP_ERROR_INPUT, "the draft has no array 'points'; give it one first");
}

static sup_result out_of_memory(const maker* m) { return sup_fail(m->error, SUP_ERROR_MEMORY, "out of memory"); }

// ---------------------------------------------------------------------------------------------- meshes

static sup_result make_faces(const maker* m, uint32_t part, sup_part_desc* out)
{
    const flat_given *corners = find(m, part, "corners"), *sizes = find(m, part, "face_sizes");
    uint64_t          count = corners ? corners->count : 0, sum = 0;
    out->corners = corners ? corners->data : NULL;
    if (!sizes) {
        out->face_count = (uint32_t)(count / 3);
        if (count % 3 == 0) return SUP_OK;
        return sup_fail(m->error, SUP_ERROR_INPUT, "mesh %u has %llu corners, which are not triangles; give 'face_sizes' too",
                        part + 1, (unsigned long long)count);
    }
    out->face_sizes = sizes->data;
    out->face_count = (uint32_t)sizes->count;
    for (uint64_t i = 0; i < sizes->count; ++i) sum += out->face_sizes[i];
    if (sum == count) return SUP_OK;
    return sup_fail(m->error, SUP_ERROR_INPUT, "the faces of mesh %u have %llu corners, but 'corners' has %llu", part + 1,
                    (unsigned long long)sum, (unsigned long long)count);
}

/// From rows of different lengths to rows of the longest.
static sup_result make_weights(const maker* m, uint32_t part, sup_part_desc* out)
{
    const flat_given* g = find(m, part, "weight_begin");
    const void *      begins, *joints, *values;
    if (!g) return SUP_OK;
    sup_result r = take(m, part, "weight_begin", (uint64_t)out->vertex_count + 1, &begins);
    if (r) return r;
    const uint32_t* begin = begins;
    uint32_t        width = 0, last = begin[out->vertex_count];
    for (uint32_t i = 0; i < out->vertex_count; ++i) {
        if (begin[i] > begin[i + 1] || begin[i + 1] > last || begin[0])
            return sup_fail(m->error, SUP_ERROR_INPUT, "'weight_begin' of mesh %u must rise from 0; it does not at point %u",
                            part + 1, i);
        uint32_t own = begin[i + 1] - begin[i];
        if (own > m->joint_count)
            return sup_fail(m->error, SUP_ERROR_INPUT, "point %u of mesh %u follows %u joints, but there are %u", i, part + 1,
                            own, m->joint_count);
        if (own > width) width = own;
    }
    r = take(m, part, "weight_joints", last, &joints);
    if (!r) r = take(m, part, "weight_values", last, &values);
    if (r || !width) return r;
    if (!joints || !values)
        return sup_fail(m->error, SUP_ERROR_INPUT, "mesh %u has 'weight_begin'; give 'weight_joints' and 'weight_values' too",
                        part + 1);
    uint32_t* rows = sup_arena_alloc(m->arena, (size_t)out->vertex_count * width, sizeof *rows);
    float*    weights = sup_arena_alloc(m->arena, (size_t)out->vertex_count * width, sizeof *weights);
    if (!rows || !weights) return out_of_memory(m);
    for (uint32_t i = 0; i < out->vertex_count; ++i) {
        memcpy(rows + (size_t)i * width, (const uint32_t*)joints + begin[i], (begin[i + 1] - begin[i]) * sizeof *rows);
        memcpy(weights + (size_t)i * width, (const float*)values + begin[i], (begin[i + 1] - begin[i]) * sizeof *weights);
    }
    out->joints = rows, out->weights = weights, out->width = width;
    return SUP_OK;
}

/// Maps (want 1) or morphs (want 3 elements per point) of a part.
static sup_result make_values(const maker* m, uint32_t part, sup_part_desc* out)
{
    uint32_t capacity = 0;
    for (const flat_given* g = m->draft->given; g; g = g->next) ++capacity;
    sup_map_desc*   maps = sup_arena_alloc(m->arena, capacity, sizeof *maps);
    sup_morph_desc* morphs = sup_arena_alloc(m->arena, capacity, sizeof *morphs);
    if (!maps || !morphs) return out_of_memory(m);
    for (const flat_given* g = m->draft->given; g; g = g->next) {
        size_t   length;
        uint32_t own = part_of(g->name, &length);
        bool     map = !strncmp(g->name, "map:", 4), morph = !strncmp(g->name, "morph:", 6);
        if (own != part + 1 || !(map || morph)) continue;
        char*       text = sup_arena_text(m->arena, g->name, length);
        const void* data;
        if (!text) return out_of_memory(m);
        if (find(m, part, text) != g) continue; // given again later
        sup_result r = take(m, part, text, (map ? 1 : 3) * (uint64_t)out->vertex_count, &data);
        if (r) return r;
        const char* name = map ? flat_map_name(text + 4, m->arena) : text + 6;
        if (!name) return out_of_memory(m);
        if (map) maps[out->map_count++] = (sup_map_desc){ name, data };
        else morphs[out->morph_count++] = (sup_morph_desc){ name, 0, data };
    }
    out->maps = maps, out->morphs = morphs;
    return SUP_OK;
}

static sup_result make_part(const maker* m, uint32_t part, const sup_json* json, sup_part_desc* out)
{
    static const flat_member members[] = { { "name", FLAT_IS_TEXT }, { "weld", FLAT_IS_SWITCH }, { "joint", FLAT_IS_NUMBER } };
    const flat_given*        points = find(m, part, "points");
    const void*              normals;
    sup_result               r = flat_check_members(json, "parts", members, 3, m->error);
    if (r) return r;
    if (points->count % 3)
        return sup_fail(m->error, SUP_ERROR_INPUT, "'points' of mesh %u has %llu floats, which is not three per point",
                        part + 1, (unsigned long long)points->count);
    out->name = sup_json_string(sup_json_get(json, "name"), "mesh");
    out->vertex_count = (uint32_t)(points->count / 3);
    out->positions = points->data;
    out->weld = flat_true(sup_json_get(json, "weld"));
    out->joint = sup_json_index(sup_json_get(json, "joint"), SUP_NONE);
    out->source_id = SUP_NONE;
    r = take(m, part, "normals", points->count, &normals);
    out->normals = normals;
    if (!r) r = make_faces(m, part, out);
    if (!r) r = make_weights(m, part, out);
    return r ? r : make_values(m, part, out);
}

// ---------------------------------------------------------------------------------------------- joints

/// The inverse of an affine map; false where it has none.
static bool invert(double a[3][4], sup_affine* out)
{
    double c[3][3], det = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            c[k][i] = a[i1][k1] * a[i2][k2] - a[i1][k2] * a[i2][k1];
        }
    for (int k = 0; k < 3; ++k) det += a[0][k] * c[k][0];
    if (!(fabs(det) > 0) || !isfinite(det)) return false;
    for (int i = 0; i < 3; ++i) {
        double t = 0;
        for (int k = 0; k < 3; ++k) out->m[i][k] = (float)(c[i][k] / det), t -= c[i][k] / det * a[k][3];
        out->m[i][3] = (float)t;
    }
    return true;
}

/// parent x (translation, rotation, scale).
static void compose(double parent[3][4], const sup_transform* t, double out[3][4])
{
    double x = (double)t->rotation.x, y = (double)t->rotation.y, z = (double)t->rotation.z, w = (double)t->rotation.w;
    double n = x * x + y * y + z * z + w * w, f = n > 0 ? 2 / n : 0;
    double s[3] = { (double)t->scale.x, (double)t->scale.y, (double)t->scale.z };
    double r[3][3] = { { 1 - f * (y * y + z * z), f * (x * y - w * z), f * (x * z + w * y) },
                       { f * (x * y + w * z), 1 - f * (x * x + z * z), f * (y * z - w * x) },
                       { f * (x * z - w * y), f * (y * z + w * x), 1 - f * (x * x + y * y) } };
    double move[3] = { (double)t->translation.x, (double)t->translation.y, (double)t->translation.z };
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            out[i][k] = (parent[i][0] * r[0][k] + parent[i][1] * r[1][k] + parent[i][2] * r[2][k]) * s[k];
        out[i][3] = parent[i][0] * move[0] + parent[i][1] * move[1] + parent[i][2] * move[2] + parent[i][3];
    }
}

/// The rest matrix of a joint; parents may come after their children. `steps` bounds a cycle of parents.
static void place(const sup_joint* joints, uint32_t joint, uint32_t steps, double out[3][4])
{
    double parent[3][4] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } };
    if (joints[joint].parent != SUP_NONE && steps) place(joints, joints[joint].parent, steps - 1, parent);
    compose(parent, &joints[joint].rest, out);
}

enum { DEPTH_MAX = 1000 }; // of a skeleton: deeper ones need explicit inverse binds

static sup_result bind_at_rest(const maker* m, sup_joint* joints)
{
    for (uint32_t i = 0; i < m->joint_count; ++i) {
        double   world[3][4];
        uint32_t depth = 0;
        for (uint32_t at = i; joints[at].parent != SUP_NONE && depth <= DEPTH_MAX; ++depth) {
            at = joints[at].parent;
            if (at >= m->joint_count)
                return sup_fail(m->error, SUP_ERROR_INPUT, "joint '%s' has a parent that is not one of the %u joints",
                                joints[i].name, m->joint_count);
        }
        if (depth > DEPTH_MAX)
            return sup_fail(m->error, SUP_ERROR_INPUT,
                            "joint '%s' is its own ancestor, or has more than %d of them; repair the parents", joints[i].name,
                            DEPTH_MAX);
        place(joints, i, depth, world);
        if (!invert(world, &joints[i].inverse_bind))
            return sup_fail(m->error, SUP_ERROR_INPUT, "joint '%s' has a scale of 0 at rest; give it another", joints[i].name);
    }
    return SUP_OK;
}

/// A parent by number or name.
static uint32_t find_parent(const sup_json* list, const sup_json* wanted)
{
    bool root = !wanted || wanted->type == SUP_JSON_NULL || (wanted->type == SUP_JSON_NUMBER && wanted->number == -1);
    if (root) return SUP_NONE;
    if (wanted->type != SUP_JSON_STRING) return sup_json_index(wanted, SUP_NONE - 1);
    uint32_t i = 0;
    for (const sup_json* j = list->first; j; j = j->next, ++i)
        if (!strcmp(sup_json_string(sup_json_get(j, "name"), ""), wanted->text)) return i;
    return SUP_NONE - 1; // refused as none of the joints
}

static sup_result make_joints(maker* m, const sup_json* list, sup_joint** out)
{
    const void *rest, *inverse;
    m->joint_count = list && list->type == SUP_JSON_ARRAY ? list->count : 0;
    sup_joint* joints = sup_arena_alloc(m->arena, m->joint_count, sizeof *joints);
    sup_result r = take(m, 0, "joint_rest", 10 * (uint64_t)m->joint_count, &rest);
    if (!r) r = take(m, 0, "joint_inverse_bind", 12 * (uint64_t)m->joint_count, &inverse);
    if (r) return r;
    if (!joints) return out_of_memory(m);
    if (m->joint_count && !rest)
        return sup_fail(m->error, SUP_ERROR_INPUT, "there are %u joints; give 'joint_rest', ten floats for each",
                        m->joint_count);
    static const flat_member members[] = { { "name", FLAT_IS_TEXT }, { "parent", FLAT_IS_ANY } };
    uint32_t                 i = 0;
    for (const sup_json* j = m->joint_count ? list->first : NULL; j; j = j->next, ++i) {
        r = flat_check_members(j, "joints", members, 2, m->error);
        if (r) return r;
        joints[i] = (sup_joint){ .name = sup_json_string(sup_json_get(j, "name"), NULL),
                                 .parent = find_parent(list, sup_json_get(j, "parent")),
                                 .skin_joint = true,
                                 .source_id = i };
        if (!joints[i].name) return sup_fail(m->error, SUP_ERROR_INPUT, "joint %u has no name", i);
        if (joints[i].parent != SUP_NONE && joints[i].parent >= m->joint_count)
            return sup_fail(m->error, SUP_ERROR_INPUT, "joint '%s' has a parent that is not one of the %u joints",
                            joints[i].name, m->joint_count);
        memcpy(&joints[i].rest, (const float*)rest + 10 * (size_t)i, sizeof joints[i].rest);
        if (inverse) memcpy(&joints[i].inverse_bind, (const float*)inverse + 12 * (size_t)i, sizeof joints[i].inverse_bind);
    }
    *out = joints;
    return inverse ? SUP_OK : bind_at_rest(m, joints);
}

// ---------------------------------------------------------------------------------------------- the whole

static sup_result read_frame(const sup_json* json, sup_character_desc* out, sup_error* error)
{
    static const char* const axes[] = { "y", "z", "x" };
    const char*              up = sup_json_string(sup_json_get(json, "up"), "y");
    int                      axis = -1;
    for (int i = 0; i < 3; ++i)
        if (!strcmp(up, axes[i])) axis = i;
    if (axis < 0) return sup_fail(error, SUP_ERROR_INPUT, "up must be x, y or z, not '%s'", up);
    out->name = sup_json_string(sup_json_get(json, "name"), "character");
    out->up = (sup_axis)axis;
    return flat_number(json, "unit", 1e-9, 1e9, 1, &out->metres_per_unit, error);
}

static sup_result make_character(maker* m, const char* description, const sup_progress* progress, sup_character** out)
{
    static const flat_member members[] = { { "name", FLAT_IS_TEXT },  { "unit", FLAT_IS_NUMBER }, { "up", FLAT_IS_TEXT },
                                           { "parts", FLAT_IS_LIST }, { "joints", FLAT_IS_LIST }, { "weights", FLAT_IS_TEXT } };
    sup_character_desc       desc = { .progress = progress };
    sup_json*                json;
    sup_joint*               joints = NULL;
    sup_result               r = flat_parse(description, "characters", members, 6, m->arena, &json, m->error);
    if (!r) r = read_frame(json, &desc, m->error);
    if (!r) r = count_parts(m);
    if (!r) r = make_joints(m, sup_json_get(json, "joints"), &joints);
    if (r) return r;
    sup_part_desc* parts = sup_arena_alloc(m->arena, m->part_count, sizeof *parts);
    if (!parts) return out_of_memory(m);
    for (uint32_t i = 0; i < m->part_count && !r; ++i)
        r = make_part(m, i, sup_json_at(sup_json_get(json, "parts"), i), &parts[i]);
    const char* weights = sup_json_string(sup_json_get(json, "weights"), NULL);
    if (!r && weights && strcmp(weights, "automatic") != 0)
        r = sup_fail(m->error, SUP_ERROR_INPUT, "weights are \"automatic\" or arrays, not \"%s\"", weights);
    for (uint32_t i = 0; i < m->part_count && !r && weights; ++i)
        if (!parts[i].width && joints) {
            uint32_t* first = sup_arena_alloc(m->arena, parts[i].vertex_count, sizeof *first);
            float*    ones = sup_arena_alloc(m->arena, parts[i].vertex_count, sizeof *ones);
            if (!first || !ones) return out_of_memory(m);
            for (uint32_t k = 0; k < parts[i].vertex_count; ++k) ones[k] = 1;
            parts[i].width = 1, parts[i].joints = first, parts[i].weights = ones;
        }
    desc.part_count = m->part_count, desc.parts = parts;
    desc.joint_count = m->joint_count, desc.joints = joints;
    if (!r) r = sup_character_create(&desc, NULL, out, m->error);
    if (!r && !sup_json_get(json, "unit")) r = sup_size_judge(*out, NULL, m->error);
    sup_auto_weights made;
    if (!r && weights)
        r = sup_character_weigh(
            *out, 0, NULL, &(sup_auto_weights_options){ .tasks = flat_tasks(m->draft), .progress = progress }, &made, m->error);
    return r;
}

flat_handle flat_make(flat_handle draft, const char* description, flat_progress_fn* progress, void* user)
{
    int32_t      status;
    flat_object* o = flat_enter(draft, FLAT_DRAFT, &status);
    if (!o) return 0;
    flat_listener listener = { progress, user };
    sup_progress  report = { flat_report, &listener };
    flat_object*  made = flat_object_new(FLAT_CHARACTER, o->parent);
    maker         m = { .draft = o, .arena = sup_arena_create(NULL), .error = &o->error };
    sup_result    r =
        !made || !m.arena ? out_of_memory(&m) : make_character(&m, description, progress ? &report : NULL, &made->character);
    sup_arena_destroy(m.arena);
    return flat_leave_with(o, made, r);
}
