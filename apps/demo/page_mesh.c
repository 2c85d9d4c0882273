/* Meshes for the 3D views of the demo's page: a script of numbers that page/view.js draws. A page that is opened from
 * disk may load scripts, but no other files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "demo.h"

enum { MOST_TRIANGLES = 160000, STEPS = 65535 };

static void write_base64(FILE *out, const uint8_t *bytes, size_t size) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = 0;
        for (size_t k = 0; k < 3; k++) group = group << 8 | (i + k < size ? bytes[i + k] : 0u);
        for (size_t k = 0; k < 4; k++)
            fputc(i + k > size ? '=' : letters[group >> (18 - 6 * k) & 63], out); /* k letters hold k - 1 bytes */
    }
}

static const ruga_vec3 *look_positions(const ruga_render_mesh *look) {
    return look->frame ? look->frame->positions : look->mesh->positions;
}

/* Numbers of 16 bits along each axis, and of 32 bits for triangles; little-endian. */
static void write_part(FILE *out, const ruga_render_mesh *look, ruga_vec3 low, ruga_vec3 size, double step,
                       uint8_t *bytes) {
    const ruga_vec3 *points = look_positions(look);
    size_t count = look->mesh->vertex_count, corners = 3 * look->mesh->triangle_count;
    fprintf(out, "{\"low\":[%.6g,%.6g,%.6g],\"size\":[%.6g,%.6g,%.6g],\"step\":%.9g,", low.x, low.y, low.z, size.x,
            size.y, size.z, step);
    fprintf(out, "\"front\":[%.3f,%.3f,%.3f],\"back\":[%.3f,%.3f,%.3f],\"points\":\"", (double)look->front.r,
            (double)look->front.g, (double)look->front.b, (double)look->back.r, (double)look->back.g,
            (double)look->back.b);
    for (size_t v = 0; v < count; v++) {
        const double place[3] = {points[v].x - low.x, points[v].y - low.y, points[v].z - low.z};
        for (size_t k = 0; k < 3; k++) {
            double number = fmin(fmax(place[k] / step + 0.5, 0), STEPS);
            bytes[6 * v + 2 * k] = (uint8_t)((unsigned)number & 255);
            bytes[6 * v + 2 * k + 1] = (uint8_t)((unsigned)number >> 8);
        }
    }
    write_base64(out, bytes, 6 * count);
    fputs("\",\"triangles\":\"", out);
    for (size_t c = 0; c < corners; c++)
        for (size_t k = 0; k < 4; k++) bytes[4 * c + k] = (uint8_t)(look->mesh->triangles[c] >> 8 * k & 255);
    write_base64(out, bytes, 4 * corners);
    fputs("\"}", out);
}

int demo_write_view(demo *d, const char *name, const ruga_panel *panel) {
    ruga_vec3 low = BOX_EMPTY_LOW, high = BOX_EMPTY_HIGH;
    size_t triangles = 0, most = 0;
    for (size_t i = 0; i < panel->mesh_count; i++) {
        const ruga_render_mesh *look = &panel->meshes[i];
        const ruga_vec3 *points = look_positions(look);
        size_t room = 6 * look->mesh->vertex_count + 12 * look->mesh->triangle_count;
        for (size_t v = 0; v < look->mesh->vertex_count; v++)
            if (isfinite(points[v].x + points[v].y + points[v].z)) box_grow(points[v], &low, &high);
        triangles += look->mesh->triangle_count;
        most = room > most ? room : most;
    }
    if (triangles == 0 || triangles > MOST_TRIANGLES) return 0;
    uint8_t *bytes = malloc(most);
    if (!bytes) return session_no_memory(d->s);
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.view.js", d->folder, name);
    text_file file;
    int code = text_file_begin(d->s, &file, path);
    if (!code) {
        ruga_vec3 size = vec_add(high, -1, low);
        double step = fmax(fmax(size.x, fmax(size.y, size.z)) / STEPS, 1e-12);
        fprintf(file.stream, "ruga_view(\"%s\",[", name);
        for (size_t i = 0; i < panel->mesh_count; i++) {
            if (i > 0) fputc(',', file.stream);
            write_part(file.stream, &panel->meshes[i], low, size, step, bytes);
        }
        fputs("]);\n", file.stream);
        code = text_file_end(d->s, &file);
    }
    free(bytes);
    return code;
}
