// Which joint is which part of a body. Names of many programs come down to few words once sides, numbers, prefixes and
// spelling are taken off: "mixamorig:LeftUpLeg", "thigh_l", "J_Bip_L_UpperLeg", "Bip01 L Thigh", "lThigh" and "thigh.L" are
// one.
#include "base/internal.h"
#include "rig/body.h"

#include <string.h>

enum { NAME_MAX = 96, WORDS_MAX = 24 };

// What is left of a name: its letters in small, the side, the number at its end.
typedef struct plain_name {
    char key[NAME_MAX];
    int  side;
} plain_name;

typedef struct word {
    const char* at;
    uint32_t    length;
    bool        digits;
} word;

// rank: the smaller wins where two joints of one side claim a role. "hip" of a side is a thigh only where no thigh is.
typedef struct name_row {
    const char* key;
    uint8_t     role;
    uint8_t     rank;
    bool        sided;
} name_row;

static const name_row rows[] = {
    { "hips", ROLE_HIPS, 0, false },
    { "pelvis", ROLE_HIPS, 0, false },
    { "hip", ROLE_HIPS, 1, false },
    { "spine", ROLE_SPINE, 0, false },
    { "lowerback", ROLE_SPINE, 0, false },
    { "upperback", ROLE_SPINE, 0, false },
    { "back", ROLE_SPINE, 0, false },
    { "abdomen", ROLE_SPINE, 0, false },
    { "abdomenlower", ROLE_SPINE, 0, false },
    { "abdomenupper", ROLE_SPINE, 0, false },
    { "waist", ROLE_SPINE, 0, false },
    { "torso", ROLE_SPINE, 0, false },
    { "chest", ROLE_SPINE, 0, false },
    { "chestlower", ROLE_SPINE, 0, false },
    { "chestupper", ROLE_SPINE, 0, false },
    { "upperchest", ROLE_SPINE, 0, false },
    { "spineupper", ROLE_SPINE, 0, false },
    { "spinelower", ROLE_SPINE, 0, false },
    { "thorax", ROLE_SPINE, 0, false },
    { "neck", ROLE_NECK, 0, false },
    { "necklower", ROLE_NECK, 0, false },
    { "neckupper", ROLE_NECK, 0, false },
    { "head", ROLE_HEAD, 0, false },
    { "shoulder", ROLE_SHOULDER, 1, true },
    { "clavicle", ROLE_SHOULDER, 0, true },
    { "collar", ROLE_SHOULDER, 0, true },
    { "collarbone", ROLE_SHOULDER, 0, true },
    { "upperarm", ROLE_UPPER_ARM, 0, true },
    { "uparm", ROLE_UPPER_ARM, 0, true },
    { "shldr", ROLE_UPPER_ARM, 0, true },
    { "humerus", ROLE_UPPER_ARM, 0, true },
    { "arm", ROLE_UPPER_ARM, 1, true },
    { "forearm", ROLE_LOWER_ARM, 0, true },
    { "lowerarm", ROLE_LOWER_ARM, 0, true },
    { "lowarm", ROLE_LOWER_ARM, 0, true },
    { "elbow", ROLE_LOWER_ARM, 1, true },
    { "radius", ROLE_LOWER_ARM, 1, true },
    { "hand", ROLE_HAND, 0, true },
    { "wrist", ROLE_HAND, 0, true },
    { "upleg", ROLE_UPPER_LEG, 0, true },
    { "upperleg", ROLE_UPPER_LEG, 0, true },
    { "thigh", ROLE_UPPER_LEG, 0, true },
    { "femur", ROLE_UPPER_LEG, 0, true },
    { "hip", ROLE_UPPER_LEG, 2, true },
    { "lowerleg", ROLE_LOWER_LEG, 0, true },
    { "lowleg", ROLE_LOWER_LEG, 0, true },
    { "shin", ROLE_LOWER_LEG, 0, true },
    { "calf", ROLE_LOWER_LEG, 0, true },
    { "knee", ROLE_LOWER_LEG, 1, true },
    { "tibia", ROLE_LOWER_LEG, 0, true },
    { "leg", ROLE_LOWER_LEG, 2, true },
    { "foot", ROLE_FOOT, 0, true },
    { "ankle", ROLE_FOOT, 0, true },
    { "toe", ROLE_TOE, 0, true },
    { "toes", ROLE_TOE, 0, true },
    { "toebase", ROLE_TOE, 0, true },
    { "ball", ROLE_TOE, 0, true },
};

