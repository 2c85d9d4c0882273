/* Detail "displace": every vertex goes along its normal by a parameter, m. */
#ifndef WRINKLE_DISPLACE_DETAIL_H
#define WRINKLE_DISPLACE_DETAIL_H

#include "body/detail.h"

/* amount is kept, not copied: what it points to must outlive the detail. */
ruga_status detail_displace_create(const ruga_mesh *input, const ruga_param *amount, detail **out);

#endif
