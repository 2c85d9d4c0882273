/* Curves as polylines of an OBJ file, named by the `o` or `g` before them.
 *
 * Programs write a curve as one `l` with all its vertices, or as one `l` per edge. So polylines of one name are joined
 * where exactly two of them end at a vertex; a polyline that ends at its first vertex is closed. */
#include <string.h>

#include "base/number.h"
#include "io/curves.h"

#define NONE UINT32_MAX

typedef struct line_joiner {
    const curve_source *source;
    curve_list *list;
    const obj_lines *lines;
    uint8_t *end_counts; /* (vertices) polylines of the current name that end there; 3 for more */
    uint32_t (*ends)[2]; /* (vertices) which */
    uint8_t *used;       /* (lines) */
    ARRAY(ruga_vec3) points;
    size_t curve_count; /* so far, bad ones too */
} line_joiner;

static uint32_t first_vertex(const obj_lines *l, size_t line) { return l->vertices[l->offsets[line]]; }
static uint32_t last_vertex(const obj_lines *l, size_t line) { return l->vertices[l->offsets[line + 1] - 1]; }

/* The end of a polyline that is not this one. */
static uint32_t other_end(const obj_lines *l, size_t line, uint32_t vertex) {
    return first_vertex(l, line) == vertex ? last_vertex(l, line) : first_vertex(l, line);
}

/* The polyline that continues this one at an end; NONE: none, or several. */
static uint32_t next_line(const line_joiner *j, uint32_t line, uint32_t vertex) {
    if (j->end_counts[vertex] != 2) return NONE;
    return j->ends[vertex][0] == line ? j->ends[vertex][1] : j->ends[vertex][0];
}

static void add_end(line_joiner *j, uint32_t line, uint32_t vertex) {
    if (j->end_counts[vertex] < 2) j->ends[vertex][j->end_counts[vertex]] = line;
    if (j->end_counts[vertex] < 3) j->end_counts[vertex]++;
}

/* The first polyline of the chain of a polyline, and the vertex where that chain starts. */
static uint32_t find_start(const line_joiner *j, uint32_t line, uint32_t *vertex) {
    uint32_t at = line, next;
    *vertex = first_vertex(j->lines, line);
    while ((next = next_line(j, at, *vertex)) != NONE) {
        if (next == line) {
            *vertex = first_vertex(j->lines, line);
            return line;
        }
        at = next;
        *vertex = other_end(j->lines, at, *vertex);
    }
    return at;
}

/* Appends the vertices of a polyline, starting at the given end, without the last. */
static ruga_status append_line(line_joiner *j, uint32_t line, uint32_t vertex) {
    const obj_lines *l = j->lines;
    uint32_t begin = l->offsets[line], count = l->offsets[line + 1] - begin;
    int forward = l->vertices[begin] == vertex;
    TRY(ARRAY_RESERVE(j->source->context, &j->points, count));
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t at = l->vertices[forward ? begin + i : begin + count - 1 - i];
        j->points.items[j->points.count++] = io_convert_point_in(&j->source->conversion, l->positions[at]);
    }
    j->used[line] = 1;
    return RUGA_OK;
}

/* Joins the chain of a polyline. */
static ruga_status join_lines(line_joiner *j, uint32_t line, int *closed) {
    uint32_t vertex, at = find_start(j, line, &vertex), first = vertex;
    j->points.count = 0;
    for (;;) {
        TRY(append_line(j, at, vertex));
        vertex = other_end(j->lines, at, vertex);
        uint32_t next = next_line(j, at, vertex);
        if (next == NONE || j->used[next]) break;
        at = next;
    }
    *closed = vertex == first;
    if (*closed) return RUGA_OK;
    return ARRAY_ADD(j->source->context, &j->points,
                     io_convert_point_in(&j->source->conversion, j->lines->positions[vertex]));
}

static ruga_status make_curve(line_joiner *j, uint32_t line, size_t number) {
    const curve_source *source = j->source;
    ruga_curve_def def = *source->def;
    ruga_curve *curve = NULL;
    TRY(join_lines(j, line, &def.closed));
    const char *owner = j->lines->owners[line] ? j->lines->owners[line] : "";
    char *name = NULL;
    j->curve_count++;
    TRY(curve_number_name(source->context, owner, *owner ? number : j->curve_count, &name));
    def.name = name;
    ruga_status status = curve_draw_points(source->canvas, j->points.items, j->points.count, &def, &curve);
    status = curve_fail_at(source, j->lines->places[line], status);
    status = curve_list_take(source, j->list, name, status, curve);
    memory_release(source->context, name);
    return status;
}