// Words that programs put in front of every name, or behind it.
static const char* const noise[] = { "mixamorig", "skeleton", "armature", "bip",  "biped", "valve",    "j",     "b",
                                     "c",         "cc",       "base",     "def",  "org",   "rig",      "joint", "jnt",
                                     "bone",      "bn",       "sk",       "skel", "bind",  "character" };

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static char small(char c) { return is_upper(c) ? (char)(c - 'A' + 'a') : c; }

static bool word_is(const word* w, const char* text)
{
    for (uint32_t i = 0; i < w->length; ++i)
        if (!text[i] || small(w->at[i]) != text[i]) return false;
    return text[w->length] == 0;
}

// At blanks and signs, between letters and digits, before a capital: "LHipJoint" is L, Hip, Joint.
static uint32_t split(const char* name, word* words)
{
    uint32_t count = 0;
    for (const char* p = name; *p && count < WORDS_MAX;) {
        const char* begin = p;
        if (is_digit(*p))
            while (is_digit(*p)) ++p;
        else if (is_letter(*p)) {
            ++p;
            while (is_letter(*p) && (!is_upper(*p) || (is_upper(p[-1]) && !(is_letter(p[1]) && !is_upper(p[1]))))) ++p;
        } else {
            ++p;
            continue;
        }
        words[count++] = (word){ begin, (uint32_t)(p - begin), is_digit(*begin) };
    }
    return count;
}

static int side_of(const word* w)
{
    if (word_is(w, "l") || word_is(w, "left")) return SIDE_LEFT;
    if (word_is(w, "r") || word_is(w, "right")) return SIDE_RIGHT;
    return SIDE_NONE;
}

static bool is_noise(const word* w)
{
    if (w->digits) return true;
    for (size_t i = 0; i < SUP_COUNT_OF(noise); ++i)
        if (word_is(w, noise[i])) return true;
    return false;
}

static const name_row* find_row(const char* key, int side)
{
    for (size_t i = 0; i < SUP_COUNT_OF(rows); ++i)
        if (rows[i].sided == (side != SIDE_NONE) && strcmp(rows[i].key, key) == 0) return &rows[i];
    return NULL;
}

// "leftupleg" and "lthigh" hide their side in one word.
static const name_row* find_joined(plain_name* n)
{
    static const struct {
        const char* text;
        int         side;
    } sides[] = { { "left", SIDE_LEFT }, { "right", SIDE_RIGHT }, { "l", SIDE_LEFT }, { "r", SIDE_RIGHT } };
    for (size_t i = 0; i < SUP_COUNT_OF(sides); ++i) {
        size_t length = strlen(sides[i].text);
        if (strncmp(n->key, sides[i].text, length) != 0) continue;
        const name_row* row = find_row(n->key + length, sides[i].side);
        if (row) {
            n->side = sides[i].side;
            return row;
        }
    }
    return NULL;
}

static const name_row* judge(const char* name, plain_name* n)
{
    word        words[WORDS_MAX];
    const char* begin = name;
    for (const char* p = name; *p; ++p)
        if ((*p == ':' || *p == '|') && p[1]) begin = p + 1; // a name space
    uint32_t count = split(begin, words), first = 0, length = 0;
    *n = (plain_name){ .side = SIDE_NONE };
    for (uint32_t i = 0; i < count; ++i) {
        int side = side_of(&words[i]);
        if (side == SIDE_NONE) continue;
        n->side = side;
        memmove(&words[i], &words[i + 1], (count - i - 1) * sizeof *words);
        count--;
        break;
    }
    while (first < count && is_noise(&words[first])) first++;
    while (count > first && is_noise(&words[count - 1])) count--;
    for (uint32_t i = first; i < count; ++i)
        for (uint32_t k = 0; k < words[i].length && length + 1 < NAME_MAX; ++k) n->key[length++] = small(words[i].at[k]);
    n->key[length] = 0;
    const name_row* row = find_row(n->key, n->side);
    return row || n->side != SIDE_NONE ? row : find_joined(n);
}

