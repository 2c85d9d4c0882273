/* The private parts of a wrinkle mesh, shared by its files (Müller and Chentanez 2010).
 *
 *     wrinkle_mesh.c            create, update, settle
 *     wrinkle_mesh_views.c      the caller's buffers, in and out
 *     wrinkle_mesh_bind.c       attachment of the fine mesh, and its lengths in the bind pose
 *     wrinkle_mesh_values.c     painted parameters and their results: radii, lengths, stiffnesses, seeds
 *     wrinkle_mesh_report.c     report and warnings
 *     wrinkle_mesh_seeds.c      start values of wrinkles
 *     wrinkle_mesh_terms.c      the terms of the solvers
 *     wrinkle_mesh_sides.c      lengths by a direction map, planes of the base triangles around
 *     wrinkle_mesh_state.c      copy, save, load
 *     wrinkle_mesh_follow.c     meshes that are cut or refined
 *     wrinkle_mesh_fit.c        parameters and a mask from a motion
 *     wrinkle_mesh_calm.c       limits how fast offsets change
 *     wrinkle_mesh_collide.c    keeps the fine mesh from intersecting itself
 *     wrinkle_mesh_upright.c    keeps triangles of the fine mesh from turning inside out
 *     wrinkle_mesh_kernels.c    loops over all fine vertices
 *
 * Points are in the order of the solver ("slots", with padding), four floats each, relative to `origin`, which is the
 * middle of the base's box and moves with it: so floats are precise wherever the object is in the world.
 *
 * The state is one offset per slot, in the frame of its base triangle (or in the world). An update places every point
 * at p = a + R o, lets the solver move it, and stores o = Rᵀ (p - a). A point that barely moved (by up to 1e-4 of its
 * radius, or by what rounding may do) keeps its offset. So nothing drifts, however often a body rotates, and settled
 * points keep every bit.
 *
 * Seeds. In a plane every projection stays in the plane, so a flat sheet under compression would stay flat. A point
 * whose base triangle begins to be compressed by more than its edges have to spare, and whose offset is nearly zero,
 * gets an offset along the normal, from a field of waves that depends on the def's seed alone. The fourth number of an
 * offset stores whether the triangle was compressed. Where nothing is compressed there is no seed, and zero offsets
 * stay zero.
 *
 * Pops. Near the compression of buckling, the height of a wave grows with the root of the compression, infinitely fast.
 * So an update changes no offset by more than a part of its radius, which grows with the change of the base's strain in
 * that update (def.calm). Strains of the last update belong to the state.
 */
#ifndef WRINKLE_WRINKLE_MESH_H
#define WRINKLE_WRINKLE_MESH_H

#include "base/isa.h"
#include "geom/attachment.h"
#include "geom/float_normals.h"
#include "geom/vertex_rings.h"
#include "mesh/topology.h"
#include "ruga/wrinkle_mesh.h"
#include "solve/compliant.h"
#include "solve/sweeps.h"
#include "wrinkle/wrinkle.h"

#define WRINKLE_BLOCK 1024   /* points or triangles per task */
#define WRINKLE_TOGETHER 4   /* points whose gates are loaded at once: gates and tolerances are padded by as many */
#define WRINKLE_WAVES 64     /* in the field of seeds */
#define WRINKLE_WAVE_EDGES 5 /* least number of average edges per wave */
#define WRINKLE_PLANES 4     /* planes per point: its own triangle's, and the nearest of those around */

/* The number of a parameter that is a member of the def; no two have the same. */
#define WRINKLE_SLOT(member) (offsetof(ruga_wrinkle_mesh_def, member) / sizeof(ruga_param))

/* The parameters of all fine vertices at one time: for each row of the table that holds one, an array (fine vertices)
 * at its slot, in its unit. A radius is in m, or a factor of the radius that the wavelength sets. */
typedef struct wrinkle_values {
    double *block; /* all arrays; NULL: no values */
    size_t size;   /* of the block */
    double *arrays[sizeof(ruga_wrinkle_mesh_def) / sizeof(ruga_param)];
} wrinkle_values;

#define WRINKLE_VALUE(w, member) ((w)->values.arrays[WRINKLE_SLOT(member)])

