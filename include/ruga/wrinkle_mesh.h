/* Ruga: wrinkle meshes. Fine wrinkles on anything that moves, in about a millisecond (Müller and Chentanez 2010).
 *
 *     base mesh, as it moves ──▶ attachment point a_i of every fine vertex ──▶ p_i = a_i + o_i ──▶ positions, normals
 *                                                         the solver keeps edges at their length, |o_i| below r_i
 *
 * A fine mesh hangs on a coarse one. Its vertices may leave their attachment points by a radius, and use it to keep the
 * lengths of their edges: where the base is compressed, the fine mesh wrinkles. The offsets o_i are the whole state.
 *
 * Use: make one from a base mesh and a fine mesh, then call update once a frame with the base's positions in your own
 * buffers, and read positions and normals into your own buffers:
 *
 *     ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
 *     ruga_wrinkle_mesh_create(base, fine, &def, &wrinkles);
 *     each frame:
 *         ruga_wrinkle_mesh_update(wrinkles, &positions, NULL);
 *         ruga_wrinkle_mesh_read(wrinkles, &fine_positions, &fine_normals);
 *
 * Threads: an update spreads over the context's threads, and its result does not depend on how many they are. Different
 * wrinkle meshes may be updated from different threads at the same time, also of one context whose callbacks allow it
 * (the default ones do); one wrinkle mesh is for one thread at a time. An update allocates nothing.
 */
#ifndef RUGA_WRINKLE_MESH_H
#define RUGA_WRINKLE_MESH_H

#include "ruga/motion.h"
#include "ruga/subdivide.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_wrinkle_mesh ruga_wrinkle_mesh;

/* The surface that fine vertices hang on. */
typedef enum ruga_wrinkle_surface {
    RUGA_WRINKLE_PN = 0, /* three-sided cubic Bézier patches from corner positions and normals */
    RUGA_WRINKLE_LINEAR, /* the base's triangles as they are */
    RUGA_WRINKLE_LOOP    /* the limit surface of Loop's subdivision of the base */
} ruga_wrinkle_surface;

/* How the lengths are kept. */
typedef enum ruga_wrinkle_solver {
    RUGA_WRINKLE_COMPLIANT = 0, /* minimises an energy: the look does not depend on the number of iterations */
    RUGA_WRINKLE_PROJECTION /* the paper's: every constraint in turn is met by itself; more iterations are stiffer */
} ruga_wrinkle_solver;

/* What offsets are relative to. */
typedef enum ruga_wrinkle_frame {
    RUGA_WRINKLE_FRAME_LOCAL = 0, /* the base triangle: wrinkles turn with the body */
    RUGA_WRINKLE_FRAME_WORLD      /* as in the paper */
} ruga_wrinkle_frame;

/* What resists bending. */
typedef enum ruga_wrinkle_bend {
    RUGA_WRINKLE_BEND_OPPOSITE = 0, /* the distance of opposite vertices of two triangles, as in the paper */
    RUGA_WRINKLE_BEND_DIHEDRAL,     /* the angle between the triangles */
    RUGA_WRINKLE_BEND_CURVATURE /* the curvature of the offsets; a compliant mesh with a wavelength always uses it */
} ruga_wrinkle_bend;

/* What a fine vertex may do about collisions, section 4.2. Colliders inflated by more than the radii, and cloth thicker
 * than twice the radii, need nothing from here: ruga_wrinkle_mesh_report tells the greatest radius. */
typedef enum ruga_wrinkle_side {
    RUGA_WRINKLE_BOTH_SIDES = 0,
    RUGA_WRINKLE_OUTSIDE, /* stays outside of the plane through its attachment point, at right angles to its normal */
    RUGA_WRINKLE_NEIGHBOURHOOD /* stays outside of the base triangles around its own */
} ruga_wrinkle_side;

