/* How fast large files become meshes.
 *
 *   ply_read_vs_sum, glb_read_vs_sum   reading the file's bytes and adding them as 64-bit words, over reading it into a
 *                                      mesh (indices checked, topology not built); a million triangles, warm cache
 *   obj_read_vs_strtod                 a bare strtod and strtol pass over the text in memory, over reading it into a
 *                                      mesh
 *
 * The sum reads through a buffer of 1 MB, which stays in the cache: the least work that looks at every byte. */
#include <fcntl.h>
#include <unistd.h>

#include "bench.h"
#include "ruga/ruga.h"

#define SUM_BUFFER ((size_t)1 << 20)
#define PATH_SIZE 4096

typedef struct io_bench {
    bench_setup *bench;
    const char *path;
    size_t size; /* bytes of the file */
    uint64_t *buffer;
    char *text;   /* of the OBJ file, zero-terminated */
    uint64_t sum; /* so that nothing is left out as unused */
    size_t triangle_count;
} io_bench;

/* Six digits behind the point, as most programs write them. */
static double rounded(double value) { return (double)(int64_t)(value * 1e6 + 0.5) / 1e6; }

/* A sheet of a million triangles with some height, without UVs: positions (decimal, or what 32-bit floats hold) and
 * indices alone. */
static ruga_mesh *make_mesh(bench_setup *bench, int is_decimal) {
    const size_t columns = 1000, rows = 500;
    const size_t vertex_count = (columns + 1) * (rows + 1), triangle_count = 2 * columns * rows;
    double *positions = malloc(vertex_count * 3 * sizeof *positions);
    float *floats = malloc(vertex_count * 3 * sizeof *floats);
    uint32_t *triangles = malloc(triangle_count * 3 * sizeof *triangles);
    bench_require(positions && floats && triangles, "no memory");
    uint64_t state = 1;
    for (size_t i = 0; i < vertex_count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        positions[3 * i] = rounded((double)(i % (columns + 1)) / (double)columns);
        positions[3 * i + 1] = rounded((double)(state >> 40) * 0x1p-26);
        positions[3 * i + 2] = rounded((double)(i / (columns + 1)) / (double)rows);
    }
    for (size_t i = 0; i < 3 * vertex_count; i++) floats[i] = (float)positions[i];
    uint32_t *t = triangles;
    for (size_t j = 0; j < rows; j++)
        for (size_t i = 0; i < columns; i++, t += 6) {
            const uint32_t a = (uint32_t)(j * (columns + 1) + i), b = a + 1, c = a + (uint32_t)columns + 1, d = c + 1;
            memcpy(t, (uint32_t[6]){a, c, b, b, c, d}, 6 * sizeof *t);
        }
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, vertex_count, 0, RUGA_F64};
    if (!is_decimal) def.positions = (ruga_view){floats, vertex_count, 0, RUGA_F32};
    def.face_count = triangle_count;
    def.face_vertices = triangles;
    ruga_mesh *mesh = NULL;
    bench_ok(bench, ruga_mesh_create(bench->context, &def, &mesh));
    free(positions);
    free(floats);
    free(triangles);
    return mesh;
}

/* ---- The two ways. */

static void sum_file(void *user) {
    io_bench *b = user;
    const int descriptor = open(b->path, O_RDONLY);
    bench_require(descriptor >= 0, "the file can't be opened");
    uint64_t sum = 0;
    ssize_t got;
    while ((got = read(descriptor, b->buffer, SUM_BUFFER)) > 0)
        for (size_t i = 0; i < (size_t)got / 8; i++) sum += b->buffer[i];
    close(descriptor);
    b->sum += sum;
}

static void read_mesh(void *user) {
    io_bench *b = user;
    ruga_mesh *mesh = NULL;
    bench_ok(b->bench, ruga_mesh_read(b->bench->context, b->path, NULL, &mesh));
    bench_require(mesh->triangle_count == b->triangle_count, "triangles are missing");
    b->sum += mesh->triangles[3 * b->triangle_count - 1];
    ruga_mesh_destroy(mesh);
}

/* The least work of a reader made of the C library's functions. */
static void parse_text(void *user) {
    io_bench *b = user;
    double sum = 0;
    long indices = 0;
    for (char *at = b->text; *at;) {
        if (*at == 'v') {
            at++;
            for (int k = 0; k < 3; k++) sum += strtod(at, &at);
        } else if (*at == 'f') {
            at++;
            for (int k = 0; k < 3; k++) indices += strtol(at, &at, 10);
        }
        while (*at && *at++ != '\n') continue;
    }
    b->sum += (uint64_t)(int64_t)sum + (uint64_t)indices;
}

/* ---- The figures. */

static void load_text(io_bench *b) {
    const int descriptor = open(b->path, O_RDONLY);
    b->text = malloc(b->size + 1);
    bench_require(descriptor >= 0 && b->text, "no memory");
    size_t count = 0;
    for (ssize_t got; count < b->size && (got = read(descriptor, b->text + count, b->size - count)) > 0;)
        count += (size_t)got;
    b->text[count] = 0;
    close(descriptor);
}

static void write_mesh(io_bench *b, const ruga_mesh *mesh) {
    bench_ok(b->bench, ruga_mesh_write(mesh, NULL, b->path, NULL));
    const int descriptor = open(b->path, O_RDONLY);
    b->size = (size_t)lseek(descriptor, 0, SEEK_END);
    close(descriptor);
    b->triangle_count = mesh->triangle_count;
}

static void compare(io_bench *b, const ruga_mesh *mesh, const char *folder, const char *ending, bench_function *plain,
                    const char *plain_name, const char *figure) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/mesh.%s", folder, ending);
    b->path = path;
    write_mesh(b, mesh);
    const int is_text = plain == parse_text;
    if (is_text) load_text(b);
    printf("%s, %.1f MB, %zu triangles\n", ending, (double)b->size * 1e-6, b->triangle_count);
    bench_result r = bench_compare(b->bench, &(bench_pair){.a_name = plain_name,
                                                           .a = plain,
                                                           .b_name = "Ruga, into a mesh",
                                                           .b = read_mesh,
                                                           .user = b,
                                                           .repetitions = b->bench->quick ? 9
                                                                          : is_text       ? 15
                                                                                          : 51,
                                                           .items = (double)b->size,
                                                           .item_name = "bytes"});
    bench_figure(figure, r.ratio);
    free(b->text);
    b->text = NULL;
    remove(path);
}

int main(int argc, char **argv) {
    bench_setup bench = bench_init(argc, argv, "reading files");
    io_bench b = {.bench = &bench, .buffer = malloc(SUM_BUFFER)};
    bench_require(b.buffer != NULL, "no memory");
    const char *base = getenv("TMPDIR");
    char folder[PATH_SIZE / 2];
    snprintf(folder, sizeof folder, "%s/ruga-bench-XXXXXX", base && *base ? base : P_tmpdir);
    bench_require(mkdtemp(folder) != NULL, "no folder for temporary files");

    ruga_mesh *binary = make_mesh(&bench, 0), *decimal = make_mesh(&bench, 1);
    compare(&b, binary, folder, "ply", sum_file, "read and add", "ply_read_vs_sum");
    compare(&b, decimal, folder, "obj", parse_text, "strtod and strtol", "obj_read_vs_strtod");
    compare(&b, binary, folder, "glb", sum_file, "read and add", "glb_read_vs_sum");
    ruga_mesh_destroy(binary);
    ruga_mesh_destroy(decimal);
    rmdir(folder);
    free(b.buffer);
    bench_require(b.sum != 0, "nothing was read");
    bench_end(&bench);
    return 0;
}
