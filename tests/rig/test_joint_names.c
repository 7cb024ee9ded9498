// What names say: prefixes of any rig, knees for legs, other languages, any bytes.
#include "support.h"

#include "rig/retarget/joint_names.h"
#include "rig/retarget/joint_words.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- one body in many words

enum { JOINTS = 19 };

static const uint32_t parents[JOINTS] = { SUP_NONE, 0, 1, 2, 3, 2, 5, 6, 7, 2, 9, 10, 11, 0, 13, 14, 0, 16, 17 };
static const struct {
    int role, side;
} roles[JOINTS] = { { ROLE_HIPS, SIDE_NONE },      { ROLE_SPINE, SIDE_NONE },      { ROLE_SPINE, SIDE_NONE },
                    { ROLE_NECK, SIDE_NONE },      { ROLE_HEAD, SIDE_NONE },       { ROLE_SHOULDER, SIDE_LEFT },
                    { ROLE_UPPER_ARM, SIDE_LEFT }, { ROLE_LOWER_ARM, SIDE_LEFT },  { ROLE_HAND, SIDE_LEFT },
                    { ROLE_SHOULDER, SIDE_RIGHT }, { ROLE_UPPER_ARM, SIDE_RIGHT }, { ROLE_LOWER_ARM, SIDE_RIGHT },
                    { ROLE_HAND, SIDE_RIGHT },     { ROLE_UPPER_LEG, SIDE_LEFT },  { ROLE_LOWER_LEG, SIDE_LEFT },
                    { ROLE_FOOT, SIDE_LEFT },      { ROLE_UPPER_LEG, SIDE_RIGHT }, { ROLE_LOWER_LEG, SIDE_RIGHT },
                    { ROLE_FOOT, SIDE_RIGHT } };

// Hips, spine, chest, neck, head, shoulder, upper arm, lower arm, hand, upper leg, lower leg, foot; how the sides are called
// and where they stand.
typedef struct language {
    const char* what;
    const char* words[12];
    const char* sides[2];
    const char* pattern; // %1 the word, %2 the side
} language;

static const language languages[] = {
    { "English joints",
      { "pelvis", "spine_01", "chest", "neck", "head", "collar", "shoulder", "elbow", "wrist", "hip", "knee", "ankle" },
      { "left", "right" },
      "%2_%1" },
    { "leg, knee, ankle",
      { "hips", "spine", "chest", "neck", "head", "clavicle", "arm", "elbow", "hand", "leg", "knee", "ankle" },
      { "L", "R" },
      "%1.%2" },
    { "German",
      { "Hüfte", "Wirbelsäule", "Brust", "Hals", "Kopf", "Schulter", "Oberarm", "Unterarm", "Hand", "Oberschenkel",
        "Unterschenkel", "Fuß" },
      { "links", "rechts" },
      "%1_%2" },
    { "German without umlauts",
      { "Huefte", "Ruecken", "Brust", "Nacken", "Kopf", "Schluesselbein", "Oberarm", "Ellbogen", "Handgelenk", "Oberschenkel",
        "Knie", "Knoechel" },
      { "linker", "rechter" },
      "%2%1" },
    { "French",
      { "Bassin", "Colonne", "Poitrine", "Cou", "Tête", "Épaule", "Bras", "AvantBras", "Main", "Cuisse", "Jambe", "Pied" },
      { "Gauche", "Droite" },
      "%1%2" },
    { "Spanish",
      { "Cadera", "Columna", "Pecho", "Cuello", "Cabeza", "Hombro", "Brazo", "Antebrazo", "Mano", "Muslo", "Pierna", "Pie" },
      { "Izq", "Der" },
      "%1_%2" },
    { "Italian",
      { "Bacino", "Colonna", "Petto", "Collo", "Testa", "Spalla", "Braccio", "Avambraccio", "Mano", "Coscia", "Gamba",
        "Piede" },
      { "Sx", "Dx" },
      "%1_%2" },
    { "Portuguese",
      { "Quadril", "Coluna", "Peito", "Pescoço", "Cabeça", "Ombro", "Braço", "Antebraço", "Mão", "Coxa", "Perna", "Pé" },
      { "Esquerda", "Direita" },
      "%1 %2" },
    { "Polish",
      { "Miednica", "Kręgosłup", "Klatka piersiowa", "Szyja", "Głowa", "Bark", "Ramię", "Przedramię", "Dłoń", "Udo", "Goleń",
        "Stopa" },
      { "lewa", "prawa" },
      "%1 %2" },
    { "Japanese in Latin letters",
      { "koshi", "sebone", "mune", "kubi", "atama", "kata", "ude", "hiji", "tekubi", "momo", "hiza", "ashikubi" },
      { "hidari", "migi" },
      "%2_%1" },
    { "Japanese",
      { "下半身", "上半身", "上半身２", "首", "頭", "肩", "腕", "ひじ", "手首", "足", "ひざ", "足首" },
      { "左", "右" },
      "%2%1" },
    { "Japanese in katakana",
      { "腰", "背骨", "胸", "首", "頭", "肩", "腕", "ヒジ", "手首", "足", "ヒザ", "足首" },
      { "左", "右" },
      "%2%1" },
    { "Chinese",
      { "骨盆", "脊椎", "胸", "颈", "头", "锁骨", "上臂", "前臂", "手", "大腿", "小腿", "脚踝" },
      { "左", "右" },
      "%2%1" },
};

