/* The tables of fields as Markdown. */
#ifndef FIELD_REFERENCE_H
#define FIELD_REFERENCE_H

#include "base/file.h"
#include "ruga/field.h"

/* A table for the root and for every section below it, each with a heading; the root's is "The scene". */
void fields_reference(file *f, const ruga_section *root);
/* A cell of a table, with the bar after it. */
void reference_put_cell(file *f, const char *text);
/* A paragraph, broken at spaces so that its lines, which begin with `indent`, have at most 120 columns. */
void reference_put_text(file *f, const char *text, const char *indent);

#endif
