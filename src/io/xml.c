#include "io/xml.h"

#include <string.h>

enum { LONGEST_ENTITY = 32 }; /* characters from & to ; */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static ruga_status fail_here(const xml_scanner *s, unsigned line, const char *what) {
    return fail_input(s->context, "%s:%u: %s", s->name, line, what);
}

/* Goes forward and counts lines. */
static void advance(xml_scanner *s, const char *to) {
    for (; s->at < to; s->at++) s->line += *s->at == '\n';
}

/* Behind the next `mark`. */
static ruga_status pass(xml_scanner *s, const char *mark, const char *what) {
    size_t length = strlen(mark);
    for (const char *at = s->at; (size_t)(s->end - at) >= length; at++)
        if (memcmp(at, mark, length) == 0) {
            advance(s, at + length);
            return RUGA_OK;
        }
    return fail_here(s, s->line, what);
}

/* <!DOCTYPE …>, which may have an inner part in brackets. */
static ruga_status pass_declaration(xml_scanner *s) {
    int depth = 0;
    char quote = 0;
    for (const char *at = s->at; at < s->end; at++) {
        if (quote) {
            if (*at == quote) quote = 0;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '[' || *at == ']') {
            depth += *at == '[' ? 1 : -1;
        } else if (*at == '>' && depth <= 0) {
            advance(s, at + 1);
            return RUGA_OK;
        }
    }
    return fail_here(s, s->line, "a declaration (<!) does not end");
}

static int starts_with(const xml_scanner *s, const char *mark) {
    size_t length = strlen(mark);
    return (size_t)(s->end - s->at) >= length && memcmp(s->at, mark, length) == 0;
}

/* One attribute from *at on: 1 and behind it, 0 at the end, -1 when it is none. */
static int next_attribute(const char **at, const char *end, xml_text *name, xml_text *value) {
    const char *p = *at;
    while (p < end && is_blank(*p)) p++;
    if (p == end) return 0;
    *name = (xml_text){p, 0};
    while (p < end && !is_blank(*p) && *p != '=' && *p != '"' && *p != '\'') p++;
    name->length = (size_t)(p - name->begin);
    while (p < end && is_blank(*p)) p++;
    if (name->length == 0 || p == end || *p++ != '=') return -1;
    while (p < end && is_blank(*p)) p++;
    if (p == end || (*p != '"' && *p != '\'')) return -1;
    const char *closing = memchr(p + 1, *p, (size_t)(end - p - 1));
    if (!closing) return -1;
    *value = (xml_text){p + 1, (size_t)(closing - p - 1)};
    *at = closing + 1;
    return 1;
}

static ruga_status check_attributes(const xml_scanner *s, const xml_tag *tag) {
    const char *at = tag->attributes.begin, *end = at + tag->attributes.length;
    xml_text name, value;
    int found;
    while ((found = next_attribute(&at, end, &name, &value)) > 0) {
    }
    return found == 0 ? RUGA_OK : fail_here(s, tag->line, "an attribute is not of the form name=\"value\"");
}

/* Behind '<'. */
static ruga_status read_tag(xml_scanner *s, xml_tag *tag) {
    const char *at = s->at;
    *tag = (xml_tag){.line = s->line, .is_end = at < s->end && *at == '/'};
    at += tag->is_end;
    tag->name.begin = at;
    while (at < s->end && !is_blank(*at) && *at != '/' && *at != '>' && *at != '<' && *at != '=') at++;
    tag->name.length = (size_t)(at - tag->name.begin);
    if (tag->name.length == 0) return fail_here(s, tag->line, "a tag has no name");
    tag->attributes.begin = at;
    for (char quote = 0; at < s->end && (quote || *at != '>'); at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '<')
            break;
    }
    if (at >= s->end || *at != '>')
        return fail_input(s->context, "%s:%u: the tag <%.*s does not end", s->name, tag->line,
                          (int)(tag->name.length < 40 ? tag->name.length : 40), tag->name.begin);
    tag->is_empty = at > tag->attributes.begin && at[-1] == '/';
    tag->attributes.length = (size_t)(at - tag->attributes.begin) - (size_t)tag->is_empty;
    advance(s, at + 1);
    return check_attributes(s, tag);
}

ruga_status xml_next(xml_scanner *s, xml_tag *tag) {
    *tag = (xml_tag){.line = s->line};
    while (s->at < s->end) {
        const char *open = memchr(s->at, '<', (size_t)(s->end - s->at));
        advance(s, open ? open : s->end);
        if (!open) return RUGA_OK;
        if (starts_with(s, "<!--")) {
            TRY(pass(s, "-->", "a comment (<!--) does not end"));
        } else if (starts_with(s, "<![CDATA[")) {
            TRY(pass(s, "]]>", "a part <![CDATA[ does not end"));
        } else if (starts_with(s, "<?")) {
            TRY(pass(s, "?>", "an instruction (<?) does not end"));
        } else if (starts_with(s, "<!")) {
            TRY(pass_declaration(s));
        } else {
            advance(s, s->at + 1);
            return read_tag(s, tag);
        }
    }
    return RUGA_OK;
}

int xml_is(xml_text text, const char *word) {
    return strlen(word) == text.length && memcmp(text.begin, word, text.length) == 0;
}

int xml_attribute(const xml_tag *tag, const char *name, xml_text *value) {
    const char *at = tag->attributes.begin, *end = at + tag->attributes.length;
    xml_text found;
    while (next_attribute(&at, end, &found, value) > 0)
        if (xml_is(found, name)) return 1;
    return 0;
}

/* ---- Characters. */

static size_t put_utf8(unsigned long code, char *out) {
    if (code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)((0xf00 >> length & 0xff) | code);
    return length;
}

/* The number behind "&#", ended by ';'. */
static unsigned long parse_code(const char *at, const char *end) {
    int hex = at < end && *at == 'x';
    unsigned long code = 0;
    for (at += hex; at < end && code < 0x1000000; at++) {
        unsigned digit = *at >= '0' && *at <= '9'                 ? (unsigned)(*at - '0')
                         : (*at | 32) >= 'a' && (*at | 32) <= 'f' ? (unsigned)((*at | 32) - 'a') + 10
                                                                  : 99;
        if (digit >= (hex ? 16u : 10u)) return 0;
        code = code * (hex ? 16 : 10) + digit;
    }
    return code;
}

void xml_decode(xml_text text, char *out) {
    static const struct {
        const char *name;
        char character;
    } entities[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    const char *at = text.begin, *end = at + text.length;
    while (at < end) {
        size_t left = (size_t)(end - at);
        const char *semicolon = *at == '&' ? memchr(at, ';', left < LONGEST_ENTITY ? left : LONGEST_ENTITY) : NULL;
        char character = 0;
        /* "&#1;", four bytes, is the shortest there is, and a character takes at most four; longer codes have more
         * digits. */
        if (semicolon && at[1] == '#') {
            out += put_utf8(parse_code(at + 2, semicolon), out);
            at = semicolon + 1;
            continue;
        }
        for (size_t i = 0; semicolon && i < 5; i++)
            if (xml_is((xml_text){at + 1, (size_t)(semicolon - at - 1)}, entities[i].name))
                character = entities[i].character;
        *out++ = character ? character : *at;
        at = character ? semicolon + 1 : at + 1;
    }
    *out = 0;
}
