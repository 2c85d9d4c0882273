/* From a surface to the lattice: which points are inside, where the surface crosses its edges; and the report. */
#include "geom/tet_fill.h"

#include "base/threads.h"
#include "geom/bvh.h"
#include "geom/closed_surface.h"
#include "geom/tet_stuff.h"
#include "math/exact.h"
#include "mesh/sets.h"

enum { LAYERS = 2, EDGE_BLOCK = 256, TET_BLOCK = 4096 };
#define POINT_BYTES 12.0 /* of a point of the lattice, while it is stuffed */
#define TET_BYTES 60.0   /* of a tet with its share of vertices, while arrays grow */
#define MOST_POINTS 2.0e9

typedef struct filler {
    ruga_context *context;
    const ruga_mesh *surface;
    closed_surface closed;
    stuff_lattice lattice;
    bvh *tree;
    tet_fill_report report;
} filler;

double tet_fill_estimate(double volume, double spacing) { return 12 * volume / (spacing * spacing * spacing); }

/* ---- The lattice. */

static ruga_status check_surface(filler *f) {
    const closed_surface *c = &f->closed;
    if (c->odd_edges > 0)
        return fail_input(f->context,
                          "%zu edges have three or more triangles, the first between vertices %u and %u: remove inner "
                          "walls and doubled faces, so that two triangles meet at each edge",
                          c->odd_edges, c->odd_edge[0], c->odd_edge[1]);
    return closed_surface_check_volume(c);
}

/* The spacing that makes about `tets`, rounded to two digits. */
static double spacing_for(double volume, double tets) {
    double spacing = cbrt(12 * volume / tets), unit = pow(10, floor(log10(spacing)) - 1);
    return unit * ceil(spacing / unit - 1e-9);
}

static ruga_status choose_spacing(filler *f, const tet_fill_def *def, vec3 size) {
    double most = (double)(def->most_tets > 0 ? def->most_tets : TET_FILL_MOST_TETS), volume = f->closed.volume;
    const double shortest = fmin(size.x, fmin(size.y, size.z));
    double spacing = def->spacing;
    if (spacing == 0) spacing = fmin(cbrt(12 * volume / fmin(TET_FILL_DEFAULT_TETS, most)), shortest / 2);
    f->report.spacing = spacing;
    if (!(spacing > 0) || !isfinite(spacing))
        return fail_input(f->context, "the spacing of the tets is %g m; it must be positive and finite", def->spacing);
    const double tets = tet_fill_estimate(volume, spacing);
    if (spacing > shortest)
        return fail_input(f->context,
                          "the spacing of the tets, %g m, is larger than the thinnest extent of the mesh, which is "
                          "%g x %g x %g m; use %.2g m or less",
                          spacing, size.x, size.y, size.z, shortest / 4);
    double points = 2 * (size.x / spacing + 5) * (size.y / spacing + 5) * (size.z / spacing + 5);
    double bytes = TET_BYTES * tets + POINT_BYTES * points, worst = fmax(tets / most, points / MOST_POINTS);
    if (!(worst <= 1) && spacing_for(volume, tets / worst) > shortest)
        return fail_input(f->context,
                          "the mesh, %g x %g x %g m, is too thin: a spacing of %g m makes about %.2g tets, more than "
                          "the limit of %.2g; simulate it as cloth, or thicken it",
                          size.x, size.y, size.z, spacing, tets, most);
    if (!(worst <= 1))
        return fail_input(f->context,
                          "a spacing of %g m makes about %.2g tets, which take about %.2g GB while they are made; the "
                          "limit is %.2g tets: use a spacing of %.2g m or more",
                          spacing, tets, bytes / 1e9, most, spacing_for(volume, tets / worst));
    f->report.bytes = (size_t)bytes;
    return RUGA_OK;
}

