/* The subjects of a picture: meshes from files with what moves them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

int picture_add(session *s, picture *p, const char *word, const char *label, subject **out) {
    if (p->subject_count == MAX_SUBJECTS)
        return session_error(s, EXIT_USAGE, "%s: one mesh too many; at most %d go together", word, MAX_SUBJECTS);
    const subject *before = p->subject_count ? &p->subjects[p->subject_count - 1] : NULL;
    subject *who = &p->subjects[p->subject_count++];
    snprintf(who->label, sizeof who->label, "%s", label);
    who->path = who->label;
    who->word = word;
    who->number = before && before->word == word ? before->number + 1 : 0;
    *out = who;
    return 0;
}

int picture_read(session *s, const arguments *a, const char *path, const char *cache, picture *p) {
    ruga_file_def def = input_def(a);
    subject *who = NULL;
    int code = picture_add(s, p, path, "", &who);
    if (code) return code;
    who->path = path;
    code = read_mesh(s, path, &def, &who->mesh);
    if (!code) code = moment_create(s, who->mesh, &who->present);
    if (code) return code;
    return cache ? read_motion(s, cache, who->mesh, &def, &who->motion)
                 : read_own_motion(s, path, who->mesh, &def, &who->motion);
}

void picture_release(picture *p) {
    for (size_t i = 0; i < p->subject_count; i++) {
        subject *who = &p->subjects[i];
        free(who->values);
        moment_release(&who->present);
        ruga_motion_destroy(who->motion);
        ruga_mesh_destroy(who->mesh);
    }
    memset(p, 0, sizeof *p);
}

/* ---- What moves. */
const subject *picture_first_moving(const picture *p) {
    for (size_t i = 0; i < p->subject_count; i++)
        if (p->subjects[i].motion) return &p->subjects[i];
    return NULL;
}

double picture_rate(const arguments *a, const picture *p) {
    const subject *moving = picture_first_moving(p);
    double own = moving ? ruga_motion_get_info(moving->motion).rate : 0;
    return option_given(a, "rate") ? option_number(a, "rate") : own > 0 ? own : 24;
}

int picture_move(session *s, picture *p, double time) {
    for (size_t i = 0; i < p->subject_count; i++) {
        if (!p->subjects[i].motion) continue;
        int code = moment_sample(s, p->subjects[i].motion, time, &p->subjects[i].present);
        if (code) return code;
    }
    return 0;
}
