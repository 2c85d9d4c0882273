/* Named looks of strokes. */
#include "wrinkle/sculpt_looks.h"

#include <string.h>

enum { LEAST_PARTICLES = 4, GOOD_PARTICLES = 10 }; /* of a wrinkle */

typedef struct look_values {
    const char *name;
    ruga_stroke_shape shape;
    double stiffness, length;
    int wrinkles;
    double spread, vary, taper, asymmetry;
} look_values;

#define LOOK_VALUES(name, identifier, ...) {name, __VA_ARGS__},
static const look_values looks[] = {STROKE_LOOKS(LOOK_VALUES)};

void stroke_look_apply(enum stroke_look look, ruga_stroke_def *def) {
    const look_values *v = &looks[look];
    def->shape = v->shape;
    def->stiffness = v->stiffness;
    def->length = v->length;
    def->start = RUGA_STROKE_COUNT;
    def->wrinkles = v->wrinkles;
    if (def->particles <= LEAST_PARTICLES * v->wrinkles) def->particles = GOOD_PARTICLES * v->wrinkles;
    def->spread = v->spread;
    def->vary = v->vary;
    def->taper = v->taper;
    def->asymmetry = v->asymmetry;
}

const char *ruga_stroke_look_name(size_t look) { return look < STROKE_LOOK_COUNT ? looks[look].name : NULL; }

int ruga_stroke_def_look(const char *name, ruga_stroke_def *def) {
    for (size_t i = 0; i < STROKE_LOOK_COUNT; i++)
        if (strcmp(looks[i].name, name) == 0) {
            stroke_look_apply((enum stroke_look)i, def);
            return 1;
        }
    return 0;
}