static ruga_status make_lattice(filler *f, const tet_fill_def *def) {
    vec3 low, high;
    vec3_bounds(f->closed.positions, f->closed.vertex_count, &low, &high);
    vec3 size = vec3_sub(high, low);
    TRY(choose_spacing(f, def, size));
    double h = f->report.spacing;
    /* The lattice is centred on the mesh, so that symmetric meshes get symmetric points. */
    stuff_grid grid = {.spacing = h};
    const double sizes[3] = {size.x, size.y, size.z};
    double starts[3];
    for (int a = 0; a < 3; a++) {
        double cells = ceil(sizes[a] / h) + 2 * LAYERS;
        grid.count[a] = (size_t)cells + 1;
        starts[a] = sizes[a] / 2 - h * cells / 2;
    }
    grid.origin = (vec3){low.x + starts[0], low.y + starts[1], low.z + starts[2]};
    return stuff_lattice_make(f->context, &grid, &f->lattice);
}

/* ---- Inside: lines along z through the points, and what they cross. */

typedef struct line_crossing {
    double z; /* m */
    int step; /* of the winding number, upwards */
} line_crossing;

/* On which side of a -> b a line at (x, y) passes, exactly. A line through it counts as shifted by (ε, ε²), so that of
 * the triangles around an edge or a vertex it crosses each sheet once. */
static int side_of(vec3 a, vec3 b, vec3 line) {
    int side = orient_along(2, a, b, line);
    if (side != 0) return side;
    if (a.y != b.y) return b.y < a.y ? 1 : -1;
    return (b.x > a.x) - (b.x < a.x);
}

static int crosses(const vec3 p[3], vec3 line, line_crossing *out) {
    int side = side_of(p[0], p[1], line);
    if (side == 0 || side_of(p[1], p[2], line) != side || side_of(p[2], p[0], line) != side) return 0;
    vec3 n = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
    double z = p[0].z - (n.x * (line.x - p[0].x) + n.y * (line.y - p[0].y)) / n.z;
    double low = fmin(p[0].z, fmin(p[1].z, p[2].z)), high = fmax(p[0].z, fmax(p[1].z, p[2].z));
    /* Upright triangles have an uncertain quotient, or none. */
    out->z = z >= low ? fmin(z, high) : z < low ? low : (low + high) / 2;
    out->step = -side;
    return 1;
}

/* The crossings of all lines: counted, and stored unless `crossings` is NULL. offsets: (lines + 1) */
static void cross_lines(const filler *f, size_t *offsets, line_crossing *crossings) {
    const stuff_grid *g = &f->lattice.grid;
    const closed_surface *c = &f->closed;
    for (size_t t = 0; t < c->triangle_count; t++) {
        vec3 p[3], low, high;
        for (size_t k = 0; k < 3; k++) p[k] = c->positions[c->triangles[3 * t + k]];
        vec3_bounds(p, 3, &low, &high);
        for (int s = 0; s < 2; s++) {
            /* Lines within the box of the triangle, and one more on each side for rounding. */
            double ox = g->origin.x + s * g->spacing / 2, oy = g->origin.y + s * g->spacing / 2;
            size_t a0 = (size_t)fmax(0, ceil((low.x - ox) / g->spacing - 1e-6));
            size_t b0 = (size_t)fmax(0, ceil((low.y - oy) / g->spacing - 1e-6));
            double a1 = floor((high.x - ox) / g->spacing + 1e-6), b1 = floor((high.y - oy) / g->spacing + 1e-6);
            for (size_t b = b0; (double)b <= b1; b++)
                for (size_t a = a0; (double)a <= a1; a++) {
                    size_t line = 2 * (b * g->count[0] + a) + (size_t)s;
                    line_crossing found;
                    if (!crosses(p, stuff_place(g, line), &found)) continue;
                    if (crossings) crossings[offsets[line]] = found;
                    offsets[line]++;
                }
        }
    }
}

