/* Colours. The maps are curves in OKLab (B. Ottosson, "A perceptual color space for image processing", 2020), whose
 * lightness is prescribed: it rises evenly along the sequential map, and falls evenly from the middle of the diverging
 * one. The chroma is chosen such that every colour lies within sRGB. */
#include "render/colour.h"

#include <math.h>

#define PI 3.14159265358979323846

float colour_decode(float encoded) {
    return encoded <= 0.04045f ? encoded / 12.92f : powf((encoded + 0.055f) / 1.055f, 2.4f);
}

float colour_encode(float linear) {
    if (!(linear > 0)) return 0;
    if (linear >= 1) return 1;
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1 / 2.4f) - 0.055f;
}

light colour_to_light(ruga_colour c) { return (light){colour_decode(c.r), colour_decode(c.g), colour_decode(c.b)}; }
ruga_colour light_to_colour(light l) {
    return (ruga_colour){colour_encode(l.r), colour_encode(l.g), colour_encode(l.b)};
}

double colour_lightness(ruga_colour colour) {
    light c = colour_to_light(colour);
    double l = cbrt(0.4122214708 * c.r + 0.5363325363 * c.g + 0.0514459929 * c.b);
    double m = cbrt(0.2119034982 * c.r + 0.6806995451 * c.g + 0.1073969566 * c.b);
    double s = cbrt(0.0883024619 * c.r + 0.2817188376 * c.g + 0.6299787005 * c.b);
    return 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
}

/* Lightness, chroma and hue (degrees) to linear light; the maps below stay within sRGB. */
static light from_oklch(double lightness, double chroma, double hue) {
    double a = chroma * cos(hue * PI / 180), b = chroma * sin(hue * PI / 180);
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    return (light){(float)fmax(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, 0),
                   (float)fmax(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s, 0),
                   (float)fmax(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s, 0)};
}

/* The chroma has its least where the hue passes cyan, of which sRGB has little: the map stays smooth within sRGB. */
static light sequential(double t) {
    double chroma = 0.098 + 0.2 * (t - 0.47) * (t - 0.47), hue = 300 - 195 * pow(t, 1.1);
    return from_oklch(0.28 + 0.64 * t, chroma, hue);
}

static light diverging_at(double t) {
    double side = 2 * t - 1, distance = fabs(side);
    return from_oklch(0.955 - 0.475 * distance, 0.168 * pow(distance, 0.9), side < 0 ? 257 : 29);
}

void colour_map_make(int diverging, colour_map *out) {
    for (int i = 0; i <= COLOUR_MAP_SIZE; i++) {
        double t = (double)i / COLOUR_MAP_SIZE;
        out->entries[i] = diverging ? diverging_at(t) : sequential(t);
    }
}

light colour_map_at(const colour_map *map, double t) {
    if (isnan(t)) return colour_to_light((ruga_colour){0.62f, 0.62f, 0.62f});
    double at = fmin(fmax(t, 0), 1) * COLOUR_MAP_SIZE;
    int i = at >= COLOUR_MAP_SIZE ? COLOUR_MAP_SIZE - 1 : (int)at;
    float u = (float)(at - i);
    light a = map->entries[i], b = map->entries[i + 1];
    return (light){a.r + (b.r - a.r) * u, a.g + (b.g - a.g) * u, a.b + (b.b - a.b) * u};
}
