/* The kind "lattice": its table and that of its muscles, and how they become a body. docs/lattice.md explains the
 * numbers. */
#include <math.h>

#include "body/kind.h"
#include "body/lattice.h"
#include "body/muscle_kinds.h"
#include "body/pin_kinds.h"
#include "geom/intersections.h"

/* ---- The tables. */

static const ruga_field shape_key_fields[] = {
    {"time", RUGA_FIELD_NUMBER, AT(ruga_shape_key, time), .unit = "s",
     .help = "must be later than that of the key before"},
    {"weight", RUGA_FIELD_NUMBER, AT(ruga_shape_key, weight), .unit = "1", RANGE(-10, 10),
     .help = "0: rest, 1: the shape"},
};
static const ruga_section shape_key_section =
    SECTION("key", ruga_shape_key, shape_key_fields, .help = "The weight of a shape at a time.");
static const ruga_section *const shape_key_sections[] = {&shape_key_section, NULL};

static const ruga_field shape_fields[] = {
    {"file", RUGA_FIELD_PATH, AT(ruga_shape_def, file),
     .help = "a mesh with the vertices of the object's file, in their order, moved: a blend shape"},
    {"unit", RUGA_FIELD_UNIT, AT(ruga_shape_def, unit), .unit = "m", .preset = "null", RANGE(1e-9, 1e9),
     .help = "unit of length of that file; if absent, that of the object's file"},
    {"up", RUGA_FIELD_CHOICE, AT(ruga_shape_def, up), .preset = "null", .choices = axis_choices,
     .help = "up axis of that file; if absent, that of the object's file"},
    {"limit", RUGA_FIELD_NUMBER, AT(ruga_shape_def, limit), .unit = "1", .preset = "1", RANGE(1e-6, 1000),
     .help = "the greatest activation of a muscle"},
    {"keys", RUGA_FIELD_LIST, AT(ruga_shape_def, keys), .sections = shape_key_sections,
     .help = "keyframes of the weight; linear between two, constant before the first and after the last"},
};
static const ruga_section shape_section =
    SECTION("shape", ruga_shape_def, shape_fields,
            .help =
                "A shape of the surface. The muscles get the activations whose equilibrium comes closest to it, "
                "times its weight.");
static const ruga_section *const shape_sections[] = {&shape_section, NULL};

static const char *const elements[] = {"quadratic", "linear", NULL};
static const char *const integrators[] = {"implicit", "symplectic", "quasistatic", NULL};

