/* Shared by the files of repulsion: rows, the pairs as the rounds see them, and the history.
 *
 * A row has the pair's gap at the start of the substep: unit normal n, weights w, tangents t1 and t2. With the
 * velocities v of its four vertices and q = n . v,
 *
 *     approach   d' = sum w q                         impulse on vertex i   w n
 *     slip k     s  = tk . sum w v + sum c_k q                              w tk + c_k n
 *
 * c is the part of the slip that the rotation of n removes. The normal stays at right angles to two arms a and b,
 * differences of the pair's vertices (two sides of the triangle, or the two edges, seen along n), so that n' = -(n .
 * a') A - (n . b') B with A, B the arms' dual basis. Then s = v - d' n - d n' vanishes for every rigid motion, and so
 * do the sum and the moment of its impulses. Where the arms are nearly parallel, or short relative to d, they do not
 * determine the rotation across: friction then acts along the longer arm alone, or not at all.
 */
#ifndef CONTACT_REPULSION_PARTS_H
#define CONTACT_REPULSION_PARTS_H

#include "base/memory.h"
#include "contact/repulsion.h"
#include "math/vec3.h"

/* A vertex as the rounds see it. */
typedef struct moving_vertex {
    vec3 velocity;       /* m/s, mean over the substep */
    double inverse_mass; /* 1/kg */
} moving_vertex;

typedef struct pair_row {
    uint32_t vertices[4];
    vec3 normal;        /* unit; towards the first part, on the side that it belongs to */
    vec3 tangents[2];   /* unit, or zero where there is no friction */
    double weights[4];  /* 1 */
    double turns[2][4]; /* 1, c above */
    double target;      /* m/s, least approach after the rounds */
    double normal_mass; /* kg, normal impulse per change of approach */
    double slip_mass;   /* kg, the same for slip, in its stiffest direction */
    double friction;    /* 1, of sliding; 0 where there are no tangents */
    double limit;       /* 1, greatest slip impulse over normal impulse: friction, kinetic or static */
    double impulse;     /* N s, along the normal, not negative */
    double slip_impulse[2];
    uint32_t kind;    /* pair_kind */
    uint32_t touch;   /* index among the touches */
    int is_near;      /* beyond its thickness: only a solve uses it */
    double solved[3]; /* N s: impulses, normal and slip, that a solve put on the vertices before repulsion */
    int side;         /* of the normal against that of triangle or edges: 1, -1; 0 where the gap ends at a border */
} pair_row;

/* A vertex at a plane. */
typedef struct plane_row {
    uint32_t vertex, plane;
    double target, friction, limit, impulse;
    vec3 slip_impulse;
    int touches; /* it is at its thickness or nearer */
} plane_row;

/* Friction at rest over friction of sliding is at most this for a contact that did not rest in the substep before. */
#define RATIO_AT_ONCE 1.25

/* How a contact moved in a substep. */
typedef enum contact_slide {
    SLIDES_NOT,
    SLIDES,       /* it has the friction of sliding in the next substep */
    SLID_IN_SOLVE /* in the common solve, with the friction that it began with: it has not rested */
} contact_slide;

/* A row of the last substep. Kinds are those of pairs, and one more: elements plane and vertex. */
enum { PAST_PLANE = PAIR_EDGE_EDGE + 1 };
typedef struct past_contact {
    uint32_t kind, elements[2];
    uint32_t slides;   /* at the end of the substep: contact_slide */
    int32_t side;      /* as in pair_row */
    double impulse;    /* N s */
    vec3 slip_impulse; /* N s, on the first part */
    vec3 normal;
} past_contact;
typedef ARRAY(past_contact) past_contacts; /* by kind, then elements */

/* A pair within its thickness. */
typedef struct touch {
    uint32_t pair; /* index among the candidates */
    uint32_t past; /* index in the history, NO_PAST if it has none */
    double thickness;
    pair_gap gap;
} touch;
#define NO_PAST UINT32_MAX

/* Whether the nearest points are not both inside: of the triangle, or of the edges. */
#define AT_BORDER 1e-9 /* weights below this are none */
static inline int ends_at_border(const pair_gap *gap) {
    const double *w = gap->weights;
    return fabs(w[0]) < AT_BORDER || fabs(w[1]) < AT_BORDER || fabs(w[2]) < AT_BORDER || fabs(w[3]) < AT_BORDER;
}

/* Rows are ordered by slabs: pieces of space with about the same number of rows. Rows between slabs come last. */
enum { SLABS = 8 };

struct repulsion {
    ruga_context *context;
    repulsion_law law; /* `planes` is a copy */
    past_contacts past, next;
    double past_dt;       /* s, length of the substep of `past` */
    ARRAY(touch) touches; /* by kind, then elements */
    ARRAY(pair_row) rows;
    size_t slab_ends[SLABS + 1]; /* in rows; the last are those between slabs */
    ARRAY(plane_row) plane_rows; /* by plane, then vertex */
    size_t *plane_ends;          /* (planes) in plane_rows */
    ARRAY(unsigned char) flags;  /* (candidates, touches or vertices) */
    ARRAY(moving_vertex) vertices;
    ARRAY(uint32_t) order;         /* (touches) by slabs */
    ARRAY(uint32_t) changed;       /* (vertices) the last round that changed it */
    ARRAY(vec3) impulses;          /* (vertices) N s, of the last substep; scratch afterwards */
    ARRAY(contact_row) solve_rows; /* for a solve of several bodies */
    int has_begun;                 /* touches and rows are those of this substep */
};

/* ---- repulsion_find.c: which pairs touch. */

/* Fills r->touches, without `past`. */
ruga_status find_touches(repulsion *r, const contact_mesh *m, const contact_pairs *pairs, const unsigned char *ignored,
                         pair_reach reach);
/* Fills r->plane_rows and their ends, without values from the history: by plane, then vertex. */
ruga_status find_plane_rows(repulsion *r, const contact_mesh *m, double dt);

/* ---- repulsion_row.c */

/* m/s: speed that removes the law's fraction of an overlap (m, not negative). */
double push_speed(const repulsion_law *law, double overlap, double dt);
/* A pair's row, without impulses; the normal is towards the side that the pair was on. */
pair_row row_of(const repulsion *r, const contact_mesh *m, const contact_pair *pair, const touch *t, double dt);
/* Approach and slip of a row. */
void row_motion(const pair_row *row, const moving_vertex *vertices, double *approach, double slip[2]);
/* Whether friction is at its limit: the row slides. */
int row_slides(const pair_row *row);
int plane_row_slides(const plane_row *row);

/* ---- repulsion_rounds.c */

/* Sets r->order and the slabs' ends. */
void order_touches(repulsion *r, const contact_mesh *m, const contact_pairs *pairs);
/* From the rows' recalled impulses to the final ones; changes below `settled`, m/s, are ignored. Vertices that get an
 * impulse are marked in r->changed. */
void run_rounds(repulsion *r, const contact_mesh *m, double settled);

/* ---- repulsion_history.c: from substep to substep. */

/* Sets `past` of all touches. */
void match_touches(repulsion *r, const contact_pairs *pairs);
/* Impulse and limit of the last substep, scaled to dt. */
void recall_row(const repulsion *r, pair_row *row, double dt);
void recall_plane_rows(repulsion *r, double dt);
/* The rows become the history; r->next has room for them. */
void keep_rows(repulsion *r, const contact_pairs *pairs, double dt);

#endif
