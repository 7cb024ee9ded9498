// What a joint's name says. Names of many programs reduce to few words once sides, numbers, common affixes and spelling are
// taken off: "mixamorig:LeftUpLeg", "thigh_l", "J_Bip_L_UpperLeg", "Bip01 L Thigh", "lThigh", "Bob_thigh.L" and
// "Oberschenkel_links" are the same.
#include "rig/retarget/joint_names.h"

#include "base/internal.h"
#include "rig/retarget/joint_words.h"

#include <string.h>

// rank: the lower wins if two joints of one side claim a role. "hip" with a side is a thigh only if there is no thigh. Joints
// (knee, ankle) stand for the bones below them. keys: English, German, French, Spanish, Italian, Portuguese, Polish, romanized
// Japanese; then Japanese and Chinese.
typedef struct name_row {
    uint8_t     role;
    uint8_t     rank;
    bool        sided;
    const char* keys;
} name_row;

static const name_row rows[] = {
    { ROLE_HIPS, 0, false,
      "hips pelvis becken bassin pelvi bacino pelve bacia miednica kotsuban "
      "骨盤 骨盆 下半身 臀部" },
    { ROLE_HIPS, 1, false,
      "hip hufte huefte huften hueften hanches hanche cadera caderas anca anche fianchi quadril quadris biodra koshi "
      "腰 髋 髋部" },
    { ROLE_HIPS, 2, false, "せんたー" },
    { ROLE_SPINE, 0, false,
      "spine lowerback upperback back abdomen abdomenlower abdomenupper waist torso chest chestlower chestupper upperchest "
      "spineupper spinelower thorax "
      "wirbelsaule wirbelsaeule rucken ruecken brust bauch taille oberkorper oberkoerper rumpf brustkorb "
      "colonne colonnevertebrale dos torse poitrine ventre buste "
      "columna columnavertebral espalda espina pecho vientre cintura torax "
      "colonna spina schiena busto torace petto addome ventre vita "
      "coluna espinha costas tronco peito abdome barriga "
      "kregoslup plecy tulow klatka klatkapiersiowa brzuch "
      "sebone senaka mune jouhanshin johanshin "
      "上半身 背骨 胸 背中 脊椎 脊柱 脊 腹 胸部 胸腔 上胸" },
    { ROLE_NECK, 0, false,
      "neck necklower neckupper hals nacken genick cou cuello collo pescoco szyja kark kubi "
      "首 颈 頸 脖子 颈部" },
    { ROLE_HEAD, 0, false, "head kopf tete cabeza testa capo cabeca glowa atama 頭 头 头部" },
    { ROLE_SHOULDER, 1, true, "shoulder schulter epaule hombro spalla ombro bark kata 肩 肩膀" },
    { ROLE_SHOULDER, 0, true,
      "clavicle collar collarbone schlusselbein schluesselbein clavicule clavicula clavicola obojczyk sakotsu 鎖骨 锁骨" },
    { ROLE_UPPER_ARM, 0, true, "upperarm uparm shldr shldrbend humerus oberarm jouwan jowan 上腕 上臂 大臂" },
    { ROLE_UPPER_ARM, 1, true, "arm bras brazo braccio braco ramie ude 腕 臂" },
    { ROLE_LOWER_ARM, 0, true,
      "forearm forearmbend lowerarm lowarm unterarm avantbras antebrazo avambraccio antebraco przedramie zenwan maeude 前腕 "
      "前臂 小臂" },
    { ROLE_LOWER_ARM, 1, true, "elbow radius ellbogen ellenbogen coude codo gomito cotovelo lokiec hiji ひじ 肘" },
    { ROLE_HAND, 0, true,
      "hand wrist handgelenk main poignet mano muneca polso mao pulso punho dlon nadgarstek te tekubi "
      "手首 手 手腕 手掌" },
    { ROLE_HAND, 1, true, "reka" },
    { ROLE_UPPER_LEG, 0, true,
      "upleg upperleg thigh thighbend femur oberschenkel cuisse muslo coscia coxa udo momo futomomo 太もも 大腿 もも" },
    { ROLE_UPPER_LEG, 2, true, "hip hufte huefte hanche cadera anca quadril biodro 足 脚" },
    { ROLE_LOWER_LEG, 0, true,
      "lowerleg lowleg shin calf tibia unterschenkel schienbein wade mollet pantorrilla espinilla polpaccio stinco panturrilha "
      "canela golen podudzie lydka sune すね 小腿" },
    { ROLE_LOWER_LEG, 1, true, "knee knie genou rodilla ginocchio joelho kolano hiza ひざ 膝 膝盖" },
    { ROLE_LOWER_LEG, 2, true, "leg bein jambe pierna gamba perna noga" },
    { ROLE_FOOT, 0, true,
      "foot ankle fuss fus knochel knoechel pied cheville pie tobillo piede caviglia pe tornozelo stopa kostka ashikubi "
      "足首 脚踝 脚掌 足部" },
    { ROLE_FOOT, 1, true, "ashi" },
    { ROLE_TOE, 0, true,
      "toe toes toebase ball zeh zehe zehen ballen orteil orteils pointe puntera punta dita dedos ponta palce tsumasaki "
      "つま先 爪先 脚趾 脚尖" },
};

