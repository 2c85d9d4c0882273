/* The demo's page: one file of HTML that needs nothing but the pictures beside it. */
#include <stdio.h>
#include <string.h>

#include "demo.h"

static const char style[] =
    ":root{--paper:#fbfaf7;--ink:#22211f;--soft:#6d6a63;--line:#e2ded5;--card:#fff;--code:#f3f0e9;--accent:#9a4a2f}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#171615;--ink:#e9e6df;--soft:#9b968c;--line:#34312d;"
    "--card:#201f1d;--code:#2a2826;--accent:#e39a7c}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:17px/1.55 'Iowan Old Style','Palatino Linotype',Palatino,'Book Antiqua',Georgia,serif}\n"
    "header,main,footer{max-width:1180px;margin:0 auto;padding:0 24px}\n"
    "header{padding-top:72px;padding-bottom:24px}\n"
    "h1{font-size:64px;line-height:1;letter-spacing:-.02em;margin:0 0 12px;font-weight:500}\n"
    "h1+p{font-size:21px;color:var(--soft);max-width:38em;margin:0}\n"
    "nav{margin-top:28px;display:flex;flex-wrap:wrap;gap:8px 24px;font-size:16px}\n"
    "a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}\n"
    "section{border-top:1px solid var(--line);padding:36px 0 20px}\n"
    "h2{font-size:30px;font-weight:500;margin:0 0 6px;letter-spacing:-.01em}\n"
    "section>p{color:var(--soft);margin:0 0 26px;max-width:44em}\n"
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(440px,100%),1fr));gap:28px}\n"
    ".wide{grid-column:1/-1}\n"
    "figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:10px;overflow:hidden}\n"
    "figure img,figure video{display:block;width:100%;height:auto;background:#fff}\n"
    "figcaption{padding:16px 20px 18px}\n"
    "h3{font-size:19px;font-weight:600;margin:0 0 4px}\n"
    "figcaption p{margin:0;font-size:16px;color:var(--soft)}\n"
    "pre{margin:12px 0 0;padding:10px 12px;background:var(--code);border-radius:6px;overflow-x:auto;"
    "font:13px/1.5 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;color:var(--ink)}\n"
    "footer{color:var(--soft);font-size:15px;border-top:1px solid var(--line);padding-top:24px;padding-bottom:64px}\n"
    "table{border-collapse:collapse;margin:10px 0}td{padding:1px 24px 1px 0}td+td{text-align:right;"
    "font-variant-numeric:tabular-nums}\n";

static void write_escaped(FILE *page, const char *text) {
    for (; *text; text++) switch (*text) {
            case '&': fputs("&amp;", page); break;
            case '<': fputs("&lt;", page); break;
            case '>': fputs("&gt;", page); break;
            case '"': fputs("&quot;", page); break;
            default: fputc(*text, page);
        }
}

static void write_media(FILE *page, const char *file, const char *title) {
    const char *ending = strrchr(file, '.');
    if (ending && strcmp(ending, ".mp4") == 0) {
        fprintf(page, "<video src=\"%s\" autoplay loop muted playsinline controls aria-label=\"", file);
        write_escaped(page, title);
        fputs("\"></video>\n", page);
    } else {
        fprintf(page, "<a href=\"%s\"><img src=\"%s\" loading=\"lazy\" alt=\"", file, file);
        write_escaped(page, title);
        fputs("\"></a>\n", page);
    }
}

static int has_files(const demo *d, const demo_item *item) {
    for (int i = 0; i < DEMO_MAX_FILES && item->files[i]; i++)
        if (!demo_existing(d, item->files[i])) return 0;
    return 1;
}

static void write_item(FILE *page, demo *d, const demo_item *item) {
    fprintf(page, "<figure id=\"%s\"%s>\n", item->name, item->half ? "" : " class=\"wide\"");
    for (int i = 0; i < DEMO_MAX_FILES && item->files[i]; i++)
        write_media(page, demo_existing(d, item->files[i]), item->title);
    fputs("<figcaption><h3>", page);
    write_escaped(page, item->title);
    fputs("</h3><p>", page);
    write_escaped(page, item->caption);
    char contact[256] = "";
    if (item->contact) demo_describe_contact(d, item->contact, contact, sizeof contact);
    if (contact[0]) fputs(" <strong>", page), write_escaped(page, contact), fputs("</strong>", page);
    fputs("</p><pre>", page);
    if (item->commands)
        write_escaped(page, item->commands);
    else
        fprintf(page, "ruga demo %s", item->name);
    fputs("</pre></figcaption></figure>\n", page);
}

/* Whether any item of a section has its files. */
static int is_shown(const demo *d, const demo_section *section) {
    for (size_t i = 0; i < section->item_count; i++)
        if (has_files(d, &section->items[i])) return 1;
    return 0;
}

/* The items of a section that have their files; nothing if there are none. */
static void write_section(FILE *page, demo *d, const demo_section *section) {
    if (!is_shown(d, section)) return;
    fprintf(page, "<section id=\"%s\"><h2>", section->name);
    write_escaped(page, section->title);
    fputs("</h2><p>", page);
    write_escaped(page, section->about);
    fputs("</p><div class=\"grid\">\n", page);
    for (size_t i = 0; i < section->item_count; i++)
        if (has_files(d, &section->items[i])) write_item(page, d, &section->items[i]);
    fputs("</div></section>\n", page);
}

static void write_header(FILE *page, const demo *d) {
    fprintf(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Ruga</title>\n<style>\n%s</style>\n</head>\n"
        "<body>\n<header><h1>Ruga</h1><p>Wrinkles, folds and creases on meshes. Everything on this page was made by "
        "one command on this machine: <code>ruga demo</code>, version %s.</p>\n<nav>",
        style, ruga_version());
    for (size_t i = 0; demo_sections[i]; i++) {
        if (!is_shown(d, demo_sections[i])) continue;
        fprintf(page, "<a href=\"#%s\">", demo_sections[i]->name);
        write_escaped(page, demo_sections[i]->title);
        fputs("</a>", page);
    }
    fputs("</nav></header>\n<main>\n", page);
}

static void write_timings(FILE *page, const double *seconds) {
    fputs("</main>\n<footer>Time to make, this time:<table>\n", page);
    double total = 0;
    size_t at = 0;
    for (size_t i = 0; demo_sections[i]; i++)
        for (size_t k = 0; k < demo_sections[i]->item_count; k++, at++) {
            if (seconds[at] <= 0) continue;
            total += seconds[at];
            fprintf(page, "<tr><td>%s</td><td>%.1f s</td></tr>\n", demo_sections[i]->items[k].name, seconds[at]);
        }
    fprintf(page, "<tr><td>all</td><td>%.1f s</td></tr></table></footer>\n</body>\n</html>\n", total);
}

int demo_write_page(demo *d, const double *seconds) {
    char path[4096];
    snprintf(path, sizeof path, "%s/index.html", d->folder);
    text_file page;
    TRY_CODE(text_file_begin(d->s, &page, path));
    write_header(page.stream, d);
    for (size_t i = 0; demo_sections[i]; i++) write_section(page.stream, d, demo_sections[i]);
    write_timings(page.stream, seconds);
    return text_file_end(d->s, &page);
}