/* A base triangle in the plane at rest: edge 01 is (length, 0), edge 02 is (along, across). */
typedef struct wrinkle_rest {
    float inverse_length, along_over_length, inverse_across;
} wrinkle_rest;

/* The strain of a base triangle: FᵀF in that plane, and the square of the least stretch. */
typedef struct wrinkle_strain {
    float xx, xy, yy, least;
} wrinkle_strain;

/* The seed of a point, m: its height along the normal over the square root of the compression, and its greatest
 * height. */
typedef struct wrinkle_seed {
    float rise, limit;
} wrinkle_seed;

/* A fine vertex and its slot. */
typedef struct wrinkle_output {
    uint32_t vertex, slot;
} wrinkle_output;

/* Plane waves in the space of the bind pose: directions, waves per m, and phases in waves. */
typedef struct wrinkle_waves {
    float x[WRINKLE_WAVES], y[WRINKLE_WAVES], z[WRINKLE_WAVES];
    float number[WRINKLE_WAVES], phase[WRINKLE_WAVES];
} wrinkle_waves;

/* A length that a direction map changes: an edge, or the distance of opposite vertices. */
typedef struct wrinkle_course {
    uint32_t ends[2]; /* fine vertices */
    uint32_t triangle;
    /* Unit vectors in the plane of its base triangle at rest: where the texture's u and v grow, and along the
     * length. */
    float axes[2][2], along[2];
    /* From the values: direction across the wanted crests, squared part of the length along that, and weight. */
    float across[2];
    float share;
    float weight;
    float rest, asked; /* m, in the bind pose, and times s */
} wrinkle_course;

typedef struct wrinkle_collide wrinkle_collide;
typedef struct wrinkle_upright wrinkle_upright;

struct ruga_wrinkle_mesh {
    ruga_context *context;
    ruga_wrinkle_mesh_def def;
    ruga_mesh *base, *fine; /* copies */
    ruga_map *map;          /* fine = W base; NULL: by the closest point */
    uint32_t *lowest; /* (fine vertices) the lowest of the vertices joined across a seam: it moves for all of them */
    uint32_t *welded; /* (fine triangles x 3) lowest vertices */
    topology *topo;   /* of the welded triangles */

    /* Parameters. */
    wrinkle_values values, spare; /* spare: only for parameters that change with time */
    double *edge_scales;          /* (edges) or NULL */
    float *radii;                 /* (fine vertices) m; INFINITY: unattached */
    /* By squeeze, or NULL: the same by slot; the part of them that the base has room for, and scratch memory. */
    float *full_radii, *rooms, *corner_rooms; /* (slots), (base triangles), (base vertices) */
    double *bind_normals;                     /* (base vertices x 3) or NULL: a copy of the def's view */
    uint8_t *unattached;                      /* (fine vertices) */
    size_t unattached_count;
    double mean_edge;  /* m, of the fine mesh in the bind pose */
    double wavelength; /* m, given or chosen; NaN: none */
    ruga_wrinkle_wave_origin wave_origin;
    ruga_wrinkle_radius_origin radius_origin;
    double radius_unit; /* m, of a radius of 1 */

    /* The bind pose, before any pre-stretch. */
    float *bind_points;  /* (fine vertices x 4) m */
    float *edge_rests;   /* (edges) m */
    float *bend_rests;   /* (bends) m, distances of opposite vertices; or rad, angles */
    float *wave_factors; /* (fine vertices) 1, of the wavelength; NULL: all 1 */
    float *edges_around; /* (fine vertices) m, average */
    float *bend_scales;  /* (fine vertices) 1, scratch memory of the compliant terms */

    /* The solver's terms, in fine vertices. */
    size_t bend_count;             /* 0, or the topology's pairs */
    sweep_constraint *constraints; /* edges, then opposite vertices; projection */
    sweep_hinge *hinges;
    compliant_spring *springs; /* the same for the compliant solver */
    compliant_hinge *compliant_hinges;
    compliant_curvature *curvatures;
    float *foundations;
    size_t length_count;     /* edges, and opposite vertices if bending uses them */
    wrinkle_course *courses; /* (length_count) or NULL: no direction map */
    sweeps *fast;            /* exactly one of these two, or neither: the plain loop */
    compliant *minimiser;

