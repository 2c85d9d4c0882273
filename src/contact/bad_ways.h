/* Ways that contact can make nothing of: it says so before it spends hours on them. */
#ifndef CONTACT_BAD_WAYS_H
#define CONTACT_BAD_WAYS_H

#include "contact/contact_mesh.h"

/* Fails, naming object and vertex, when a coordinate is not finite, and when an edge of what forces move would become
 * more than BAD_STRETCH times as long as the whole surface is at rest: an integrator has lost it. */
#define BAD_STRETCH 10
ruga_status bad_ways_check(const contact_mesh *m);

#endif
