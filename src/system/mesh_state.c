/* Arrays are put as bytes, which carry their size: a damaged count is found before anything is allocated. */
#include "system/mesh_state.h"

#include <math.h>
#include <string.h>

#include "linalg/map.h"
#include "mesh/mesh.h"

#define VERSION 1
#define TAG_MESH STATE_TAG('M', 'E', 'S', 'H')
#define TAG_MAP STATE_TAG('S', 'M', 'A', 'P')
#define TAG_ATTRIBUTE STATE_TAG('A', 'T', 'T', 'R')

static void put_array(state_writer *writer, const void *values, size_t count, size_t size) {
    state_put_bytes(writer, values ? values : "", values ? count * size : 0);
}

/* A copy of the next array, which has `count` elements; or none, when it may be left out: then NULL. */
static ruga_status get_array(state_reader *reader, size_t count, size_t size, int optional, void *out) {
    const void *bytes;
    size_t found;
    void *copy = NULL;
    TRY(state_get_bytes(reader, &bytes, &found));
    if (!(optional && found == 0)) {
        if (count > SIZE_MAX / size || found != count * size)
            return fail_input(
                reader->context,
                "the saved state is damaged: an array of its mesh has %zu bytes, but %zu elements of %zu bytes "
                "were expected",
                found, count, size);
        TRY(NEW_SIZED_COPY(reader->context, &copy, bytes, count, size));
    }
    memcpy(out, &copy, sizeof copy);
    return RUGA_OK;
}

/* ---- Meshes. */

static void save_attribute(const ruga_mesh *mesh, const ruga_attribute *a, state_writer *writer) {
    uint64_t numbers[6] = {(uint64_t)a->domain,     (uint64_t)a->type, a->components,
                           (uint64_t)a->normalised, a->count,          a->label_count};
    state_begin(writer, TAG_ATTRIBUTE, VERSION);
    state_put_u64(writer, numbers, 6);
    put_array(writer, a->name, strlen(a->name) + 1, 1);
    put_array(writer, a->values, a->count, ruga_scalar_size(a->type) * a->components);
    put_array(writer, a->indices, mesh_domain_size(mesh, a->domain), sizeof *a->indices);
    for (size_t i = 0; i < a->label_count; i++) put_array(writer, a->labels[i], strlen(a->labels[i]) + 1, 1);
    state_end(writer);
}

void mesh_save(const ruga_mesh *m, state_writer *writer) {
    const uint64_t counts[8] = {m->vertex_count, m->face_count, m->corner_count, m->edge_count,
                                m->line_count,   m->tet_count,  m->split_count,  m->attribute_count};
    state_begin(writer, TAG_MESH, VERSION);
    state_put_u64(writer, counts, 8);
    put_array(writer, m->positions, m->vertex_count, sizeof *m->positions);
    put_array(writer, m->face_offsets, m->face_count + 1, sizeof *m->face_offsets);
    put_array(writer, m->face_vertices, m->corner_count, sizeof *m->face_vertices);
    put_array(writer, m->edges, 2 * m->edge_count, sizeof *m->edges);
    put_array(writer, m->line_offsets, m->line_count + 1, sizeof *m->line_offsets);
    put_array(writer, m->line_vertices, m->line_offsets ? m->line_offsets[m->line_count] : 0, sizeof *m->line_vertices);
    put_array(writer, m->tets, 4 * m->tet_count, sizeof *m->tets);
    put_array(writer, m->split_vertex, m->split_count, sizeof *m->split_vertex);
    put_array(writer, m->corner_split, m->corner_count, sizeof *m->corner_split);
    for (size_t i = 0; i < m->attribute_count; i++) save_attribute(m, &m->attributes[i], writer);
    state_end(writer);
}

