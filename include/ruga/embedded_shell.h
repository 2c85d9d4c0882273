/* Ruga: embedded thin shells. Skin that wrinkles at the wavelength physics predicts (Rémillard and Kry 2013).
 *
 *     carrier mesh, as it moves: p ──▶ statics of the shell: min E(x) subject to H x = H p ──▶ positions x, forces on p
 *
 * A thin, stiff skin covers a soft interior. Give its thickness and the two stiffnesses, and it wrinkles where the
 * carrier is compressed, at the critical wavelength (equation 3 of the paper)
 *
 *     λ = 2π h ((1 - ν_q²) E_x / 3 (1 - ν_x²) E_q)^(1/3)
 *
 * The shell has the vertices of the carrier. Weighted means over clusters of vertices tie it to the carrier, so that it
 * follows every motion that is longer than a wave and is free to buckle at shorter ones. The carrier is any mesh that
 * moves without changing its triangles: an animated character, cloth, the surface of a simulated body.
 *
 *     ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
 *     ruga_embedded_shell_create(mesh, &def, &shell);
 *     each frame:
 *         ruga_embedded_shell_update(shell, carrier_positions);
 *         use ruga_embedded_shell_positions(shell);
 *
 * Threads: an update uses the context's threads, and its result does not depend on their number. Use one shell from one
 * thread at a time. An update allocates nothing after the first one, but for pairs in contact where they become more.
 */
#ifndef RUGA_EMBEDDED_SHELL_H
#define RUGA_EMBEDDED_SHELL_H

#include "ruga/map.h"
#include "ruga/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_embedded_shell ruga_embedded_shell;

/* The ties of the shell to its carrier. */
typedef enum ruga_shell_constraints {
    RUGA_SHELL_CLUSTERS = 0, /* weighted means over clusters of vertices; section 3.1 */
    RUGA_SHELL_PENALTY,      /* springs at every vertex, `foundation` sets them: what the paper argues against */
    /* Coefficients of the smooth functions on the surface whose waves are longer than the skin's; section 3.2. Ripples
     * spread over the whole surface, and each constraint touches all vertices. */
    RUGA_SHELL_SPECTRAL
} ruga_shell_constraints;

/* How the centres of clusters are placed. */
typedef enum ruga_shell_centres {
    RUGA_SHELL_RELAXED =
        0,              /* evenly, by Lloyd's relaxation, with a calibrated spacing: the wavelength is as predicted */
    RUGA_SHELL_FARTHEST /* the paper's: each is the vertex that is farthest from those before */
} ruga_shell_centres;

typedef enum ruga_shell_solver {
    RUGA_SHELL_FAST = 0, /* Newton's method with a factor of the shifted Hessian and conjugate gradients */
    RUGA_SHELL_REFERENCE /* the paper's: system (10) by MINRES, line search on the residual */
} ruga_shell_solver;

typedef struct ruga_embedded_shell_def {
    uint32_t cookie;
    const char *name; /* of the object, for warnings, copied; NULL: none */
    /* Painted values make wavelengths vary over the surface; clusters follow. */
    ruga_param thickness;          /* m, h; above 0; 0.001 */
    ruga_param stiffness;          /* Pa, Young's modulus of the skin, E_x; 1e6 */
    ruga_param interior_stiffness; /* Pa, Young's modulus of the interior, E_q; 1e4 */
    double poisson;                /* 1, ν_x, at least 0 and below 0.5; 0.3 */
    double interior_poisson;       /* 1, ν_q, the same range; 0.3 */
    ruga_param hold;               /* 1: 0 free, 1 fixed to the carrier, as at seams, lips and nails; 0 */
    ruga_shell_constraints constraints;
    ruga_shell_centres centres;
    /* r, the spacing of centres over r = 2 λ/π; NaN: relaxed 0.92; farthest 1, for which every vertex is within r/2 of
     * a centre. */
    double spacing;
    /* m, that sizes and spaces the clusters; NaN: that of the material, or twice it with a foundation */
    double cluster_wavelength;
    /* 1, an elastic foundation at every vertex, in units of D k⁴ per area with k = 2π/λ. 0: none, the clusters set the
     * wavelength. 1: the material sets it, at a harder solve. */
    double foundation;
    ruga_shell_solver solver;
    double tolerance; /* 1, residual relative to that at the start of a frame; 1e-5 (scenes: 1e-4, faster) */
    /* The most Newton steps to the end of a frame; substeps before it share as many, with 5 each at least; 200. Where
     * contact blocks the skin, up to 40 more lead it there, and as many again in each substep. */
    int iterations;
    /* 1: the skin does not pass through itself or the obstacle. With RUGA_SHELL_FAST only; the paper has no contact. A
     * mesh that is too coarse for wrinkles, with more clusters than a third of its vertices, has none. */
    int contact;
    int seed; /* of the centres, and of the noise from which a flat skin starts to buckle */
} ruga_embedded_shell_def;

