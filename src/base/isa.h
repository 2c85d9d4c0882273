/* Which instruction set kernels run with. Kernels live in files named *_kernels.c, which are compiled once per set with
 * ISA_SUFFIX set, so that ISA_NAME(f) becomes f_scalar, f_sse4, f_avx2, f_avx512. ISA_SELECT chooses one at run
 * time. */
#ifndef BASE_ISA_H
#define BASE_ISA_H

#include "ruga/context.h"

/* RUGA_ISA_AUTO: the environment's RUGA_ISA, else the best; returns RUGA_ISA_AUTO when the machine lacks it. */
ruga_isa isa_choose(ruga_isa wanted);

#define ISA_JOIN_(a, b) a##_##b
#define ISA_JOIN(a, b) ISA_JOIN_(a, b)
#define ISA_NAME(name) ISA_JOIN(name, ISA_SUFFIX)

/* Declares the versions of a kernel: ISA_DECLARE(double, sum, (const double *x, size_t n)); */
#define ISA_DECLARE(result, name, arguments) \
    result name##_scalar arguments;          \
    result name##_sse4 arguments;            \
    result name##_avx2 arguments;            \
    result name##_avx512 arguments

/* The version for an instruction set, as a function pointer. The sanitized build of `make test` has two. */
#if defined(RUGA_TWO_ISAS)
#define ISA_SELECT(isa, name) ((isa) == RUGA_ISA_AVX2 ? name##_avx2 : name##_scalar)
#elif defined(__x86_64__)
#define ISA_SELECT(isa, name)                 \
    ((isa) == RUGA_ISA_AVX512 ? name##_avx512 \
     : (isa) == RUGA_ISA_AVX2 ? name##_avx2   \
     : (isa) == RUGA_ISA_SSE4 ? name##_sse4   \
                              : name##_scalar)
#else
#define ISA_SELECT(isa, name) ((void)(isa), name##_scalar)
#endif

#endif
