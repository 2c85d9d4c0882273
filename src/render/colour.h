/* Colours: sRGB and linear light, and the colour maps of scalar fields. */
#ifndef RENDER_COLOUR_H
#define RENDER_COLOUR_H

#include "plot/drawing.h"

/* Linear light, any non-negative amount. */
typedef struct light {
    float r, g, b;
} light;

float colour_decode(float encoded); /* sRGB [0, 1] to linear */
float colour_encode(float linear);  /* and back; clamps to [0, 1] */
light colour_to_light(ruga_colour colour);
ruga_colour light_to_colour(light l);
double colour_lightness(ruga_colour colour); /* L of OKLab: 0 black, 1 white */

#define COLOUR_MAP_SIZE 512

/* A map from [0, 1] to colours, tabulated. */
typedef struct colour_map {
    light entries[COLOUR_MAP_SIZE + 1];
} colour_map;

/* Sequential: dark violet over teal to light yellow. Diverging: blue over near-white (at 0.5) to red, with equal
 * lightness at equal distance from the middle. */
void colour_map_make(int diverging, colour_map *out);
/* t is clamped to [0, 1]; NaN gives the grey of missing values. */
light colour_map_at(const colour_map *map, double t);

#endif
