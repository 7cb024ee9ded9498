/// tests/scene/small.h: the smallest descriptions that make a character; tests change one thing in them.
#ifndef SUP_TESTS_SCENE_SMALL_H
#define SUP_TESTS_SCENE_SMALL_H

#include "math/vec.h"
#include "support.h"

#include <string.h>

/// A unit square as two triangles that share no vertex: corners 0 1 2 and 0 2 3 of the square.
static const sup_vec3 square_soup[6] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
static const uint32_t soup_corners[6] = { 0, 1, 2, 3, 4, 5 };

typedef struct small {
    sup_part_desc      part;
    sup_joint          joints[4];
    sup_character_desc desc;
    sup_error          error;
} small;

static inline sup_joint small_joint(const char* name, uint32_t parent, sup_vec3 at, sup_vec3 bind)
{
    sup_joint j = { .name = name,
                    .parent = parent,
                    .skin_joint = true,
                    .rest = transform_identity(),
                    .inverse_bind = affine_identity(),
                    .source_id = SUP_NONE };
    j.rest.translation = at;
    j.inverse_bind.m[0][3] = -bind.x;
    j.inverse_bind.m[1][3] = -bind.y;
    j.inverse_bind.m[2][3] = -bind.z;
    return j;
}

/// The square soup without skin, not welded; pointers inside are good as long as *s stays where it is.
static inline void small_init(small* s)
{
    memset(s, 0, sizeof *s);
    s->part = (sup_part_desc){ .name = "square",
                               .vertex_count = 6,
                               .positions = square_soup,
                               .face_count = 2,
                               .corners = soup_corners,
                               .joint = SUP_NONE,
                               .source_id = SUP_NONE };
    for (uint32_t j = 0; j < 4; ++j) {
        static const char* names[4] = { "hip", "knee", "ankle", "toe" };
        s->joints[j] = small_joint(names[j], j ? j - 1 : SUP_NONE, v3(j ? 1 : 0, 0, 0), v3((float)j, 0, 0));
    }
    s->desc = (sup_character_desc){ .name = "small", .part_count = 1, .parts = &s->part, .metres_per_unit = 1 };
}

static inline sup_character* small_make(small* s)
{
    sup_character* c = NULL;
    assert_ok(sup_character_create(&s->desc, NULL, &c, &s->error), s->error);
    return c;
}

/// Creation fails for the data, touches nothing, and the sentence holds these words.
static inline void small_refused(small* s, const char* words)
{
    sup_character* untouched = (sup_character*)s;
    sup_character* c = untouched;
    sup_result     result = sup_character_create(&s->desc, NULL, &c, &s->error);
    if (result != SUP_ERROR_INPUT) fail_msg("accepted; wanted an error with '%s'", words);
    assert_ptr_equal(c, untouched);
    if (!strstr(s->error.text, words)) fail_msg("'%s' does not say '%s'", s->error.text, words);
}

#endif
