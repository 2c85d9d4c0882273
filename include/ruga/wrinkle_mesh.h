/* Ruga: wrinkle meshes. Fine wrinkles on anything that moves, in about a millisecond (Müller and Chentanez 2010).
 *
 *     base mesh, as it moves ──▶ attachment point a_i of every fine vertex ──▶ p_i = a_i + o_i ──▶ positions, normals
 *                                                         the solver keeps edges at their length, |o_i| below r_i
 *
 * A fine mesh is attached to a coarse one. Each fine vertex may leave its attachment point by a radius, and does so to
 * keep the lengths of its edges: where the base is compressed, the fine mesh wrinkles. The offsets o_i are the whole
 * state.
 *
 * To use it, make a wrinkle mesh from a base mesh and a fine mesh. Each frame, call update with the base's positions
 * in your own buffers, and read positions and normals into your own buffers:
 *
 *     ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
 *     ruga_wrinkle_mesh_create(base, fine, &def, &wrinkles);
 *     each frame:
 *         ruga_wrinkle_mesh_update(wrinkles, &positions, NULL);
 *         ruga_wrinkle_mesh_read(wrinkles, &fine_positions, &fine_normals);
 *
 * Threads: an update uses the context's threads, and its result does not depend on their number. Different wrinkle
 * meshes may be updated from different threads at the same time, also in one context if its callbacks allow it (the
 * default ones do). Use one wrinkle mesh from one thread at a time. An update allocates nothing.
 */
#ifndef RUGA_WRINKLE_MESH_H
#define RUGA_WRINKLE_MESH_H

#include "ruga/motion.h"
#include "ruga/subdivide.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_wrinkle_mesh ruga_wrinkle_mesh;

/* The surface that fine vertices are attached to. */
typedef enum ruga_wrinkle_surface {
    RUGA_WRINKLE_PN = 0, /* three-sided cubic Bézier patches from corner positions and normals */
    RUGA_WRINKLE_LINEAR, /* the base's flat triangles */
    RUGA_WRINKLE_LOOP    /* the limit surface of Loop's subdivision of the base */
} ruga_wrinkle_surface;

/* The solver that keeps the lengths. */
typedef enum ruga_wrinkle_solver {
    RUGA_WRINKLE_COMPLIANT = 0, /* minimises an energy; the look does not depend on the number of iterations */
    RUGA_WRINKLE_PROJECTION     /* the paper's: projects one constraint after the other; more iterations are stiffer */
} ruga_wrinkle_solver;

/* The frame of the offsets. */
typedef enum ruga_wrinkle_frame {
    RUGA_WRINKLE_FRAME_LOCAL = 0, /* the base triangle: wrinkles rotate with the body */
    RUGA_WRINKLE_FRAME_WORLD      /* as in the paper */
} ruga_wrinkle_frame;

/* The measure of bending that is resisted. */
typedef enum ruga_wrinkle_bend {
    RUGA_WRINKLE_BEND_OPPOSITE = 0, /* the distance of opposite vertices of two triangles, as in the paper */
    RUGA_WRINKLE_BEND_DIHEDRAL,     /* the angle between the triangles */
    RUGA_WRINKLE_BEND_CURVATURE /* the curvature of the offsets; a compliant mesh with a wavelength always uses it */
} ruga_wrinkle_bend;

/* Limits against collisions, section 4.2 of the paper. They are not needed if colliders are inflated by more than the
 * radii, or cloth is thicker than twice the radii: ruga_wrinkle_mesh_report has the greatest radius. */
typedef enum ruga_wrinkle_side {
    RUGA_WRINKLE_BOTH_SIDES = 0,
    RUGA_WRINKLE_OUTSIDE,      /* vertices stay outside of the tangent plane at their attachment point */
    RUGA_WRINKLE_NEIGHBOURHOOD /* vertices stay outside of the base triangles around their own */
} ruga_wrinkle_side;

