// Finds which parts of a body are firm up to the skin. A skull is not jelly, whoever named it: names decide first, then the
// shape of the body, then the ends of limbs.
#include "rig/anatomy.h"

#include "base/internal.h"
#include "math/vec.h"
#include "rig/retarget/figure.h"
#include "rig/retarget/joint_words.h"

#include <math.h>

// Words that mark a part as firm on characters whose other names say nothing: animals, machines, carried things.
static const char hard_words[] =
    "head skull cranium jaw mandible snout muzzle beak bill teeth tooth tusk fang eye eyes eyeball horn horns antler antlers "
    "hand paw wrist knuckle finger fingers thumb claw talon nail hoof hooves foot feet toe toes fetlock pastern ankle "
    "helmet helm hat glasses prop weapon sword gun rifle bow shield axe knife staff shell carapace armor armour "
    "kopf schadel schaedel kiefer schnabel horner hoerner geweih huf hufe pfote kralle";
// Words for what hangs on a firm part and is soft all the same, or swings.
static const char soft_words[] =
    "ear ears tail hair ponytail pigtail braid tress bang bangs fringe mane beard mustache whisker cheek cheeks jowl lip lips "
    "tongue trunk wattle dewlap fat belly breast breasts boob boobs bust butt buttock buttocks glute jiggle physics spring "
    "cape "
    "cloak skirt dress coat scarf cloth ribbon string strap feather feathers fin fins wing flap antenna tentacle "
    "ohr ohren schwanz haar haare zopf wange wangen zunge bauch rock umhang";

static const float twin_share = 0.75f;   // two joints are twins if their sizes differ by no more than this factor
static const float ground_share = 0.06f; // of the height: what reaches below this stands on the ground
enum { JOINTS_MOST = 2048, FEET_FEWEST = 2, POINTS_FEWEST = 4 };

// ---------------------------------------------------------------------------------------------- names

typedef enum { WORD_NONE, WORD_HARD, WORD_SOFT } word_kind;

// "HeadTail" is a tail: what is soft wins.
static word_kind read_words(const char* name)
{
    joint_words words;
    word_kind   kind = WORD_NONE;
    joint_words_split(name, &words);
    for (uint32_t i = 0; i < words.count; ++i) {
        if (joint_word_listed(soft_words, joint_word(&words, i))) return WORD_SOFT;
        if (joint_word_listed(hard_words, joint_word(&words, i))) kind = WORD_HARD;
    }
    return kind;
}

// ---------------------------------------------------------------------------------------------- ends

// The points that a joint moves most.
typedef struct joint_flesh {
    uint32_t points, below; // of itself; of all joints below it
    sup_vec3 middle;
    float    size; // root mean square distance from the middle
    float    lowest;
    uint32_t depth;
    bool     foot, feet_below;
} joint_flesh;

static void gather_flesh(const sup_character* c, const figure* f, const sup_pose* pose, joint_flesh* flesh, float* low,
                         float* high)
{
    sup_vec3 up = figure_up(c);
    *low = INFINITY, *high = -INFINITY;
    for (uint32_t j = 0; j < f->joint_count; ++j) {
        flesh[j] = (joint_flesh){ .lowest = INFINITY };
        if (f->parents[j] != SUP_NONE) flesh[j].depth = flesh[f->parents[j]].depth + 1;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
            if (c->weights.begin[p] == c->weights.begin[p + 1]) continue;
            uint32_t     j = c->weights.joints[c->weights.begin[p]];
            joint_flesh* s = &flesh[j];
            sup_vec3     at = affine_point(&pose->skin[j], c->mesh.points[p]);
            float        height = v3_dot(at, up);
            if (pass) s->size += v3_length2(v3_sub(at, s->middle)) / (float)s->points;
            if (pass) continue;
            s->points++;
            s->middle = v3_add(s->middle, at);
            s->lowest = fminf(s->lowest, height);
            *low = fminf(*low, height), *high = fmaxf(*high, height);
        }
        for (uint32_t j = 0; j < f->joint_count && !pass; ++j)
            if (flesh[j].points) flesh[j].middle = v3_scale(flesh[j].middle, 1 / (float)flesh[j].points);
    }
    for (uint32_t j = f->joint_count; j-- > 0;) {
        flesh[j].size = sqrtf(flesh[j].size);
        if (f->parents[j] != SUP_NONE) flesh[f->parents[j]].below += flesh[j].points + flesh[j].below;
    }
}

static bool are_alike(float a, float b) { return fminf(a, b) >= twin_share * fmaxf(a, b); }

static bool has_twin(const figure* f, const joint_flesh* flesh, uint32_t j)
{
    for (uint32_t k = 0; k < f->joint_count; ++k)
        if (k != j && flesh[k].points >= POINTS_FEWEST && flesh[k].depth == flesh[j].depth &&
            are_alike(flesh[k].size, flesh[j].size) && are_alike((float)flesh[k].points, (float)flesh[j].points))
            return true;
    return false;
}