typedef struct ruga_wrinkle_mesh_def {
    uint32_t cookie;
    ruga_wrinkle_surface surface;
    ruga_wrinkle_solver solver;
    ruga_wrinkle_frame frame;
    ruga_wrinkle_side side;
    int reference; /* the plain scalar Gauss-Seidel loop in mesh order, one thread: what the fast path is held against */
    int normal_only; /* fine vertices move along their normals only */
    int iterations;  /* of an update, at least 0; 10 */
    /* m, of the wrinkles that are wanted, along the fine mesh at rest; at least five of its edges. Compliant: sets the
     * bending stiffness and a soft hold on the base, so that wrinkles do not change with the fine mesh's resolution, and
     * radii that leave room for them. Projection: sets the radii by λ = πr/√ε at a compression ε of 0.1. 0, the default:
     * none, radius and bending as given, or the paper's. NaN: compliant, one is chosen: one and a half average edges of the
     * base, or five of the fine mesh if that is more; projection, none. */
    double wavelength;
    /* m, of each fine vertex; NaN constant: by the wavelength, or half the average fine edge. Where there is a wavelength, asked
     * for or chosen, a painted one (all but numbers and keys of numbers) is a factor of the radius that it sets, so that a
     * mask from 0 to 1 will do; a number takes its place. */
    ruga_param radius;
    ruga_param pre_stretch; /* 1, s: rest length over length in the bind pose; above 0; 0.9 */
    /* 1, within [0, 1]: of the bending constraints; NaN constant: 0.1. With a wavelength: scales the one it sets; NaN: 1. */
    ruga_param bending;
    ruga_wrinkle_bend bend;
    /* Direction map: the direction that crests should run along, as an angle in the fine mesh's UVs, degrees, and how much
     * that counts, within [0, 1]: at 0 wrinkles go as they like, at 1 those across the direction are flattened. */
    ruga_param direction, direction_weight;
    /* m; fine vertices farther from the base hang on nothing but their edges. INFINITY: all are attached, and a fine mesh that
     * is far from the base is an error. */
    double reach;
    /* NULL, or (edges of the fine mesh, as ruga_wrinkle_mesh_edges lists them): times s. Copied. */
    const double *edge_pre_stretch;
    int seed; /* of the waves from which a flat mesh starts to wrinkle */
    /* The base's normals in its rest pose, if updates bring normals of your own that are not made of the triangles; with no
     * data they are made. */
    ruga_view bind_normals;
} ruga_wrinkle_mesh_def;

RUGA_API ruga_wrinkle_mesh_def ruga_wrinkle_mesh_def_default(void);

/* Binds fine to base in their rest poses: each fine vertex by the closest point of the base, with the offset from there as its
 * rest offset. Meshes are copied as far as they are needed. Parameters are evaluated at time 0 on the fine mesh; what those
 * with keys point to has to outlive the wrinkle mesh. The log warns of radii above half an edge or in what may be another unit,
 * and of fine meshes too coarse for their waves, with the division that would do.
 * A fine mesh that was split along seams (two boundary edges in the same place, as textures want it) is one there: both sides
 * move together, by the parameters of the vertex with the lower number, and share their normals.
 * A base with tets: fine vertices hang on the tets by barycentric weights.
 * Fails with RUGA_ERROR_INPUT, naming the element, for triangles of the base without area, radii that are negative, … */
RUGA_API ruga_status ruga_wrinkle_mesh_create(const ruga_mesh *base, const ruga_mesh *fine,
                                              const ruga_wrinkle_mesh_def *def, ruga_wrinkle_mesh **out);
/* The fine mesh is a subdivision of the base (ruga_mesh_subdivide, not LOOP) and hangs on it exactly. *fine is the caller's. */
RUGA_API ruga_status ruga_wrinkle_mesh_create_subdivided(const ruga_mesh *base, const ruga_subdivide_def *subdivide,
                                                         const ruga_wrinkle_mesh_def *def, ruga_mesh **fine,
                                                         ruga_wrinkle_mesh **out);
RUGA_API void ruga_wrinkle_mesh_destroy(ruga_wrinkle_mesh *wrinkles); /* NULL is fine */

/* One frame. positions: the base's vertices, float or double, m. normals: the base's, which need not be of unit length; NULL:
 * they are made. Wrong counts, and positions that are not finite, are an error that names the vertex; nothing changes then. */
RUGA_API ruga_status ruga_wrinkle_mesh_update(ruga_wrinkle_mesh *wrinkles, const ruga_view *positions,
                                              const ruga_view *normals);
/* The fine mesh as the last update left it; either may be NULL. */
RUGA_API ruga_status ruga_wrinkle_mesh_read(const ruga_wrinkle_mesh *wrinkles, ruga_view *positions,
                                            ruga_view *normals);