static void sort_crossings(line_crossing *crossings, size_t count) {
    for (size_t i = 1; i < count; i++) {
        line_crossing moved = crossings[i];
        size_t k = i;
        for (; k > 0 && crossings[k - 1].z > moved.z; k--) crossings[k] = crossings[k - 1];
        crossings[k] = moved;
    }
}

/* Labels the points of each line from below. */
static void label_points(filler *f, const size_t *offsets, line_crossing *crossings) {
    const stuff_grid *g = &f->lattice.grid;
    size_t lines = 2 * g->count[0] * g->count[1];
    memset(f->lattice.inside, -1, f->lattice.point_count);
    for (size_t line = 0; line < lines; line++) {
        size_t at = line > 0 ? offsets[line - 1] : 0, end = offsets[line];
        if (at == end) continue;
        sort_crossings(crossings + at, end - at);
        int winding = 0;
        for (size_t p = line; p < f->lattice.point_count; p += lines) {
            double z = stuff_place(g, p).z;
            for (; at < end && crossings[at].z <= z; at++) winding += crossings[at].step;
            if (winding > 0) f->lattice.inside[p] = 1;
            f->report.overlaps += winding < 0 || winding > 1;
        }
    }
}

static ruga_status find_inside(filler *f) {
    const stuff_grid *g = &f->lattice.grid;
    size_t lines = 2 * g->count[0] * g->count[1];
    size_t *offsets;
    line_crossing *crossings = NULL;
    TRY(NEW_ZEROED(f->context, &offsets, lines + 1));
    cross_lines(f, offsets, NULL);
    size_t sum = 0;
    for (size_t line = 0; line <= lines; line++) {
        size_t count = offsets[line];
        offsets[line] = sum;
        sum += count;
    }
    ruga_status status = NEW(f->context, &crossings, sum);
    if (!RUGA_FAILED(status)) {
        cross_lines(f, offsets, crossings); /* leaves the end of each line in its offset */
        label_points(f, offsets, crossings);
    }
    RELEASE_ALL(f->context, offsets, crossings);
    return status;
}

/* ---- Crossings of the lattice's edges. */

static void locate_crossings(void *argument, size_t begin, size_t end) {
    filler *f = argument;
    stuff_lattice *l = &f->lattice;
    for (size_t k = begin; k < end; k++) {
        stuff_edge edge = l->edges[k];
        size_t other = stuff_other_end(&l->grid, edge);
        int is_up = l->inside[edge.point] > 0;
        vec3 from = stuff_place(&l->grid, is_up ? edge.point : other);
        vec3 to = stuff_place(&l->grid, is_up ? other : edge.point);
        bvh_hit hit = bvh_ray_hit(f->tree, from, vec3_sub(to, from), 1);
        double at = hit.distance;
        if (hit.element == UINT32_MAX) {
            /* An end is on the surface, up to rounding. */
            double near = bvh_closest_point(f->tree, from, INFINITY).distance;
            double far = bvh_closest_point(f->tree, to, INFINITY).distance;
            at = near + far > 0 ? near / (near + far) : 0;
        }
        l->at[k] = is_up ? at : 1 - at;
    }
}

static ruga_status find_crossings(filler *f) {
    const closed_surface *c = &f->closed;
    TRY(stuff_find_crossings(&f->lattice));
    TRY(bvh_build(f->context, c->vertex_count, c->positions, c->triangle_count, 3, c->triangles, &f->tree));
    parallel_for(f->context, f->lattice.crossing_count, EDGE_BLOCK, locate_crossings, f);
    return RUGA_OK;
}

/* ---- Angles. */

typedef struct angle_search {
    const ruga_mesh *mesh;
    double *least, *most; /* (blocks) cosines */
} angle_search;

