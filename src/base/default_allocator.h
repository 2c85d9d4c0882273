/* The allocator of contexts that are given none: malloc and free. Large pieces lie in pages of 2 MB where the system
 * has them, since the faults on small pages would cost more than reading a file into them does. */
#ifndef BASE_DEFAULT_ALLOCATOR_H
#define BASE_DEFAULT_ALLOCATOR_H

#include "ruga/context.h"

ruga_allocator default_allocator(void);

#endif
