/* The private parts of an embedded shell, shared by its files (Rémillard and Kry 2013).
 *
 *     embedded_shell.c             create, update, positions, forces, reports
 *     embedded_shell_frame.c       one frame: its start, and the steps to its carrier
 *     embedded_shell_carry.c       shapes that turn without being stretched
 *     embedded_shell_material.c    equation 3, its inverse, presets, warnings about a mesh
 *     embedded_shell_centres.c     centres of clusters: relaxed, or each farthest from those before
 *     embedded_shell_rows.c        H: weights of clusters (equation 2)
 *     embedded_shell_spectrum.c    H: the smoothest functions on the surface (section 3.2)
 *     embedded_shell_energy.c      energy, gradient and Hessian
 *     embedded_shell_contact.c     contact with itself and an obstacle: energy, Hessian, limits of steps
 *                                  _contact_pairs.c: pairs that may touch, and intersections; _contact_surfaces.c:
 *                                  surfaces of other objects
 *     embedded_shell_yield.c       clusters that yield where the carrier leads the skin into contact
 *     embedded_shell_solve.c       the fast path
 *     embedded_shell_factor.c      its preconditioner
 *     embedded_shell_reference.c   the paper's path
 *     embedded_shell_forces.c      the derivative of the forces on the carrier
 *     embedded_shell_waves.c       the wavelength that a flat skin has
 *     embedded_shell_state.c       save and load
 *
 * The unknowns are x, the positions of all vertices. The carrier is known by the positions p of the same vertices. The
 * shell minimises
 *
 *     E(x) = membrane + bending + ½ Σ w_i |x_i - p_i|²    subject to    H x = H p
 *
 * with the last sum only where there is a foundation. Its Lagrangian E + μᵀH(x - p) is stationary:
 * g + Hᵀμ = 0 for the gradient g of E. H acts on each coordinate alone.
 *
 * Membrane and bending are those of cloth with an isotropic material (energy/membrane.h, energy/hinge.h): stiffness
 * against stretch E h, against shear E h / 2 (1 + ν), against bending D = E h³ / 12 (1 - ν²). Both enter with
 * their true Hessian: it is what buckles.
 */
#ifndef WRINKLE_EMBEDDED_SHELL_H
#define WRINKLE_EMBEDDED_SHELL_H

#include "base/state.h"
#include "energy/hinge_pairs.h"
#include "energy/membrane.h"
#include "linalg/block_matrix.h"
#include "mesh/topology.h"
#include "ruga/embedded_shell.h"
#include "ruga/map.h"

#define SHELL_PI 3.14159265358979323846

typedef struct shell_solver shell_solver;       /* embedded_shell_solve.c */
typedef struct shell_factor shell_factor;       /* embedded_shell_factor.c */
typedef struct shell_reference shell_reference; /* embedded_shell_reference.c */
typedef struct shell_carry shell_carry;         /* embedded_shell_carry.c */
typedef struct shell_contact shell_contact;     /* embedded_shell_contact.c */
typedef struct shell_waves shell_waves;         /* embedded_shell_waves.c */

struct ruga_embedded_shell {
    ruga_context *context;
    ruga_embedded_shell_def def;
    char label[96];  /* of warnings: "shell", with the name of its object */
    ruga_mesh *mesh; /* a copy: triangles and positions */
    topology *topo;
    size_t count;        /* vertices */
    double mean_edge;    /* m */
    double size;         /* m, diagonal of the box around it */
    double *areas;       /* (count) m², of each vertex at rest */
    double *thickness;   /* (count) m */
    double *stretch;     /* (count) N/m: E h */
    double *bend;        /* (count) N m: D */
    double *wavelengths; /* (count) m, by equation 3 */
    double *shifts;      /* (count) N/m: D k⁴ times area, the unit of foundation and shift */
    double *foundation;  /* (count) N/m: w, also of vertices in no triangle; NULL: none */
    uint8_t *held;       /* (count) 1: fixed to the carrier; NULL: none is */
    double mean_stretch; /* N/m: γ of the paper, which makes both residuals comparable */

