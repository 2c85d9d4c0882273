/* The demo's pages: files of HTML that need nothing but the pictures and scripts beside them. They are written first
 * and again after each item. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "demo.h"
#include "generated/page.h"

void page_escaped(FILE *page, const char *text) {
    for (; *text; text++) switch (*text) {
            case '&': fputs("&amp;", page); break;
            case '<': fputs("&lt;", page); break;
            case '>': fputs("&gt;", page); break;
            case '"': fputs("&quot;", page); break;
            default: fputc(*text, page);
        }
}

void page_begin(FILE *page, const char *title, int reloads) {
    fputs(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n",
        page);
    if (reloads) fputs("<meta http-equiv=\"refresh\" content=\"15\">\n", page);
    fprintf(page, "<link rel=\"icon\" href=\"data:,\">\n<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n",
            title, page_style);
}

#define HERO "wrinkle_skirt.mp4" /* the film at the top of the front page, and nowhere else */

static int is_film(const char *file) {
    const char *ending = strrchr(file, '.');
    return ending && strcmp(ending, ".mp4") == 0;
}

/* Whether a picture is a plot: one that the item names so, or also has as an SVG. */
static int is_plot(const demo_item *item, const char *file) {
    char svg[256];
    snprintf(svg, sizeof svg, "%.*s.svg", (int)strcspn(file, "."), file);
    for (int i = 0; i < DEMO_MAX_FILES && item->files[i]; i++) {
        if (item->plots >> i & 1 && strcmp(item->files[i], file) == 0) return 1;
        if (strcmp(item->files[i], svg) == 0) return 1;
    }
    return 0;
}

/* A film plays by itself and stops when it is clicked; a picture links to itself. */
void page_media(FILE *page, const demo *d, const demo_item *item, const char *file) {
    if (is_film(file)) {
        const char *poster = demo_poster(file);
        fprintf(page, "<video src=\"%s\" autoplay loop muted playsinline preload=\"metadata\" ", file);
        if (access(demo_path(d, poster), R_OK) == 0) fprintf(page, "poster=\"%s\" ", poster);
        fputs("onclick=\"this.paused?this.play():this.pause()\" aria-label=\"", page);
        page_escaped(page, item->title);
        fputs("\"></video>\n", page);
    } else {
        fprintf(page, "<a href=\"%s\"><img src=\"%s\"%s loading=\"lazy\" alt=\"", file, file,
                is_plot(item, file) ? " class=\"plot\"" : "");
        page_escaped(page, item->title);
        fputs("\"></a>\n", page);
    }
}

int demo_has_item(const demo *d, const demo_item *item) {
    for (int i = 0; i < DEMO_MAX_FILES && item->files[i]; i++)
        if (!demo_existing(d, item->files[i])) return 0;
    return 1;
}

/* Whether the item has the same plot as a picture. */
static int is_second_form(const demo_item *item, const char *file) {
    const size_t stem = strcspn(file, ".");
    if (strcmp(file + stem, ".svg") != 0) return 0;
    for (int i = 0; i < DEMO_MAX_FILES && item->files[i]; i++)
        if (strncmp(item->files[i], file, stem) == 0 && strcmp(item->files[i] + stem, ".png") == 0) return 1;
    return 0;
}

static void write_view(FILE *page, const demo *d, const demo_item *item) {
    char name[256];
    snprintf(name, sizeof name, "%s.view.js", item->name);
    if (!item->view || access(demo_path(d, name), R_OK) != 0) return;
    fprintf(page, "<div class=\"view\" data-view=\"%s\"><span>drag to turn, double-click to zoom</span></div>\n",
            item->name);
}

/* The picture or film for a file of an item; NULL: the hero, another file or a plot's first form shows it. */
static const char *shown_file(const demo *d, const demo_item *item, int at) {
    const char *file = item->files[at], *shown = demo_existing(d, file);
    if (is_second_form(item, file) || strcmp(file, HERO) == 0) return NULL;
    for (int i = 0; i < DEMO_MAX_FILES && item->files[i]; i++)
        if (i != at && strcmp(item->files[i], shown) == 0) return NULL;
    return shown;
}