// Words that programs put before or after every name.
static const char noise[] =
    "mixamorig skeleton armature bip biped valve j b c cc base def org rig joint jnt bone bn sk skel bind "
    "character gelenk knochen os hueso osso kosc ほね ぼーん 骨";

static const char* const side_words[2] = { "l left lft links linke linker linkes gauche izq izquierdo izquierda sx sinistro "
                                           "sinistra esq esquerdo esquerda lewy lewa lewe "
                                           "hidari 左",
                                           "r right rgt rechts rechte rechter rechtes droit droite der derecho derecha dx "
                                           "destro destra dir direito direita prawy prawa "
                                           "prawe migi 右" };

static int side_of(const char* word)
{
    for (int side = 0; side < 2; ++side)
        if (joint_word_listed(side_words[side], word)) return side;
    return SIDE_NONE;
}

static bool is_noise(const char* word) { return joint_word_is_number(word) || joint_word_listed(noise, word); }

static const name_row* find_row(const char* key, int side)
{
    for (size_t i = 0; i < SUP_COUNT_OF(rows); ++i)
        if (rows[i].sided == (side != SIDE_NONE) && joint_word_listed(rows[i].keys, key)) return &rows[i];
    return NULL;
}

// "leftupleg" and "lthigh" contain their side without a separator.
static const name_row* find_joined(const char* key, int* side)
{
    static const struct {
        const char* text;
        int         side;
    } sides[] = { { "left", SIDE_LEFT }, { "right", SIDE_RIGHT }, { "l", SIDE_LEFT }, { "r", SIDE_RIGHT } };
    for (size_t i = 0; i < SUP_COUNT_OF(sides); ++i) {
        size_t length = strlen(sides[i].text);
        if (strncmp(key, sides[i].text, length) != 0) continue;
        const name_row* row = find_row(key + length, sides[i].side);
        if (row) {
            *side = sides[i].side;
            return row;
        }
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------- what all names share

// A word with a meaning in a body is not a prefix of the rig, however many fingers start with "hand".
static bool has_meaning(const char* word)
{
    return side_of(word) != SIDE_NONE || find_row(word, SIDE_NONE) || find_row(word, SIDE_LEFT);
}

static bool shares(const joint_words* words, const joint_affix* affix)
{
    if (words->count <= affix->count) return false;
    for (uint32_t i = 0; i < affix->count; ++i)
        if (strcmp(joint_word(words, affix->behind ? words->count - 1 - i : i), affix->words[i]) != 0) return false;
    return true;
}

// The next word of more than half of the names, if there is one: after striking out pairs of different words, the one left is
// the only candidate (Boyer-Moore majority vote).
static bool next_shared(const char* const* names, const bool* wanted, uint32_t count, joint_affix* affix)
{
    char     candidate[JOINT_AFFIX_BYTES] = "";
    uint32_t ahead = 0, total = 0, having = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t j = 0; j < count; ++j) {
            joint_words words;
            if (!wanted[j]) continue;
            total += pass == 0;
            joint_words_split(names[j], &words);
            bool        has = shares(&words, affix);
            const char* word = !has ? "" : joint_word(&words, affix->behind ? words.count - 1 - affix->count : affix->count);
            bool        same = strcmp(word, candidate) == 0;
            if (strlen(word) >= sizeof candidate) continue;
            if (pass == 1) having += has && same;
            else if (ahead == 0) strcpy(candidate, word), ahead = 1;
            else if (same) ahead++;
            else ahead--;
        }
    // In a handful of joints, half agree by chance.
    if (!candidate[0] || having < 4 || 2 * having <= total || has_meaning(candidate)) return false;
    strcpy(affix->words[affix->count++], candidate);
    return true;
}

void joint_names_shared(const char* const* names, const bool* wanted, uint32_t count, joint_affix out[2])
{
    for (int k = 0; k < 2; ++k) {
        out[k] = (joint_affix){ .behind = k == 1 };
        while (out[k].count < JOINT_AFFIX_MAX && next_shared(names, wanted, count, &out[k])) continue;
    }
}

// A name that would be left without a word is not shortened: the prefix itself may be a joint.
static void strip(joint_words* words, const joint_affix* affix)
{
    for (; affix->count && shares(words, affix);) {
        for (uint32_t i = 0; i < affix->count; ++i) joint_words_remove(words, affix->behind ? words->count - 1 : 0);
        return;
    }
}

// ---------------------------------------------------------------------------------------------- one name

static void join(const joint_words* words, uint32_t first, uint32_t last, char key[NAME_BYTES_MAX])
{
    size_t length = 0;
    for (uint32_t i = first; i < last; ++i) {
        size_t more = strlen(joint_word(words, i));
        memcpy(key + length, joint_word(words, i), more); // all words together are shorter than a name
        length += more;
    }
    key[length] = 0;
}

joint_name joint_name_read(const char* name, const joint_affix shared[2])
{
    joint_name  out = { .side = SIDE_NONE };
    joint_words words;
    char        key[NAME_BYTES_MAX];
    joint_words_split(name, &words);
    for (int k = 0; shared && k < 2; ++k) strip(&words, &shared[k]);
    for (uint32_t i = 0; i < words.count && out.side == SIDE_NONE; ++i) {
        out.side = side_of(joint_word(&words, i));
        if (out.side != SIDE_NONE) joint_words_remove(&words, i);
    }
    uint32_t first = 0, last = words.count;
    while (first < last && is_noise(joint_word(&words, first))) first++;
    while (last > first && is_noise(joint_word(&words, last - 1))) last--;
    join(&words, first, last, key);
    const name_row* row = find_row(key, out.side);
    if (!row && out.side == SIDE_NONE) row = find_joined(key, &out.side);
    if (row) out.role = (body_role)row->role, out.rank = row->rank;
    return out;
}

// ---------------------------------------------------------------------------------------------- fingers

// "mixamorig:LeftHandIndex1", "index_01_l", "J_Bip_L_Index1", "lIndex1", "f_index.01.L" and "左人指１" are the same.
bool body_finger_of(const char* name, int* side, int* finger, int* number)
{
    static const char* const fingers[] = {
        "thumb daumen pouce pulgar pollice polegar kciuk oyayubi 親指 拇指 大拇指",
        "index pointer zeigefinger zeige indice indicador wskazujacy hitosashiyubi hitosashi 人指 人差指 人差し指 食指",
        "middle mid mittelfinger mittel majeur medio corazon srodkowy nakayubi 中指",
        "ring ringfinger annulaire anular anulare anelar serdeczny kusuriyubi 薬指 无名指",
        "pinky little pinkie kleiner auriculaire menique mignolo minimo mindinho maly koyubi 小指 小拇指"
    };
    static const char others[] = "metacarpal meta end tip nub foot toe ik twist";
    joint_words       words;
    joint_words_split(name, &words);
    *side = SIDE_NONE;
    *finger = -1;
    *number = 0;
    for (uint32_t i = 0; i < words.count; ++i) {
        const char* word = joint_word(&words, i);
        if (*side == SIDE_NONE) *side = side_of(word);
        if (joint_word_listed(others, word)) return false;
        for (int f = 0; f < (int)SUP_COUNT_OF(fingers); ++f)
            if (joint_word_listed(fingers[f], word)) *finger = f;
        if (*finger < 0 || !joint_word_is_number(word)) continue;
        *number = 0;
        for (; *word && *number < 100; ++word) *number = 10 * *number + (*word - '0');
    }
    if (*number == 0) *number = 1; // "LThumb"
    return *finger >= 0 && *side != SIDE_NONE && *number < 10;
}
