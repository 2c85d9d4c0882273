/* Messages about a name that does not exist. */
#ifndef BASE_NAME_ADVICE_H
#define BASE_NAME_ADVICE_H

#include <stddef.h>

enum { NAME_ADVICE_SIZE = 400 };
typedef char name_advice[NAME_ADVICE_SIZE];

/* The end of a message about a name that does not exist: which one was probably meant, and those that exist: did you
 * mean "cotton"? There are "cotton", "denim", "silk". Of many the first are listed, with their number. */
void advise_name(const char *wanted, const char *const *names, size_t count, name_advice text);

#endif
