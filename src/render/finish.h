/* How surfaces answer to light: the finishes of a picture (ruga_finish), and the lights themselves.
 *
 * Four lights turn with the camera about the vertical, so that a turntable looks like a thing turned in the hand: a
 * soft sky, brighter above; a wide key light from the left, half above; a rim light behind the right shoulder of the
 * thing; a weak fill from the right. The light that leaves a point is linear in what the point sees of key and rim:
 *
 *     L = albedo sky series(v_sky) + mirror v_sky + key v_key + rim v_rim
 *
 * series: light that is reflected between parts of a surface of albedo a is a geometric series, a visibility v
 * brightens to v / (1 - a (1 - v)). The tracer fills the visibilities v in [0, 1], filters them (filter.h) and then
 * puts the sum together.
 */
#ifndef RENDER_FINISH_H
#define RENDER_FINISH_H

#include "render/colour.h"
#include "render/view.h"
#include "ruga/render.h"

enum { SEEN_SKY, SEEN_KEY, SEEN_RIM, SEEN_COUNT };

/* Unit directions towards the lights. */
typedef struct light_rig {
    vec3 key, rim, fill;
} light_rig;
light_rig light_rig_of(const view *v);

#define LIGHT_KEY_WIDTH 0.2 /* tangent of the half angle */
#define LIGHT_RIM_WIDTH 0.12

/* All that the light at a point depends on, but for visibilities. */
typedef struct finish_terms {
    light albedo;
    light sky; /* amount of sky light on the albedo */
    light mirror, key, rim;
} finish_terms;

/* A point of a surface. */
typedef struct finish_point {
    vec3 normal, to_eye; /* unit */
    light albedo;
    ruga_finish finish;
    int is_field; /* colours that mean a number are lit evenly, without highlights */
} finish_point;

finish_terms finish_evaluate(const finish_point *at, const light_rig *lights);
light finish_light(const finish_terms *t, const float seen[SEEN_COUNT]);

/* The share of light from behind that comes through: cloth and paper are thin. */
double finish_transmission(ruga_finish finish);
/* How far light reaches beyond the edge of its shadow, as a cosine: skin scatters. */
double finish_wrap(ruga_finish finish);

/* A filmic curve: black is lifted a little, then linear in the shadows, with a long shoulder to white. */
light finish_tone(light l);
/* For colours that mean a number: linear as far as possible. */
light finish_tone_field(light l);

/* Colours of the lights: a warm key, a cool sky. Their mean over the channels is 1. */
light finish_key_colour(void);
light finish_sky_colour(void);

/* ---- Fine structure: the slope of a height field over the rest shape, which tilts normals, and a tint. */

/* position: m at rest; normal: unit, of the triangle at rest; footprint: m, the size of a pixel there. Returns the
 * slope as a vector in the plane of the triangle at rest; 0 where the structure is finer than a pixel. */
vec3 finish_relief(ruga_finish finish, vec3 position, vec3 normal, double footprint);
/* By how much the colour is lighter or darker there, about 1: yarns of cloth differ in thickness, skin is mottled. */
double finish_tint(ruga_finish finish, vec3 position, vec3 normal, double footprint);

#endif