// "mixamorig:LeftHandIndex1", "index_01_l", "J_Bip_L_Index1", "lIndex1" and "f_index.01.L" are one.
bool body_finger_of(const char* name, int* side, int* finger, int* number)
{
    static const char* const fingers[][3] = { { "thumb", "thumb", "thumb" },
                                              { "index", "index", "pointer" },
                                              { "middle", "mid", "middle" },
                                              { "ring", "ring", "ring" },
                                              { "pinky", "little", "pinkie" } };
    static const char* const others[] = { "metacarpal", "meta", "end", "tip", "nub", "foot", "toe", "ik", "twist" };
    word                     words[WORDS_MAX];
    const char*              begin = name;
    for (const char* p = name; *p; ++p)
        if ((*p == ':' || *p == '|') && p[1]) begin = p + 1;
    uint32_t count = split(begin, words);
    *side = SIDE_NONE;
    *finger = -1;
    *number = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (*side == SIDE_NONE && side_of(&words[i]) != SIDE_NONE) *side = side_of(&words[i]);
        for (size_t k = 0; k < SUP_COUNT_OF(others); ++k)
            if (word_is(&words[i], others[k])) return false;
        for (int f = 0; f < 5; ++f)
            for (int k = 0; k < 3; ++k)
                if (word_is(&words[i], fingers[f][k])) *finger = f;
        if (*finger < 0 || !words[i].digits) continue;
        *number = 0;
        for (uint32_t k = 0; k < words[i].length && *number < 100; ++k) *number = 10 * *number + (words[i].at[k] - '0');
    }
    if (*number == 0) *number = 1; // "LThumb"
    return *finger >= 0 && *side != SIDE_NONE && *number < 10;
}

// ---------------------------------------------------------------------------------------------- roles

bool body_is_above(const uint32_t* parents, uint32_t above, uint32_t joint)
{
    while (joint != SUP_NONE && joint > above) joint = parents[joint];
    return joint == above;
}

static uint32_t common_parent(const uint32_t* parents, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a == SUP_NONE || b == SUP_NONE) return SUP_NONE;
        if (a > b) a = parents[a];
        else b = parents[b];
    }
    return a;
}

// Candidates of one role and side, in the order of the skeleton, only those of the best rank, and each below the one before.
static uint32_t gather(const body_skeleton* s, const name_row* const* found, const int* sides, int role, int side,
                       uint32_t* out)
{
    uint32_t count = 0, best = UINT32_MAX;
    for (uint32_t j = 0; j < s->count; ++j)
        if (found[j] && found[j]->role == role && sides[j] == side && found[j]->rank < best) best = found[j]->rank;
    for (uint32_t j = 0; j < s->count && count < BODY_CHAIN_MAX; ++j) {
        if (!found[j] || found[j]->role != role || sides[j] != side || found[j]->rank != best) continue;
        if (count == 0 || body_is_above(s->parents, out[count - 1], j)) out[count++] = j;
    }
    return count;
}

// Chains whose joints all have one name ("leg_joint_L_1" to 5, "LeftFoot01", "LeftFoot02") are told apart by their order.
static void find_limb(const body_skeleton* s, const name_row* const* found, const int* sides, int side, int first, int last,
                      uint32_t* limbs)
{
    uint32_t chains[ROLE_COUNT][BODY_CHAIN_MAX], counts[ROLE_COUNT] = { 0 };
    for (int role = first; role <= last; ++role) counts[role] = gather(s, found, sides, role, side, chains[role]);
    for (int role = first; role <= last; ++role)
        if (counts[role]) limbs[role] = chains[role][0];
    for (int role = first; role <= last; ++role)
        for (uint32_t i = 1, next = (uint32_t)role + 1; i < counts[role] && next <= (uint32_t)last; ++i, ++next) {
            if (limbs[next] != SUP_NONE) break;
            limbs[next] = chains[role][i];
        }
}

