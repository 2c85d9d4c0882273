/* Results as JSON for --json, and the lines that commands print after writing a file. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "session.h"

/* ---- JSON. A writer for --json; finish prints, destroys the writer and returns the exit code. */
int json_begin(session *s, ruga_json_writer **out);
int json_finish(session *s, ruga_json_writer *writer);

/* Three numbers under a key; NULL: without one. */
void json_vector(ruga_json_writer *json, const char *key, ruga_vec3 value);

/* A result that is one flat object: texts and numbers in the order of their keys. Prints it if --json was given. */
typedef struct report_field {
    const char *key, *text; /* text NULL: the number */
    double number;
} report_field;
#define REPORT_TEXT(key_, text_) \
    { key_, text_, 0 }
#define REPORT_NUMBER(key_, number_) \
    { key_, NULL, (double)(number_) }
int report_json(session *s, const report_field *fields, size_t count);
#define REPORT_JSON(s, ...)                             \
    report_json(s, (const report_field[]){__VA_ARGS__}, \
                sizeof((const report_field[]){__VA_ARGS__}) / sizeof(report_field))

/* ---- Names to choose from, such as kinds of scenes: a list for people, or JSON. */
typedef struct named {
    const char *name, *help;
} named;
void print_names(session *s, const char *heading, const named *names, size_t count);
int report_names(session *s, const char *heading, const named *names, size_t count, const char *ending);

/* ---- Files that were written. */
/* "wrote fine.glb: 48 frames of 1,681 vertices and 3,200 triangles", without the end of the line; frames 0: a still. */
void report_wrote(session *s, const char *path, size_t frames, const ruga_mesh *mesh);
/* ", from 100 and 162, in 1.25 s", the same: the mesh before, and the time. */
void report_made_from(session *s, const ruga_mesh *before, double seconds);
/* Each of these prints a line, or JSON. */
/* "wrote sheet.obj: 1,681 vertices, 3,200 triangles". */
int report_mesh(session *s, const char *path, const ruga_mesh *mesh);
/* "wrote flag.glb: 48 frames of 100 vertices at 24 per second". */
int report_motion(session *s, const char *path, const ruga_mesh *mesh, size_t frames, const ruga_file_def *def);

#endif