static void write_name(char* out, size_t capacity, const char* prefix, const char* suffix, const language* l, int word,
                       int side)
{
    size_t length = (size_t)snprintf(out, capacity, "%s", prefix);
    for (const char* p = side < 2 ? l->pattern : "%1"; *p; ++p) {
        if (*p != '%') length += (size_t)snprintf(out + length, capacity - length, "%c", *p);
        else length += (size_t)snprintf(out + length, capacity - length, "%s", *++p == '1' ? l->words[word] : l->sides[side]);
    }
    snprintf(out + length, capacity - length, "%s", suffix);
}

static void check_body(const language* l, const char* prefix, const char* suffix)
{
    static const int words[JOINTS] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8, 9, 10, 11, 9, 10, 11 };
    char             texts[JOINTS][128];
    const char*      names[JOINTS];
    bool             eligible[JOINTS];
    body_map         map;
    sup_error        error;
    sup_arena*       arena = sup_arena_create(NULL);
    for (int j = 0; j < JOINTS; ++j) {
        write_name(texts[j], sizeof texts[j], prefix, suffix, l, words[j], roles[j].side);
        names[j] = texts[j];
        eligible[j] = true;
    }
    body_skeleton skeleton = { .count = JOINTS, .names = names, .parents = parents, .eligible = eligible };
    assert_ok(body_find(&skeleton, NULL, 0, arena, &map, &error), error);
    for (uint32_t j = 0; j < JOINTS; ++j) {
        int side, role = body_role_of(&map, j, &side);
        if (role != roles[j].role || side != (role >= ROLE_SHOULDER ? roles[j].side : SIDE_NONE))
            fail_msg("%s: '%s' is role %d side %d, not %d %d", l->what, names[j], role, side, roles[j].role, roles[j].side);
    }
    sup_arena_destroy(arena);
}

static void a_body_is_the_same_in_every_language(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof languages / sizeof *languages; ++i) check_body(&languages[i], "", "");
}

static void what_all_names_share_is_taken_off(void** state)
{
    (void)state;
    static const char* const prefixes[] = { "Bob_",   "Bip001 ", "CC_Base_",  "mixamorig:", "DEF-",  "ORG-",      "J_Bip_C_",
                                            "Ünit7.", "hero12_", "Armature|", "A1B2_c3-",   "勇者_", "scene/rig/" };
    static const char* const suffixes[] = { "", "_jnt", "_SHJ", ".007_bind" };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i)
        for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; ++k)
            for (size_t l = 0; l < sizeof languages / sizeof *languages; ++l)
                check_body(&languages[l], prefixes[i], suffixes[k]);
}

// Hands have most of the joints: what their names begin with is not a prefix of the rig.
static void words_with_a_meaning_are_not_taken_off(void** state)
{
    (void)state;
    static const char* const names[] = { "hand.L", "hand_a1.L", "hand_a2.L", "hand_b1.L", "hand_b2.L", "arm.L" };
    const bool               wanted[] = { true, true, true, true, true, true };
    joint_affix              shared[2];
    joint_names_shared(names, wanted, 6, shared);
    assert_int_equal(shared[0].count, 0);
    assert_int_equal(joint_name_read("hand.L", shared).role, ROLE_HAND);
}

// ---------------------------------------------------------------------------------------------- words

static void names_fall_apart_into_words(void** state)
{
    (void)state;
    static const struct {
        const char *name, *words;
    } rows[] = { { "LHipJoint", "l hip joint" },
                 { "mixamorig9:LeftUpLeg", "left up leg" },
                 { "Bip001 L Thigh", "bip 001 l thigh" },
                 { "GroßeZehe", "grose zehe" },
                 { "u\xCC\x88"
                   "Zeh",
                   "u zeh" }, // a mark behind its letter
                 { "左足ＩＫ２", "左 足 ik 2" },
                 { "ヒザ", "ひざ" },
                 { "a\xFF"
                   "b\xC3",
                   "a b" },               // no UTF-8: it separates
                 { "a\xE5\xB7", "a" },    // cut off
                 { "x\xC0\x80y", "x y" }, // too long a form
                 { "", "" },
                 { "::", "" },
                 { "___", "" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        joint_words words;
        char        text[2 * NAME_BYTES_MAX] = "";
        joint_words_split(rows[i].name, &words);
        for (uint32_t k = 0; k < words.count; ++k) {
            if (k) strcat(text, " ");
            strcat(text, joint_word(&words, k));
        }
        assert_string_equal(text, rows[i].words);
    }
}

// Every string of bytes is a name.
static void names_of_any_bytes_are_accepted(void** state)
{
    (void)state;
    uint64_t seed = 1;
    char     name[400];
    for (int round = 0; round < 4000; ++round) {
        size_t length = (size_t)(round % 399);
        for (size_t i = 0; i < length; ++i) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            unsigned char byte = (unsigned char)(seed >> 56);
            name[i] = (char)(byte ? round % 3 ? byte : "aZ9_\xE5\xC3\xA9\x81"[byte % 8] : 1);
        }
        name[length] = 0;
        int         side, finger, number;
        joint_words words;
        joint_words_split(name, &words);
        assert_true(words.count <= NAME_WORDS_MAX);
        for (uint32_t k = 0; k < words.count; ++k) assert_true(strlen(joint_word(&words, k)) > 0);
        joint_name_read(name, NULL);
        body_finger_of(name, &side, &finger, &number);
        const char* names[5] = { name, name, name, name, name };
        const bool  wanted[5] = { true, true, true, true, true };
        joint_affix shared[2];
        joint_names_shared(names, wanted, 5, shared);
        joint_name_read(name, shared);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_is_the_same_in_every_language),   cmocka_unit_test(what_all_names_share_is_taken_off),
        cmocka_unit_test(words_with_a_meaning_are_not_taken_off), cmocka_unit_test(names_fall_apart_into_words),
        cmocka_unit_test(names_of_any_bytes_are_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