static void find_arm(const body_skeleton* s, const name_row* const* found, const int* sides, int side, uint32_t* limbs)
{
    find_limb(s, found, sides, side, ROLE_SHOULDER, ROLE_HAND, limbs);
    // "LeftShoulder, LeftElbow, LeftWrist": named after the joints, not the bones; the shoulder may hang on a collar.
    for (uint32_t j = 0; j < s->count && limbs[ROLE_UPPER_ARM] == SUP_NONE && limbs[ROLE_SHOULDER] != SUP_NONE; ++j)
        if (found[j] && found[j]->role == ROLE_SHOULDER && sides[j] == side && j > limbs[ROLE_SHOULDER] &&
            body_is_above(s->parents, limbs[ROLE_SHOULDER], j))
            limbs[ROLE_UPPER_ARM] = j;
    if (limbs[ROLE_UPPER_ARM] == SUP_NONE) {
        limbs[ROLE_UPPER_ARM] = limbs[ROLE_SHOULDER];
        limbs[ROLE_SHOULDER] = SUP_NONE;
    }
    // A chain of four arms begins with the shoulder.
    uint32_t chain[BODY_CHAIN_MAX], count = gather(s, found, sides, ROLE_UPPER_ARM, side, chain);
    if (limbs[ROLE_SHOULDER] == SUP_NONE && count == 4 && limbs[ROLE_HAND] == chain[2])
        for (int i = 0; i < 4; ++i) limbs[ROLE_SHOULDER + i] = chain[i];
}

static void find_leg(const body_skeleton* s, const name_row* const* found, const int* sides, int side, uint32_t* limbs)
{
    find_limb(s, found, sides, side, ROLE_UPPER_LEG, ROLE_TOE, limbs);
    // Only "leg", several times: the first is the thigh.
    uint32_t chain[BODY_CHAIN_MAX], count = gather(s, found, sides, ROLE_LOWER_LEG, side, chain);
    if (limbs[ROLE_UPPER_LEG] != SUP_NONE) return;
    if (count < 2) { // "leg" and "shin"
        for (uint32_t j = 0; j < s->count && limbs[ROLE_LOWER_LEG] != SUP_NONE; ++j)
            if (found[j] && found[j]->role == ROLE_LOWER_LEG && sides[j] == side && j < limbs[ROLE_LOWER_LEG] &&
                body_is_above(s->parents, j, limbs[ROLE_LOWER_LEG]))
                limbs[ROLE_UPPER_LEG] = j;
        return;
    }
    uint32_t foot[BODY_CHAIN_MAX], feet = gather(s, found, sides, ROLE_FOOT, side, foot);
    limbs[ROLE_UPPER_LEG] = chain[0];
    limbs[ROLE_LOWER_LEG] = chain[1];
    if (!feet) {
        limbs[ROLE_FOOT] = count > 2 ? chain[2] : SUP_NONE;
        limbs[ROLE_TOE] = count > 3 ? chain[3] : limbs[ROLE_TOE];
    }
}

// The hips carry both legs: a joint of that name that does not (a pelvis beside them) is the first of the spine.
static void find_trunk(const body_skeleton* s, const name_row* const* found, const int* sides, body_map* out)
{
    uint32_t chain[BODY_CHAIN_MAX];
    uint32_t legs[2] = { out->limbs[SIDE_LEFT][ROLE_UPPER_LEG], out->limbs[SIDE_RIGHT][ROLE_UPPER_LEG] };
    uint32_t fork = legs[0] != SUP_NONE && legs[1] != SUP_NONE ? common_parent(s->parents, legs[0], legs[1]) : SUP_NONE;
    uint32_t named = gather(s, found, sides, ROLE_HIPS, SIDE_NONE, chain) ? chain[0] : SUP_NONE;
    out->hips = named != SUP_NONE && (fork == SUP_NONE || body_is_above(s->parents, named, fork)) ? named : fork;
    if (out->hips == SUP_NONE) return;
    if (named != SUP_NONE && named != out->hips && body_is_above(s->parents, out->hips, named))
        out->spine[out->spine_count++] = named;

    uint32_t arms[2] = { out->limbs[SIDE_LEFT][ROLE_UPPER_ARM], out->limbs[SIDE_RIGHT][ROLE_UPPER_ARM] };
    uint32_t chest = arms[0] != SUP_NONE && arms[1] != SUP_NONE ? common_parent(s->parents, arms[0], arms[1]) : SUP_NONE;
    uint32_t count = gather(s, found, sides, ROLE_SPINE, SIDE_NONE, chain), beyond[BODY_CHAIN_MAX], beyond_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (chain[i] == out->hips || !body_is_above(s->parents, out->hips, chain[i])) continue;
        if (chest != SUP_NONE && chain[i] > chest && body_is_above(s->parents, chest, chain[i]))
            beyond[beyond_count++] = chain[i];
        else if (out->spine_count < BODY_CHAIN_MAX) out->spine[out->spine_count++] = chain[i];
    }
    out->neck_count = gather(s, found, sides, ROLE_NECK, SIDE_NONE, out->neck);
    out->head = gather(s, found, sides, ROLE_HEAD, SIDE_NONE, chain) ? chain[0] : SUP_NONE;
    if (!out->neck_count && out->head == SUP_NONE) // one row of "spine" up to the crown
        for (uint32_t i = 0; i < beyond_count; ++i) out->neck[out->neck_count++] = beyond[i];
    if (out->head == SUP_NONE && out->neck_count > 1) out->head = out->neck[--out->neck_count];
}

