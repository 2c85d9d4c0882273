/* Files of strokes: JSON with what a section "sculpt" of a scene has. A mistake within one stroke is that stroke's
 * alone. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "scene/kinds.h"
#include "scene/strokes_parts.h"
#include "scene/tables.h"

static int is_json(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".json") == 0;
}

/* A file of curves has a list of them where one of strokes has the path of a file. */
static ruga_status has_curves(ruga_context *context, const char *text, size_t size, int *out) {
    json_document *document = NULL;
    ruga_status status = json_parse(context, "", text, size, JSON_COMMENTS, &document);
    *out = 0;
    if (status == RUGA_ERROR_INPUT) return RUGA_OK; /* reported when it is read */
    TRY(status);
    const json_value *curves = json_member(json_root(document), "curves");
    *out = curves && curves->type == JSON_ARRAY;
    json_destroy(document);
    return RUGA_OK;
}

ruga_status stroke_file_read(ruga_context *context, const char *path, stroke_file *out) {
    *out = (stroke_file){0};
    if (!is_json(path)) return RUGA_OK;
    unsigned char *bytes = NULL;
    size_t size;
    int curves;
    TRY(file_read_whole(context, path, &bytes, &size));
    ruga_status status = has_curves(context, (const char *)bytes, size, &curves);
    if (!RUGA_FAILED(status) && !curves)
        status = description_read_values(context, path, &sculpt_edit_kind.section, (const char *)bytes, size,
                                         &out->values, &out->description);
    memory_release(context, bytes);
    return status;
}

void stroke_file_release(stroke_file *f) {
    ruga_description_destroy(f->description);
    *f = (stroke_file){0};
}

/* ---- Errors. */

/* The stroke that a path such as "strokes[3].length" is of; -1: it is about more than one. */
static int64_t stroke_of(const char *path) {
    static const char list[] = "strokes[";
    int64_t stroke = -1;
    if (strncmp(path, list, sizeof list - 1) != 0) return -1;
    const char *begin = path + sizeof list - 1;
    return number_parse_whole(begin, begin + strlen(begin), &stroke) ? stroke : -1;
}

const ruga_finding *stroke_file_finding(const stroke_file *f, size_t stroke) {
    const ruga_description *d = f->description;
    for (size_t i = 0; d && i < d->notes.findings.count; i++) {
        const ruga_finding *finding = &d->notes.findings.items[i];
        if (RUGA_FAILED(finding->status) && stroke_of(finding->path) == (int64_t)stroke) return finding;
    }
    return NULL;
}

static ruga_status check_findings(const ruga_description *d, int keep_going) {
    if (!keep_going) return description_verdict(d);
    for (size_t i = 0; i < d->notes.findings.count; i++) {
        const ruga_finding *f = &d->notes.findings.items[i];
        if (RUGA_FAILED(f->status) && stroke_of(f->path) < 0)
            return fail_with(d->context, f->status, "%s:%u:%u: %s%s%s", d->name, f->line, f->column, f->path,
                             f->path[0] ? ": " : "", f->message);
    }
    return RUGA_OK;
}

ruga_status stroke_file_check(const stroke_file *f, int keep_going) {
    const ruga_description *d = f->description;
    if (!d) return RUGA_OK;
    TRY(check_findings(d, keep_going));
    if (!f->values.file) return RUGA_OK;
    return fail_input(d->context,
                      "%s: a file of strokes can't name another one; give \"curves\" the path of a file of curves",
                      d->name);
}