static const ruga_field lattice_fields[] = {
    {"spacing", RUGA_FIELD_NUMBER, AT(ruga_lattice_def, spacing), .unit = "m", .preset = "null", RANGE(1e-9, 1e9),
     .help = "size of a cell, rounded so that whole cells fit the box around the mesh; if absent, an eighth of its "
             "longest side"},
    {"elements", RUGA_FIELD_CHOICE, AT(ruga_lattice_def, elements), .preset = "quadratic", .choices = elements,
     .help = "quadratic: B-splines, smooth across cells; linear: trilinear, with kinks between cells"},
    {"young", RUGA_FIELD_NUMBER, AT(ruga_lattice_def, young), .unit = "Pa", .preset = "20000", RANGE(1e-6, 1e15),
     .help = "Young's modulus: foam 10 000 to 500 000, flesh 5 000 to 50 000, rubber 1 000 000 and more"},
    {"poisson", RUGA_FIELD_NUMBER, AT(ruga_lattice_def, poisson), .unit = "1", .preset = "0.3", RANGE(-0.99, 0.499),
     .help = "Poisson ratio, below 0.5: foam 0.1 to 0.3, flesh 0.45"},
    {"density", RUGA_FIELD_NUMBER, AT(ruga_lattice_def, density), .unit = "kg/m³", .preset = "100", RANGE(1e-9, 1e9),
     .help = "mass per volume: foam 20 to 200, flesh 1 000"},
    {"damping", RUGA_FIELD_NUMBER, AT(ruga_lattice_def, damping), .unit = "s", .preset = "0.01", RANGE(0, 1000),
     .help = "damping over stiffness; a motion of frequency f loses the fraction pi f damping of the critical"},
    {"integrator", RUGA_FIELD_CHOICE, AT(ruga_lattice_def, integrator), .preset = "implicit", .choices = integrators,
     .help = "implicit: backward Euler, stable at any step; symplectic: explicit, without numerical damping, for small "
             "steps only; quasistatic: no inertia, each substep is a Newton step towards the equilibrium"},
    {"tolerance", RUGA_FIELD_NUMBER, AT(ruga_lattice_def, tolerance), .unit = "1", .preset = "0.0001", RANGE(1e-14, 1),
     .help = "relative residual at which implicit stops iterating"},
    {"iterations", RUGA_FIELD_WHOLE, AT(ruga_lattice_def, iterations), .unit = "1", .preset = "1000", RANGE(1, 1000000),
     .help = "largest number of iterations of implicit"},
    {"newton", RUGA_FIELD_WHOLE, AT(ruga_lattice_def, newton), .unit = "1", .preset = "1", RANGE(1, 100),
     .help =
         "largest number of Newton iterations in a step of implicit: 1 linearises once; more follow large rotations "
         "in long steps, until velocities change by less than the tolerance"},
    {"thickness", RUGA_FIELD_NUMBER, AT(ruga_lattice_def, thickness), .unit = "m", .preset = "0.002", RANGE(0, 1000),
     .help = "distance that contact keeps from colliders and other objects"},
    {"friction", RUGA_FIELD_NUMBER, AT(ruga_lattice_def, friction), .unit = "1", .preset = "0.5", RANGE(0, 10),
     .help = "Coulomb's coefficient, in contact"},
    {"hold", RUGA_FIELD_NUMBER, AT(ruga_lattice_def, hold), .unit = "1", .preset = "100", RANGE(1e-3, 1e6),
     .help = "stiffness of pins over that of a cell: a pinned vertex is off its place by about strain times cell over "
             "this"},
    {"pins", RUGA_FIELD_VARIANTS, AT(ruga_lattice_def, pins), .preset = "", .sections = pin_kinds,
     .help = "vertices that are held, by stiff springs"},
    {"muscles", RUGA_FIELD_LIST, AT(ruga_lattice_def, muscles), .preset = "", .sections = muscle_sections,
     .help = "parts of the material that contract"},
    {"shapes", RUGA_FIELD_LIST, AT(ruga_lattice_def, shapes), .preset = "", .sections = shape_sections,
     .help = "blend shapes of the surface that the muscles are to reach"},
};

/* ---- Making. */

static ruga_status find_shapes(build *b, const ruga_list *list, lattice_def *out) {
    const ruga_shape_def *from = list->items;
    lattice_shape_def *shapes = NULL;
    TRY(ARENA_NEW(b->memory, &shapes, list->count + 1));
    for (size_t k = 0; k < list->count; k++) {
        const ruga_mesh *mesh = NULL;
        TRY(build_check_keys(b, &from[k].keys, sizeof(ruga_shape_key)));
        TRY(build_about(b, &from[k].file, build_read_mesh(b, from[k].file, from[k].unit, from[k].up, &mesh)));
        if (!mesh) continue;
        if (mesh->vertex_count > b->mesh->vertex_count)
            TRY(build_found(b, &from[k].file, RUGA_ERROR_INPUT,
                            "the shape has %zu vertices, but the mesh has %zu; it must have those of the object's "
                            "file, in their order",
                            mesh->vertex_count, b->mesh->vertex_count));
        shapes[k] = (lattice_shape_def){.name = from[k].file,
                                        .count = mesh->vertex_count,
                                        .positions = mesh->positions,
                                        .limit = from[k].limit,
                                        .key_count = from[k].keys.count,
                                        .keys = from[k].keys.items};
    }
    out->shape_count = list->count;
    out->shapes = shapes;
    return RUGA_OK;
}

