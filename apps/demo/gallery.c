/* The gallery: docs/figures.md as a page, each figure with our pictures of it. */
#include <stdio.h>
#include <string.h>

#include "demo.h"
#include "generated/page.h"

enum { CELLS = 4, LONGEST = 2048 };

/* The end of a link "[title](address)" whose address begins here; NULL: there is none. */
static const char *link_end(const char *text) { return text[0] == ']' && text[1] == '(' ? strchr(text, ')') : NULL; }

/* Whether a link begins here. */
static int link_begins(const char *text) {
    const char *close = *text == '[' ? strchr(text, ']') : NULL;
    return close && link_end(close) != NULL;
}

/* Text in which `…` is code. Documents that are linked are not beside the page: their titles stay. */
static void write_said(FILE *page, const char *text) {
    int code = 0;
    for (; *text; text++) {
        char letter[2] = {*text, 0};
        if (!code && link_end(text)) {
            text = link_end(text);
        } else if (!code && link_begins(text)) {
            continue;
        } else if (*text == '`') {
            fputs(code ? "</code>" : "<code>", page);
            code = !code;
        } else
            page_escaped(page, letter);
    }
    if (code) fputs("</code>", page);
}

static const demo_item *find_item(const char *name, size_t length) {
    for (size_t i = 0; demo_sections[i]; i++)
        for (size_t k = 0; k < demo_sections[i]->item_count; k++) {
            const demo_item *item = &demo_sections[i]->items[k];
            if (strlen(item->name) == length && strncmp(item->name, name, length) == 0) return item;
        }
    return NULL;
}

/* The still of an item, or its only file. */
static const char *item_still(const demo *d, const demo_item *item) {
    for (int i = 0; i < DEMO_MAX_FILES && item->files[i]; i++)
        if (strstr(item->files[i], ".png")) return demo_existing(d, item->files[i]);
    return item->files[0] ? demo_existing(d, item->files[0]) : NULL;
}

/* The pictures of the items that a cell names. */
static void write_pictures(FILE *page, const demo *d, const char *text) {
    for (const char *open = strchr(text, '`'); open; open = strchr(open + 1, '`')) {
        const char *close = strchr(open + 1, '`');
        if (!close) return;
        const demo_item *item = find_item(open + 1, (size_t)(close - open - 1));
        const char *file = item ? item_still(d, item) : NULL;
        if (file)
            page_media(page, d, item, file);
        else if (item)
            fprintf(page, "<p class=\"making\">made by <code>ruga demo %s</code></p>\n", item->name);
        open = close;
    }
}

/* "| a | b |" into its cells. Returns how many there are. */
static int split_row(char *line, char *cells[CELLS]) {
    int count = 0;
    char *at = line + 1;
    while (count < CELLS) {
        char *end = strstr(at, " |");
        if (!end) break;
        *end = 0;
        cells[count++] = at + strspn(at, " ");
        at = end + 2;
    }
    return count;
}

static void write_figure(FILE *page, const demo *d, char *cells[CELLS]) {
    const int is_table = strncmp(cells[0], "table", 5) == 0 || strncmp(cells[0], "Table", 5) == 0;
    fputs("<figure>\n", page);
    write_pictures(page, d, cells[2]);
    fputs("<figcaption class=\"said\"><h3>", page);
    fputs(is_table ? "" : "Figure ", page);
    page_escaped(page, cells[0]);
    fputs("</h3><p>", page);
    write_said(page, cells[1]);
    fputs("</p><p><b>Ours:</b> ", page);
    write_said(page, cells[2]);
    fputs("</p><p><b>Measured:</b> ", page);
    write_said(page, cells[3]);
    fputs("</p></figcaption></figure>\n", page);
}

static void write_line(FILE *page, const demo *d, char *line, int *open) {
    char *cells[CELLS];
    if (strncmp(line, "## ", 3) == 0) {
        fputs(*open ? "</div></section>\n<section><h2>" : "<section><h2>", page);
        page_escaped(page, line + 3);
        fputs("</h2><div class=\"grid\">\n", page);
        *open = 1;
    } else if (line[0] == '|' && line[1] == ' ' && strncmp(line, "| figure ", 9) != 0 &&
               split_row(line, cells) == CELLS)
        write_figure(page, d, cells);
}

int demo_write_gallery(demo *d) {
    char path[4096], line[LONGEST];
    snprintf(path, sizeof path, "%s/gallery.html", d->folder);
    text_file page;
    TRY_CODE(text_file_begin(d->s, &page, path));
    page_begin(page.stream, "Ruga: every figure of the papers", 0);
    fputs(
        "<header><h1>Gallery</h1><p>Every figure and table of the five papers, ours beside it, and where it differs."
        "</p><nav><a href=\"index.html\">Front page</a><a href=\"more.html\">Scenes, meshes, timings</a></nav>"
        "</header>\n<main>\n",
        page.stream);
    int open = 0;
    for (const char *at = page_figures; *at;) {
        const size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        write_line(page.stream, d, line, &open);
        at += length + (at[length] == '\n');
    }
    fputs(open ? "</div></section>\n</main>\n</body>\n</html>\n" : "</main>\n</body>\n</html>\n", page.stream);
    return text_file_end(d->s, &page);
}
