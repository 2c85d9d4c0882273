#include "base/isa.h"

#include <stdlib.h>
#include <string.h>

const char *ruga_isa_name(ruga_isa isa) {
    static const char *const names[] = {"auto", "scalar", "sse4", "avx2", "avx512"};
    return (size_t)isa < sizeof names / sizeof *names ? names[isa] : "unknown";
}

static int machine_has(ruga_isa isa) {
    if (isa == RUGA_ISA_SCALAR) return 1;
#if defined(__x86_64__)
    if (isa == RUGA_ISA_AVX2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#if defined(__x86_64__) && !defined(RUGA_TWO_ISAS)
    if (isa == RUGA_ISA_SSE4) return __builtin_cpu_supports("sse4.2") != 0;
    if (isa == RUGA_ISA_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
    return 0;
}

/* The environment's choice; an unknown name is answered with a set that no machine has. */
static ruga_isa environment_isa(void) {
    const char *name = getenv("RUGA_ISA");
    if (!name || !*name) return RUGA_ISA_AUTO;
    for (int isa = RUGA_ISA_AUTO; isa <= RUGA_ISA_AVX512; isa++)
        if (strcmp(name, ruga_isa_name((ruga_isa)isa)) == 0) return (ruga_isa)isa;
    return (ruga_isa)99;
}

ruga_isa isa_choose(ruga_isa wanted) {
    if (wanted == RUGA_ISA_AUTO) wanted = environment_isa();
    if (wanted != RUGA_ISA_AUTO) return machine_has(wanted) ? wanted : RUGA_ISA_AUTO;
    for (int isa = RUGA_ISA_AVX512; isa > RUGA_ISA_SCALAR; isa--)
        if (machine_has((ruga_isa)isa)) return (ruga_isa)isa;
    return RUGA_ISA_SCALAR;
}
