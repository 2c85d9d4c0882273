/* A small, strict parser of USD text: what the tests of the writer hold it to. A fault fails the test and says
 * where. */
#ifndef TESTS_IO_USDA_PARSER_H
#define TESTS_IO_USDA_PARSER_H

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "support/support.h"

#define USDA_MOST 256

/* A value of a property: an array of tuples, a number, a string; or one of its time samples. */
typedef struct usda_value {
    char prim[256], name[96], type[32], interpolation[16];
    double code;  /* NAN: no time sample */
    size_t count; /* elements */
    size_t number_count;
    double *numbers;
    size_t string_count;
    char *strings[16]; /* the first ones */
} usda_value;

typedef struct usda_document {
    const char *begin, *at, *end;
    size_t value_count, prim_count;
    usda_value values[USDA_MOST];
    char prims[USDA_MOST][256], types[USDA_MOST][32];
    char default_prim[128], up[8], label[USDA_MOST][128]; /* label: customData of each prim */
    double unit, start, last, rate;                       /* NAN: not said */
} usda_document;

static inline void usda_fault(const usda_document *d, const char *what) {
    size_t line = 1;
    for (const char *c = d->begin; c < d->at; c++) line += *c == '\n';
    fail_msg("line %zu: %s, found \"%.40s\"", line, what, d->at);
}

static inline void usda_blank(usda_document *d) {
    while (*d->at == ' ' || *d->at == '\n') d->at++;
}

static inline int usda_take(usda_document *d, const char *token) {
    usda_blank(d);
    const size_t length = strlen(token);
    if (strncmp(d->at, token, length) != 0) return 0;
    if (isalpha((unsigned char)token[0]) && (isalnum((unsigned char)d->at[length]) || d->at[length] == '_')) return 0;
    d->at += length;
    return 1;
}

static inline void usda_want(usda_document *d, const char *token) {
    if (!usda_take(d, token)) usda_fault(d, token);
}

/* letter (letter | digit)*, with `more` allowed too. */
static inline void usda_word(usda_document *d, const char *more, char *out, size_t room) {
    usda_blank(d);
    size_t n = 0;
    if (!isalpha((unsigned char)*d->at) && *d->at != '_') usda_fault(d, "an identifier is wanted");
    while ((isalnum((unsigned char)*d->at) || *d->at == '_' || strchr(more, *d->at)) && *d->at && n + 1 < room)
        out[n++] = *d->at++;
    out[n] = 0;
}

static inline void usda_string(usda_document *d, char *out, size_t room) {
    usda_want(d, "\"");
    size_t n = 0;
    while (*d->at != '"') {
        if (*d->at == '\n' || *d->at == 0) usda_fault(d, "a string is not closed");
        char c = *d->at++;
        if (c == '\\') {
            c = *d->at++;
            if (c == 'n') {
                c = '\n';
            } else if (c == 'x') {
                c = (char)strtol((char[]){d->at[0], d->at[1], 0}, NULL, 16);
                d->at += 2;
            } else if (c != '"' && c != '\\') {
                usda_fault(d, "an unknown escape");
            }
        }
        if (n + 1 < room) out[n++] = c;
    }
    d->at++;
    out[n] = 0;
}

static inline double usda_number(usda_document *d) {
    double value = 0;
    usda_blank(d);
    const char *end = number_parse(d->at, d->end, &value);
    if (end == d->at || !isfinite(value)) usda_fault(d, "a number is wanted");
    d->at = end;
    return value;
}

/* The width that a type's name says: point3f has 3. */
static inline size_t usda_width(const char *type) {
    const char *digit = strpbrk(type, "234");
    return digit ? (size_t)(*digit - '0') : 1;
}

