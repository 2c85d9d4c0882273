/* Creases: sharp folds in a cloth along drawn curves, on a mesh of any size (Patkar, Jin and Fedkiw 2015).
 *
 *     curves ──▶ lines (geom/cut_lines.h) ──▶ cut mesh ──▶ virtual nodes (geom/virtual_nodes.h) ──▶ binding x = T y
 *
 * The mesh is cut along the creases by the virtual node algorithm (section 3), and the pieces are joined again so that
 * they can only fold. The paper joins them by one equation for each cut edge (section 4). Cut edges share vertices, and
 * these equations leave a single free vector for a whole crease: its fold can't vary along it, and long or curved
 * creases lock. Here virtual nodes are bound to a ridge instead. For a vertex with signed distance s from a crease, at
 * σ along it, its copies on the left and on the right of the crease obey
 *
 *     x_left - x_right = s D(σ),   D(σ) = Σ_j N_j(σ) D_j
 *
 * with one fold vector D_j for every hat N_j, which are `spacing` edges apart. A fold by the angle φ has |D| = 2 sin
 * φ/2. The unknowns y are the vertices of the mesh and the fold vectors. A copy behind several cuts adds their terms.
 * For constant D there is no gap between the sides. Else, where the crease crosses an edge AB with hats l apart, it is
 *
 *     |s_A s_B| / (|s_A| + |s_B|) |D(σ_A) - D(σ_B)|  ≤  |AB| |σ_A - σ_B| / (4 l) max |D_{j+1} - D_j|
 *
 * whatever the load. Along a straight crease this is at most |AB|² / (8 l) max |D_{j+1} - D_j|; at a corner σ changes
 * faster, and where several creases meet their gaps add up (crease_gap.c). A step in the bound space can't be less
 * stable than one of the mesh before it was cut.
 *
 * Ends. At the border D is free. At a tip inside the cloth, and where a crease ends on another one, D is 0. Where rays
 * with directions t_i meet in a star, the copies agree around it if
 *
 *     Σ_i D_i(0) ⊗ n_i = 0,   n_i: t_i turned by 90 degrees to the left
 *
 * so D_i(0) = Σ_m B_im Z_m with a basis B of the null space of [n_1 … n_k], and the vectors Z_m are the unknowns there.
 *
 * Solids (section 7). The cuts continue into the tets (geom/tet_cut.h). Copies on the surface are bound as above; those
 * inside are unknowns of their own, after the fold vectors, so that a crack stays open below the surface. Near the ends
 * of a crease, where the sides are connected below the surface, D is 0.
 */
#ifndef WRINKLE_CREASE_H
#define WRINKLE_CREASE_H

#include "body/part.h"
#include "energy/energy.h"
#include "geom/cut_lines.h"
#include "geom/tet_cut.h"
#include "geom/virtual_nodes.h"
#include "ruga/crease.h"

/* How creases are cut and bound. Scenes (ruga_crease_def) and programs (ruga_creases_def) choose the spacing alone. */
typedef struct crease_def {
    double spacing; /* edges between two hats; 2 */
    double depth;   /* edges: of a solid, how deep it is cut (geom/tet_cut.h); 0: its surface alone. 0 */
} crease_def;
crease_def crease_def_default(void);

/* The fold vectors of one line. */
typedef struct crease_ridge {
    size_t knot_count;  /* hats: knots at `from` … length, or of a closed line each at its beginning */
    double from;        /* m, σ of the first knot: 0, or of a solid where its sides are separated */
    double spacing;     /* m, between knots */
    size_t *offsets;    /* (knot_count + 1) into the next two: D at a knot = Σ weight · unknown */
    uint32_t *unknowns; /* of y */
    double *weights;
} crease_ridge;

typedef struct crease {
    ruga_context *context;
    cut_lines lines;
    curve_cut cut;        /* its mesh is the visible one */
    virtual_nodes nodes;  /* its mesh is the simulated one, of a solid with its tets */
    tet_cut solid;        /* of a solid; its mesh is in `nodes` */
    crease_ridge *ridges; /* (lines) */
    ruga_map *bound;      /* T: simulated points from unknowns, the mesh's vertices first */
} crease;

/* RUGA_ERROR_INPUT names the curve and the place that can't be cut. */
ruga_status crease_make(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count, const crease_def *def,
                        crease *out);
