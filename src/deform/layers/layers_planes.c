// Where the planes between sub-volumes lie, as set by the user: 'upper_arm=0.6 finger*=0.4', a glob of joints and how far along
// their bones. Spaces and newlines both separate entries; a line that starts with # is a comment. The last match wins.
#include "deform/layers/layers.h"

#include <string.h>

static const char cure[] =
    "write GLOB=SHARE with a share from 0 (the bone's head) to 1 (its tail), like 'forearm=0.6 finger*=0.4'";

typedef struct plane_word {
    const char* text;
    size_t      length;
} plane_word;

static plane_word next_word(const char** text)
{
    const char* at = *text;
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (*at != '#') break;
        at += strcspn(at, "\n");
    }
    size_t length = strcspn(at, " \t\r\n");
    *text = at + length;
    return (plane_word){ at, length };
}

static sup_result set_plane(const sup_skeleton* s, plane_word word, float* shares, sup_error* error)
{
    char        glob[128];
    const char* equals = memchr(word.text, '=', word.length);
    size_t      name = equals ? (size_t)(equals - word.text) : 0, rest = word.length - name - 1;
    double      share = 0;
    uint32_t    bones = 0;
    if (name == 0 || name >= sizeof glob || rest == 0 || sup_parse_double(equals + 1, rest, false, &share) != rest ||
        !(share >= 0 && share <= 1))
        return sup_fail(error, SUP_ERROR_INPUT, "layers.planes: '%.*s' is not a plane; %s", (int)word.length, word.text, cure);
    memcpy(glob, word.text, name);
    glob[name] = 0;
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        if (!sup_glob_match(glob, s->joints[s->bones[i].joint].name)) continue;
        bones += s->bones[i].child != SUP_NONE;
        shares[i] = (float)share;
    }
    if (bones) return SUP_OK;
    return sup_fail(error, SUP_ERROR_INPUT,
                    "layers.planes: no joint called '%s' has a bone to another; see names and bones with inspect", glob);
}

sup_result layers_read_planes(const sup_bind_input* in, sup_arena* arena, const float** out, sup_error* error)
{
    const layers_params* p = in->params;
    const sup_skeleton*  s = &in->character->skeleton;
    const char*          text = p->planes ? p->planes : "";
    plane_word           word = next_word(&text);
    *out = NULL;
    if (!word.length) return SUP_OK;
    if (p->cut != CUT_MIDDLES)
        return sup_fail(error, SUP_ERROR_INPUT, "layers.planes needs cut=middles; remove cut=ends");
    float* shares = SUP_NEW(arena, float, s->bone_count);
    if (!shares) return sup_fail_memory(error, "layers");
    for (uint32_t i = 0; i < s->bone_count; ++i) shares[i] = 0.5f;
    sup_result r = SUP_OK;
    for (; !r && word.length; word = next_word(&text)) r = set_plane(s, word, shares, error);
    *out = shares;
    return r;
}
