/* Writes Gmsh .msh, versions 4.1 and 2.2, text and binary in the machine's byte order. All elements belong to one
 * entity; consecutive elements of one kind are a block. */
#include <string.h>

#include "io/solid.h"

typedef struct msh_writer {
    solid_out out;
    int version; /* 2 or 4 */
    int binary;
} msh_writer;

static void put_bytes(msh_writer *w, const void *bytes, size_t size) {
    memcpy(text_reserve(&w->out.text, size), bytes, size);
    w->out.text.used += size;
}

/* A whole number of 4 or 8 bytes, or as text with what follows it. */
static void put_whole(msh_writer *w, unsigned size, uint64_t value, char after) {
    const uint32_t small = (uint32_t)value;
    if (!w->binary) {
        text_put_whole(&w->out.text, (int64_t)value);
        text_put_char(&w->out.text, after);
    } else if (size == 4) {
        put_bytes(w, &small, 4);
    } else {
        put_bytes(w, &value, 8);
    }
}

static void put_position(msh_writer *w, size_t vertex) {
    const ruga_vec3 p = solid_position(&w->out, vertex);
    const double numbers[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; k++) {
        if (w->binary) {
            put_bytes(w, &numbers[k], 8);
            continue;
        }
        text_put_double(&w->out.text, numbers[k]);
        text_put_char(&w->out.text, k < 2 ? ' ' : '\n');
    }
}

static uint64_t dimension_of(const msh_writer *w) { return w->out.mesh->tet_count > 0 ? 3 : 2; }

/* The line before a section's end stands alone in binary files. */
static void end_section(msh_writer *w, const char *end) {
    if (w->binary) text_put_char(&w->out.text, '\n');
    text_put(&w->out.text, end);
}

static ruga_status write_nodes(msh_writer *w) {
    const size_t count = w->out.mesh->vertex_count;
    text_out *text = &w->out.text;
    text_put(text, "$Nodes\n");
    if (w->version == 2) {
        text_put_whole(text, (int64_t)count);
        text_put_char(text, '\n');
    } else {
        put_whole(w, 8, 1, ' ');
        put_whole(w, 8, count, ' ');
        put_whole(w, 8, 1, ' ');
        put_whole(w, 8, count, '\n');
        put_whole(w, 4, dimension_of(w), ' ');
        put_whole(w, 4, 1, ' ');
        put_whole(w, 4, 0, ' ');
        put_whole(w, 8, count, '\n');
        for (size_t i = 0; i < count; i++) put_whole(w, 8, i + 1, '\n');
    }
    for (size_t i = 0; i < count; i++) {
        if (w->version == 2) put_whole(w, 4, i + 1, ' ');
        put_position(w, i);
        TRY(text->status);
        TRY(io_report_written(w->out.target, i, 0));
    }
    end_section(w, "$EndNodes\n");
    return RUGA_OK;
}

/* ---- Elements: tets, or faces. */

static size_t element_count(const msh_writer *w) {
    return w->out.mesh->tet_count > 0 ? w->out.mesh->tet_count : w->out.face_count;
}

static const uint32_t *element(const msh_writer *w, size_t i, unsigned *corners) {
    *corners = 4;
    return w->out.mesh->tet_count > 0 ? w->out.mesh->tets + 4 * i : solid_face(&w->out, i, corners);
}

/* The number of elements from i on that have as many corners. */
static size_t run_length(const msh_writer *w, size_t i) {
    unsigned first, other;
    size_t count = element_count(w), end = i + 1;
    (void)element(w, i, &first);
    for (; end < count; end++) {
        (void)element(w, end, &other);
        if (other != first) break;
    }
    return end - i;
}

static void put_block(msh_writer *w, size_t first, size_t count) {
    unsigned corners;
    (void)element(w, first, &corners);
    const uint64_t type = w->out.mesh->tet_count > 0 ? 4 : corners == 4 ? 3 : 2;
    if (w->version == 4) {
        put_whole(w, 4, dimension_of(w), ' ');
        put_whole(w, 4, 1, ' ');
        put_whole(w, 4, type, ' ');
        put_whole(w, 8, count, '\n');
    } else if (w->binary) {
        put_whole(w, 4, type, ' ');
        put_whole(w, 4, count, ' ');
        put_whole(w, 4, 2, '\n');
    }
}

/* In version 2, two tags: no physical group, entity 1. */
static void put_element(msh_writer *w, size_t i) {
    const unsigned size = w->version == 4 ? 8 : 4;
    unsigned corners;
    const uint32_t *vertices = element(w, i, &corners);
    put_whole(w, size, i + 1, ' ');
    if (w->version == 2 && !w->binary) {
        put_whole(w, 4, w->out.mesh->tet_count > 0 ? 4 : corners == 4 ? 3 : 2, ' ');
        put_whole(w, 4, 2, ' ');
    }
    if (w->version == 2) {
        put_whole(w, 4, 0, ' ');
        put_whole(w, 4, 1, ' ');
    }
    for (unsigned k = 0; k < corners; k++) put_whole(w, size, (uint64_t)vertices[k] + 1, k + 1 < corners ? ' ' : '\n');
}

static ruga_status write_elements(msh_writer *w) {
    const size_t count = element_count(w);
    size_t blocks = 0;
    text_put(&w->out.text, "$Elements\n");
    for (size_t i = 0; i < count; i += run_length(w, i)) blocks++;
    if (w->version == 2) {
        text_put_whole(&w->out.text, (int64_t)count);
        text_put_char(&w->out.text, '\n');
    } else {
        put_whole(w, 8, blocks, ' ');
        put_whole(w, 8, count, ' ');
        put_whole(w, 8, 1, ' ');
        put_whole(w, 8, count, '\n');
    }
    for (size_t i = 0, left = 0; i < count; i++, left--) {
        if (left == 0) put_block(w, i, left = run_length(w, i));
        put_element(w, i);
        TRY(w->out.text.status);
        TRY(io_report_written(w->out.target, w->out.mesh->vertex_count, i));
    }
    end_section(w, "$EndElements\n");
    return text_flush(&w->out.text);
}

static ruga_status write_all(msh_writer *w) {
    const uint32_t one = 1;
    text_print(&w->out.text, "$MeshFormat\n%s %s 8\n", w->version == 4 ? "4.1" : "2.2", w->binary ? "1" : "0");
    if (w->binary) put_bytes(w, &one, 4);
    end_section(w, "$EndMeshFormat\n");
    TRY(write_nodes(w));
    return write_elements(w);
}

ruga_status msh_write(const io_target *target, ruga_format format) {
    msh_writer writer = {.version = format == RUGA_FORMAT_MSH2 || format == RUGA_FORMAT_MSH2_BINARY ? 2 : 4,
                         .binary = format == RUGA_FORMAT_MSH_BINARY || format == RUGA_FORMAT_MSH2_BINARY};
    ruga_status status = solid_out_open(target, "a Gmsh file", &writer.out);
    if (!RUGA_FAILED(status) && writer.version == 2 && target->mesh->vertex_count >= INT32_MAX)
        status = fail_input(target->context, "%s: %zu vertices are too many for version 2.2; write version 4.1",
                            file_path(target->out), target->mesh->vertex_count);
    if (!RUGA_FAILED(status)) solid_note_losses(&writer.out, "a Gmsh file");
    if (!RUGA_FAILED(status)) status = write_all(&writer);
    solid_out_close(&writer.out);
    return status;
}
