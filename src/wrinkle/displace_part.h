/* Part "displace": every vertex moves along its normal by a parameter, m. */
#ifndef WRINKLE_DISPLACE_PART_H
#define WRINKLE_DISPLACE_PART_H

#include "body/part.h"

/* amount is kept, not copied: what it points to must outlive the part. */
ruga_status displace_part_create(const ruga_mesh *input, const ruga_param *amount, part **out);

#endif