    membrane *membrane;
    hinges *hinges;
    hinge_pairs *pairs; /* the couplings of hinges */
    block_matrix *hessian;
    ruga_map *rows;    /* (clusters x count) H for one coordinate */
    ruga_map *columns; /* its transpose */

    vec3 *x;              /* (count) m */
    vec3 *carrier;        /* (count) m: p of the last update */
    vec3 *multipliers;    /* (clusters) N: μ */
    double target;        /* N, residual at which a solve ends */
    int most_steps;       /* of Newton's method in this substep */
    shell_solver *solver; /* one of these two */
    shell_reference *reference;
    shell_carry *carry;
    shell_waves *waves;
    shell_contact *contact; /* NULL: the skin passes through everything */
    int is_fresh;           /* this is the first frame that leaves the rest pose */
    double *softness;       /* (clusters) m/N: of those that yield; 0: the others; NULL without contact */
    size_t soft_count;      /* clusters that yield */
    vec3 *origin, *goal;    /* (count) m, scratch: the carrier of the last frame, and of a substep */
    vec3 *before;           /* (count) m, scratch: the skin of the last frame */
    vec3 *last;             /* (count) m, scratch: the skin of the last substep */
    vec3 *moved;            /* (count) m, scratch: the same as the carrier moves it: another start */
    vec3 *kept;             /* (count) m, scratch: the start of a step */
    vec3 *offsets;          /* (count) m, scratch: in the frame of each vertex */
    vec3 *normals;          /* (count) of the carrier */
    vec3 *forces;           /* (count) N, scratch */
    vec3 *constraints;      /* (clusters) m, scratch: H (x - p) */
    void *normal_scratch;
    ruga_embedded_shell_report report;
    /* For tests: called with the merit before each Newton step, and with NaN before the first; NULL: none. */
    void (*watch)(void *watcher, double merit);
    void *watcher;
};

/* ---- embedded_shell_material.c */
/* given: the caller's mesh, with the attributes that parameters name. */
ruga_status shell_prepare_material(ruga_embedded_shell *shell, const ruga_mesh *given);
ruga_status shell_warn(ruga_embedded_shell *shell);
/* The error where a matrix of the surface is not definite, as rounding makes it where triangles have nearly no area:
 * names the flattest triangle, and the remedy. */
ruga_status shell_fail_at_sliver(const ruga_embedded_shell *shell);

/* ---- embedded_shell_centres.c. A centre is a point of a triangle. */
typedef struct shell_centre {
    vec3 place; /* m */
    uint32_t triangle;
} shell_centre;
typedef ARRAY(shell_centre) shell_centre_array;
/* radii: (count) m, r at each vertex. */
ruga_status shell_place_centres(const ruga_embedded_shell *shell, const double *radii, double spacing,
                                shell_centre_array *out);

/* ---- embedded_shell_rows.c */
ruga_status shell_make_rows(ruga_embedded_shell *shell);
/* λ that sizes the constraints at a vertex, m. */
double shell_cluster_wavelength(const ruga_embedded_shell *shell, size_t vertex);

/* ---- embedded_shell_spectrum.c */
ruga_status shell_make_spectrum(ruga_embedded_shell *shell);

/* ---- embedded_shell_energy.c */
ruga_status shell_make_energy(ruga_embedded_shell *shell);
double shell_energy(const ruga_embedded_shell *shell, const vec3 *x);
/* out = dE/dx; returns E. */
double shell_gradient(const ruga_embedded_shell *shell, const vec3 *x, vec3 *out);
/* Of membrane, bending and contact. */
void shell_elastic_gradient(const ruga_embedded_shell *shell, const vec3 *x, vec3 *out);
/* Linearises at x: the Hessian, with the foundation, in shell->hessian. */
ruga_status shell_linearise(ruga_embedded_shell *shell, const vec3 *x);
/* The same, of membrane, bending and contact, replaced by a semidefinite matrix term by term. */
ruga_status shell_linearise_definite(ruga_embedded_shell *shell, const vec3 *x);
/* out = K in, with everything. */
void shell_multiply(const ruga_embedded_shell *shell, const vec3 *in, vec3 *out);

