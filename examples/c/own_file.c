/* Wrinkles on your own animation: own_file CHARACTER.glb FINE.obj reads a mesh and its motion, updates a wrinkle mesh
 * in each frame, and writes the last one. Without arguments it bends an arm and writes nothing. */
#include <ruga/ruga.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct character {
    ruga_mesh *mesh, *fine;
    ruga_motion *motion;
    ruga_wrinkle_mesh *wrinkles;
    ruga_vec3 *pose, *wrinkled;
} character;

static ruga_status load(ruga_context *context, const char *path, character *c) {
    if (!path) {
        ruga_status status = ruga_model_make(context, "arm", NULL, &c->mesh);
        return RUGA_FAILED(status) ? status : ruga_model_motion(context, "arm", NULL, "bend", NULL, &c->motion);
    }
    ruga_status status = ruga_mesh_read(context, path, NULL, &c->mesh);
    return RUGA_FAILED(status) ? status : ruga_motion_read(context, path, c->mesh, NULL, &c->motion);
}

/* A fine mesh of n² triangles for each, with waves of some length in metres. */
static ruga_status prepare(character *c, int n, double wavelength) {
    ruga_subdivide_def cut = ruga_subdivide_def_default();
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    cut.n = n;
    def.wavelength = wavelength;
    return ruga_wrinkle_mesh_create_subdivided(c->mesh, &cut, &def, &c->fine, &c->wrinkles);
}

static ruga_status animate(character *c) {
    const ruga_motion_info info = ruga_motion_get_info(c->motion);
    const ruga_view in = {c->pose, c->mesh->vertex_count, 0, RUGA_F64};
    ruga_view out = {c->wrinkled, c->fine->vertex_count, 0, RUGA_F64};
    ruga_status status = RUGA_OK;
    for (double time = info.start; time <= info.end && !RUGA_FAILED(status); time += 1.0 / 24) {
        status = ruga_motion_sample(c->motion, time, c->pose);
        if (!RUGA_FAILED(status)) status = ruga_wrinkle_mesh_update(c->wrinkles, &in, NULL);
    }
    return RUGA_FAILED(status) ? status : ruga_wrinkle_mesh_read(c->wrinkles, &out, NULL);
}

static ruga_status write_fine(const character *c, const char *path) {
    const ruga_frame frame = {.vertex_count = c->fine->vertex_count, .positions = c->wrinkled};
    printf("%zu triangles carry %zu\n", c->mesh->triangle_count, c->fine->triangle_count);
    return path ? ruga_mesh_write(c->fine, &frame, path, NULL) : RUGA_OK;
}

int main(int argc, char **argv) {
    ruga_context *context = NULL;
    if (RUGA_FAILED(ruga_context_create(NULL, &context))) return 1;
    character c = {0};
    ruga_status status = load(context, argc > 1 ? argv[1] : NULL, &c);
    if (!RUGA_FAILED(status)) status = prepare(&c, 4, 0.03);
    c.pose = c.mesh ? malloc(c.mesh->vertex_count * sizeof *c.pose) : NULL;
    c.wrinkled = c.fine ? malloc(c.fine->vertex_count * sizeof *c.wrinkled) : NULL;
    if (!RUGA_FAILED(status) && c.pose && c.wrinkled) status = animate(&c);
    if (!RUGA_FAILED(status)) status = write_fine(&c, argc > 2 ? argv[2] : NULL);
    if (RUGA_FAILED(status)) fprintf(stderr, "%s\n", ruga_context_message(context));
    ruga_wrinkle_mesh_destroy(c.wrinkles);
    ruga_motion_destroy(c.motion);
    ruga_mesh_destroy(c.fine);
    ruga_mesh_destroy(c.mesh);
    free(c.pose);
    free(c.wrinkled);
    ruga_context_destroy(context);
    return RUGA_FAILED(status);
}
