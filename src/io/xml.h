/* A small scanner of XML that returns one tag after the other, as much as SVG needs: the five entities and characters
 * by number, and only the validation that separates tags. Nothing is copied. */
#ifndef IO_XML_H
#define IO_XML_H

#include "base/context.h"

typedef struct xml_text {
    const char *begin;
    size_t length;
} xml_text;

typedef struct xml_scanner {
    ruga_context *context;
    const char *name; /* for messages */
    const char *at, *end;
    unsigned line;
} xml_scanner;

typedef struct xml_tag {
    xml_text name; /* empty: the text has ended */
    xml_text attributes;
    unsigned line;
    int is_end, is_empty; /* </name>, <name/> */
} xml_tag;

/* RUGA_ERROR_INPUT with file and line if it is not XML. Comments, declarations and text are skipped. */
ruga_status xml_next(xml_scanner *scanner, xml_tag *tag);
int xml_is(xml_text text, const char *word);
/* The value of an attribute, not decoded; 0: no such attribute. */
int xml_attribute(const xml_tag *tag, const char *name, xml_text *value);
/* Resolves &amp; and the like into `out`, which has room for length + 1 bytes. */
void xml_decode(xml_text text, char *out);

#endif
