/* Creases for engines that have a solver of their own: ruga/crease.h over wrinkle/crease.h. */
#include "ruga/crease.h"

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "wrinkle/crease.h"

typedef struct owned_creases {
    ruga_creases base;
    crease c;
    crease_fold *folds;          /* (base.fold_count) */
    ruga_crease *creases;        /* (base.crease_count) */
    ruga_crease_fold *for_users; /* (base.fold_count) */
    size_t vertex_count;         /* of the mesh */
} owned_creases;

ruga_creases_def ruga_creases_def_default(void) {
    return (ruga_creases_def){.cookie = RUGA_COOKIE, .spacing = crease_def_default().spacing};
}

const char *ruga_crease_end_name(ruga_crease_end end) {
    static const char *const names[] = {"border", "star", "stem", "tip"};
    return end >= RUGA_CREASE_BORDER && end <= RUGA_CREASE_TIP ? names[end] : "unknown";
}
_Static_assert((int)RUGA_CREASE_STAR == (int)CUT_STAR && (int)RUGA_CREASE_STEM == (int)CUT_STEM &&
                   (int)RUGA_CREASE_TIP == (int)CUT_TIP && (int)RUGA_CREASE_BORDER == (int)CUT_BORDER,
               "ends are those of lines");

void ruga_creases_destroy(ruga_creases *creases) {
    owned_creases *o = (owned_creases *)creases;
    if (!o) return;
    ruga_context *context = o->base.context;
    RELEASE_ALL(context, o->folds, o->creases, o->for_users);
    crease_release(&o->c);
    memory_release(context, o);
}

static void describe(owned_creases *o) {
    for (size_t i = 0; i < o->c.lines.line_count; i++) {
        const cut_line *line = &o->c.lines.lines[i];
        o->creases[i] = (ruga_crease){.name = line->trace->name,
                                      .curve = line->curve,
                                      .closed = line->closed,
                                      .length = line->length,
                                      .trace = line->trace,
                                      .vertex_count = o->c.cut.paths[i].count,
                                      .vertices = o->c.cut.paths[i].vertices};
        for (int end = 0; end < 2 && !line->closed; end++) o->creases[i].ends[end] = (ruga_crease_end)line->ends[end];
    }
    for (size_t i = 0; i < o->base.fold_count; i++) {
        const crease_fold *fold = &o->folds[i];
        ruga_crease_fold *out = &o->for_users[i];
        *out = (ruga_crease_fold){.crease = fold->line, .length = fold->length};
        memcpy(out->left, fold->left, sizeof out->left);
        memcpy(out->right, fold->right, sizeof out->right);
        memcpy(out->along, fold->along, sizeof out->along);
    }
}

static void show(owned_creases *o) {
    ruga_creases *base = &o->base;
    base->visible = o->c.cut.mesh;
    base->cut_map = o->c.cut.map;
    base->simulated = o->c.nodes.simulated;
    base->shares = o->c.nodes.shares;
    base->triangle_parent = o->c.nodes.triangle_parent;
    base->vertex_of = o->c.nodes.vertex_of;
    base->bound = o->c.bound;
    base->shown = o->c.nodes.visible;
    base->crease_count = o->c.lines.line_count;
    base->creases = o->creases;
    base->folds = o->for_users;
    describe(o);
}

static ruga_status check(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count,
                         const ruga_creases_def *def) {
    if (def->cookie != RUGA_COOKIE)
        return fail_argument(mesh->context, "creases: the def was not made by ruga_creases_def_default");
    if (!(def->spacing >= 1 && def->spacing <= 1000))
        return fail_argument(mesh->context, "creases: the spacing is %g edges; give 1 to 1000", def->spacing);
    if (!curves || count == 0) return fail_argument(mesh->context, "creases: there are no curves");
    return RUGA_OK;
}

ruga_status ruga_creases_create(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count,
                                const ruga_creases_def *def, ruga_creases **out) {
    ruga_creases_def values = def ? *def : ruga_creases_def_default();
    crease_def inner = crease_def_default();
    owned_creases *o = NULL;
    TRY(check(mesh, curves, count, &values));
    inner.spacing = values.spacing;
    TRY(NEW_ZEROED(mesh->context, &o, 1));
    o->base.context = o->c.context = mesh->context;
    o->vertex_count = mesh->vertex_count;
    ruga_status status = crease_make(mesh, curves, count, &inner, &o->c);
    if (!RUGA_FAILED(status)) status = crease_folds_make(&o->c, &o->base.fold_count, &o->folds);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(mesh->context, &o->creases, o->c.lines.line_count);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(mesh->context, &o->for_users, o->base.fold_count);
    if (!RUGA_FAILED(status)) show(o);
    RETURN_MADE(status, &o->base, out, ruga_creases_destroy(&o->base));
}

double ruga_creases_angle(const ruga_creases *creases, size_t fold, const ruga_vec3 *points, ruga_vec3 gradient[6]) {
    return crease_fold_angle(&((const owned_creases *)creases)->folds[fold], points, gradient);
}

void ruga_creases_masses(const ruga_creases *creases, double density, double *masses) {
    const ruga_mesh *mesh = creases->simulated;
    for (size_t v = 0; v < mesh->vertex_count; v++) masses[v] = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (size_t k = 0; k < 3; k++)
            masses[mesh->triangles[3 * (size_t)t + k]] +=
                density * creases->shares[t] * mesh_triangle_area(mesh, t) / 3;
}

void ruga_creases_rest(const ruga_creases *creases, ruga_vec3 *unknowns) {
    const owned_creases *o = (const owned_creases *)creases;
    memcpy(unknowns, creases->simulated->positions, o->vertex_count * sizeof *unknowns);
    for (size_t i = o->vertex_count; i < creases->bound->columns; i++) unknowns[i] = (ruga_vec3){0, 0, 0};
}

double ruga_creases_gap(const ruga_creases *creases, const ruga_vec3 *points) {
    return crease_gap(&((const owned_creases *)creases)->c, points);
}
