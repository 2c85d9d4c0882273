/* Names against patterns like those of a shell, the same in every locale.
 *
 *     *       any characters, also none
 *     ?       one character (of UTF-8)
 *     [a-z]   one character of a class; [!a-z] or [^a-z]: one that is not of it. Without a closing ] it is a plain [
 *     \x      the character x itself, also within a class
 */
#ifndef BASE_WILDCARD_H
#define BASE_WILDCARD_H

/* Time is at most the product of both lengths. */
int wildcard_matches(const char *pattern, const char *text);

#endif