RUGA_API ruga_embedded_shell_def ruga_embedded_shell_def_default(void);

/* mesh: the carrier at rest, where the shell is at rest too; copied. Parameters are evaluated at time 0. Fails with
 * RUGA_ERROR_INPUT, naming number or element, for a thickness or stiffness that is not positive, a Poisson ratio of 0.5
 * or more, triangles without area. The log warns of wavelengths that the mesh is too coarse for, with the edge length
 * that is needed; of wavelengths beyond the size of the object; of slivers. */
RUGA_API ruga_status ruga_embedded_shell_create(const ruga_mesh *mesh, const ruga_embedded_shell_def *def,
                                                ruga_embedded_shell **out);
RUGA_API void ruga_embedded_shell_destroy(ruga_embedded_shell *shell); /* NULL is fine */

/* Solves one frame, from the frame before it. carrier: (vertices) m. Positions that are not finite are an error that
 * names the vertex; nothing changes then. RUGA_WARNING_NOT_CONVERGED: the solve stalled, and the report has the reason.
 * The shell then keeps the wrinkles of its last frame, moved with the carrier; with a residual below 100 times the
 * tolerance it is where its last step took it. */
RUGA_API ruga_status ruga_embedded_shell_update(ruga_embedded_shell *shell, const ruga_vec3 *carrier);
/* The next update starts from a smooth skin, whatever was before. */
RUGA_API void ruga_embedded_shell_reset(ruga_embedded_shell *shell);

/* Something that the skin can't enter: the signed distance of a point, m, negative inside, and its gradient, the
 * outward normal. Called from several threads, for vertices, which keep half a thickness from it. An update lets
 * vertices that it finds inside pass through, and the report counts them: an obstacle that moves has to approach by
 * less than that between two updates. NULL: nothing. Without def.contact it has no effect. */
typedef double ruga_shell_obstacle(void *user, ruga_vec3 point, ruga_vec3 *normal);
RUGA_API void ruga_embedded_shell_set_obstacle(ruga_embedded_shell *shell, ruga_shell_obstacle *distance, void *user);

/* Surfaces of other objects that the skin can't pass, on either side: vertices, edges and triangles keep up to a
 * thickness from them. Nothing moves them within an update. The next update takes them from their positions at the last
 * one to these, together with the carrier, in up to 50 substeps of a quarter of a thickness where they come near. A
 * surface that moves through the skin faster than that passes, and the report counts the vertices. Call it before each
 * update; with the same meshes as before it allocates nothing. Meshes must live as long as they are set; positions are
 * copied. Without def.contact it has no effect. RUGA_ERROR_INPUT: a position is not finite. */
typedef struct ruga_shell_surface {
    const ruga_mesh *mesh;
    const ruga_vec3 *positions; /* (vertices) m */
} ruga_shell_surface;
RUGA_API ruga_status ruga_embedded_shell_set_surfaces(ruga_embedded_shell *shell, const ruga_shell_surface *surfaces,
                                                      size_t count);

/* Of the last update; valid as long as the shell. */
RUGA_API const ruga_vec3 *ruga_embedded_shell_positions(const ruga_embedded_shell *shell); /* (vertices) m */
/* Adds the shell's forces on the carrier's vertices, N. Without an obstacle they sum to zero, as do their moments about
 * any point up to the tolerance. Fails where the search for contacts does, such as without memory; nothing is added
 * then. */
RUGA_API ruga_status ruga_embedded_shell_add_forces(const ruga_embedded_shell *shell, ruga_vec3 *forces);

/* The derivative of these forces, for implicit simulations of a carrier that the skin stiffens: dF = -K dp, with a
 * positive semidefinite K that is at least as stiff as the skin (equation 14). linearise makes K of the last update;
 * the next update uses it up. */
RUGA_API ruga_status ruga_embedded_shell_linearise(ruga_embedded_shell *shell);
/* products = K directions, (vertices) each: N of m. */
RUGA_API void ruga_embedded_shell_multiply(const ruga_embedded_shell *shell, const ruga_vec3 *directions,
                                           ruga_vec3 *products);
/* Adds the 3 x 3 blocks on the diagonal of Wᵀ K W, N/m, row by row: (points x 9), for a carrier whose vertices are W
 * times its points; NULL: the vertices themselves. For preconditioners. */
RUGA_API void ruga_embedded_shell_add_blocks(const ruga_embedded_shell *shell, const ruga_map *map, double *blocks);

/* The state as bytes; release them with ruga_free. A state of another mesh is an error. */
RUGA_API ruga_status ruga_embedded_shell_save(const ruga_embedded_shell *shell, void **bytes, size_t *size);
RUGA_API ruga_status ruga_embedded_shell_load(ruga_embedded_shell *shell, const void *bytes, size_t size);