void crease_release(crease *c);
/* The same with lines that were found before, which it takes over, also on failure; at least one. */
ruga_status crease_make_of_lines(const ruga_mesh *mesh, cut_lines *lines, const crease_def *def, crease *out);

/* The next step of making a crease that was cut on its surface (crease_solid.c): cuts the tets below, so that `nodes`
 * has their copies. RUGA_ERROR_INPUT for a mesh without tets, and as tet_cut_make. */
ruga_status crease_cut_solid(const ruga_mesh *mesh, double depth, crease *c);

/* ---- Creases that are added or removed (crease_change.c): maps between two cuts of one mesh along lines of one set,
 * so that a line has the same number, places and knots in both. NULL: the mesh itself, without a cut.
 *
 *     points     new simulated points = W old ones. Fold vectors of lines that stay are kept, those of new lines are 0,
 *                those of lines that go are dropped: vertices of the mesh stay, and both poses are in their bound space
 *     vertices   new visible vertices = W old ones: where they lie on the old visible mesh
 *
 * RUGA_ERROR_INPUT names a line that is too near to others to be removed alone. */
ruga_status crease_change_maps(const ruga_mesh *mesh, const crease *from, const crease *to, ruga_map **points,
                               ruga_map **vertices);

/* ---- Folds: springs against the angle between the two sides of each cut triangle, which act on its copies.
 *
 * The angle is φ = atan2((N_right × N_left) · t, N_right · N_left), t along the crease: 0 where both sides are as at
 * rest, positive (a valley, seen from the front of the faces) where they come up towards the viewer, negative (a
 * mountain) where they go down. The energy of a triangle with a piece of length l is ½ k l (φ - φ0)², with the
 * difference taken within (-π, π]. */
typedef struct crease_fold {
    uint32_t line;
    uint32_t curve;             /* the drawn one that this piece belongs to: a line may be made of several */
    double part;                /* 1, of the curve's length: where its middle is, 0 at the curve's first point */
    uint32_t from, to;          /* its ends, vertices of the visible mesh */
    uint32_t left[3], right[3]; /* simulated points: copies of the same three vertices */
    double distances[3];        /* m, s of these vertices; 0: not known, beyond an end */
    double alongs[3];           /* m, σ of these */
    double along[3];            /* weights of the corners that give the direction of the crease; their sum is 0 */
    double length;              /* m, at rest */
} crease_fold;

/* (*count) folds, from the context's memory. */
ruga_status crease_folds_make(const crease *c, size_t *count, crease_fold **out);

/* φ, rad, and its gradient: of left corners 0 to 2, of right corners 3 to 5; NULL: not wanted. */
double crease_fold_angle(const crease_fold *fold, const ruga_vec3 *points, ruga_vec3 gradient[6]);

/* ---- Further springs of a solid's creases.
 *
 * Links keep fold vectors alike: between two places of a hat's interval, with U = ½ k |D_{j+1} - D_j|². Without them a
 * solid uses jumps of D to spread the gap between both sides. D at a vertex is the distance of its copies over s. */
typedef struct crease_link {
    uint32_t line;
    uint32_t points[4]; /* simulated points */
    double weights[4];  /* 1/m: Σ w x is D_{j+1} - D_j */
    double size;        /* m³, e⁴ over the distance of the hats: stiffness over Young's modulus */
} crease_link;
ruga_status crease_links_make(const crease *c, size_t *count, crease_link **out);

/* A place on a crease that a spring pulls inwards, or a force pushes: a vertex of the visible mesh. */
typedef struct crease_anchor {
    uint32_t line, curve;
    double part;        /* 1, of the curve's length: 0 at its first point */
    double end;         /* m, to the nearer end of the crease; infinite: it is closed */
    double length;      /* m, of the crease that it stands for */
    uint32_t vertex;    /* of the visible mesh */
    ruga_vec3 at;       /* m, at rest */
    ruga_vec3 inwards;  /* unit, at rest */
    uint32_t points[4]; /* the tet that contains its anchor point, if that was looked for */
    double weights[4];  /* of these */
} crease_anchor;
/* depth: m, of the anchor points; 0: they are not looked for. RUGA_ERROR_INPUT names a curve whose anchor point is
 * outside of the body. */
ruga_status crease_anchors_make(const crease *c, double depth, size_t *count, crease_anchor **out);

/* Rigid motions around anchors (crease_turn.c): of pins or flesh, with which pushes turn, and of bones, with which
 * fixed inner ends move. */