    /* The base, in float. */
    size_t base_blocks;
    double *boxes;                     /* (base_blocks x 6) */
    double origin[3];                  /* m */
    float extent;                      /* m, half the diagonal of the box */
    float *base_points, *base_normals; /* (base vertices x 4) */
    ruga_vec3 *exact_base;             /* (base vertices) m, absolute; NULL unless needed */
    float *made_normals;               /* likewise: used where the caller's are zero */
    float_normals *base_normal_maker;
    float *frames;                      /* (base triangles x 9, and 4 more) by columns */
    float *rest_frames, *kept_frames;   /* (base triangles x 9) kept: before settling */
    wrinkle_rest *rests;                /* (base triangles) */
    wrinkle_strain *strains;            /* (base triangles) */
    wrinkle_strain *last_strains;       /* (base triangles) of the last update, or at rest */
    float *rates, *corner_rates;        /* (base triangles), (base vertices) 1, greatest change of an offset over its
                                         * radius in this update; NULL: no limit */
    float *slacks;                      /* (base triangles) 1, the gates above which there is room for wrinkles */
    uint32_t *around_offsets, *arounds; /* base triangles that share a vertex with a triangle; NULL unless needed */

    /* Points, in slots. */
    size_t slot_count;
    uint32_t *slots;         /* (fine vertices) slot of each; vertices that are joined share one */
    wrinkle_output *outputs; /* (fine vertices) nearly in the order of slots */
    uint32_t *triangles;     /* (slots) base triangles */
    attachment *attached;
    double *base_mask, *mask; /* (base vertices), (fine vertices) 1, factors of the radius; NULL: all 1 */
    float *flat_shares;       /* (fine vertices) 1, of the curved surface in the attached one; NULL: all 1 */
    float_normals *normal_maker;
    float *anchors, *anchor_normals; /* (slots x 4): a and r; n, NULL unless needed */
    float *rest_offsets;             /* (slots x 4) in the triangles' frames, NULL: all zero */
    float *offsets;                  /* (slots x 4) the state: o, and 1 where the base is compressed */
    float *points, *normals;         /* (slots x 4) */
    float *before, *kept;            /* (slots x 4) for settling: points before a chunk, offsets before all */
    wrinkle_seed *seeds;             /* (slots) */
    float *gates;                    /* (slots) 1, the square of the stretch below which a seed is given; 0: never */
    float *seed_points;              /* (slots x 4) m, in the bind pose; and the wavelength there, 0: all waves alike */
    wrinkle_waves waves;
    float *tolerances;       /* (slots) m, displacements that count as none, without the part of the object's size */
    uint32_t *plane_offsets; /* (slots + 1) of the planes around, NULL unless needed */
    float *planes;
    wrinkle_collide *collide; /* NULL: no self-collision */
    wrinkle_upright *upright; /* NULL: triangles may turn inside out */
};

/* ---- Views. Invalid ones are refused with an error that names the vertex. */
ruga_status wrinkle_take_base(ruga_wrinkle_mesh *w, const ruga_view *positions, const ruga_view *normals);
size_t wrinkle_view_blocks(size_t count); /* number of boxes to measure */
ruga_status wrinkle_check_view(ruga_context *context, const char *what, const ruga_view *view, size_t count);

void wrinkle_copy_view(const ruga_view *view, double *out); /* (count x 3) */

/* ---- Bind. */
ruga_status wrinkle_bind(ruga_wrinkle_mesh *w);
double wrinkle_size(const ruga_mesh *mesh); /* m, diagonal of its box */
ruga_status wrinkle_order_for_solver(ruga_wrinkle_mesh *w);
void wrinkle_flatten_normals(ruga_wrinkle_mesh *w); /* after the fine mesh's normals were computed */