/* Reads the polylines of one name. */
static ruga_status read_named(line_joiner *j, uint32_t begin, uint32_t end) {
    const obj_lines *l = j->lines;
    for (uint32_t i = begin; i < end; i++) {
        j->end_counts[first_vertex(l, i)] = j->end_counts[last_vertex(l, i)] = 0;
    }
    for (uint32_t i = begin; i < end; i++) {
        add_end(j, i, first_vertex(l, i));
        add_end(j, i, last_vertex(l, i));
    }
    size_t number = 0;
    for (uint32_t i = begin; i < end; i++)
        if (!j->used[i]) TRY(make_curve(j, i, ++number));
    return RUGA_OK;
}

static ruga_status read_lines(line_joiner *j) {
    ruga_context *context = j->source->context;
    const obj_lines *l = j->lines;
    TRY(NEW_EACH(context, l->vertex_count, &j->end_counts, &j->ends));
    TRY(NEW_ZEROED(context, &j->used, l->count));
    for (uint32_t begin = 0, end; begin < l->count; begin = end) {
        for (end = begin + 1; end < l->count && l->owners[end] == l->owners[begin];) end++;
        TRY(read_named(j, begin, end));
    }
    return RUGA_OK;
}

static ruga_status take_lines(void *user, const obj_lines *lines) {
    line_joiner *j = user;
    ruga_context *context = j->source->context;
    j->lines = lines;
    if (lines->count == 0)
        return fail_input(context, "%s: it has no polyline (l); export curves as lines", j->source->name);
    ruga_status status = read_lines(j);
    RELEASE_ALL(context, j->end_counts, j->ends, j->used);
    ARRAY_RELEASE(context, &j->points);
    return status;
}

ruga_status curve_obj_read(const curve_source *source, curve_list *list) {
    const ruga_file_def preset = ruga_file_def_default();
    const io_source text = {
        .context = source->context, .name = source->name, .bytes = source->bytes, .size = source->size, .def = &preset};
    line_joiner joiner = {.source = source, .list = list};
    return obj_read_lines(&text, &(obj_lines_use){take_lines, &joiner});
}

/* ---- Writing. */

/* Control characters become blanks. A backslash at the end would join the next line, so a blank follows it. */
static ruga_status write_name(file *out, const char *name) {
    TRY(file_print(out, "o "));
    for (const char *c = name; *c; c++) TRY(file_write(out, (unsigned char)*c < ' ' ? " " : c, 1));
    size_t length = strlen(name);
    return file_print(out, length > 0 && name[length - 1] == '\\' ? " \n" : "\n");
}

static ruga_status write_vertex(const curve_target *target, ruga_vec3 p) {
    char x[NUMBER_CAPACITY], y[NUMBER_CAPACITY], z[NUMBER_CAPACITY];
    p = io_convert_point_out(&target->conversion, p);
    number_print(p.x, x);
    number_print(p.y, y);
    number_print(p.z, z);
    return file_print(target->out, "v %s %s %s\n", x, y, z);
}

static ruga_status write_curve(const curve_target *target, const ruga_curve *curve, const ruga_vec3 *points,
                               size_t first) {
    TRY(write_name(target->out, curve->name));
    for (size_t i = 0; i < curve->point_count; i++) TRY(write_vertex(target, points[i]));
    TRY(file_print(target->out, "l"));
    for (size_t i = 0; i < curve->point_count; i++) TRY(file_print(target->out, " %zu", first + i));
    if (curve->closed) TRY(file_print(target->out, " %zu", first));
    return file_print(target->out, "\n");
}

ruga_status curve_obj_write(const curve_target *target) {
    size_t first = 1;
    TRY(file_print(target->out, "# curves written by Ruga\n"));
    for (size_t i = 0; i < target->count; i++) {
        const ruga_curve *curve = target->curves[i];
        ruga_vec3 *points = NULL;
        TRY(NEW(target->context, &points, curve->point_count));
        ruga_curve_points(curve, target->mesh, NULL, points);
        ruga_status status = write_curve(target, curve, points, first);
        memory_release(target->context, points);
        TRY(status);
        first += curve->point_count;
    }
    return RUGA_OK;
}