/* Runs that begin with intersections are about these. */
static void write_contact(FILE *page, demo *d, const char *run) {
    contact_record found;
    if (demo_read_contact(d, run, &found) || found.frames == 0) return;
    fprintf(page, " <strong>The exact check of each of its %d frames: %.0f intersection%s in all", found.frames,
            found.intersections, found.intersections == 1 ? "" : "s");
    if (found.intersections > 0) fprintf(page, ", %.0f in the first and %.0f in the last", found.first, found.last);
    fprintf(page, "; %.0f pair%s pinched.</strong>", found.pinched, found.pinched == 1 ? "" : "s");
}

static void write_item(FILE *page, demo *d, const demo_item *item) {
    fprintf(page, "<figure id=\"%s\"%s>\n", item->name, item->half ? "" : " class=\"wide\"");
    for (int i = 0; i < DEMO_MAX_FILES && item->files[i]; i++) {
        const char *file = shown_file(d, item, i);
        if (file) page_media(page, d, item, file);
    }
    write_view(page, d, item);
    fputs("<figcaption><h3>", page);
    page_escaped(page, item->title);
    fputs("</h3><p>", page);
    page_escaped(page, item->caption);
    if (item->contact) write_contact(page, d, item->contact);
    for (int i = 0; i < DEMO_MAX_FILES && item->files[i]; i++)
        if (is_second_form(item, item->files[i]))
            fprintf(page, " <a href=\"%s\">%s</a>", item->files[i], item->files[i]);
    fputs("</p><details><summary>Commands</summary><pre>", page);
    if (item->commands)
        page_escaped(page, item->commands);
    else
        fprintf(page, "ruga demo %s", item->name);
    fputs("</pre></details></figcaption></figure>\n", page);
}

/* Whether any item of a section has its files. */
static int is_shown(const demo *d, const demo_section *section) {
    for (size_t i = 0; i < section->item_count; i++)
        if (demo_has_item(d, &section->items[i])) return 1;
    return 0;
}

/* The items of a section that have their files; nothing if there are none. */
static void write_section(FILE *page, demo *d, const demo_section *section) {
    if (!is_shown(d, section)) return;
    fprintf(page, "<section id=\"%s\"><h2>", section->name);
    page_escaped(page, section->title);
    fputs("</h2><p>", page);
    page_escaped(page, section->about);
    fputs("</p><div class=\"grid\">\n", page);
    for (size_t i = 0; i < section->item_count; i++)
        if (demo_has_item(d, &section->items[i])) write_item(page, d, &section->items[i]);
    fputs("</div></section>\n", page);
}

static void write_links(FILE *page, const demo *d, int second) {
    fputs("<nav>", page);
    for (size_t i = 0; demo_sections[i]; i++) {
        if (demo_sections[i]->second != second || !is_shown(d, demo_sections[i])) continue;
        fprintf(page, "<a href=\"#%s\">", demo_sections[i]->name);
        page_escaped(page, demo_sections[i]->title);
        fputs("</a>", page);
    }
    fputs(second ? "<a href=\"index.html\">Front page</a>" : "<a href=\"more.html\">Scenes, meshes, timings</a>", page);
    fputs("<a href=\"gallery.html\">Every figure of the papers</a></nav>\n", page);
}

/* Whether more is to come. */
static int is_filling(const demo_state *state) { return state->made < state->wanted && !state->failed; }

static void write_making(FILE *page, const demo_state *state) {
    if (state->made < state->wanted)
        fprintf(page, "<p class=\"making\">%zu of %zu items are made; %s.</p>\n", state->made, state->wanted,
                state->failed ? "then the demo was stopped" : "this page fills by itself");
}

/* ---- The front page. */

static void write_hero(FILE *page, const demo *d) {
    static const demo_item hero = {
        .title = "A walking mannequin: one half of its skirt as it is simulated, the other half with wrinkles"};
    const char *file = demo_existing(d, HERO);
    if (!file && demo_existing(d, "wrinkle_skirt-poster.png")) file = "wrinkle_skirt-poster.png";
    fputs("<header>\n", page);
    if (file) fputs("<div class=\"hero\">\n", page), page_media(page, d, &hero, file), fputs("</div>\n", page);
    fputs(
        "<h1>Ruga</h1><p>Wrinkles, folds and creases on meshes of skin, cloth, leather and paper: a C library and "
        "one command.</p>\n",
        page);
}