/* ---- embedded_shell_contact.c, _pairs.c and _surfaces.c. All of them do nothing without contact. */
ruga_status shell_contact_create(ruga_embedded_shell *shell, shell_contact **out);
void shell_contact_destroy(shell_contact *c); /* NULL is fine */
/* The next search depends on nothing before. */
void shell_contact_forget(ruga_embedded_shell *shell);
/* Of the first search since then that had no memory. */
ruga_status shell_contact_status(const ruga_embedded_shell *shell);
double shell_contact_energy(const ruga_embedded_shell *shell, const vec3 *x);
double shell_contact_gradient(const ruga_embedded_shell *shell, const vec3 *x, vec3 *out); /* adds */
/* Adds to the diagonal of the Hessian: its own blocks there, or with is_bound an upper bound of all. */
void shell_contact_linearise(ruga_embedded_shell *shell, const vec3 *x, int is_bound);
/* Adds the product with the blocks beside the diagonal. */
void shell_contact_add_product(const ruga_embedded_shell *shell, const vec3 *in, vec3 *out);
size_t shell_contact_count(const ruga_embedded_shell *shell); /* pairs within reach, of the last gradient */
/* The part of the straight line from x to an end that leads through nothing; 1: all of it. */
double shell_contact_limit(const ruga_embedded_shell *shell, const vec3 *x, const vec3 *end);
/* Whether nothing intersects. */
int shell_contact_is_free(const ruga_embedded_shell *shell, const vec3 *x);
/* From now on the vertices of triangles that intersect at x pass through everything, and those inside the obstacle
 * through it; no others. x NULL: none. Returns their number. */
size_t shell_contact_ignore_penetrating(ruga_embedded_shell *shell, const vec3 *x);
/* Marks the vertices that limited the last step; (count). */
void shell_contact_mark_blocked(const ruga_embedded_shell *shell, const vec3 *x, const vec3 *end, unsigned char *marks);
/* Into how many substeps the motion of a frame has to be divided for the other surfaces that come near. */
int shell_contact_substeps(const ruga_embedded_shell *shell, const vec3 *carrier);
/* Moves the other surfaces by a part of their motion in this frame. Returns how many vertices of the skin, which stays,
 * they move through: these pass from now on. */
size_t shell_contact_move_surfaces(ruga_embedded_shell *shell, double part);
int shell_contact_has_surfaces(const ruga_embedded_shell *shell);
/* To where they were at the start of the frame. */
void shell_contact_return_surfaces(ruga_embedded_shell *shell);
/* The vertices that pass, and where other surfaces are. */
void shell_contact_save(const ruga_embedded_shell *shell, state_writer *writer);
ruga_status shell_contact_load(ruga_embedded_shell *shell, state_reader *reader);

/* ---- embedded_shell_yield.c */
void shell_yield_none(ruga_embedded_shell *shell);
void shell_yield_all(ruga_embedded_shell *shell);
/* Those that have a marked vertex; marks: (count). */
void shell_yield_at(ruga_embedded_shell *shell, const unsigned char *marks);
/* Marks all vertices of the clusters that yield. */
void shell_yield_mark(const ruga_embedded_shell *shell, unsigned char *marks);
double shell_yield_energy(const ruga_embedded_shell *shell, const vec3 *x, vec3 *gradient); /* adds; may be NULL */
void shell_yield_add_product(const ruga_embedded_shell *shell, const vec3 *in, vec3 *out);
/* The weights of H, scaled so that a factor with the softness ε of every row has that of each. */
void shell_yield_scale(const ruga_embedded_shell *shell, double softness, double *weights);

