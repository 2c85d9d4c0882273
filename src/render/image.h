/* Pictures in memory. */
#ifndef RENDER_IMAGE_H
#define RENDER_IMAGE_H

#include "base/context.h"
#include "ruga/render.h"

/* Pixels are not set. */
ruga_status image_create(ruga_context *context, int width, int height, ruga_image **out);

#endif
