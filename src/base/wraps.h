/* Marks a function whose unsigned numbers wrap on purpose, such as a hash: fuzz builds check all others of src/io. */
#ifndef BASE_WRAPS_H
#define BASE_WRAPS_H

#if defined(__clang__)
#define WRAPS __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
#define WRAPS
#endif

#endif