/* ---- Values. */
ruga_status wrinkle_values_create(ruga_wrinkle_mesh *w, wrinkle_values *out);
ruga_status wrinkle_values_evaluate(const ruga_wrinkle_mesh *w, double time, int prepare, const wrinkle_values *out);
int wrinkle_values_change(const ruga_wrinkle_mesh_def *def);
/* Updates radii, terms and seeds from the current values. Allocates nothing. */
void wrinkle_values_apply(ruga_wrinkle_mesh *w);
double wrinkle_radius_value(const ruga_wrinkle_mesh *w, size_t vertex); /* radius times mask, in radius units */
int wrinkle_is_painted(const ruga_param *param); /* it has values per vertex, at some time at least */
double wrinkle_edge_stretch(const ruga_wrinkle_mesh *w, size_t edge); /* s of an edge */

/* ---- Report. n: parts that each edge of the base was divided into; 0: not a regular subdivision. */
void wrinkle_mesh_warn(const ruga_wrinkle_mesh *w, int n);
double wrinkle_average_edge(const ruga_mesh *mesh);      /* m, over the edges of all triangles */
double wrinkle_chosen_wavelength(const ruga_mesh *base); /* m, if none is given and the fine mesh is fine enough */

/* ---- Seeds. */
ruga_status wrinkle_variation_create(ruga_wrinkle_mesh *w); /* of the wavelength, in the bind pose */
double wrinkle_wave_factor(const ruga_wrinkle_mesh *w, size_t vertex);
void wrinkle_seeds_create(ruga_wrinkle_mesh *w); /* when points are in their final order */
void wrinkle_seeds_store(ruga_wrinkle_mesh *w);  /* from the current radii and lengths */

/* ---- Terms. */
ruga_status wrinkle_terms_create(ruga_wrinkle_mesh *w);
void wrinkle_terms_fill(ruga_wrinkle_mesh *w);
void wrinkle_terms_hand_over(ruga_wrinkle_mesh *w); /* to the solver, after a change of them */
ruga_status wrinkle_solver_create(ruga_wrinkle_mesh *w);
void wrinkle_solver_run(ruga_wrinkle_mesh *w, int iterations);
/* As if the last run had been longer, but parts of the mesh that hardly move may wait; returns whether none did. */
int wrinkle_solver_settle(ruga_wrinkle_mesh *w, int iterations);
float wrinkle_material_strain(const ruga_wrinkle_mesh *w); /* compression below which a sheet stays flat */

/* ---- Sides and directions. */
ruga_status wrinkle_courses_create(ruga_wrinkle_mesh *w); /* in the bind pose, points in the fine mesh's order */
void wrinkle_courses_fill(ruga_wrinkle_mesh *w);          /* from the current values and lengths */
void wrinkle_courses_update(ruga_wrinkle_mesh *w);        /* lengths on the current anchors */
ruga_status wrinkle_planes_create(ruga_wrinkle_mesh *w);
void wrinkle_planes_update(ruga_wrinkle_mesh *w); /* on the current anchors */
void wrinkle_planes_meet(ruga_wrinkle_mesh *w);   /* moves points to the outside of all planes */

/* ---- Calm. */
ruga_status wrinkle_squeeze_create(ruga_wrinkle_mesh *w);
void wrinkle_squeeze_update(ruga_wrinkle_mesh *w); /* from the strains */
ruga_status wrinkle_calm_create(ruga_wrinkle_mesh *w);
void wrinkle_calm_reset(ruga_wrinkle_mesh *w);           /* the last update was the rest pose */
void wrinkle_calm_begin(ruga_wrinkle_mesh *w);           /* rates, from the change of strains since the last update */
void wrinkle_calm_end(ruga_wrinkle_mesh *w);             /* the strains become those of the last update */
int wrinkle_calm_has_planes(const ruga_wrinkle_mesh *w); /* limited offsets may be beyond a plane: move them again */

/* ---- Self-collision: the output as far as it can go from the flat base without touching itself. */
ruga_status wrinkle_collide_create(ruga_wrinkle_mesh *w); /* after binding; nothing unless the def asks for it */
void wrinkle_collide_destroy(wrinkle_collide *c);         /* NULL is fine */
void wrinkle_collide_copy(const ruga_wrinkle_mesh *from, ruga_wrinkle_mesh *to);
/* Moves the solved points back where they would touch, and stores their positions. A failure changes neither. */
ruga_status wrinkle_collide_apply(ruga_wrinkle_mesh *w);
/* (fine vertices) m, of the last frame; NULL: no self-collision. */
const ruga_vec3 *wrinkle_collide_shown(const wrinkle_collide *c);
void wrinkle_collide_report(const wrinkle_collide *c, ruga_wrinkle_mesh_report *report);

