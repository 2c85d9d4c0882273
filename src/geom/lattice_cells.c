/* From slices to elements, nodes, quadrature and embedding. */
#include "geom/lattice_cells.h"

#include "base/sort.h"
#include "geom/closed_surface.h"
#include "geom/lattice_slices.h"
#include "linalg/map.h"
#include "mesh/sets.h"
#include "mesh/topology.h"

#define SNAP 1e-9                /* of a cell: vertices nearer to a plane than this lie on it */
#define FITS 1e-9                /* of its box: an element that lacks less fills it */
#define EMPTY 1e-12              /* of a cell: boxes with less have no quadrature point */
#define MISMATCH 1e-6            /* of the volume */
#define GAUSS 0.1127016653792583 /* (1 - √(3/5)) / 2 */

static const double gauss_places[3] = {GAUSS, 0.5, 1 - GAUSS};
static const double gauss_weights[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

typedef struct maker {
    ruga_context *context;
    const ruga_mesh *mesh;
    closed_surface closed;
    slice_point *points; /* (closed.vertex_count) in coordinates of the grid */
    lattice_slices slices;
    uint32_t *hosts;           /* (regions) itself, or the region that absorbs it */
    uint32_t *element_of;      /* (regions) */
    uint32_t *regions;         /* (elements) */
    size_t *neighbour_offsets; /* (regions + 1) */
    uint32_t *neighbours;      /* linked regions */
    lattice_cells *out;
} maker;

static void release_maker(maker *m) {
    RELEASE_ALL(m->context, m->points, m->hosts, m->element_of, m->regions, m->neighbour_offsets, m->neighbours);
    closed_surface_release(&m->closed);
    lattice_slices_release(&m->slices);
}

/* ---- The grid. */

static ruga_status make_grid(maker *m, const lattice_cells_def *def) {
    lattice_cells *l = m->out;
    vec3 low, high;
    vec3_bounds(m->closed.positions, m->closed.vertex_count, &low, &high);
    const double sizes[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    double cells = 1, cell[3];
    if (!(def->spacing > 0) || !isfinite(def->spacing))
        return fail_input(m->context, "the spacing of the lattice is %g m; it must be positive and finite",
                          def->spacing);
    for (int a = 0; a < 3; a++) {
        if (!(sizes[a] > 0) || !isfinite(sizes[a]))
            return fail_input(m->context, "the mesh is %g m long along %c; a lattice needs one with a volume", sizes[a],
                              "xyz"[a]);
        double count = fmax(1, round(sizes[a] / def->spacing));
        cells *= count;
        if (!(cells <= LATTICE_MOST_CELLS))
            return fail_input(m->context,
                              "cells of %g m make more than %d in a mesh of %g x %g x %g m; make them larger, such as "
                              "%.2g m",
                              def->spacing, LATTICE_MOST_CELLS, sizes[0], sizes[1], sizes[2],
                              fmax(sizes[0], fmax(sizes[1], sizes[2])) / 50);
        l->counts[a] = (uint32_t)count;
        cell[a] = sizes[a] / count;
    }
    l->origin = low;
    l->cell = (vec3){cell[0], cell[1], cell[2]};
    return RUGA_OK;
}

static slice_point grid_place(const lattice_cells *l, vec3 p) {
    vec3 d = vec3_sub(p, l->origin);
    return (slice_point){{d.x / l->cell.x, d.y / l->cell.y, d.z / l->cell.z}};
}

static ruga_status slice(maker *m) {
    const closed_surface *c = &m->closed;
    lattice_cells *l = m->out;
    TRY(NEW(m->context, &m->points, c->vertex_count));
    for (size_t v = 0; v < c->vertex_count; v++) {
        m->points[v] = grid_place(l, c->positions[v]);
        for (int a = 0; a < 3; a++) {
            double *x = &m->points[v].at[a];
            if (fabs(*x - round(*x)) < SNAP) *x = round(*x);
        }
    }
    slice_input input = {.context = m->context,
                         .counts = {l->counts[0], l->counts[1], l->counts[2]},
                         .vertex_count = c->vertex_count,
                         .triangle_count = c->triangle_count,
                         .points = m->points,
                         .triangles = c->triangles};
    TRY(lattice_slices_make(&input, &m->slices));
    double sum = 0, cell = l->cell.x * l->cell.y * l->cell.z;
    for (size_t r = 0; r < m->slices.region_count; r++) sum += m->slices.regions[r].volume;
    if (fabs(sum * cell - l->report.volume) <= MISMATCH * l->report.volume) return RUGA_OK;
    return fail_input(m->context,
                      "the slices of the mesh have a volume of %g m³, but it has %g m³: its surface intersects itself "
                      "or has overlapping faces; `ruga intersections` finds them",
                      sum * cell, l->report.volume);
}

/* ---- Elements. */

/* Each pair of linked regions once. */
static ruga_status reduce_links(maker *m) {
    lattice_slices *s = &m->slices;
    uint64_t *keys = NULL;
    size_t count = 0;
    TRY(NEW(m->context, &keys, s->link_count));
    for (size_t k = 0; k < s->link_count; k++) keys[k] = (uint64_t)s->links[k].low << 32 | s->links[k].high;
    sort_keys(keys, s->link_count);
    for (size_t k = 0; k < s->link_count; k++) {
        if (k > 0 && keys[k] == keys[k - 1]) continue;
        slice_link link = {(uint32_t)(keys[k] >> 32), (uint32_t)keys[k], 0};
        const uint32_t *low = s->regions[link.low].cell, *high = s->regions[link.high].cell;
        while (link.axis < 2 && low[link.axis] == high[link.axis]) link.axis++;
        s->links[count++] = link;
    }
    s->link_count = count;
    memory_release(m->context, keys);
    return RUGA_OK;
}

/* Neighbours of each region. */
static ruga_status make_neighbours(maker *m) {
    const lattice_slices *s = &m->slices;
    TRY(NEW_ZEROED(m->context, &m->neighbour_offsets, s->region_count + 2));
    TRY(NEW(m->context, &m->neighbours, 2 * s->link_count));
    size_t *next = m->neighbour_offsets + 1;
    for (size_t k = 0; k < s->link_count; k++) {
        next[s->links[k].low + 1]++;
        next[s->links[k].high + 1]++;
    }
    for (size_t r = 0; r < s->region_count; r++) next[r + 1] += next[r];
    for (size_t k = 0; k < s->link_count; k++) {
        m->neighbours[next[s->links[k].low]++] = s->links[k].high;
        m->neighbours[next[s->links[k].high]++] = s->links[k].low;
    }
    return RUGA_OK;
}

static int is_large(const maker *m, uint32_t region) { return m->slices.regions[region].volume >= LATTICE_LEAST; }

static int are_linked(const maker *m, uint32_t a, uint32_t b) {
    for (size_t k = m->neighbour_offsets[a]; k < m->neighbour_offsets[a + 1]; k++)
        if (m->neighbours[k] == b) return 1;
    return 0;
}

/* Whether two regions are linked, or both to a third one that is large. */
static int are_close(const maker *m, uint32_t a, uint32_t b) {
    if (a == b || are_linked(m, a, b)) return 1;
    for (size_t k = m->neighbour_offsets[a]; k < m->neighbour_offsets[a + 1]; k++)
        if (is_large(m, m->neighbours[k]) && are_linked(m, m->neighbours[k], b)) return 1;
    return 0;
}

/* The large neighbour with the most material, if the region's absence disconnects none of the others; else itself. */
static uint32_t find_host(const maker *m, uint32_t region) {
    uint32_t best = region;
    const size_t *at = m->neighbour_offsets + region;
    for (size_t k = at[0]; k < at[1]; k++) {
        uint32_t other = m->neighbours[k];
        if (is_large(m, other) && (best == region || m->slices.regions[other].volume > m->slices.regions[best].volume))
            best = other;
    }
    int is_empty = m->slices.regions[region].volume <= EMPTY;
    for (size_t k = at[0]; k < at[1] && best != region && !is_empty; k++)
        if (is_large(m, m->neighbours[k]) && !are_close(m, m->neighbours[k], best)) return region;
    return best;
}

/* Regions with too little material go to a neighbour; those without any also to the host of a neighbour. */
static void absorb(maker *m) {
    size_t count = m->slices.region_count;
    for (uint32_t r = 0; r < count; r++) m->hosts[r] = is_large(m, r) ? r : find_host(m, r);
    for (int changed = 1; changed;) {
        changed = 0;
        for (uint32_t r = 0; r < count; r++) {
            if (m->hosts[r] != r || m->slices.regions[r].volume > EMPTY) continue;
            for (size_t k = m->neighbour_offsets[r]; k < m->neighbour_offsets[r + 1] && m->hosts[r] == r; k++) {
                m->hosts[r] = m->hosts[m->neighbours[k]];
                if (m->hosts[r] == m->neighbours[k] && m->slices.regions[m->hosts[r]].volume <= EMPTY) m->hosts[r] = r;
            }
            changed |= m->hosts[r] != r;
        }
    }
}

static ruga_status make_elements(maker *m) {
    const lattice_slices *s = &m->slices;
    lattice_cells *l = m->out;
    TRY(NEW(m->context, &m->hosts, s->region_count));
    TRY(NEW(m->context, &m->element_of, s->region_count));
    TRY(NEW(m->context, &m->regions, s->region_count));
    TRY(reduce_links(m));
    TRY(make_neighbours(m));
    absorb(m);
    for (size_t r = 0; r < s->region_count; r++) {
        if (m->hosts[r] != r) {
            l->report.absorbed++;
            continue;
        }
        if (!(s->regions[r].volume > EMPTY))
            return fail_input(m->context,
                              "a part of the surface near (%g, %g, %g) encloses no material; remove it, or give it a "
                              "thickness",
                              l->origin.x + l->cell.x * s->regions[r].cell[0],
                              l->origin.y + l->cell.y * s->regions[r].cell[1],
                              l->origin.z + l->cell.z * s->regions[r].cell[2]);
        m->element_of[r] = (uint32_t)l->element_count;
        m->regions[l->element_count++] = (uint32_t)r;
    }
    for (size_t r = 0; r < s->region_count; r++)
        if (m->hosts[r] != r) m->element_of[r] = m->element_of[m->hosts[r]];
    TRY(NEW(m->context, &l->cells, l->element_count));
    for (size_t e = 0; e < l->element_count; e++) memcpy(l->cells[e], s->regions[m->regions[e]].cell, sizeof *l->cells);
    return RUGA_OK;
}

/* Cells that more than one element is in. */
static ruga_status count_shared(maker *m) {
    lattice_cells *l = m->out;
    unsigned char *counts = NULL;
    TRY(NEW_ZEROED(m->context, &counts, (size_t)l->counts[0] * l->counts[1] * l->counts[2]));
    for (size_t e = 0; e < l->element_count; e++) {
        const uint32_t *c = l->cells[e];
        unsigned char *count = &counts[(c[0] * l->counts[1] + c[1]) * l->counts[2] + c[2]];
        if (*count == 1) l->report.shared_cells++;
        if (*count < 2) ++*count;
    }
    memory_release(m->context, counts);
    return RUGA_OK;
}

/* ---- Nodes. */

static uint32_t nodes_along(const lattice_cells *l) { return l->is_linear ? 2 : 3; }

/* Merges the nodes that two elements share across a face. */
static void merge_across(const lattice_cells *l, uint32_t *parents, uint32_t low, uint32_t high, uint32_t axis) {
    uint32_t n = nodes_along(l), at[3];
    for (at[2] = 0; at[2] < n; at[2]++)
        for (at[1] = 0; at[1] < n; at[1]++)
            for (at[0] = 0; at[0] < n; at[0]++) {
                if (at[axis] == 0) continue;
                uint32_t other[3] = {at[0], at[1], at[2]};
                other[axis]--;
                uint32_t a = set_lowest(parents, low * n * n * n + (at[2] * n + at[1]) * n + at[0]);
                uint32_t b = set_lowest(parents, high * n * n * n + (other[2] * n + other[1]) * n + other[0]);
                parents[a < b ? b : a] = a < b ? a : b;
            }
}

static void number_nodes(lattice_cells *l, uint32_t *parents, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t root = set_lowest(parents, (uint32_t)i);
        l->element_nodes[i] = root == i ? (uint32_t)l->node_count++ : l->element_nodes[root];
    }
}

static ruga_status make_nodes(maker *m) {
    lattice_cells *l = m->out;
    size_t count = l->element_count * l->corner_count;
    uint32_t *parents = NULL, n = nodes_along(l);
    TRY(NEW(m->context, &l->element_nodes, count));
    TRY(NEW(m->context, &parents, count));
    for (size_t i = 0; i < count; i++) parents[i] = (uint32_t)i;
    for (size_t k = 0; k < m->slices.link_count; k++) {
        const slice_link *link = &m->slices.links[k];
        /* Absorbed regions are no neighbours. */
        if (m->hosts[link->low] == link->low && m->hosts[link->high] == link->high)
            merge_across(l, parents, m->element_of[link->low], m->element_of[link->high], link->axis);
    }
    number_nodes(l, parents, count);
    memory_release(m->context, parents);
    TRY(NEW(m->context, &l->nodes, l->node_count));
    double first = l->is_linear ? 0 : -0.5;
    for (size_t e = 0; e < l->element_count; e++)
        for (uint32_t i = 0; i < l->corner_count; i++)
            l->nodes[l->element_nodes[e * l->corner_count + i]] =
                (vec3){l->origin.x + l->cell.x * (l->cells[e][0] + first + i % n),
                       l->origin.y + l->cell.y * (l->cells[e][1] + first + i / n % n),
                       l->origin.z + l->cell.z * (l->cells[e][2] + first + i / n / n)};
    return RUGA_OK;
}

/* ---- Shape functions. */

static void line_shape(int is_linear, double t, double values[3], double slopes[3]) {
    if (is_linear) {
        values[0] = 1 - t;
        values[1] = t;
        slopes[0] = -1;
        slopes[1] = 1;
        return;
    }
    values[0] = (1 - t) * (1 - t) / 2;
    values[1] = 0.5 + t * (1 - t);
    values[2] = t * t / 2;
    slopes[0] = t - 1;
    slopes[1] = 1 - 2 * t;
    slopes[2] = t;
}

void lattice_cells_shape(const lattice_cells *l, size_t element, vec3 place, double *values, vec3 *gradients) {
    slice_point p = grid_place(l, place);
    double f[3][3], g[3][3];
    uint32_t n = nodes_along(l);
    for (int a = 0; a < 3; a++) line_shape(l->is_linear, p.at[a] - l->cells[element][a], f[a], g[a]);
    for (uint32_t i = 0; i < l->corner_count; i++) {
        uint32_t x = i % n, y = i / n % n, z = i / n / n;
        values[i] = f[0][x] * f[1][y] * f[2][z];
        if (gradients)
            gradients[i] = (vec3){g[0][x] * f[1][y] * f[2][z] / l->cell.x, f[0][x] * g[1][y] * f[2][z] / l->cell.y,
                                  f[0][x] * f[1][y] * g[2][z] / l->cell.z};
    }
}

/* ---- Quadrature. */

static int is_full(const slice_region *r) {
    for (int a = 0; a < 3; a++)
        if (r->low.at[a] > FITS || r->high.at[a] < 1 - FITS) return 0;
    return fabs(r->volume - 1) < FITS;
}

static double box_volume(const slice_region *r) {
    double volume = 1;
    for (int a = 0; a < 3; a++) volume *= r->high.at[a] - r->low.at[a];
    return volume;
}

/* Quadrature points of a region, in the cell's coordinates; returns their number. */
static size_t region_points(const lattice_slices *s, const slice_region *r, slice_point *places, double *weights) {
    size_t count = 0;
    if (!(r->volume > EMPTY)) return 0;
    if (fabs(r->volume - box_volume(r)) <= FITS * r->volume) {
        for (int i = 0; i < LATTICE_POINTS; i++, count++) {
            int at[3] = {i % 3, i / 3 % 3, i / 9};
            weights[i] = r->volume;
            for (int a = 0; a < 3; a++) {
                places[i].at[a] = r->low.at[a] + gauss_places[at[a]] * (r->high.at[a] - r->low.at[a]);
                weights[i] *= gauss_weights[at[a]];
            }
        }
        return count;
    }
    for (int i = 0; i < SLICE_BOXES; i++) {
        const slice_sums *sums = &s->boxes[r->boxes][i];
        if (!(sums->volume > EMPTY)) continue;
        weights[count] = sums->volume;
        for (int a = 0; a < 3; a++)
            places[count].at[a] = fmin(fmax(sums->moments[a] / sums->volume, r->low.at[a]), r->high.at[a]);
        count++;
    }
    return count;
}

/* Adds the points of a region to its element; `l->offsets` ends at the last. */
static void add_points(maker *m, size_t region, size_t element, size_t *count) {
    lattice_cells *l = m->out;
    slice_point places[LATTICE_POINTS];
    double weights[LATTICE_POINTS], cell = l->cell.x * l->cell.y * l->cell.z;
    const slice_region *r = &m->slices.regions[region];
    size_t found = region_points(&m->slices, r, places, weights);
    for (size_t k = 0; k < found; k++) {
        l->weights[*count] = weights[k] * cell;
        l->volumes[element] += weights[k] * cell;
        l->places[(*count)++] = (vec3){l->origin.x + l->cell.x * (r->cell[0] + places[k].at[0]),
                                       l->origin.y + l->cell.y * (r->cell[1] + places[k].at[1]),
                                       l->origin.z + l->cell.z * (r->cell[2] + places[k].at[2])};
    }
}

/* The regions of each element: its own, then those that it absorbed. */
static ruga_status make_points(maker *m) {
    lattice_cells *l = m->out;
    size_t regions = m->slices.region_count, count = 0;
    uint32_t *next = NULL, *first = NULL;
    TRY(NEW(m->context, &l->offsets, l->element_count + 1));
    TRY(NEW(m->context, &l->weights, LATTICE_POINTS * regions));
    TRY(NEW(m->context, &l->places, LATTICE_POINTS * regions));
    TRY(NEW_ZEROED(m->context, &l->volumes, l->element_count));
    ruga_status status = NEW(m->context, &next, regions);
    if (!RUGA_FAILED(status)) status = NEW(m->context, &first, l->element_count);
    if (!RUGA_FAILED(status)) {
        for (size_t e = 0; e < l->element_count; e++) first[e] = NO_INDEX;
        for (size_t r = regions; r-- > 0;) {
            if (m->hosts[r] == r) continue;
            next[r] = first[m->element_of[r]];
            first[m->element_of[r]] = (uint32_t)r;
        }
        for (size_t e = 0; e < l->element_count; e++) {
            l->offsets[e] = count;
            add_points(m, m->regions[e], e, &count);
            for (uint32_t r = first[e]; r != NO_INDEX; r = next[r]) add_points(m, r, e, &count);
        }
        l->offsets[l->element_count] = count;
    }
    RELEASE_ALL(m->context, next, first);
    return status;
}

/* Gradients and volumes of nodes. Full cells without absorbed regions share their gradients. */
static ruga_status make_shapes(maker *m) {
    lattice_cells *l = m->out;
    size_t count = 0, shared = SIZE_MAX;
    TRY(NEW(m->context, &l->shapes, l->element_count));
    TRY(NEW_ZEROED(m->context, &l->node_volumes, l->node_count));
    for (size_t e = 0; e < l->element_count; e++) {
        size_t points = l->offsets[e + 1] - l->offsets[e];
        int is_alike = points == LATTICE_POINTS && is_full(&m->slices.regions[m->regions[e]]);
        l->shapes[e] = is_alike && shared != SIZE_MAX ? shared : count;
        if (l->shapes[e] == count) count += points;
        if (is_alike) shared = l->shapes[e];
    }
    TRY(NEW(m->context, &l->gradients, count * l->corner_count));
    for (size_t e = 0; e < l->element_count; e++)
        for (size_t q = l->offsets[e]; q < l->offsets[e + 1]; q++) {
            double values[LATTICE_CORNERS];
            size_t row = l->shapes[e] + q - l->offsets[e];
            lattice_cells_shape(l, e, l->places[q], values, l->gradients + row * l->corner_count);
            for (size_t i = 0; i < l->corner_count; i++)
                l->node_volumes[l->element_nodes[e * l->corner_count + i]] += l->weights[q] * values[i];
        }
    return RUGA_OK;
}

/* ---- The embedding. */

static ruga_status embed(maker *m) {
    lattice_cells *l = m->out;
    size_t vertices = m->mesh->vertex_count;
    map_builder builder;
    TRY(map_builder_make(m->context, vertices, vertices * l->corner_count, &builder));
    for (size_t v = 0; v < vertices; v++) {
        size_t element = m->element_of[m->slices.vertex_regions[v]];
        double values[LATTICE_CORNERS];
        lattice_cells_shape(l, element, m->mesh->positions[v], values, NULL);
        for (size_t i = 0; i < l->corner_count; i++)
            map_builder_put(&builder, l->element_nodes[element * l->corner_count + i], values[i]);
        map_builder_end_row(&builder);
    }
    return map_builder_finish(&builder, l->node_count, &l->embedding);
}

/* ---- All of it. */

static ruga_status make(maker *m, const lattice_cells_def *def) {
    lattice_report *report = &m->out->report;
    TRY(closed_surface_make(m->mesh, &m->closed));
    TRY(make_grid(m, def));
    TRY(closed_surface_check_volume(&m->closed));
    report->volume = m->closed.volume;
    report->open_borders = m->closed.open_borders;
    report->border_edges = m->closed.border_edges;
    TRY(slice(m));
    TRY(make_elements(m));
    TRY(count_shared(m));
    TRY(make_nodes(m));
    TRY(make_points(m));
    TRY(make_shapes(m));
    return embed(m);
}

ruga_status lattice_cells_create(const ruga_mesh *mesh, const lattice_cells_def *def, lattice_cells **out) {
    lattice_cells *self;
    TRY(NEW_ZEROED(mesh->context, &self, 1));
    self->context = mesh->context;
    self->is_linear = def->is_linear;
    self->corner_count = def->is_linear ? 8 : 27;
    maker m = {.context = mesh->context, .mesh = mesh, .out = self};
    ruga_status status = make(&m, def);
    release_maker(&m);
    RETURN_MADE(status, self, out, lattice_cells_destroy(self));
}

void lattice_cells_destroy(lattice_cells *l) {
    if (!l) return;
    RELEASE_ALL(l->context, l->cells, l->element_nodes, l->volumes, l->nodes, l->node_volumes, l->offsets, l->weights,
                l->places, l->shapes, l->gradients);
    ruga_map_destroy(l->embedding);
    memory_release(l->context, l);
}
