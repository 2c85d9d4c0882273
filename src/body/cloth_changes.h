/* Stiffness and mass of cloth over time: factors through keyframes. */
#ifndef BODY_CLOTH_CHANGES_H
#define BODY_CLOTH_CHANGES_H

#include "base/memory.h"

/* Linear between two keys, held before the first and after the last. */
typedef struct cloth_change {
    double time;            /* s, strictly rising */
    double stiffness, mass; /* 1, of what the material makes of it */
} cloth_change;

/* A copy; RUGA_ERROR_INPUT names the key that is not later than the one before, or whose factor is not positive. */
ruga_status cloth_changes_copy(ruga_context *context, const cloth_change *changes, size_t count, cloth_change **out);

/* The factors at a time; both 1 without keys. */
cloth_change cloth_changes_at(const cloth_change *changes, size_t count, double time);

#endif
