// The name that a mistyped one probably means.
#include "base/internal.h"

#include <string.h>

// Typing mistakes between two words: insert, delete, replace and swap of neighbors count one each.
static int typing_distance(const char* a, const char* b)
{
    enum { LONGEST = 40 };
    int    rows[3][LONGEST + 1];
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST) return LONGEST;
    for (size_t j = 0; j <= nb; ++j) rows[0][j] = (int)j;
    for (size_t i = 1; i <= na; ++i) {
        int *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; ++j) {
            int best = before[j - 1] + (a[i - 1] != b[j - 1]);
            if (before[j] + 1 < best) best = before[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && earlier[j - 2] + 1 < best) best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[na % 3][nb];
}

const char* sup_word_nearest(const char* word, const char* const* candidates, uint32_t count)
{
    const char* best = NULL;
    int         best_distance = (int)strlen(word) / 3 + 2; // a third of the word may be wrong, and one letter always
    for (uint32_t i = 0; i < count; ++i) {
        size_t shorter = strlen(word) < strlen(candidates[i]) ? strlen(word) : strlen(candidates[i]);
        int    distance = typing_distance(word, candidates[i]);
        // A prefix of the word ("--thread") counts as one mistake.
        if (shorter >= 3 && strncmp(word, candidates[i], shorter) == 0 && distance > 1) distance = 1;
        // Words that differ in more than half of their letters are different words.
        bool far = 2 * distance > (int)(strlen(word) > strlen(candidates[i]) ? strlen(word) : strlen(candidates[i]));
        if (distance < best_distance && !far) {
            best_distance = distance;
            best = candidates[i];
        }
    }
    return best;
}
