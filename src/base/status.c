#include "ruga/status.h"

const char *ruga_status_name(ruga_status status) {
    switch (status) {
        case RUGA_OK: return "fine";
        case RUGA_ERROR_ARGUMENT: return "wrong argument";
        case RUGA_ERROR_MEMORY: return "out of memory";
        case RUGA_ERROR_FILE: return "file error";
        case RUGA_ERROR_INPUT: return "bad input";
        case RUGA_ERROR_UNSUPPORTED: return "not supported";
        case RUGA_ERROR_CANCELLED: return "cancelled";
        case RUGA_WARNING_INPUT: return "odd input";
        case RUGA_WARNING_NOT_CONVERGED: return "not converged";
        case RUGA_WARNING_NOT_DEFINITE: return "not positive definite";
    }
    return "unknown status";
}