// For names in an unknown language and bodies without two legs and two arms: legs end on the ground in pairs, and a head is the
// thickest end without a twin. A tail is thinner; ears and wings are pairs. Returns the head, or SUP_NONE.
static uint32_t find_ends(const sup_character* c, const figure* f, const sup_pose* pose, joint_flesh* flesh, uint32_t* solids)
{
    float    low, high, most = 0;
    uint32_t feet = 0, head = SUP_NONE;
    gather_flesh(c, f, pose, flesh, &low, &high);
    for (uint32_t j = 0; j < f->joint_count; ++j) {
        joint_flesh* s = &flesh[j];
        s->foot = s->points >= POINTS_FEWEST && s->below == 0 && s->lowest < low + ground_share * (high - low) &&
                  s->lowest < v3_dot(f->positions[j], figure_up(c)) && has_twin(f, flesh, j);
        feet += s->foot;
    }
    if (feet < FEET_FEWEST) return SUP_NONE;
    for (uint32_t j = f->joint_count; j-- > 0;)
        if ((flesh[j].foot || flesh[j].feet_below) && f->parents[j] != SUP_NONE) flesh[f->parents[j]].feet_below = true;
    for (uint32_t j = 0; j < f->joint_count; ++j) {
        const joint_flesh* s = &flesh[j];
        if (s->foot) solids[j] = j;
        if (s->foot || s->feet_below || s->points < POINTS_FEWEST || s->below > s->points || has_twin(f, flesh, j)) continue;
        if (s->size > most) most = s->size, head = j;
    }
    return head;
}

// ---------------------------------------------------------------------------------------------- all joints

static bool any_of(const bool* marks, uint32_t count)
{
    for (uint32_t j = 0; j < count; ++j)
        if (marks[j]) return true;
    return false;
}

static bool is_head(const body_map* map, uint32_t j)
{
    // If no joint is called head, the last one of the neck carries it.
    return j == map->head || (map->head == SUP_NONE && map->neck_count && j == map->neck[map->neck_count - 1]);
}

// Whether it is the head of an animal, or a second one.
static bool names_head(const char* name)
{
    joint_words words;
    joint_words_split(name, &words);
    for (uint32_t i = 0; i < words.count; ++i)
        if (joint_word_listed("head skull cranium kopf schadel schaedel", joint_word(&words, i))) return true;
    return false;
}

static bool is_firm_role(const body_map* map, uint32_t j)
{
    int       side;
    body_role role = body_role_of(map, j, &side);
    return role == ROLE_HAND || role == ROLE_FOOT || role == ROLE_TOE || map->fingers[j].number;
}

// What hangs on a head belongs to it, what hangs on a hand or a foot is firm as well; parents come first.
static void mark(const figure* f, const word_kind* words, bool* skull, uint32_t* solids)
{
    for (uint32_t j = 0; j < f->joint_count; ++j) {
        uint32_t above = f->parents[j];
        if (words[j] == WORD_SOFT) continue;
        skull[j] = skull[j] || is_head(&f->body, j) || names_head(f->names[j]);
        bool hangs = above != SUP_NONE && solids[above] != SUP_NONE;
        if (hangs && skull[above]) solids[j] = solids[above], skull[j] = true;
        else if (solids[j] != SUP_NONE || skull[j] || hangs || words[j] == WORD_HARD || is_firm_role(&f->body, j))
            solids[j] = j;
    }
}

sup_result sup_anatomy_find(const sup_character* c, sup_arena* arena, sup_anatomy* out, sup_error* error)
{
    uint32_t     n = c->skeleton.joint_count;
    uint32_t*    solids = SUP_NEW(arena, uint32_t, n);
    sup_arena*   scratch = sup_arena_beside(arena);
    word_kind*   words = scratch ? SUP_NEW(scratch, word_kind, n) : NULL;
    bool*        skull = scratch ? SUP_NEW(scratch, bool, n) : NULL;
    joint_flesh* flesh = scratch ? SUP_NEW(scratch, joint_flesh, n) : NULL;
    figure       f;
    sup_pose     pose;
    sup_result   r = solids && words && skull && flesh ? SUP_OK : sup_fail_memory(error, "the anatomy of a character");
    if (!r) r = figure_of_character(c, NULL, 0, scratch, &f, &pose, error);
    for (uint32_t j = 0; j < n && !r; ++j) solids[j] = SUP_NONE, words[j] = read_words(c->skeleton.joints[j].name);
    if (!r) mark(&f, words, skull, solids);
    if (!r && !any_of(skull, n) && n <= JOINTS_MOST) {
        uint32_t head = find_ends(c, &f, &pose, flesh, solids);
        if (head != SUP_NONE) skull[head] = true;
        mark(&f, words, skull, solids);
    }
    sup_arena_destroy(scratch);
    *out = (sup_anatomy){ .joint_count = n, .solids = solids };
    for (uint32_t j = 0; j < n && !r; ++j) out->firm_count += solids[j] != SUP_NONE && c->skeleton.joints[j].skin_joint;
    return r;
}