typedef struct ruga_embedded_shell_report {
    size_t vertices, triangles;
    size_t clusters;                     /* or smooth functions */
    double least_wavelength, wavelength; /* m, by equation 3; the latter is the mean by area */
    double greatest_wavelength;          /* m */
    double mean_edge, longest_edge;      /* m */
    double wanted_edge;                  /* m, a tenth of the least wavelength */
    size_t coarse_vertices;              /* with edges longer than a fifth of the wavelength there */
    size_t self_intersections;           /* pairs of triangles that intersect at rest; they pass through each other */
    size_t sliver_count;                 /* triangles whose height is below a tenth of their longest edge */
    /* Of the last update. */
    int substeps; /* that the motion of the carrier was divided into */
    int newton_steps, linear_iterations, factorisations;
    double residual;         /* 1, over that at the start of the frame */
    double constraint_error; /* m, the greatest distance of a cluster's mean from the carrier's */
    double energy;           /* J, of the skin and its foundation */
    double amplitude;        /* m, root mean square of the distance from the carrier */
    size_t contacts;         /* pairs of the skin, and vertices at the obstacle, that push each other apart */
    /* Vertices whose triangles intersected, or that were inside the obstacle, at the start of the frame, or that
     * another surface moved through: they pass until they are free. */
    size_t passing_vertices;
    /* Clusters that yielded, because with their means where the carrier wants them the skin would intersect. */
    size_t yielding_clusters;
    double greatest_yield; /* m, of their means */
    const char *stalled;   /* why the last update did not converge; NULL: it did */
} ruga_embedded_shell_report;

RUGA_API ruga_embedded_shell_report ruga_embedded_shell_get_report(const ruga_embedded_shell *shell);

/* The wavelength of the skin as it is, m: the centroid of the peak in the spectrum of its distances from the carrier,
 * under a window that falls to zero at the border, along the skin at rest. For a skin that is flat at rest, or the side
 * of a flat slab that faces upwards. NaN: it is not flat, smaller than three waves, or without wrinkles. Not during an
 * update. */
RUGA_API double ruga_embedded_shell_measure_wavelength(const ruga_embedded_shell *shell);

/* H, (clusters x vertices): row k has the weights of cluster k, which sum to 1. Rows of
 * held vertices follow. NULL: there is none. Valid as long as the shell. */
RUGA_API const ruga_map *ruga_embedded_shell_clusters(const ruga_embedded_shell *shell);

/* ---- Materials: equation 3, and what gives a wanted wavelength (section 4.1). */
typedef struct ruga_skin {
    double thickness;          /* m, h */
    double stiffness;          /* Pa, E_x */
    double poisson;            /* 1, ν_x */
    double interior_stiffness; /* Pa, E_q */
    double interior_poisson;   /* 1, ν_q */
} ruga_skin;

RUGA_API double ruga_skin_wavelength(const ruga_skin *skin);                       /* m */
RUGA_API double ruga_skin_thickness_for(const ruga_skin *skin, double wavelength); /* m, with the skin's stiffnesses */
RUGA_API double ruga_skin_ratio_for(const ruga_skin *skin, double wavelength);     /* E_x / E_q, with its thickness */

/* Skins with a name: "leather on foam", "skin on flesh", "drying fruit", "epidermis on dermis". NULL past the last. */
typedef struct ruga_skin_preset {
    const char *name, *source;
    ruga_skin skin;
} ruga_skin_preset;
RUGA_API const ruga_skin_preset *ruga_skin_preset_get(size_t index);

/* ---- A dense volume, for comparison (figure 6): a stiff layer on a soft interior 1.5 waves deep, both resolved by
 * quadratic finite elements, in plane strain, pressed together to 1.35 times the critical strain of the layer. Takes
 * seconds to minutes. */
typedef struct ruga_dense_slab_def {
    uint32_t cookie;
    ruga_skin skin;
    double waves; /* of equation 3 along the slab, 3 to 100; 16.3. Its ends round them to a whole number */
    int columns;  /* elements to a wave, 4 to 100; 12 */
} ruga_dense_slab_def;

typedef struct ruga_dense_slab_report {
    size_t nodes;
    int newton_steps;
    double amplitude;  /* m, the greatest height over that of the middle */
    double wavelength; /* m, as ruga_embedded_shell_measure_wavelength has it */
} ruga_dense_slab_report;

RUGA_API ruga_dense_slab_def ruga_dense_slab_def_default(void);
/* mesh: its section and its upper side, one wave wide, as they are pressed together; NULL: not wanted. */
RUGA_API ruga_status ruga_dense_slab_solve(ruga_context *context, const ruga_dense_slab_def *def,
                                           ruga_dense_slab_report *report, ruga_mesh **mesh);

#ifdef __cplusplus
}
#endif
#endif