/* ---- Upright triangles. */
ruga_status wrinkle_upright_create(ruga_wrinkle_mesh *w); /* when points are in their final order */
void wrinkle_upright_destroy(wrinkle_upright *u);         /* NULL is fine */
void wrinkle_upright_apply(ruga_wrinkle_mesh *w);         /* moves back the vertices of turned triangles */
size_t wrinkle_upright_count(const wrinkle_upright *u);   /* of vertices that it moved in the last frame */

/* ---- Creation. original: NULL, or the wrinkle mesh whose values are copied instead of evaluated. */
ruga_status wrinkle_create(const ruga_mesh *base, const ruga_mesh *fine, const ruga_map *map,
                           const ruga_wrinkle_mesh_def *def, const ruga_wrinkle_mesh *original,
                           ruga_wrinkle_mesh **out);
/* Anchors, frames and strains of the current base. */
void wrinkle_attach(ruga_wrinkle_mesh *w);
void wrinkle_place(ruga_wrinkle_mesh *w);
void wrinkle_strains_measure(ruga_wrinkle_mesh *w); /* strains alone */

/* ---- Kernels, over slots or base triangles from begin to end. */
typedef struct wrinkle_pass {
    const float *frames;
    const uint32_t *triangles;
    const wrinkle_strain *strains, *last_strains; /* last_strains NULL: offsets do not follow the compression */
    const float *rest_offsets;
    const float *slacks, *gates;
    const wrinkle_seed *seeds;
    const float *seed_points, *rest_frames;
    const wrinkle_waves *waves;
    const float *tolerances;
    const float *full_radii, *rooms; /* rooms NULL: anchors have the radii */
    const float *rates;              /* NULL: no limit */
    float *anchors, *offsets, *points;
    float growth, shrinkage;        /* 1, how far offsets follow a compression that increases or decreases */
    float tolerance;                /* m, from the object's size */
    int local, upwards, keep_still; /* upwards: seeds are not negative */
} wrinkle_pass;

typedef struct wrinkle_strain_pass {
    const uint32_t *triangles;
    const float *points;
    const wrinkle_rest *rests;
    wrinkle_strain *strains;
    float *slacks;
} wrinkle_strain_pass;

/* Rings that have each triangle once. */
typedef struct wrinkle_turn_pass {
    const vertex_rings *rings; /* of slots */
    const uint32_t *bases;     /* (steps x 8) rows of `references`; NULL: those are points, at the same slots */
    const float *references;   /* (… x 4) */
    const float *points;       /* (slots x 4) */
    float least_cosine;
    uint8_t *found; /* (steps) a bit for each turned triangle */
} wrinkle_turn_pass;

/* Output to the caller's buffers; views without data are skipped, others have a stride. */
typedef struct wrinkle_reading {
    const wrinkle_output *outputs;
    const float *points, *normals;
    double origin[3];
    ruga_view positions_out, normals_out;
} wrinkle_reading;

/* a += R rest, p = a + R o, seeds. */
ISA_DECLARE(void, wrinkle_place_points, (const wrinkle_pass *pass, size_t begin, size_t end));
/* o = Rᵀ (p - a), except for points that barely moved; those that moved too far go only so far. */
ISA_DECLARE(void, wrinkle_return_points, (const wrinkle_pass *pass, size_t begin, size_t end));
/* Over outputs: the caller's buffers are filled nearly in the order of slots, so reads are sequential and writes are
 * near each other. */
ISA_DECLARE(void, wrinkle_read_points, (const wrinkle_reading *reading, size_t begin, size_t end));
/* Over groups: a bit for each triangle whose normal is turned against its reference. */
ISA_DECLARE(void, wrinkle_find_turned, (const wrinkle_turn_pass *pass, size_t begin, size_t end));
ISA_DECLARE(void, wrinkle_measure_strains, (const wrinkle_strain_pass *pass, size_t begin, size_t end));

#endif
