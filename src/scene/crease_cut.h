/* The cuts of a cloth along the curves of its hook "crease": see crease_kind.c. */
#ifndef SCENE_CREASE_CUT_H
#define SCENE_CREASE_CUT_H

#include <math.h>

#include "body/kind.h"
#include "io/curves.h"
#include "wrinkle/crease.h"

extern const ruga_section crease_miura_section, crease_knife_section, crease_box_section; /* of patterns */

/* The cloth with the creases that it has at one time. */
typedef struct crease_stage_cut {
    double time;                                         /* s, from which on; the first: -INFINITY */
    const ruga_mesh *mesh;                               /* visible */
    body_simulated simulated;                            /* all zero: the cloth is whole */
    crease_rig rig;                                      /* of the part */
    crease_solid_rig solid;                              /* of flesh: its arrays; all zero: it is cloth */
    const ruga_map *points_from_old, *vertices_from_old; /* of stages after the first */
    const ruga_map *from_whole; /* visible vertices from those before any cut; NULL: it is whole */
} crease_stage_cut;

/* The input of the part, which the cut leaves in the arena. */
typedef struct crease_cut {
    size_t stage_count;             /* at least one */
    crease_stage_cut *stages;       /* (stage_count) by rising time */
    const ruga_crease_line **lines; /* (curves) NULL: of a file */
    curve_fold *folds;              /* (curves) */
    double edge;                    /* m, mean of the mesh */
    double length, area;            /* m of all creases, m² of the mesh */
} crease_cut;

/* The kind's `cut`: b->cut becomes a crease_cut. */
ruga_status crease_cut_cloth(build *b, const void *values);

/* s, until which a crease is locked; -INFINITY: never. line NULL: of a file. */
int crease_is_solid(const build *b); /* whether its object is a body of tets */

double crease_active(const ruga_crease_def *def, const ruga_crease_line *line);

static inline double or_else(double value, double other) { return isnan(value) ? other : value; }

#endif
