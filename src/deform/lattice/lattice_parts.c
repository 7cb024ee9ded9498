// Which cells keep their volume together: those around a joint, up to halfway along the bones that meet there.
#include "deform/lattice/lattice.h"

#include <math.h>
#include <string.h>

enum { FEW_CELLS = 4 }; // a smaller part has no volume worth keeping; it joins its parent's

uint32_t lattice_near_end(const sup_skeleton* s, uint32_t joint, sup_vec3 place)
{
    float    least = INFINITY;
    uint32_t end = joint;
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        const sup_bone* b = &s->bones[i];
        if (b->joint != joint) continue;
        sup_vec3 along = v3_sub(b->tail, b->head), to = v3_sub(place, b->head);
        float    length2 = v3_length2(along), t = length2 > 0 ? sup_clampf(v3_dot(to, along) / length2, 0, 1) : 0.0f;
        float    d = v3_length2(v3_sub(to, v3_scale(along, t)));
        if (d >= least) continue;
        least = d;
        end = t >= 0.5f && b->child != SUP_NONE ? b->child : joint; // a leaf's tail has no joint at its end
    }
    return end;
}

// Reads a glob, at most `size` - 1 long, and advances `text` past it. Lines that begin with # are comments.
typedef enum word_kind { WORD_END, WORD_GROUP, WORD_GLOB } word_kind;
static word_kind next_word(const char** text, char* out, size_t size)
{
    const char* at = *text + strspn(*text, " \t\r");
    if (*at == '#') at += strcspn(at, "\n");
    size_t length = strcspn(at, " \t\r\n|");
    *text = at + (length ? length : *at != 0);
    if (length == 0) return *at ? WORD_GROUP : WORD_END;
    if (length >= size) length = size - 1;
    memcpy(out, at, length);
    out[length] = 0;
    return WORD_GLOB;
}

// 'Spine*|Hand* Finger*', or lines in place of bars: joints that one group of globs matches are replaced by the first of them.
void lattice_group_joints(const sup_bind_input* in, const char* text, uint32_t* joined)
{
    const sup_skeleton* s = &in->character->skeleton;
    uint32_t            first = SUP_NONE;
    char                glob[128];
    for (uint32_t j = 0; j < s->joint_count; ++j) joined[j] = j;
    for (word_kind kind; (kind = next_word(&text, glob, sizeof glob)) != WORD_END;) {
        bool hit = false;
        if (kind == WORD_GROUP) {
            first = SUP_NONE;
            continue;
        }
        for (uint32_t j = 0; j < s->joint_count; ++j) {
            if (!sup_glob_match(glob, s->joints[j].name)) continue;
            hit = true;
            if (first == SUP_NONE) first = j;
            uint32_t from = joined[j], to = joined[first];
            for (uint32_t k = 0; k < s->joint_count && from != to; ++k) // including those that were joined to it
                if (joined[k] == from) joined[k] = to;
        }
        if (!hit) sup_note(in->notes, "parts: no joint is named '%s'; 'supple inspect' lists them", glob);
    }
}

sup_result lattice_label_parts(const sup_bind_input* in, const lattice_bound* b, const uint32_t* dominant, sup_arena* arena,
                               uint32_t** labels, uint32_t* part_count, uint32_t** part_joints, uint32_t** joint_parts,
                               sup_error* error)
{
    const sup_skeleton*   s = &in->character->skeleton;
    const sup_voxels*     v = &b->voxels;
    const lattice_params* params = in->params;
    uint32_t*             out = SUP_NEW(arena, uint32_t, v->cell_count);
    uint32_t*             joined = SUP_NEW(arena, uint32_t, s->joint_count);
    uint32_t*             sizes = SUP_NEW(arena, uint32_t, s->joint_count);
    uint32_t*             number = SUP_NEW(arena, uint32_t, s->joint_count);
    uint32_t*             joints = SUP_NEW(arena, uint32_t, s->joint_count);
    if (!out || !joined || !sizes || !number || !joints) return sup_fail_memory(error, "parts of a lattice");
    lattice_group_joints(in, params->parts ? params->parts : "", joined);
    for (uint32_t c = 0; c < v->cell_count; ++c) {
        sup_vec3 corner = sup_voxels_position(v, v->particles[8 * (size_t)c]);
        float    half = (float)(v->h / 2);
        out[c] = joined[lattice_near_end(s, dominant[c], v3_add(corner, v3(half, half, half)))];
        sizes[out[c]]++;
    }
    for (uint32_t j = s->joint_count; j-- > 0;) { // children before parents
        uint32_t parent = s->joints[j].parent;
        number[j] = j;
        if (sizes[j] == 0 || sizes[j] >= FEW_CELLS || parent == SUP_NONE || sizes[joined[parent]] == 0) continue;
        number[j] = joined[parent];
        sizes[joined[parent]] += sizes[j];
        sizes[j] = 0;
    }
    for (uint32_t c = 0; c < v->cell_count; ++c)
        while (number[out[c]] != out[c]) out[c] = number[out[c]];
    for (uint32_t j = 0; j < s->joint_count; ++j) // a joint without cells of its own takes the part of its group
        while (number[joined[j]] != joined[j]) joined[j] = number[joined[j]];
    uint32_t count = 0;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        if (sizes[j] == 0) continue;
        joints[count] = j;
        number[j] = count++;
    }
    for (uint32_t c = 0; c < v->cell_count; ++c) out[c] = number[out[c]];
    for (uint32_t j = 0; j < s->joint_count; ++j) joined[j] = sizes[joined[j]] ? number[joined[j]] : SUP_NONE;
    *joint_parts = joined;
    *labels = out;
    *part_count = count;
    *part_joints = joints;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- file

static const char heading[] =
    "# Joints whose cells keep their volume together, one group per line. Names may be moved between lines, replaced by globs\n"
    "# (Spine*) or left out: a joint that no line names is a group of its own. Read with --set lattice.parts=@FILE\n";

// Replaces characters that would end a name by the glob for any character.
static size_t write_name(const char* name, char* out)
{
    size_t length = strlen(name);
    for (size_t i = 0; out && i < length; ++i)
        out[i] = strchr(" \t\r\n|", name[i]) || (i == 0 && name[i] == '#') ? '?' : name[i];
    return length;
}

static size_t write_parts(const lattice_bound* b, char* out)
{
    const sup_skeleton* s = &b->character->skeleton;
    size_t              size = sizeof heading - 1;
    if (out) memcpy(out, heading, size);
    for (uint32_t part = 0; part < b->volume.part_count; ++part) {
        bool any = false;
        for (uint32_t j = 0; j < s->joint_count; ++j) {
            if (b->joint_parts[j] != part || !s->joints[j].skin_joint) continue;
            if (any && out) out[size] = ' ';
            size += any;
            size += write_name(s->joints[j].name, out ? out + size : NULL);
            any = true;
        }
        if (any && out) out[size] = '\n';
        size += any;
    }
    return size;
}

sup_result lattice_save(const sup_binding* binding, sup_arena* arena, const void** bytes, size_t* size, sup_error* error)
{
    const lattice_bound* b = binding->data;
    char*                text = SUP_NEW(arena, char, write_parts(b, NULL) + 1);
    if (!text) return sup_fail_memory(error, "parts of a lattice");
    *size = write_parts(b, text);
    *bytes = text;
    return SUP_OK;
}