typedef struct crease_motion {
    ruga_vec3 from, to; /* m, a place at rest, and where it is now */
    mat3 turn;          /* about it */
} crease_motion;
/* The motion that fits weighted points best; points on one line do not turn. */
crease_motion crease_motion_fit(size_t count, const uint32_t *points, const double *weights, const ruga_vec3 *rest,
                                const ruga_vec3 *now);
ruga_vec3 crease_motion_place(const crease_motion *m, ruga_vec3 rest); /* of a place at rest */

/* The points around each anchor, on both sides of the crack and below it. */
typedef struct crease_surroundings {
    uint32_t *offsets; /* (anchors + 1) into points and weights */
    uint32_t *points;
    double *weights;
} crease_surroundings;
ruga_status crease_surroundings_make(const ruga_mesh *mesh, double radius, size_t count, const crease_anchor *anchors,
                                     crease_surroundings *out);
void crease_surroundings_release(ruga_context *context, crease_surroundings *s);

/* ---- The energy of creases in a solid, over its simulated points (crease_energy.c): springs between both sides of a
 * cut and on its edge.
 *
 *     folds      ½ k (φ - φ0)²              against the angle between both sides of a cut triangle
 *     sections   ½ k V² / A where V < 0     against overlap of the crack: V = (m_left - m_right) · N, with the middles
 *                                           of a section on both sides, its area vector N half way between them, and
 *                                           its area A at rest. A crack that opens costs nothing.
 *     links      ½ k |D_{j+1} - D_j|²       against jumps of the fold vector along a crease
 *     anchors    ½ k (|d| - r)²             springs from the edge of a fold to points inside, of length r
 *     pushes     f · (x₀ - x)               constant forces on the edge, which would be at x₀ if it were not folded
 *
 * The first two have Gauss and Newton's Hessian, anchors that of a spring without its negative part: all are positive
 * semidefinite.
 */
/* A spring from a mean of points to a fixed target, or, with weights that sum to 0, between two means. */
typedef struct anchor_spring {
    uint32_t first, count; /* into points and weights */
    double stiffness;      /* N/m */
    double rest;           /* m */
    vec3 target;           /* m */
    vec3 direction;        /* unit, of a spring without length */
    vec3 push;             /* N, on the mean of the first points: those of positive weight */
    vec3 origin;           /* m, where that mean is without a push: its energy is 0 there */
} anchor_spring;

typedef struct crease_energy crease_energy;

typedef struct crease_energy_def {
    ruga_context *context;
    size_t point_count;
    size_t fold_count, section_count, link_count, anchor_count;
    const crease_fold *folds;     /* (fold_count) these four are the owner's */
    const tet_section *sections;  /* (section_count) */
    const crease_link *links;     /* (link_count) */
    const crease_anchor *anchors; /* (anchor_count) */
    const ruga_map *visible;      /* rows of the anchors' vertices */
    int is_tied;                  /* anchor points move with their tets, which feel the springs */
    double crack;                 /* Pa/m, of sections */
    double evenness;              /* Pa, of links, times their size */
} crease_energy_def;

ruga_status crease_energy_create(const crease_energy_def *def, crease_energy **out);
void crease_energy_destroy(crease_energy *e); /* NULL is fine */
energy_term *crease_energy_term(crease_energy *e);

/* Of the current substep. The factor is that of crack and evenness. */
void crease_energy_set_factor(crease_energy *e, double factor);
void crease_energy_set_fold(crease_energy *e, size_t fold, double stiffness, double angle); /* N m, rad */
anchor_spring *crease_energy_anchor(crease_energy *e, size_t anchor); /* all but first, count may change */
/* After the change of any of these. */
void crease_energy_changed(crease_energy *e);

/* The greatest overlap of both sides of a crack, m. */
double crease_energy_overlap(const crease_energy *e, const vec3 *positions);

/* D at a knot, and at a place along a line, of unknowns or of their velocities. */
ruga_vec3 crease_knot_vector(const crease_ridge *r, size_t knot, const ruga_vec3 *unknowns);
ruga_vec3 crease_fold_vector(const crease *c, size_t line, double along, const ruga_vec3 *unknowns);

