/* Words and numbers that a user typed.
 *
 * The nearest word is found by the number of letters to change, insert, remove or swap with a neighbour (the optimal
 * string alignment distance; F. J. Damerau, "A technique for computer detection and correction of spelling errors",
 * 1964). */
#include "ruga/text.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

#define LONGEST_WORD 63
#define MIN_PREFIX 3

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c; }
static int smaller(int a, int b) { return a < b ? a : b; }

static int distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    int rows[3][LONGEST_WORD + 1]; /* row i mod 3: from the first i letters of a to the first k of b */
    for (size_t k = 0; k <= m; k++) rows[0][k] = (int)k;
    for (size_t i = 1; i <= n; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t k = 1; k <= m; k++) {
            int changed = above[k - 1] + (lower(a[i - 1]) != lower(b[k - 1]));
            row[k] = smaller(changed, 1 + smaller(above[k], row[k - 1]));
            int swapped = i > 1 && k > 1 && lower(a[i - 1]) == lower(b[k - 2]) && lower(a[i - 2]) == lower(b[k - 1]);
            if (swapped) row[k] = smaller(row[k], two_above[k - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

static int is_prefix(const char *word, const char *of) {
    size_t length = strlen(word);
    for (size_t i = 0; i < length; i++)
        if (lower(word[i]) != lower(of[i])) return 0;
    return 1;
}

const char *ruga_nearest_word(const char *word, const char *const *candidates, size_t count) {
    size_t length = strlen(word), dashes = strspn(word, "-");
    if (length > LONGEST_WORD) return NULL;
    /* One slip in two to four letters, two in five to seven, and so on; the beginning of a word counts as one slip. */
    int limit = (int)(length - dashes + 1) / 3, best = limit + 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strlen(candidates[i]) > LONGEST_WORD) continue;
        int d = distance(word, candidates[i]);
        if (d > 1 && length - dashes >= MIN_PREFIX && is_prefix(word, candidates[i])) d = 1;
        if (d >= best) continue;
        best = d;
        nearest = candidates[i];
    }
    return nearest;
}

int ruga_number_parse(const char *text, double *out) {
    const char *end = text + strlen(text);
    return end != text && number_parse(text, end, out) == end && isfinite(*out);
}
