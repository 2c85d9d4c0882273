#include "base/name_advice.h"

#include <stdio.h>
#include <string.h>

#include "ruga/text.h"

#define MOST_NAMES 16
#define NAME_ROOM 60 /* bytes, of the longest name with its quotes and what may follow it */

/* Bytes of a name that are shown: it is cut between two characters. */
static int shown_length(const char *name) {
    size_t length = strlen(name);
    if (length <= NAME_ROOM - 20) return (int)length;
    length = NAME_ROOM - 20;
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) length--;
    return (int)length;
}

void advise_name(const char *wanted, const char *const *names, size_t count, name_advice text) {
    const char *nearest = ruga_nearest_word(wanted, names, count);
    size_t used = 0, shown = 0;
    if (nearest)
        used = (size_t)snprintf(text, NAME_ADVICE_SIZE, "did you mean \"%.*s\"? There", shown_length(nearest), nearest);
    else
        used = (size_t)snprintf(text, NAME_ADVICE_SIZE, "there");
    if (count == 0) snprintf(text + used, NAME_ADVICE_SIZE - used, " are none");
    for (; shown < count && shown < MOST_NAMES && used + NAME_ROOM < NAME_ADVICE_SIZE; shown++) {
        const char *between = shown ? "," : count == 1 ? " is" : " are";
        used += (size_t)snprintf(text + used, NAME_ADVICE_SIZE - used, "%s \"%.*s\"", between,
                                 shown_length(names[shown]), names[shown]);
    }
    if (shown < count) snprintf(text + used, NAME_ADVICE_SIZE - used, ", … (%zu in all)", count);
}