static void fix_role(const body_fixed* f, body_map* out)
{
    if (f->role >= ROLE_SHOULDER && f->side != SIDE_NONE) out->limbs[f->side][f->role] = f->joint;
    else if (f->role == ROLE_HIPS) out->hips = f->joint;
    else if (f->role == ROLE_HEAD) out->head = f->joint;
    else if (f->role == ROLE_SPINE || f->role == ROLE_NECK) {
        uint32_t* list = f->role == ROLE_SPINE ? out->spine : out->neck;
        uint32_t* count = f->role == ROLE_SPINE ? &out->spine_count : &out->neck_count;
        uint32_t  at = *count;
        for (uint32_t i = 0; i < *count; ++i)
            if (list[i] == f->joint) return;
        if (*count == BODY_CHAIN_MAX) return;
        while (at && list[at - 1] > f->joint) list[at] = list[at - 1], at--;
        list[at] = f->joint;
        ++*count;
    }
}

body_role body_role_of(const body_map* map, uint32_t joint, int* side)
{
    *side = SIDE_NONE;
    if (joint == map->hips) return ROLE_HIPS;
    if (joint == map->head) return ROLE_HEAD;
    for (uint32_t i = 0; i < map->spine_count; ++i)
        if (map->spine[i] == joint) return ROLE_SPINE;
    for (uint32_t i = 0; i < map->neck_count; ++i)
        if (map->neck[i] == joint) return ROLE_NECK;
    for (int s = 0; s < 2; ++s)
        for (int role = ROLE_SHOULDER; role < ROLE_COUNT; ++role)
            if (map->limbs[s][role] == joint) {
                *side = s;
                return (body_role)role;
            }
    return ROLE_NONE;
}

sup_result body_find(const body_skeleton* s, const body_fixed* fixed, uint32_t fixed_count, sup_arena* scratch, body_map* out,
                     sup_error* error)
{
    const name_row** found = SUP_NEW(scratch, const name_row*, s->count);
    int*             sides = SUP_NEW(scratch, int, s->count);
    if (!found || !sides) return sup_fail_memory(error, "a match of joints");
    *out = (body_map){ .hips = SUP_NONE, .head = SUP_NONE };
    for (int side = 0; side < 2; ++side)
        for (int role = 0; role < ROLE_COUNT; ++role) out->limbs[side][role] = SUP_NONE;
    for (uint32_t j = 0; j < s->count; ++j) {
        plain_name name;
        if (s->eligible[j]) found[j] = judge(s->names[j], &name);
        if (s->eligible[j]) sides[j] = name.side;
    }
    for (uint32_t i = 0; i < fixed_count; ++i) found[fixed[i].joint] = NULL;
    for (int side = 0; side < 2; ++side) {
        find_arm(s, found, sides, side, out->limbs[side]);
        find_leg(s, found, sides, side, out->limbs[side]);
    }
    for (uint32_t i = 0; i < fixed_count; ++i)
        if (fixed[i].role >= ROLE_SHOULDER) fix_role(&fixed[i], out);
    find_trunk(s, found, sides, out);
    for (uint32_t i = 0; i < fixed_count; ++i)
        if (fixed[i].role < ROLE_SHOULDER) fix_role(&fixed[i], out);
    return SUP_OK;
}
