/* Vectors of two doubles, by value. */
#ifndef MATH_VEC2_H
#define MATH_VEC2_H

typedef struct vec2 {
    double x, y;
} vec2;

static inline vec2 vec2_sub(vec2 a, vec2 b) { return (vec2){a.x - b.x, a.y - b.y}; }
static inline double vec2_dot(vec2 a, vec2 b) { return a.x * b.x + a.y * b.y; }
static inline double vec2_cross(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }

#endif