/* Cosines of the angles between the sides of a tet. */
static void tet_cosines(const ruga_mesh *mesh, size_t tet, double *least, double *most) {
    const uint32_t *v = mesh->tets + 4 * tet;
    vec3 normals[4];
    for (int k = 0; k < 4; k++) {
        vec3 p[3];
        for (int i = 0; i < 3; i++) p[i] = mesh->positions[v[tet_sides[k][i]]];
        normals[k] = vec3_normalise(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
    }
    for (int i = 0; i < 4; i++)
        for (int k = i + 1; k < 4; k++) {
            double cosine = -vec3_dot(normals[i], normals[k]);
            *least = fmin(*least, cosine);
            *most = fmax(*most, cosine);
        }
}

static void search_angles(void *argument, size_t begin, size_t end) {
    angle_search *s = argument;
    double least = 1, most = -1;
    for (size_t t = begin; t < end; t++) tet_cosines(s->mesh, t, &least, &most);
    s->least[begin / TET_BLOCK] = least;
    s->most[begin / TET_BLOCK] = most;
}

ruga_status tet_angles(const ruga_mesh *mesh, double *least, double *most) {
    size_t blocks = (mesh->tet_count + TET_BLOCK - 1) / TET_BLOCK;
    angle_search s = {.mesh = mesh};
    TRY(NEW(mesh->context, &s.least, blocks));
    TRY_OR(NEW(mesh->context, &s.most, blocks), memory_release(mesh->context, s.least));
    parallel_for(mesh->context, mesh->tet_count, TET_BLOCK, search_angles, &s);
    double low = 1, high = -1;
    for (size_t b = 0; b < blocks; b++) {
        low = fmin(low, s.least[b]);
        high = fmax(high, s.most[b]);
    }
    RELEASE_ALL(mesh->context, s.least, s.most);
    *least = acos(fmin(high, 1)) * 180 / M_PI;
    *most = acos(fmax(low, -1)) * 180 / M_PI;
    return RUGA_OK;
}

/* ---- The report. */

static double sum_volumes(void *argument, size_t begin, size_t end) {
    double sum = 0;
    for (size_t t = begin; t < end; t++) sum += mesh_tet_volume(argument, t);
    return sum;
}

static ruga_status count_pieces(const ruga_mesh *mesh, size_t arity, size_t count, const uint32_t *elements,
                                size_t *pieces) {
    uint32_t *parents;
    TRY(NEW(mesh->context, &parents, mesh->vertex_count));
    memset(parents, 0xff, mesh->vertex_count * sizeof *parents);
    *pieces = 0;
    for (size_t i = 0; i < arity * count; i++) {
        uint32_t v = elements[i];
        if (parents[v] == NO_INDEX) parents[v] = v, ++*pieces;
        if (i % arity > 0) *pieces -= (size_t)sets_unite(parents, v, elements[i - 1]);
    }
    memory_release(mesh->context, parents);
    return RUGA_OK;
}

/* The largest distance of a vertex of the surface from the tets' surface. */
static ruga_status measure_distance(filler *f, const ruga_mesh *tets) {
    const ruga_mesh *surface = f->surface;
    bvh *tree;
    bvh_hit *hits = NULL;
    TRY(bvh_build_triangles(tets, &tree));
    ruga_status status = NEW(f->context, &hits, surface->vertex_count);
    if (!RUGA_FAILED(status)) bvh_closest_points(tree, surface->positions, surface->vertex_count, INFINITY, hits);
    for (size_t i = 0; !RUGA_FAILED(status) && i < 3 * surface->triangle_count; i++)
        f->report.distance = fmax(f->report.distance, hits[surface->triangles[i]].distance);
    memory_release(f->context, hits);
    bvh_destroy(tree);
    return status;
}

static void warn(const filler *f) {
    const tet_fill_report *r = &f->report;
    if (r->open_borders > 0)
        log_warning(f->context,
                    "the surface has %zu open borders (%zu edges), which were closed by fans from their middles; close "
                    "them in the mesh for another shape",
                    r->open_borders, r->border_edges);
    if (r->overlaps > 0)
        log_warning(f->context,
                    "the surface intersects itself: %zu points of the lattice are inside it more than once, or inside "
                    "out; overlaps are filled once. `ruga intersections` finds them",
                    r->overlaps);
    if (r->shells != r->surface_shells && r->overlaps == 0)
        log_warning(
            f->context,
            "the surface has %zu connected pieces, but that of the tets has %zu: parts or gaps that are narrower "
            "than the spacing, %g m, are lost; use a smaller one",
            r->surface_shells, r->shells, r->spacing);
}

static ruga_status measure(filler *f, const ruga_mesh *tets) {
    tet_fill_report *r = &f->report;
    r->surface_volume = f->closed.volume;
    r->open_borders = f->closed.open_borders;
    r->border_edges = f->closed.border_edges;
    r->volume = parallel_sum(f->context, tets->tet_count, TET_BLOCK, sum_volumes, (void *)tets);
    TRY(tet_angles(tets, &r->least_angle, &r->most_angle));
    TRY(count_pieces(tets, 4, tets->tet_count, tets->tets, &r->pieces));
    TRY(count_pieces(tets, 3, tets->triangle_count, tets->triangles, &r->shells));
    TRY(count_pieces(f->surface, 3, f->surface->triangle_count, f->surface->triangles, &r->surface_shells));
    TRY(measure_distance(f, tets));
    warn(f);
    return RUGA_OK;
}

/* ---- All of it. */

/* Twice the volume over the area: the thickness of a plate. */
static double mean_thickness(const filler *f) {
    double area = 0;
    for (size_t t = 0; t < f->surface->triangle_count; t++) area += mesh_triangle_area(f->surface, t);
    return 2 * f->closed.volume / area;
}

static ruga_status fill(filler *f, const tet_fill_def *def, ruga_mesh **tets) {
    mesh_parts parts = {0};
    stuff_counts counts;
    TRY(closed_surface_make(f->surface, &f->closed));
    TRY(check_surface(f));
    TRY(make_lattice(f, def));
    TRY(find_inside(f));
    TRY(find_crossings(f));
    TRY_OR(stuff_make(&f->lattice, &parts, &counts), mesh_parts_release(f->context, &parts));
    f->report.kept = counts.kept;
    if (parts.tet_count == 0) {
        mesh_parts_release(f->context, &parts);
        return fail_input(f->context,
                          "no point of the lattice is inside the mesh: it is thinner than the spacing, %g m; use about "
                          "%.2g m",
                          f->report.spacing, mean_thickness(f) / 2);
    }
    stuff_lattice_release(&f->lattice);
    TRY(mesh_from_parts(f->context, &parts, tets));
    TRY_OR(measure(f, *tets), ruga_mesh_destroy(*tets));
    return RUGA_OK;
}

ruga_status tet_fill_make(const ruga_mesh *surface, const tet_fill_def *def, ruga_mesh **tets,
                          tet_fill_report *report) {
    ruga_mesh *made = NULL;
    filler f = {.context = surface->context, .surface = surface, .closed.context = surface->context};
    f.lattice.context = surface->context;
    ruga_status status = fill(&f, def, &made);
    bvh_destroy(f.tree);
    stuff_lattice_release(&f.lattice);
    closed_surface_release(&f.closed);
    if (RUGA_FAILED(status)) return status;
    *tets = made;
    if (report) *report = f.report;
    return RUGA_OK;
}

ruga_fill_def ruga_fill_def_default(void) { return (ruga_fill_def){.cookie = RUGA_COOKIE}; }

ruga_status ruga_mesh_fill(const ruga_mesh *surface, const ruga_fill_def *def, ruga_mesh **tets,
                           ruga_fill_report *report) {
    if (!surface || !def || !tets) return RUGA_ERROR_ARGUMENT;
    if (def->cookie != RUGA_COOKIE)
        return fail_argument(surface->context, "filling needs a def from ruga_fill_def_default");
    return tet_fill_make(surface, &(tet_fill_def){def->spacing, def->most_tets}, tets, report);
}