/* The greatest distance between two embedded nodes of one vertex, m, of simulated points. */
double crease_gap(const crease *c, const ruga_vec3 *points);
double crease_gap_of(const embedded_node *nodes, size_t count, const ruga_vec3 *points);
/* Its bound, m, by the geometry of the cut and the greatest |D_{j+1} - D_j| of each line, of unknowns. */
double crease_gap_bound(const crease *c, const ruga_vec3 *unknowns);

/* ---- The paper's own form, as the reference: hard-bound particles that are kept together by impulses (section 4).
 *
 * An embedded vertex with k nodes has k - 1 equations, each of which keeps one node at the first. With their weights as
 * columns of W_new, impulses I change the difference of velocities by W_newᵀ M⁻¹ W_new I: symmetric and positive
 * definite, with the sum of effective inverse masses 1/m_h on its diagonal, and factored once. */
typedef struct crease_exact crease_exact;

/* masses: (simulated points) kg. RUGA_ERROR_INPUT names, with a triangle, a closed crease, whose equations depend on
 * each other or lock it, the crease of an equation that depends on others, and one that they keep flat: the difference
 * of the copies at one cut edge determines that at the next, and it is 0 where a crease ends on another one. */
ruga_status crease_exact_create(const crease *c, const double *masses, crease_exact **out);
/* The same of (count) nodes alone, over points of equal masses. */
ruga_status crease_exact_of_nodes(ruga_context *context, const embedded_node *nodes, size_t count, size_t point_count,
                                  crease_exact **out);
/* Other inverse masses, (points) 1/kg, and the compliance of springs below. It is factored again if one has changed.
 * Points of inverse mass 0 do not move; equations of such points alone do nothing. */
ruga_status crease_exact_use(crease_exact *e, const double *inverse_masses, double compliance);
void crease_exact_destroy(crease_exact *e);                                  /* NULL is fine */
size_t crease_exact_count(const crease_exact *e);                            /* equations */
double crease_exact_entry(const crease_exact *e, size_t row, size_t column); /* 1/kg, of the matrix */

/* Post-stabilisation, equation 3: velocities without a difference between nodes. */
void crease_exact_post(crease_exact *e, ruga_vec3 *velocities);
/* Pre-stabilisation, equation 5: velocities that close all gaps in a step of dt. */
void crease_exact_pre(crease_exact *e, const ruga_vec3 *positions, double dt, ruga_vec3 *velocities);

/* After a solve that is implicit in damping, A v' = M v + h F with A = M + h C, pre-stabilisation alone has the wrong
 * rest state: the forces λ of the constraint, with F + W_new λ = 0 at rest, belong inside the solve. So its impulses
 * over dt are held as forces of the next steps. They converge, as A >= M, and change no momentum: they are equal and
 * opposite. The rest state then is that of the forces alone, whatever the step. */
void crease_exact_hold(crease_exact *e, double dt);                   /* after crease_exact_pre */
void crease_exact_add_held(const crease_exact *e, ruga_vec3 *forces); /* N, (points) */
ruga_vec3 *crease_exact_held(crease_exact *e);                        /* (equations) N, to save and load */

/* Two weaker forms that section 3 names, to compare with.
 * Springs of zero length and stiffness k between nodes, implicit: pre-stabilisation with the compliance 1 / (h² k),
 * 1/kg, on the diagonal. It leaves gaps under load; with 0 it is the exact form again.
 * Pairwise: equal and opposite impulses on one pair after another, in rounds; returns the greatest difference of
 * velocities that is left, m/s. */
ruga_status crease_exact_soften(crease_exact *e, double compliance);
double crease_exact_pairwise(const crease_exact *e, int rounds, ruga_vec3 *velocities);

/* How a part joins the pieces. All but the ridge are for explicit steps: see integrator.h. */
typedef enum crease_form { CREASE_RIDGE, CREASE_EXACT, CREASE_SOFT, CREASE_PAIRWISE, CREASE_POST } crease_form;

/* ---- Soft-bound particles (section 5), of CREASE_EXACT, as a reference: crease_soft.h has the formulas.
 * They give the cloth all of a contact's impulses, or as much as equation 6 as printed gives. */
typedef enum crease_particles { CREASE_NO_PARTICLES, CREASE_HAND_OVER, CREASE_EQUATION_6 } crease_particles;
typedef struct crease_soft crease_soft;

/* One for each of (count) nodes, sorted by vertices; without masses until crease_soft_use. */
ruga_status crease_soft_create(ruga_context *context, const embedded_node *nodes, size_t count, size_t points,
                               crease_soft **out);