typedef struct ruga_wrinkle_mesh_def {
    uint32_t cookie;
    ruga_wrinkle_surface surface;
    ruga_wrinkle_solver solver;
    ruga_wrinkle_frame frame;
    ruga_wrinkle_side side;
    int reference;   /* plain scalar Gauss-Seidel loop in mesh order, one thread: the reference for the fast path */
    int normal_only; /* fine vertices move along their normals only */
    int iterations;  /* per update, at least 0; 10 */
    /* m, length of the wrinkles, measured along the fine mesh at rest; at least five of its edges.
     *   compliant    sets the bending stiffness and a soft attachment to the base, so that wrinkles do not depend on
     *                the resolution of the fine mesh; and radii that leave room for them
     *   projection   sets the radii by λ = πr/√ε at a compression ε of 0.1
     * 0, the default: none; radius and bending are as given, or the paper's. NaN: with projection none; compliant
     * chooses 1.5 average edges of the base, or five of the fine mesh if that is more. */
    double wavelength;
    /* m, per fine vertex. NaN constant: set by the wavelength, or else half the average fine edge. With a wavelength,
     * given or chosen, a painted radius (anything but numbers and keys of numbers) is a factor of the radius that the
     * wavelength sets, so that a mask from 0 to 1 works; a number replaces that radius. A vertex with a radius of 0
     * stays on the base's flat triangle, and from there to a quarter of the greatest radius the attached surface
     * changes into that of `surface`; not so with radii that change with time. */
    ruga_param radius;
    ruga_param pre_stretch; /* 1, s: rest length over length in the bind pose; within [0.001, 100]; 0.9 */
    /* 1. With a wavelength: a factor, at least 0, of the stiffness that it sets; NaN constant: 1. Without one: the
     * stiffness of the bending constraints, within [0, 1]; NaN: 0.1. */
    ruga_param bending;
    ruga_wrinkle_bend bend;
    /* Direction map: the direction of the crests, as an angle in the fine mesh's UVs, degrees, within [-360, 360]; and
     * its weight, within [0, 1]: at 0 it has no effect, at 1 wrinkles across the direction are flattened. */
    ruga_param direction, direction_weight;
    /* degrees, within [0, 180]; 75. Hard edges of the base are creases of the attached surface: it does not round them
     * off. A base with the attribute "normal" has them where the normals of two faces differ at a common vertex;
     * otherwise where the triangles meet at more than this angle at rest. 180: none. */
    double crease_angle;
    /* m; fine vertices farther from the base are held by their edges only. INFINITY: all are attached, and a fine mesh
     * that is far from the base is an error. */
    double reach;
    /* NULL, or (edges of the fine mesh, as in ruga_wrinkle_mesh_edges): factor of s. Copied. */
    const double *edge_pre_stretch;
    /* 1, within [0, 2]; 1. Below 1, heights are multiplied by it. Above 1, the fine mesh has more length than the base,
     * 0.05 for each 1, and radii that a wavelength sets are multiplied by it: at 2 there are wrinkles everywhere. */
    double strength;
    /* NULL, or (base vertices): factor of the radii, within [0, 1], interpolated on the base's triangles; from
     * ruga_wrinkle_fit_finish, for example. A vertex with 0 stays on the flat triangles. Copied. */
    const double *base_mask;
    /* 1, within [0, 1]; 0. Variation of the wavelength over the surface, by a random field that depends on the seed: at
     * 1 by factors from 0.7 to 1.4. Radii, bending and foundation that the wavelength sets vary with it. */
    double variation;
    /* 1, at least 0; 1. How calmly wrinkles come and go: per update, an offset changes by at most 1/50 of its radius,
     * and by its radius for each 10 % that the base there is stretched or compressed in that update; both divided by
     * this. Above 0, heights also follow the compression before they are solved, so that they are nearly the same
     * whether it increases or decreases. 0: neither. Settling has neither, nor have meshes with keyed parameters. */
    double calm;
    /* 1, within [0, 1]; 0.7. Stretch of the base, length over length at rest, below which radii shrink by the square
     * of its ratio to this: where it closes up there is no room for the full height, and folds would turn inside out.
     * 0: they never do. */
    double squeeze;
    /* No triangle of the fine mesh turns inside out; on. One that is inclined by more than 75 degrees to the base
     * triangle below it, as in an armpit, goes back towards that with its neighbours. A fine mesh of your own is
     * compared with its place on the attached surface instead. self_collision, if it is on, has the last word. */
    int upright;
    /* The fine mesh never intersects itself where the base does not: a vertex leaves the base's flat triangles only as
     * far as it touches nothing. This is exact for positions that are read, as doubles or as floats; as floats only
     * while the spacing of floats there is below 0.001 of the average fine edge. It needs a subdivision of the base as
     * the fine mesh. Updates then may allocate memory; one that fails keeps the state and the output of the last
     * frame. */
    int self_collision;
    int seed; /* of the random waves from which a flat mesh starts to wrinkle, and of the variation */
    /* The base's normals in its rest pose, for updates with normals of your own that are not computed from the
     * triangles; without data they are computed. */
    ruga_view bind_normals;
} ruga_wrinkle_mesh_def;

RUGA_API ruga_wrinkle_mesh_def ruga_wrinkle_mesh_def_default(void);

/* Binds the fine mesh to the base in their rest poses: each fine vertex to the closest point of the base, with the
 * offset from there as its rest offset. Meshes are copied as far as needed. Parameters are evaluated at time 0 on the
 * fine mesh; the memory that parameters with keys point to must outlive the wrinkle mesh. A fine mesh that is split
 * along texture seams (two boundary edges in the same place) is joined there: both sides move together, by the
 * parameters of the vertex with the lower number, and share their normals. A base with tets: fine vertices are attached
 * to the tets by barycentric weights. The log warns of radii above half an edge, radii that may be in another unit, and
 * fine meshes too coarse for their waves, with the subdivision that is needed. Fails with RUGA_ERROR_INPUT, naming the
 * element, for base triangles without area, negative radii, … */