static ruga_status report_intersections(build *b) {
    intersection_array found = {0};
    const ruga_mesh *mesh = b->mesh;
    TRY(intersections_find(b->context, mesh->vertex_count, mesh->positions, mesh->triangle_count, mesh->triangles, NULL,
                           NULL, &found));
    ruga_status status = RUGA_OK;
    if (found.count > 0)
        status = build_found(b, &b->object->body, RUGA_WARNING_INPUT,
                             "the surface intersects itself at %zu pairs of triangles, first %u and %u near (%.3g, "
                             "%.3g, %.3g): material that overlaps is counted twice; separate the parts",
                             found.count, found.items[0].triangles[0], found.items[0].triangles[1],
                             found.items[0].point.x, found.items[0].point.y, found.items[0].point.z);
    ARRAY_RELEASE(b->context, &found);
    return status;
}

static ruga_status report_lattice(build *b, const body *made) {
    const lattice_cells *l = lattice_cells_of(made);
    const lattice_report *report = &l->report;
    log_info(b->context,
             "object \"%s\": a lattice of %u x %u x %u cells of %.3g x %.3g x %.3g m has %zu elements and %zu nodes; "
             "%zu cells have several elements; volume %.4g m³",
             b->object->name ? b->object->name : "", l->counts[0], l->counts[1], l->counts[2], l->cell.x, l->cell.y,
             l->cell.z, l->element_count, l->node_count, report->shared_cells, report->volume);
    if (report->open_borders == 0) return RUGA_OK;
    return build_found(b, &b->object->body, RUGA_WARNING_INPUT,
                       "the mesh has %zu open borders with %zu edges; they are closed by fans for the lattice only, "
                       "which decides its volume: close the mesh to choose how",
                       report->open_borders, report->border_edges);
}

static ruga_status check(build *b, const void *from) {
    if (b->scene->colliders.count > 0 && !b->scene->contact.on)
        TRY(build_found(b, &b->object->body, RUGA_WARNING_INPUT,
                        "a lattice stays outside of colliders by contact alone, which is off; set \"contact\": true"));
    const ruga_lattice_def *values = from;
    const ruga_vec3 g = b->scene->gravity;
    if (values->integrator == 2 && values->pins.count == 0 && (g.x != 0 || g.y != 0 || g.z != 0))
        TRY(build_found(
            b, &b->object->body, RUGA_WARNING_INPUT,
            "its integrator is quasistatic, but no pins hold it: it falls as fast as a step allows; pin it, or use "
            "the integrator implicit"));
    return report_intersections(b);
}

static ruga_status make_body(build *b, const void *from, body **out) {
    const ruga_lattice_def *values = from;
    lattice_def def = {.values = *values};
    if (body_is_given(&b->simulated))
        return build_found(b, &b->object->body, RUGA_ERROR_UNSUPPORTED,
                           "a hook cuts the object, but its body is a lattice; use cloth");
    TRY(pins_make(b, &values->pins, NULL, &def.pins, &def.pin_def_count));
    TRY(muscles_make(b, &values->muscles, &def.muscles, &def.muscle_count));
    TRY(find_shapes(b, &values->shapes, &def));
    if (b->errors) return RUGA_OK;
    body *made;
    TRY(lattice_create(b->mesh, &def, &made));
    ruga_status status = report_lattice(b, made);
    if (RUGA_FAILED(status))
        made->interface->destroy(made);
    else
        *out = made;
    return status;
}

_Static_assert(offsetof(ruga_shape_key, time) == 0, "build_check_keys wants the time first");

const kind lattice_body_kind = {
    .section = SECTION("lattice", ruga_lattice_def, lattice_fields,
                       .help = "A soft solid: a coarse lattice over a closed mesh, elastic and dynamic, that carries "
                               "the mesh. Contact keeps it outside of others."),
    .role = KIND_BODY,
    .flags = KIND_HAS_DYNAMICS | KIND_FEELS_GRAVITY | KIND_FEELS_COLLIDERS,
    .make_body = make_body,
    .check = check,
};

const ruga_section *lattice_section(void) { return &lattice_body_kind.section; }