void crease_soft_destroy(crease_soft *s); /* NULL is fine */
/* (points) kg; and 1/kg, 0 of points that do not move; NULL: 1 / masses. */
void crease_soft_use(crease_soft *s, const double *masses, const double *inverse_masses);
size_t crease_soft_count(const crease_soft *s);   /* particles; NULL: 0 */
ruga_vec3 *crease_soft_positions(crease_soft *s); /* (particles) m: the state between substeps */
/* Particles go to their places, with their velocities. */
void crease_soft_settle(crease_soft *s, const ruga_vec3 *positions, const ruga_vec3 *velocities);
/* The greatest distance of a particle from its place, m. */
double crease_soft_gap(crease_soft *s, const ruga_vec3 *positions);

/* A substep. Before contact: from accepted positions to candidates, which change. */
ruga_status crease_soft_before_contact(crease_soft *s, crease_exact *exact, const ruga_vec3 *accepted, double dt,
                                       ruga_vec3 *positions, ruga_vec3 *velocities);
/* After contact: accepted positions and velocities change, which have the impulses by the map to the visible vertices.
 * impulses: (visible vertices) N s; NULL: there was no contact. */
ruga_status crease_soft_after_contact(crease_soft *s, crease_exact *exact, crease_particles law,
                                      const ruga_map *visible, const ruga_vec3 *impulses, double dt,
                                      ruga_vec3 *positions, ruga_vec3 *velocities);

/* ---- The springs of section 6, as alternatives to those against angles, for comparisons.
 *
 * A spring joins two combinations of the six points of a fold: its vector is d = Σ w_k x_k, with the left points first
 * and Σ w_k = 0, its energy ½ k (|d| - r)². Rest lengths are those of a rigid fold by an angle φ. For a small fold the
 * stiffness is that of springs against angles.
 *     COPIES   between a vertex and its virtual copies (figure 3 d): r = 2 |s| sin φ/2
 *     ACROSS   between vertices across the cut, and from the middle of these springs to the cut (figure 3 e)
 * A length has no sign: the direction of a spring without a length decides to which side a flat sheet folds. */
typedef enum crease_law { CREASE_ANGLE, CREASE_COPIES, CREASE_ACROSS } crease_law;
typedef struct crease_spring {
    double weights[6];
    double stiffness, rest; /* N/m, m */
    vec3 direction;         /* of d where it is 0 */
} crease_spring;
#define CREASE_SPRINGS 4 /* of a fold at most */

/* stiffness: N m per radian, of the whole fold. Returns the number of springs. */
size_t crease_springs_make(const crease_fold *fold, crease_law law, double angle, double stiffness,
                           const ruga_vec3 *points, crease_spring out[CREASE_SPRINGS]);
double crease_spring_energy(const crease_fold *fold, const crease_spring *s, const ruga_vec3 *points); /* J */

/* ---- The part "crease". */

/* An angle at a place along a curve. */
typedef struct crease_place {
    double at;    /* 1, of the curve's length: 0 its first point, 1 its last */
    double angle; /* rad */
} crease_place;

/* The angle that a curve folds to: one of three, and times a progress that rises smoothly from 0 to 1. */
typedef struct crease_target {
    double angle;               /* rad, everywhere */
    const ruga_param *param;    /* degrees over the visible mesh, painted or keyed, instead; NULL: none */
    size_t place_count;         /* if above 0, linear between these instead */
    const crease_place *places; /* (place_count) rising; the caller's */
    double start, end;          /* s; equal: the angle is there from then on */
    /* rad, above 0: the sharpest fold of a pattern that this one belongs to. That fold grows with the progress, and
     * tangents of half the angles stay in proportion, as they do where four creases between rigid faces meet and the
     * pattern folds flat. 0: this fold itself grows with the progress. */
    double sharpest;
    crease_law law;   /* of its springs */
    double stiffness; /* N m per metre and radian; 0: none, the crease folds freely */
    double yield;     /* rad, beyond which it keeps the fold; 0: never */
    double hardening; /* 1, of the stiffness: kinematic; the yield range moves less the farther it has moved */
    double active;    /* s, until which the crease is locked: no forces, no yield; -INFINITY: never */
    int is_set;       /* at a time, `set`, the folds, as they are then, become the rest */
    double set;       /* s */
} crease_target;