RUGA_API ruga_status ruga_wrinkle_mesh_create(const ruga_mesh *base, const ruga_mesh *fine,
                                              const ruga_wrinkle_mesh_def *def, ruga_wrinkle_mesh **out);
/* The same with a subdivision of the base (ruga_mesh_subdivide, not LOOP) as the fine mesh, attached exactly. The
 * caller releases *fine. */
RUGA_API ruga_status ruga_wrinkle_mesh_create_subdivided(const ruga_mesh *base, const ruga_subdivide_def *subdivide,
                                                         const ruga_wrinkle_mesh_def *def, ruga_mesh **fine,
                                                         ruga_wrinkle_mesh **out);
RUGA_API void ruga_wrinkle_mesh_destroy(ruga_wrinkle_mesh *wrinkles); /* NULL is fine */

/* Solves one frame. positions: the base's vertices, float or double, m. normals: the base's, of any length; NULL: they
 * are computed. Wrong counts, and positions that are not finite, are an error that names the vertex; nothing changes
 * then. */
RUGA_API ruga_status ruga_wrinkle_mesh_update(ruga_wrinkle_mesh *wrinkles, const ruga_view *positions,
                                              const ruga_view *normals);
/* Writes the fine mesh of the last update to your buffers; either may be NULL. */
RUGA_API ruga_status ruga_wrinkle_mesh_read(const ruga_wrinkle_mesh *wrinkles, ruga_view *positions,
                                            ruga_view *normals);

/* Restarts on this frame and iterates until no vertex moves by more than `tolerance` (0: 1e-3) times the greatest
 * radius, or times the average fine edge if that is smaller, in 64 iterations; or until `iterations` (0: 10,000) are
 * done. The result depends on this frame alone, not on earlier ones. *iterations_done may be NULL. */
RUGA_API ruga_status ruga_wrinkle_mesh_settle(ruga_wrinkle_mesh *wrinkles, const ruga_view *positions,
                                              const ruga_view *normals, double tolerance, int iterations,
                                              int *iterations_done);
RUGA_API ruga_status ruga_wrinkle_mesh_reset(ruga_wrinkle_mesh *wrinkles); /* to zero offsets */
RUGA_API ruga_status ruga_wrinkle_mesh_copy(const ruga_wrinkle_mesh *wrinkles, ruga_wrinkle_mesh **out);

/* Evaluates parameters with keys at another time; used from the next update on. */
RUGA_API ruga_status ruga_wrinkle_mesh_set_time(ruga_wrinkle_mesh *wrinkles, double time);

/* The state as bytes; release them with ruga_free. A state of another mesh, or of another rest pose (edges of base or
 * fine mesh whose length at rest differs by more than 0.2 %), is an error. */
RUGA_API ruga_status ruga_wrinkle_mesh_save(const ruga_wrinkle_mesh *wrinkles, void **bytes, size_t *size);
RUGA_API ruga_status ruga_wrinkle_mesh_load(ruga_wrinkle_mesh *wrinkles, const void *bytes, size_t size);

enum { RUGA_WRINKLE_WIDEST = 4 }; /* vertices that a report names */

/* The origin of a wavelength. */
typedef enum ruga_wrinkle_wave_origin {
    RUGA_WRINKLE_WAVE_NONE = 0,
    RUGA_WRINKLE_WAVE_GIVEN,      /* by the def */
    RUGA_WRINKLE_WAVE_BASE_EDGES, /* chosen: 1.5 average edges of the base */
    RUGA_WRINKLE_WAVE_FINE_EDGES  /* chosen: 5 average edges of the fine mesh, which is too coarse for the former */
} ruga_wrinkle_wave_origin;

/* The origin of the radii. */
typedef enum ruga_wrinkle_radius_origin {
    RUGA_WRINKLE_RADIUS_GIVEN = 0, /* by the def, in m */
    RUGA_WRINKLE_RADIUS_WAVE,      /* set by the wavelength */
    RUGA_WRINKLE_RADIUS_PAINTED,   /* a painted factor of that */
    RUGA_WRINKLE_RADIUS_FINE_EDGES /* half the average edge of the fine mesh */
} ruga_wrinkle_radius_origin;