static inline void usda_element(usda_document *d, usda_value *v, size_t *room) {
    const int is_string = strncmp(v->type, "string", 6) == 0 || strncmp(v->type, "token", 5) == 0;
    const size_t width = usda_width(v->type);
    v->count++;
    if (is_string) {
        char text[256];
        usda_string(d, text, sizeof text);
        if (v->string_count < 16) v->strings[v->string_count++] = strcpy(malloc(strlen(text) + 1), text);
        return;
    }
    if (width > 1) usda_want(d, "(");
    for (size_t k = 0; k < width; k++) {
        if (k > 0) usda_want(d, ",");
        if (v->number_count == *room) v->numbers = realloc(v->numbers, (*room = 2 * *room + 16) * sizeof(double));
        v->numbers[v->number_count++] = usda_number(d);
    }
    if (width > 1) usda_want(d, ")");
}

static inline void usda_read_value(usda_document *d, usda_value *v) {
    size_t room = 0;
    if (!strstr(v->type, "[]")) {
        usda_element(d, v, &room);
        return;
    }
    usda_want(d, "[");
    if (usda_take(d, "]")) return;
    do usda_element(d, v, &room);
    while (usda_take(d, ","));
    usda_want(d, "]");
}

static inline usda_value *usda_add(usda_document *d, const char *prim, const char *type, const char *name) {
    assert_less(d->value_count, USDA_MOST);
    usda_value *v = &d->values[d->value_count++];
    *v = (usda_value){.code = NAN};
    snprintf(v->prim, sizeof v->prim, "%s", prim);
    snprintf(v->type, sizeof v->type, "%s", type);
    snprintf(v->name, sizeof v->name, "%s", name);
    return v;
}

static inline void usda_samples(usda_document *d, const char *prim, const char *type, const char *name) {
    double last = -INFINITY;
    usda_want(d, "{");
    while (!usda_take(d, "}")) {
        usda_value *v = usda_add(d, prim, type, name);
        v->code = usda_number(d);
        if (!(v->code > last)) usda_fault(d, "time codes have to rise");
        last = v->code;
        usda_want(d, ":");
        usda_read_value(d, v);
        usda_want(d, ",");
    }
}

/* Metadata of a property. */
static inline void usda_property_metadata(usda_document *d, usda_value *v) {
    usda_want(d, "(");
    while (!usda_take(d, ")")) {
        char key[64];
        usda_word(d, "", key, sizeof key);
        usda_want(d, "=");
        if (strcmp(key, "interpolation") == 0)
            usda_string(d, v->interpolation, sizeof v->interpolation);
        else if (strcmp(key, "elementSize") == 0)
            assert_int_equal(v->number_count % (size_t)usda_number(d), 0);
        else
            usda_fault(d, "an unknown key");
    }
}

static inline void usda_path(usda_document *d) {
    char target[256] = "";
    usda_want(d, "<");
    size_t n = 0;
    while (*d->at != '>' && *d->at && n + 1 < sizeof target) target[n++] = *d->at++;
    usda_want(d, ">");
}

static inline void usda_property(usda_document *d, const char *prim) {
    char type[32], name[96];
    if (usda_take(d, "rel")) {
        usda_word(d, ":", name, sizeof name);
        usda_want(d, "=");
        usda_path(d);
        return;
    }
    usda_take(d, "uniform");
    usda_word(d, "[]", type, sizeof type);
    usda_word(d, ":.", name, sizeof name);
    const int sampled = strstr(name, ".timeSamples") != NULL;
    if (sampled) *strchr(name, '.') = 0;
    for (size_t i = 0; !sampled && i < d->value_count; i++)
        if (strcmp(d->values[i].prim, prim) == 0 && strcmp(d->values[i].name, name) == 0)
            usda_fault(d, "a property comes twice");
    if (sampled) {
        usda_want(d, "=");
        usda_samples(d, prim, type, name);
        return;
    }
    usda_value *v = usda_add(d, prim, type, name);
    if (usda_take(d, "=")) usda_read_value(d, v);
    usda_blank(d);
    if (*d->at == '(') usda_property_metadata(d, v);
}

static inline void usda_prim_metadata(usda_document *d, char label[128]) {
    while (!usda_take(d, ")")) {
        char text[128];
        if (usda_take(d, "prepend")) {
            usda_want(d, "apiSchemas");
            usda_want(d, "=");
            usda_want(d, "[");
            usda_string(d, text, sizeof text);
            assert_string_equal(text, "MaterialBindingAPI");
            usda_want(d, "]");
            continue;
        }
        usda_want(d, "customData");
        usda_want(d, "=");
        usda_want(d, "{");
        usda_want(d, "string");
        usda_want(d, "label");
        usda_want(d, "=");
        usda_string(d, label, 128);
        usda_want(d, "}");
    }
}