/* Stiffness and yield of creases in a material. */
typedef struct crease_preset {
    const char *name;
    double stiffness;   /* N m per metre and radian */
    double yield;       /* degrees */
    const char *source; /* of the numbers */
} crease_preset;
size_t crease_preset_count(void);
const crease_preset *crease_preset_get(size_t preset); /* NULL: there is none */

/* A line as reports have it. */
typedef struct crease_rig_line {
    const char *name;
    int closed;
    double length;    /* m */
    size_t triangles; /* that it cuts */
    cut_end ends[2];
    size_t vertex_count;
    const uint32_t *vertices; /* (vertex_count) of the visible mesh, along it */
} crease_rig_line;

/* Where the inner ends of anchor springs are: at fixed places; at places that move with the body from substep to
 * substep; or within their tets, which feel the springs (effective instead of infinite mass). */
typedef enum crease_ground { CREASE_FIXED, CREASE_FOLLOWING, CREASE_TIED } crease_ground;

/* Of creases in a solid; the arrays must outlive the part. */
typedef struct crease_solid_rig {
    size_t section_count, link_count, anchor_count;
    const tet_section *sections;  /* (section_count) */
    const crease_link *links;     /* (link_count) */
    const crease_anchor *anchors; /* (anchor_count) */
    const ruga_map *shown;        /* visible vertices from simulated points */
    const ruga_mesh *simulated;   /* its vertices are these points */
    double edge;                  /* m, mean of the creases' triangles */
    double crack;                 /* Pa/m, against overlap of the crack */
    double evenness;              /* Pa, of links */
    double depth;                 /* m, of anchors at rest; 0: there are none */
    double stiffness;             /* N/m per metre of crease, of anchors */
    double fade;                  /* m from the ends, over which pull and push rise */
    crease_ground ground;
    const ruga_vec3 *pin_rest, *pin_targets; /* of all pins, m: at rest, and at the end of the current substep */
    size_t bone_count, guide_count;
    const uint32_t *bones;    /* (bone_count) pins that fixed ground moves with; 0: it is fixed in the scene */
    const uint32_t *guides;   /* (guide_count) pins that pushes turn with; 0: they turn with the flesh around them */
    const ruga_param *pull;   /* 1, of the depth, by which anchors are shorter; over the visible mesh; NULL: 0 */
    const ruga_param *push;   /* N per metre, inwards; NULL: 0 */
    const double *activation; /* 1, of a muscle, times which both act; NULL: 1 */
} crease_solid_rig;

/* The arrays of a crease that the part needs; they must outlive it. */
typedef struct crease_rig {
    size_t curve_count, fold_count, node_count;
    const crease_fold *folds;   /* (fold_count) */
    const embedded_node *nodes; /* (node_count) */
    const ruga_mesh *visible;   /* for targets with a param */
    crease_form form;
    crease_particles particles;
    size_t point_count;    /* simulated; of forms other than the ridge */
    double join_stiffness; /* N/m, of SOFT */
    size_t line_count;
    const crease_rig_line *lines;  /* (line_count) for reports */
    const crease_solid_rig *solid; /* NULL: of cloth */
} crease_rig;

/* The return mapping of plasticity with linear kinematic hardening: the change of the plastic angle of a fold that is
 * `off` from its rest angle, of which `plastic` is plastic. After it, |off - change - hardening (plastic + change)| is
 * at most `yield`. */
double crease_yield(const crease_target *t, double off, double plastic);

/* Adds forces towards the targets, (curves); copied. Measures: the greatest gap, m, and the greatest fold down and up,
 * degrees. Its state are the rest angles of folds that yielded or were set. */
ruga_status crease_part_create(ruga_context *context, const crease_rig *rig, const crease_target *targets, part **out);

/* The same for cloth whose creases change while it runs: one stage for each revision of the body, all with the same
 * curves. is_implicit: it has forces with a derivative even if all creases fold freely, so that cloth without a chosen
 * integrator has that of creases in all stages. */
typedef struct crease_stage {
    crease_rig rig;
    const crease_target *targets; /* (curves) copied */
} crease_stage;
ruga_status crease_part_create_staged(ruga_context *context, const crease_stage *stages, size_t count, int is_implicit,
                                      part **out);

/* Whether a part is one of these; and its lines, at the body's points. */
int part_is_crease(const part *p);
size_t crease_part_line_count(const part *p);
ruga_crease_report crease_part_report(const part *p, const body *b, size_t line, double time);

#endif
