/* Stiffness and mass of cloth over time: factors through keyframes. */
#ifndef BODY_CLOTH_CHANGES_H
#define BODY_CLOTH_CHANGES_H

#include "base/memory.h"
#include "ruga/scene.h"

/* A copy; RUGA_ERROR_INPUT names the key that is not later than the one before, or whose factor is not positive. */
ruga_status cloth_changes_copy(ruga_context *context, const ruga_cloth_key *changes, size_t count,
                               ruga_cloth_key **out);

/* The factors at a time: linear between two keys, constant before the first and after the last; both 1 without keys. */
ruga_cloth_key cloth_changes_at(const ruga_cloth_key *changes, size_t count, double time);

#endif
