/* Parameters in scenes, as JSON. */
#ifndef FIELD_PARAM_JSON_H
#define FIELD_PARAM_JSON_H

#include "field/reader.h"
#include "field/writer.h"

int param_read(field_reader *r, const ruga_field *field, const json_value *value, ruga_param *out);
void param_write(field_writer *w, const ruga_param *param);

#endif