typedef struct card {
    const char *title, *text;
    const char *anchors[3]; /* items, the best first */
    const char *pictures[3];
} card;

static void write_card(FILE *page, const demo *d, const card *c) {
    int chosen = 0;
    while (chosen < 2 && !demo_existing(d, c->pictures[chosen])) chosen++;
    const char *file = demo_existing(d, c->pictures[chosen]);
    fprintf(page, file ? "<a class=\"card\" href=\"#%s\">" : "<a class=\"card\">", c->anchors[chosen]);
    if (file) fprintf(page, "<img src=\"%s\" alt=\"\">", file);
    fprintf(page, "<div><h3>%s</h3><p>%s</p></div></a>\n", c->title, c->text);
}

static void write_cards(FILE *page, const demo *d) {
    static const card cards[] = {
        {"Skin",
         "Foreheads, elbows and leather that wrinkle at the wavelength of their material, on any animated mesh.",
         {"shell-face", "wrinkle_arm", "sculpt_face"},
         {"shell-face.png", "wrinkle_arm-poster.png", "sculpt_face.png"}},
        {"Cloth",
         "Garments that never pass through themselves, with fine wrinkles that cost milliseconds.",
         {"wrinkle_skirt", "wrinkle_curtain", "twist"},
         {"wrinkle_skirt.png", "wrinkle_curtain.png", "twist-poster.png"}},
        {"Design",
         "Draw a line: it becomes a wrinkle or a sharp crease, on a mesh of any resolution, and can be changed at "
         "any time.",
         {"sculpt_shoe", "miura", "page"},
         {"sculpt_shoe.png", "miura-poster.png", "page-poster.png"}},
    };
    fputs("<div class=\"cards\">\n", page);
    for (size_t i = 0; i < sizeof cards / sizeof cards[0]; i++) write_card(page, d, &cards[i]);
    fputs("</div>\n", page);
}

/* The time of an update that the first item measured; 0 if it did not. */
static double measured_update(const demo *d) {
    double ms = 0;
    FILE *file = fopen(demo_path(d, "wrinkle_skirt.txt"), "r");
    if (file && fscanf(file, "%lf", &ms) != 1) ms = 0;
    if (file) fclose(file);
    return ms;
}

/* Intersections over all frames of all runs that were made and begin without any, and how many frames these are. */
static void count_intersections(demo *d, double *intersections, int *frames) {
    *intersections = 0, *frames = 0;
    for (size_t i = 0; demo_sections[i]; i++)
        for (size_t k = 0; k < demo_sections[i]->item_count; k++) {
            const demo_item *item = &demo_sections[i]->items[k];
            contact_record found;
            if (!item->contact || !demo_has_item(d, item)) continue;
            if (demo_read_contact(d, item->contact, &found) || found.first > 0) continue;
            *frames += found.frames, *intersections += found.intersections;
        }
}

static void write_numbers(FILE *page, demo *d) {
    double intersections, ms = measured_update(d);
    int frames;
    count_intersections(d, &intersections, &frames);
    fputs("<div class=\"numbers\">\n", page);
    if (ms > 0)
        fprintf(page,
                "<div><b>%.1f ms</b>for an update of the skirt's 28,288 triangles above: the median, on this machine"
                "</div>\n",
                ms);
    if (frames > 0)
        fprintf(page,
                "<div><b>%.0f intersections</b>in %d frames of cloth with contact on this page, checked by exact "
                "arithmetic</div>\n",
                intersections, frames);
    fputs("<div><b>bit-identical</b>results for any number of threads, and after a stop and a resume</div>\n</div>\n",
          page);
}

/* Links to the documents where the demo's folder is in the source tree, as with `make demo`; else their names. */
static void write_documents(FILE *page, const demo *d) {
    static const struct {
        const char *file, *title;
    } documents[] = {{"start-artist.md", "for artists"},     {"start-designer.md", "for designers"},
                     {"start-engineer.md", "for engineers"}, {"start-researcher.md", "for researchers"},
                     {"commands.md", "the command"},         {"figures.md", "figures of the papers"}};
    fputs("<p>Documents:", page);
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "../../docs/%s", documents[i].file);
        if (access(demo_path(d, path), R_OK) == 0)
            fprintf(page, " <a href=\"%s\">%s</a>", path, documents[i].title);
        else
            fprintf(page, " %s (<code>docs/%s</code>)", documents[i].title, documents[i].file);
        fputs(i + 1 < sizeof documents / sizeof documents[0] ? "," : ".</p>\n", page);
    }
}

