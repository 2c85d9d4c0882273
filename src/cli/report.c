#include "report.h"

#include <string.h>

/* ---- JSON. */
int json_begin(session *s, ruga_json_writer **out) {
    return output_code(s, ruga_json_writer_create(s->context, 2, out));
}

int json_finish(session *s, ruga_json_writer *writer) {
    const char *text;
    size_t size;
    ruga_status status = ruga_json_finish(writer, &text, &size);
    if (!RUGA_FAILED(status)) session_write(s, text, size);
    ruga_json_writer_destroy(writer);
    return output_code(s, status);
}

void json_vector(ruga_json_writer *json, const char *key, ruga_vec3 value) {
    if (key) ruga_json_key(json, key);
    ruga_json_begin_array(json);
    ruga_json_number(json, value.x);
    ruga_json_number(json, value.y);
    ruga_json_number(json, value.z);
    ruga_json_end_array(json);
}

int report_json(session *s, const report_field *fields, size_t count) {
    ruga_json_writer *json;
    if (!s->json) return 0;
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_object(json);
    for (size_t i = 0; i < count; i++)
        if (fields[i].text)
            ruga_json_put_string(json, fields[i].key, fields[i].text);
        else
            ruga_json_put_number(json, fields[i].key, fields[i].number);
    ruga_json_end_object(json);
    return json_finish(s, json);
}

/* ---- Names to choose from. */
void print_names(session *s, const char *heading, const named *names, size_t count) {
    session_print(s, "%s:\n", heading);
    for (size_t i = 0; i < count; i++) session_print(s, "  %-12s%s\n", names[i].name, names[i].help);
}

int report_names(session *s, const char *heading, const named *names, size_t count, const char *ending) {
    if (!s->json) {
        print_names(s, heading, names, count);
        session_print(s, "\n%s\n", ending);
        return EXIT_FINE;
    }
    ruga_json_writer *json;
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "name", names[i].name);
        ruga_json_put_string(json, "help", names[i].help);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    return json_finish(s, json);
}

/* ---- Files that were written. */
void report_wrote(session *s, const char *path, size_t frames, const ruga_mesh *mesh) {
    session_remark(s, "wrote %s: ", path);
    if (frames > 0) session_remark(s, "%s frame%s of ", with_commas(frames), frames == 1 ? "" : "s");
    session_remark(s, "%s vertices and %s triangles", with_commas(mesh->vertex_count),
                   with_commas(mesh->triangle_count));
}

void report_made_from(session *s, const ruga_mesh *before, double seconds) {
    session_remark(s, ", from %s and %s, in %s s", with_commas(before->vertex_count),
                   with_commas(before->triangle_count), with_digits(seconds));
}

int report_mesh(session *s, const char *path, const ruga_mesh *mesh) {
    if (strcmp(path, "-") == 0) return 0;
    session_remark(s, "wrote %s: %s vertices, %s triangle%s\n", path, with_commas(mesh->vertex_count),
                   with_commas(mesh->triangle_count), mesh->triangle_count == 1 ? "" : "s");
    return REPORT_JSON(s, REPORT_TEXT("output", path), REPORT_NUMBER("vertices", mesh->vertex_count),
                       REPORT_NUMBER("triangles", mesh->triangle_count));
}

int report_motion(session *s, const char *path, const ruga_mesh *mesh, size_t frames, const ruga_file_def *def) {
    session_remark(s, "wrote %s: %s frames of %s vertices at %.6g per second\n", path, with_commas(frames),
                   with_commas(mesh->vertex_count), def->rate);
    return REPORT_JSON(s, REPORT_TEXT("output", path), REPORT_NUMBER("vertices", mesh->vertex_count),
                       REPORT_NUMBER("frames", frames), REPORT_NUMBER("rate", def->rate),
                       REPORT_NUMBER("start", def->start));
}
