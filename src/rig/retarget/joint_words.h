/// rig/retarget/joint_words.h: a joint's name as words.
#ifndef SUP_RIG_RETARGET_JOINT_WORDS_H
#define SUP_RIG_RETARGET_JOINT_WORDS_H

#include "supple/base.h"

enum { NAME_BYTES_MAX = 160, NAME_WORDS_MAX = 24 };

/// Words in lower case without accents, each 0-terminated. What comes before ':' or '|' is left out.
typedef struct joint_words {
    uint32_t count;
    uint16_t begin[NAME_WORDS_MAX];
    char     text[NAME_BYTES_MAX];
} joint_words;

/// Splits at blanks and punctuation, between letters and digits, and before a capital: "LHipJoint" is l, hip, joint. Accepts
/// any bytes; invalid UTF-8 separates words. Full-width letters and digits become ordinary ones, katakana hiragana.
void        joint_words_split(const char* name, joint_words* out);
const char* joint_word(const joint_words* words, uint32_t index);
bool        joint_word_is_number(const char* word);
/// Whether a word is in a list separated by blanks.
bool joint_word_listed(const char* list, const char* word);
/// Removes a word.
void joint_words_remove(joint_words* words, uint32_t index);

#endif