/* Starts anew on this frame and iterates until nothing moves by more than `tolerance` (0: 1e-3) of the greatest radius, or of the
 * average fine edge if that is less, in 64 iterations, or `iterations` (0: 10,000) are done. The same frame gives the same result, whatever was before. *iterations_done may be NULL. */
RUGA_API ruga_status ruga_wrinkle_mesh_settle(ruga_wrinkle_mesh *wrinkles, const ruga_view *positions,
                                              const ruga_view *normals, double tolerance, int iterations,
                                              int *iterations_done);
RUGA_API ruga_status ruga_wrinkle_mesh_reset(ruga_wrinkle_mesh *wrinkles); /* offsets as when it was made */
RUGA_API ruga_status ruga_wrinkle_mesh_copy(const ruga_wrinkle_mesh *wrinkles, ruga_wrinkle_mesh **out);

/* The parameters of a def at another time, for painted ones with keys: from the next update on. */
RUGA_API ruga_status ruga_wrinkle_mesh_set_time(ruga_wrinkle_mesh *wrinkles, double time);

/* The state as bytes: ruga_free releases them. Loading that of another mesh, or of another rest pose (edges of base or fine mesh
 * that are longer or shorter at rest by more than a few thousandths), is an error. */
RUGA_API ruga_status ruga_wrinkle_mesh_save(const ruga_wrinkle_mesh *wrinkles, void **bytes, size_t *size);
RUGA_API ruga_status ruga_wrinkle_mesh_load(ruga_wrinkle_mesh *wrinkles, const void *bytes, size_t size);

enum { RUGA_WRINKLE_WIDEST = 4 }; /* places that a report names */

/* Where a wavelength comes from. */
typedef enum ruga_wrinkle_wave_origin {
    RUGA_WRINKLE_WAVE_NONE = 0,
    RUGA_WRINKLE_WAVE_GIVEN,      /* asked for */
    RUGA_WRINKLE_WAVE_BASE_EDGES, /* chosen: one and a half average edges of the base */
    RUGA_WRINKLE_WAVE_FINE_EDGES  /* chosen: five average edges of the fine mesh, which is too coarse for the former */
} ruga_wrinkle_wave_origin;

/* Where radii come from. */
typedef enum ruga_wrinkle_radius_origin {
    RUGA_WRINKLE_RADIUS_GIVEN = 0, /* m, as they are */
    RUGA_WRINKLE_RADIUS_WAVE,      /* what the wavelength needs */
    RUGA_WRINKLE_RADIUS_PAINTED,   /* a painted factor of that */
    RUGA_WRINKLE_RADIUS_FINE_EDGES /* half the average edge of the fine mesh */
} ruga_wrinkle_radius_origin;

typedef struct ruga_wrinkle_mesh_report {
    size_t base_vertices, fine_vertices, fine_triangles, edges, bends;
    size_t unattached;                    /* fine vertices that hang on nothing */
    double least_radius, greatest_radius; /* m, of attached vertices */
    ruga_wrinkle_radius_origin radius_origin;
    double radius_unit; /* m, that the wavelength or the edges give; 1 where radii are given in metres */
    /* Places where the radius exceeds half the average edge around, so that wrinkles may pass through each other. */
    size_t wide_count;
    size_t widest_vertices[RUGA_WRINKLE_WIDEST]; /* the worst ones, as many as there are, the worst first */
    double widest_ratios[RUGA_WRINKLE_WIDEST];   /* radius over half the average edge there */
    double wavelength;                           /* m, asked for or chosen; NaN: none */
    ruga_wrinkle_wave_origin wave_origin;
    double length_error; /* 1, greatest relative error of an edge's length after the last update */
    double rms_offset;   /* m, of the last update */
} ruga_wrinkle_mesh_report;

RUGA_API ruga_wrinkle_mesh_report ruga_wrinkle_mesh_get_report(const ruga_wrinkle_mesh *wrinkles);
/* The fine mesh's edges, (edges x 2) vertices, in the order of edge_pre_stretch; lives as long as the wrinkle mesh. Along a seam
 * there is one for both sides, of the vertices with the lower numbers. */
RUGA_API const uint32_t *ruga_wrinkle_mesh_edges(const ruga_wrinkle_mesh *wrinkles);

#ifdef __cplusplus
}
#endif
#endif