typedef struct ruga_wrinkle_mesh_report {
    size_t base_vertices, fine_vertices, fine_triangles, edges, bends;
    size_t unattached;                    /* fine vertices beyond the reach of the base */
    double least_radius, greatest_radius; /* m, of attached vertices */
    ruga_wrinkle_radius_origin radius_origin;
    double radius_unit; /* m, set by the wavelength or the edges; 1 where radii are given in metres */
    /* Vertices whose radius exceeds half the average edge around them, so that wrinkles may intersect. */
    size_t wide_count;
    size_t widest_vertices[RUGA_WRINKLE_WIDEST]; /* up to four of them, the worst first */
    double widest_ratios[RUGA_WRINKLE_WIDEST];   /* radius over half the average edge there */
    double wavelength;                           /* m, given or chosen; NaN: none */
    ruga_wrinkle_wave_origin wave_origin;
    double length_error; /* 1, greatest relative error of an edge's length after the last update */
    double rms_offset;   /* m, of the last update, before self-collision */
    size_t lowered;      /* with upright: fine vertices that went back in the last update */
    /* With self_collision: fine vertices that stopped before their place in the last update, and the average time per
     * update that it takes, s. Only this number depends on the machine. */
    size_t held_back;
    double collision_seconds;
} ruga_wrinkle_mesh_report;

RUGA_API ruga_wrinkle_mesh_report ruga_wrinkle_mesh_get_report(const ruga_wrinkle_mesh *wrinkles);
/* The fine mesh's edges, (edges x 2) vertices, in the order of edge_pre_stretch; valid as long as the wrinkle mesh.
 * Along a seam there is one for both sides, of the vertices with the lower numbers. */
RUGA_API const uint32_t *ruga_wrinkle_mesh_edges(const ruga_wrinkle_mesh *wrinkles);

/* Whether a name of a material, a group or a mesh has a word for something that does not wrinkle: "Eye_Left", "shoes",
 * "FingerNail", not "chair" or "eye lid". */
RUGA_API int ruga_wrinkle_is_firm(const char *name);

/* The base without triangles that have no area at rest, to which nothing can be attached: real characters have some.
 * Its vertices, and motions of it, stay the same; attributes and skin are carried over; a polygon with such a triangle
 * becomes triangles. *count: of triangles left out; *first: the face of the first of them. *out is NULL if there are
 * none, or nothing else. */
RUGA_API ruga_status ruga_wrinkle_base_make(const ruga_mesh *mesh, ruga_mesh **out, size_t *count, size_t *first);

/* ---- Fitting: parameters and a mask from a motion.
 *
 * Measures the strain of a base over its frames, and chooses from it. Compression: the greatest one of each triangle.
 *   mask         0 on pieces that move rigidly (strain below 0.005: eyes, spectacles, armour), on pieces too narrow
 *                for a wave, on materials that do not wrinkle (eyes, teeth, nails, hair, glass, shoes, …, by their
 *                names); 1 where it is compressed by 0.03 more than half of what the pre-stretch takes up, halving from
 *                vertex to vertex around that, at least 0.001
 *   pre_stretch  1 - 0.1 c, at least 0.9, with c the compression that 95 % of the compressed area stays below
 *   wavelength   1.5 average edges, or half the radius of curvature, where the base is compressed: the smaller one,
 *                but at most a twelfth of the base's size
 *   subdivide    five edges per wave, with at most 250,000 triangles; then the wavelength is five edges */
typedef struct ruga_wrinkle_fit ruga_wrinkle_fit;

typedef struct ruga_wrinkle_fit_result {
    double compression;            /* 1, c; 0: the base is never compressed by more than 0.01 */
    double compressed_share;       /* 1, of the area: compressed by more than that, and free to wrinkle */
    double edge, curvature_radius; /* m, average edge and radius of curvature there; INFINITY: flat */
    double wavelength;             /* m */
    int limited; /* what limits the wavelength: 0 the edges, 1 the curvature, 2 the size, 3 the number of triangles */
    double pre_stretch; /* 1 */
    int subdivide;
    size_t pieces, rigid_pieces, narrow_pieces;                /* connected ones */
    size_t rigid_triangles, narrow_triangles, named_triangles; /* without wrinkles, each counted once */
    char materials[160];                                       /* names of such materials, with commas */
} ruga_wrinkle_fit_result;

RUGA_API ruga_status ruga_wrinkle_fit_create(const ruga_mesh *base, ruga_wrinkle_fit **out);
RUGA_API void ruga_wrinkle_fit_destroy(ruga_wrinkle_fit *fit); /* NULL is fine */
/* A frame: (base vertices) m. */
RUGA_API void ruga_wrinkle_fit_add(ruga_wrinkle_fit *fit, const ruga_vec3 *positions);
/* mask: (base vertices) receives factors of the radius. */
RUGA_API ruga_status ruga_wrinkle_fit_finish(ruga_wrinkle_fit *fit, double *mask, ruga_wrinkle_fit_result *result);

#ifdef __cplusplus
}
#endif
#endif