/* Text of the next array, where it is in the state. */
static ruga_status get_text(state_reader *reader, const char **out) {
    const void *bytes;
    size_t size;
    TRY(state_get_bytes(reader, &bytes, &size));
    if (size == 0 || ((const char *)bytes)[size - 1] != 0)
        return fail_input(reader->context, "the saved state is damaged: a name in its mesh has no end");
    *out = bytes;
    return RUGA_OK;
}

static ruga_status get_labels(state_reader *entry, size_t count, mesh_parts *parts) {
    const char **labels = NULL;
    if (count > (size_t)(entry->end - entry->at))
        return fail_input(entry->context, "the saved state is damaged: %zu labels in its mesh", count);
    TRY(NEW(entry->context, &labels, count));
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < count && !RUGA_FAILED(status); i++) status = get_text(entry, &labels[i]);
    if (!RUGA_FAILED(status)) status = mesh_parts_set_labels(entry->context, parts, labels, count);
    memory_release(entry->context, labels);
    return status;
}

static ruga_status load_attribute(state_reader *reader, mesh_parts *parts) {
    state_reader entry;
    uint64_t numbers[6];
    const char *name = NULL;
    void *values = NULL;
    uint32_t *indices = NULL;
    TRY(state_enter(reader, TAG_ATTRIBUTE, VERSION, NULL, &entry));
    reader->at = entry.end;
    TRY(state_get_u64(&entry, numbers, 6));
    TRY(get_text(&entry, &name));
    ruga_mesh sizes = {.vertex_count = parts->vertex_count,
                       .face_count = parts->face_count,
                       .corner_count = parts->corner_count,
                       .edge_count = parts->edge_count};
    size_t scalar = numbers[1] <= RUGA_F64 ? ruga_scalar_size((ruga_scalar)numbers[1]) : 0;
    if (numbers[0] > RUGA_DOMAIN_CORNER || scalar == 0 || numbers[2] == 0 || numbers[2] > UINT32_MAX)
        return fail_input(reader->context, "the saved state is damaged: attribute \"%s\" of its mesh", name);
    TRY(get_array(&entry, numbers[4], scalar * numbers[2], 0, &values));
    ruga_status status =
        get_array(&entry, mesh_domain_size(&sizes, (ruga_domain)numbers[0]), sizeof *indices, 1, &indices);
    TRY_OR(status, memory_release(reader->context, values));
    TRY(mesh_parts_add(reader->context, parts, name, (ruga_domain)numbers[0], (ruga_scalar)numbers[1],
                       (uint32_t)numbers[2], numbers[4], values, indices));
    parts->attributes.items[parts->attributes.count - 1].normalised = numbers[3] != 0;
    return numbers[5] > 0 ? get_labels(&entry, numbers[5], parts) : RUGA_OK;
}

static ruga_status load_parts(state_reader *entry, mesh_parts *p) {
    uint64_t counts[8];
    TRY(state_get_u64(entry, counts, 8));
    /* So that the products below do not overflow. */
    for (int i = 0; i < 8; i++)
        if (counts[i] > UINT32_MAX)
            return fail_input(entry->context, "the saved state is damaged: its mesh has %llu elements",
                              (unsigned long long)counts[i]);
    TRY(get_array(entry, counts[0], sizeof *p->positions, 0, &p->positions));
    TRY(get_array(entry, counts[1] + 1, sizeof *p->face_offsets, 1, &p->face_offsets));
    TRY(get_array(entry, counts[2], sizeof *p->face_vertices, 0, &p->face_vertices));
    TRY(get_array(entry, 2 * counts[3], sizeof *p->edges, 1, &p->edges));
    TRY(get_array(entry, counts[4] + 1, sizeof *p->line_offsets, 1, &p->line_offsets));
    TRY(get_array(entry, p->line_offsets ? p->line_offsets[counts[4]] : 0, sizeof *p->line_vertices, 1,
                  &p->line_vertices));
    TRY(get_array(entry, 4 * counts[5], sizeof *p->tets, 1, &p->tets));
    TRY(get_array(entry, counts[6], sizeof *p->split_vertex, 1, &p->split_vertex));
    TRY(get_array(entry, counts[2], sizeof *p->corner_split, 1, &p->corner_split));
    p->vertex_count = counts[0];
    p->face_count = counts[1];
    p->corner_count = counts[2];
    p->edge_count = counts[3];
    p->line_count = p->line_offsets ? counts[4] : 0;
    p->tet_count = counts[5];
    p->split_count = p->split_vertex && p->corner_split ? counts[6] : 0;
    int whole =
        (p->edges || counts[3] == 0) && (p->tets || counts[5] == 0) && (p->face_offsets || counts[2] == 3 * counts[1]);
    if (!whole) return fail_input(entry->context, "the saved state is damaged: its mesh lacks an array");
    for (size_t i = 0; i < counts[7]; i++) TRY(load_attribute(entry, p));
    return RUGA_OK;
}