static inline void usda_prim(usda_document *d, const char *parent) {
    char name[128], check[128];
    assert_less(d->prim_count, USDA_MOST);
    const size_t own = d->prim_count++;
    usda_word(d, "", d->types[own], sizeof d->types[own]);
    usda_string(d, name, sizeof name);
    /* The name is an identifier, and is the parent's only child of that name. */
    usda_document inner = {.begin = name, .at = name, .end = name + strlen(name)};
    usda_word(&inner, "", check, sizeof check);
    assert_string_equal(check, name);
    snprintf(d->prims[own], sizeof d->prims[own], "%.120s/%.120s", parent, name);
    for (size_t i = 0; i < own; i++)
        if (strcmp(d->prims[i], d->prims[own]) == 0) usda_fault(d, "a prim comes twice");
    char path[256];
    strcpy(path, d->prims[own]);
    if (usda_take(d, "(")) usda_prim_metadata(d, d->label[own]);
    usda_want(d, "{");
    while (!usda_take(d, "}")) {
        if (usda_take(d, "def"))
            usda_prim(d, path);
        else
            usda_property(d, path);
    }
}

static inline void usda_layer_metadata(usda_document *d) {
    usda_want(d, "(");
    while (!usda_take(d, ")")) {
        char key[64], text[128];
        usda_word(d, "", key, sizeof key);
        usda_want(d, "=");
        usda_blank(d);
        if (*d->at == '"') {
            usda_string(d, text, sizeof text);
            if (strcmp(key, "defaultPrim") == 0) strcpy(d->default_prim, text);
            if (strcmp(key, "upAxis") == 0) snprintf(d->up, sizeof d->up, "%.4s", text);
            continue;
        }
        const double value = usda_number(d);
        if (strcmp(key, "metersPerUnit") == 0) d->unit = value;
        if (strcmp(key, "startTimeCode") == 0) d->start = value;
        if (strcmp(key, "endTimeCode") == 0) d->last = value;
        if (strcmp(key, "timeCodesPerSecond") == 0) d->rate = value;
    }
}

static inline usda_document *usda_parse(const char *text) {
    usda_document *d = calloc(1, sizeof *d);
    d->begin = d->at = text;
    d->end = text + strlen(text);
    d->unit = d->start = d->last = d->rate = NAN;
    usda_want(d, "#usda 1.0\n");
    usda_layer_metadata(d);
    usda_want(d, "def");
    usda_prim(d, "");
    usda_blank(d);
    if (d->at != d->end) usda_fault(d, "the end is wanted");
    return d;
}

static inline void usda_release(usda_document *d) {
    for (size_t i = 0; i < d->value_count; i++) {
        free(d->values[i].numbers);
        for (size_t k = 0; k < d->values[i].string_count; k++) free(d->values[i].strings[k]);
    }
    free(d);
}

/* The n-th value of a property of a prim (its n-th time sample); NULL: there is none. */
static inline const usda_value *usda_find(const usda_document *d, const char *prim, const char *name, size_t n) {
    for (size_t i = 0; i < d->value_count; i++)
        if (strcmp(d->values[i].prim, prim) == 0 && strcmp(d->values[i].name, name) == 0 && n-- == 0)
            return &d->values[i];
    return NULL;
}

static inline const usda_value *usda_get(const usda_document *d, const char *prim, const char *name) {
    const usda_value *v = usda_find(d, prim, name, 0);
    fail_if(!v, "%s has no property %s", prim, name);
    return v;
}

static inline size_t usda_find_prim(const usda_document *d, const char *path) {
    for (size_t i = 0; i < d->prim_count; i++)
        if (strcmp(d->prims[i], path) == 0) return i;
    fail_msg("there is no prim %s", path);
    return 0;
}

#endif
