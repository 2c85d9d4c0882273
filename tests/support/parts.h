/* Small parts for tests of the step: a body of points and springs, a hook, a detail and a contact solver. Each can
 * write down who was called when, and each has a state of its own that decides what comes next, so that a state that is
 * not saved shows. */
#ifndef TESTS_PARTS_H
#define TESTS_PARTS_H

#include "body/body.h"
#include "contact/contact_interface.h"
#include "support/support.h"

/* "a.predict a.push.force b.predict …", words with a space after each. */
typedef struct call_log {
    char text[8192];
    size_t length;
} call_log;
void call_log_add(call_log *log, const char *owner, const char *what); /* a NULL log is left alone */
void call_log_clear(call_log *log);

/* ---- Points joined by springs along the edges of a mesh, with gravity and air; semi-implicit Euler. Measures: kinetic
 * and potential energy at the end of the frame, J; substeps. */
typedef struct test_body_def {
    const char *name;
    call_log *log;
    double mass;        /* kg, of each point */
    double stiffness;   /* N/m */
    double drag;        /* kg/s */
    double stir;        /* N, of pseudo-random forces; the random numbers are its state */
    ruga_vec3 velocity; /* m/s, at the start */
    double break_at;    /* s, when the velocity of point 1 becomes NaN; 0: never */
    /* Points are the vertices of `coarse`, and the body's mesh is embedded in it: vertices and collision surface are W
     * times the points. NULL: vertex i is point i. */
    const ruga_mesh *coarse;
    const ruga_map *embedding;
} test_body_def;
ruga_status test_body_create(const ruga_mesh *mesh, const test_body_def *def, body **out);

ruga_vec3 test_momentum(const body *b);         /* kg m/s, accepted */
ruga_vec3 test_angular_momentum(const body *b); /* kg m²/s, about the origin */

/* ---- A hook that pushes with a force that swings with the number of substeps, its state; moves candidates, and slows
 * velocities down. Measures: calls. */
typedef struct test_hook_def {
    const char *name;
    call_log *log;
    ruga_vec3 force;  /* N, on each point */
    ruga_vec3 shift;  /* m, of candidate positions; velocities by as much in a second */
    double slow;      /* 1, part of the velocity that is lost after each substep */
    ruga_status fail; /* what before_contact returns */
} test_hook_def;
ruga_status test_hook_create(ruga_context *context, const test_hook_def *def, part **out);

/* ---- A detail that follows its input with a delay and rises with its age, its state; or, without a state, lifts its
 * input. Measures: age. */
typedef struct test_detail_def {
    const char *name;
    call_log *log;
    double delay;      /* s; 0: no state, the input plus lift */
    double lift;       /* m, or m/s of its age */
    int gives_normals; /* all (0, 0, 1) */
    double break_at;   /* s, when vertex 2 becomes infinite; 0: never */
    /* Gives contact a surface: this mesh and map from the body's points. */
    const ruga_mesh *surface;
    const ruga_map *surface_map;
} test_detail_def;
ruga_status test_detail_create(const ruga_mesh *input, const test_detail_def *def, part **out);

/* ---- Contact between any two surfaces: of vertices that come nearer than `distance` and still approach, the two
 * exchange the impulse along the line between them that ends it. Measures: contacts. */
typedef struct test_contact_def {
    call_log *log;
    double distance; /* m */
} test_contact_def;
enum { TEST_SURFACES = 8 };
typedef struct test_contact {
    contact base;
    test_contact_def def;
    uint64_t resolved;                /* substeps, its state: every seventh resolves nothing */
    ruga_vec3 impulse[TEST_SURFACES]; /* N s, on each surface in the last substep */
    ruga_vec3 turning[TEST_SURFACES]; /* N s m, its moment about the origin */
} test_contact;
ruga_status test_contact_create(ruga_context *context, const test_contact_def *def, contact **out);

#endif