/* ---- embedded_shell_frame.c */
/* To a new carrier; x and the report of it. On failure nothing changes. */
ruga_status shell_move(ruga_embedded_shell *shell, const vec3 *carrier);

/* ---- embedded_shell_carry.c */
ruga_status shell_carry_create(ruga_embedded_shell *shell, shell_carry **out);
void shell_carry_destroy(shell_carry *s); /* NULL is fine */
/* out = x, turned as the carrier is from one place to another, but as long as before. */
void shell_carry_skin(const ruga_embedded_shell *shell, shell_carry *s, const vec3 *from, const vec3 *to, const vec3 *x,
                      vec3 *out);
/* A carrier between two: by a part of all rotations and of all stretches. */
void shell_carry_between(const ruga_embedded_shell *shell, shell_carry *s, const vec3 *from, const vec3 *to,
                         double part, vec3 *out);

/* out = x after a part of a step, along which every triangle turns by finite rotations. */
void shell_carry_step(const ruga_embedded_shell *shell, shell_carry *s, const vec3 *x, const vec3 *step, double part,
                      vec3 *out);

/* ---- embedded_shell_waves.c */
ruga_status shell_waves_create(const ruga_embedded_shell *shell, shell_waves **out);
void shell_waves_destroy(shell_waves *w); /* NULL is fine */

/* ---- Solvers: x from its start to the equilibrium, multipliers and the report's numbers of this update. A status of
 * RUGA_WARNING_NOT_CONVERGED with report.stalled: x is of no use. start: the residual that tolerances are relative to,
 * N. */
ruga_status shell_solver_create(ruga_embedded_shell *shell, shell_solver **out);
void shell_solver_destroy(shell_solver *s); /* NULL is fine */
/* The next solve depends on nothing before. */
void shell_solver_forget(shell_solver *s); /* NULL is fine */
ruga_status shell_solve(ruga_embedded_shell *shell, double start);
void shell_solver_save(const ruga_embedded_shell *shell, state_writer *writer);
ruga_status shell_solver_load(ruga_embedded_shell *shell, state_reader *reader);

typedef enum shell_factor_kind {
    SHELL_FACTOR_AUTO = 0, /* by the width of the rows */
    SHELL_FACTOR_SPARSE,   /* one factor of Hessian and rows */
    SHELL_FACTOR_DENSE     /* a dense Schur complement of the rows */
} shell_factor_kind;
ruga_status shell_factor_create(ruga_embedded_shell *shell, shell_factor_kind kind, shell_factor **out);
void shell_factor_destroy(shell_factor *f); /* NULL is fine */
/* Of the Hessian as it was linearised last, with the shift τ. 0: it is not definite on the null space of H. */
int shell_factor_make(ruga_embedded_shell *shell, shell_factor *f, double shift);
/* The same with the first shift from `*shift` to a greatest one for which it is; 0: there is none. */
int shell_factor_search(ruga_embedded_shell *shell, shell_factor *f, double most, double *shift);
/* z, (count), and y, (clusters), become the solution of G z + Hᵀy = z, H z = y. y: NULL without clusters. */
void shell_factor_solve(ruga_embedded_shell *shell, shell_factor *f, vec3 *z, vec3 *y);

ruga_status shell_reference_create(ruga_embedded_shell *shell, shell_reference **out);
void shell_reference_destroy(shell_reference *r); /* NULL is fine */
ruga_status shell_solve_reference(ruga_embedded_shell *shell, double start);

/* The residual of the paper's system, N: of g + Hᵀμ, left in `gradient`, and of γ H (x - p); H (x - p) is left in
 * `constraints`. multipliers: NULL: zero. */
double shell_residual(const ruga_embedded_shell *shell, const vec3 *x, const vec3 *multipliers, vec3 *gradient,
                      vec3 *constraints);

/* A number between -1 and 1 for each i, without a pattern. */
static inline double shell_noise(uint32_t i) {
    uint32_t x = (i + 1) * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    return (double)(x ^ x >> 13) / 2147483648.0 - 1;
}

#endif