ruga_status mesh_load(state_reader *reader, ruga_mesh **out) {
    state_reader entry;
    mesh_parts parts = {0};
    TRY(state_enter(reader, TAG_MESH, VERSION, NULL, &entry));
    reader->at = entry.end;
    TRY_OR(load_parts(&entry, &parts), mesh_parts_release(reader->context, &parts));
    return mesh_from_parts(reader->context, &parts, out);
}

/* ---- Maps. */

void map_save(const ruga_map *map, state_writer *writer) {
    const uint64_t counts[2] = {map->rows, map->columns};
    size_t entries = map->offsets[map->rows];
    state_begin(writer, TAG_MAP, VERSION);
    state_put_u64(writer, counts, 2);
    put_array(writer, map->offsets, map->rows + 1, sizeof *map->offsets);
    put_array(writer, map->indices, entries, sizeof *map->indices);
    put_array(writer, map->weights, entries, sizeof *map->weights);
    state_end(writer);
}

static int map_is_whole(const uint64_t counts[2], const size_t *offsets, const uint32_t *indices,
                        const double *weights) {
    if (offsets[0] != 0) return 0;
    for (size_t i = 0; i < counts[0]; i++) {
        if (offsets[i + 1] < offsets[i] || offsets[i + 1] > offsets[counts[0]]) return 0;
        for (size_t k = offsets[i]; k < offsets[i + 1]; k++)
            if (indices[k] >= counts[1] || !isfinite(weights[k]) || (k > offsets[i] && indices[k] <= indices[k - 1]))
                return 0;
    }
    return 1;
}

ruga_status map_load(state_reader *reader, ruga_map **out) {
    state_reader entry;
    uint64_t counts[2];
    size_t *offsets = NULL;
    uint32_t *indices = NULL;
    double *weights = NULL;
    ruga_context *context = reader->context;
    TRY(state_enter(reader, TAG_MAP, VERSION, NULL, &entry));
    reader->at = entry.end;
    TRY(state_get_u64(&entry, counts, 2));
    if (counts[0] >= SIZE_MAX / sizeof *offsets || counts[1] > UINT32_MAX)
        return fail_input(context, "the saved state is damaged: a map of %llu x %llu", (unsigned long long)counts[0],
                          (unsigned long long)counts[1]);
    ruga_status status = get_array(&entry, counts[0] + 1, sizeof *offsets, 0, &offsets);
    if (!RUGA_FAILED(status)) status = get_array(&entry, offsets[counts[0]], sizeof *indices, 0, &indices);
    if (!RUGA_FAILED(status)) status = get_array(&entry, offsets[counts[0]], sizeof *weights, 0, &weights);
    if (!RUGA_FAILED(status) && !map_is_whole(counts, offsets, indices, weights))
        status = fail_input(context, "the saved state is damaged: a map with entries out of order");
    TRY_OR(status, RELEASE_ALL(context, offsets, indices, weights));
    return map_from_rows(context, counts[0], counts[1], offsets, indices, weights, out);
}