/* The papers by their DOI; those of which we know none by a search for their title. */
static void write_papers(FILE *page) {
#define SEARCH "https://search.crossref.org/?q="
    static const struct {
        const char *address, *title;
    } papers[] = {
        {SEARCH "An+efficient+animation+of+wrinkled+cloth+with+approximate+implicit+integration",
         "Kang, Choi, Cho and Lee 2001: An efficient animation of wrinkled cloth with approximate implicit "
         "integration"},
        {SEARCH "Fast+Energy-Based+Surface+Wrinkle+Modeling",
         "Wang, Wang and Yuen 2006: Fast Energy-Based Surface Wrinkle Modeling"},
        {"https://doi.org/10.2312/SCA/SCA10/085-091", "Müller and Chentanez 2010: Wrinkle Meshes"},
        {"https://doi.org/10.1145/2461912.2462018",
         "Rémillard and Kry 2013: Embedded Thin Shells for Wrinkle Simulation"},
        {SEARCH "A+new+sharp-crease+bending+element+for+folding+and+wrinkling+surfaces+and+volumes",
         "Patkar, Jin and Fedkiw 2015: A new sharp-crease bending element for folding and wrinkling surfaces and "
         "volumes"},
    };
#undef SEARCH
    fputs("<p>The five papers, <a href=\"gallery.html\">figure by figure</a>:</p>\n<ul>\n", page);
    for (size_t i = 0; i < sizeof papers / sizeof papers[0]; i++)
        fprintf(page, "<li><a href=\"%s\">%s</a></li>\n", papers[i].address, papers[i].title);
    fputs("</ul>\n", page);
}

static void write_index(FILE *page, demo *d, const demo_state *state) {
    page_begin(page, "Ruga", is_filling(state));
    write_hero(page, d);
    write_making(page, state);
    write_cards(page, d);
    write_numbers(page, d);
    fputs("<pre>make demo     # this page\nmake test     # all tests</pre>\n", page);
    write_links(page, d, 0);
    fputs("</header>\n<main>\n", page);
    for (size_t i = 0; demo_sections[i]; i++)
        if (!demo_sections[i]->second) write_section(page, d, demo_sections[i]);
    fprintf(page,
            "</main>\n<footer>Made by <code>ruga demo</code>, version %s; <code>ruga demo --all</code> also makes the "
            "films and the items that take long.\n",
            ruga_version());
    write_documents(page, d);
    write_papers(page);
    fprintf(page,
            "<p>Free software: <a href=\"LICENSE.txt\">the MIT licence</a>.</p></footer>\n"
            "<script>\n%s</script>\n</body>\n</html>\n",
            page_view);
}

/* ---- The second page. */

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
    fprintf(page, "<tr><td>all</td><td>%.1f s</td></tr></table></footer>\n", total);
}

static void write_more(FILE *page, demo *d, const demo_state *state) {
    page_begin(page, "Ruga: scenes, meshes, pictures", is_filling(state));
    fputs("<header><h1>More</h1><p>Scenes, meshes, motion, pictures and plots, and how long each item took.</p>\n",
          page);
    write_making(page, state);
    write_links(page, d, 1);
    fputs("</header>\n<main>\n", page);
    for (size_t i = 0; demo_sections[i]; i++)
        if (demo_sections[i]->second) write_section(page, d, demo_sections[i]);
    write_timings(page, state->seconds);
    fprintf(page, "<script>\n%s</script>\n</body>\n</html>\n", page_view);
}

int demo_write_pages(demo *d, const demo_state *state) {
    static const struct {
        const char *name;
        void (*write)(FILE *page, demo *d, const demo_state *state);
    } pages[] = {{"index.html", write_index}, {"more.html", write_more}};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", d->folder, pages[i].name);
        text_file page;
        TRY_CODE(text_file_begin(d->s, &page, path));
        pages[i].write(page.stream, d, state);
        TRY_CODE(text_file_end(d->s, &page));
    }
    TRY_CODE(write_text_file(d->s, demo_path(d, "LICENSE.txt"), page_LICENSE, sizeof page_LICENSE - 1));
    return demo_write_gallery(d);
}
