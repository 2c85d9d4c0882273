/* ruga demo: pictures and films of all tools, with a page that shows them. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/report.h"
#include "demo.h"

/* The best first: they are made in this order, and the page fills from the top. */
const demo_section *const demo_sections[] = {&demo_wrinkle, &demo_crease,   &demo_shell, &demo_sculpt, &demo_stacks,
                                             &demo_contact, &demo_flesh,    &demo_cloth, &demo_scenes, &demo_meshes,
                                             &demo_motion,  &demo_pictures, NULL};

static const option demo_options[] = {
    OUTPUT_ROW("DIR", "out/demo", "the output folder; it is made if it does not exist"),
    FLAG_ROW("all", 'a', "also the items that take longer than half a minute, and the films of all items"),
    FLAG_ROW("draft", 0, "small pictures and short films, made in seconds"),
    FLAG_ROW("list", 'l', "list the items, and make nothing"),
};

/* All items of all sections. */
static size_t gather_items(const demo_item **items) {
    size_t count = 0;
    for (size_t i = 0; demo_sections[i]; i++)
        for (size_t k = 0; k < demo_sections[i]->item_count && count < DEMO_MAX_ITEMS; k++)
            items[count++] = &demo_sections[i]->items[k];
    return count;
}

/* The items that were made, or with seconds NULL all of them. */
static int json_items(session *s, const demo_item *const *items, size_t count, const double *seconds) {
    ruga_json_writer *json;
    int code = json_begin(s, &json);
    if (code) return code;
    ruga_json_begin_array(json);
    for (size_t i = 0; i < count; i++) {
        if (seconds && !(seconds[i] > 0)) continue;
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "name", items[i]->name);
        ruga_json_put_string(json, "title", items[i]->title);
        ruga_json_put_boolean(json, "long", items[i]->is_long);
        ruga_json_put_array(json, "files");
        for (int k = 0; k < DEMO_MAX_FILES && items[i]->files[k]; k++) ruga_json_string(json, items[i]->files[k]);
        ruga_json_end_array(json);
        if (seconds) ruga_json_put_number(json, "seconds", seconds[i]);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    return json_finish(s, json);
}

static int list_items(session *s, const demo_item *const *items, size_t count) {
    if (s->json) return json_items(s, items, count, NULL);
    for (size_t i = 0; i < count; i++)
        session_print(s, "%-18s %s%s\n", items[i]->name, items[i]->title, items[i]->is_long ? " (long)" : "");
    return 0;
}

/* Chooses the named items; without names, all but the long ones, which need --all. */
static int choose_items(session *s, const arguments *a, const demo_item *const *items, size_t count, int *wanted) {
    for (size_t i = 0; i < count; i++) wanted[i] = a->word_count == 0 && (!items[i]->is_long || option_given(a, "all"));
    for (size_t w = 0; w < a->word_count; w++) {
        size_t found = count;
        for (size_t i = 0; i < count; i++)
            if (strcmp(items[i]->name, a->words[w]) == 0) found = i;
        if (found == count) {
            const char *names[DEMO_MAX_ITEMS];
            for (size_t i = 0; i < count; i++) names[i] = items[i]->name;
            return session_unknown(s, "item", a->words[w], names, count);
        }
        wanted[found] = 1;
    }
    return 0;
}

static int make_items(demo *d, demo_state *state, const demo_item *const *items, size_t count, const int *wanted,
                      double *seconds) {
    double total = 0;
    for (size_t i = 0; i < count; i++) state->wanted += wanted[i] != 0;
    if (state->wanted > 1) {
        TRY_CODE(demo_write_pages(d, state));
        session_remark(d->s, "open %s: it fills while the rest is made\n", demo_path(d, "index.html"));
    }
    for (size_t i = 0; i < count; i++) {
        if (!wanted[i]) continue;
        const double begun = seconds_now(), used = processor_seconds();
        d->item = items[i];
        int code = d->item->make ? d->item->make(d) : demo_commands(d, d->item->commands);
        demo_release(d);
        if (!code) code = session_interrupted(d->s);
        if (code) {
            // The pages stop loading themselves again.
            state->failed = 1;
            demo_write_pages(d, state);
            return code;
        }
        seconds[i] = seconds_now() - begun;
        total += seconds[i];
        state->made++;
        TRY_CODE(demo_write_pages(d, state));
        session_remark(d->s, "%-18s %6.1f s  %6.1f s of processor  %s\n", items[i]->name, seconds[i],
                       processor_seconds() - used, items[i]->title);
        fflush(stdout);
    }
    session_remark(d->s, "%-18s %6.1f s  %6.1f s of processor\n", "all", total, processor_seconds());
    return 0;
}

static int run(session *s, const arguments *a) {
    const demo_item *items[DEMO_MAX_ITEMS];
    int wanted[DEMO_MAX_ITEMS];
    double seconds[DEMO_MAX_ITEMS] = {0};
    size_t count = gather_items(items);
    if (option_given(a, "list")) return list_items(s, items, count);
    demo_state state = {.seconds = seconds};
    demo d = {.s = s,
              .state = &state,
              .folder = option_text(a, "output"),
              .draft = option_given(a, "draft") > 0,
              .all_films = a->word_count > 0 || option_given(a, "all") > 0};
    int code = choose_items(s, a, items, count, wanted);
    if (!code) code = make_folder(s, d.folder);
    if (!code) code = make_items(&d, &state, items, count, wanted, seconds);
    if (!code && s->json) code = json_items(s, items, count, seconds);
    if (!code) session_remark(s, "open %s\n", demo_path(&d, "index.html"));
    return code;
}

const command command_demo = {
    .name = "demo",
    .summary = "renders pictures and films of all tools, with a page",
    .usage = "ruga demo [NAME...] [options]",
    .about =
        "Renders pictures and films into a folder. The page index.html is written first and fills while the rest is "
        "made. Without --all it has two films; the other items show stills. With names, only these items are made, "
        "with their films.",
    .examples =
        "  ruga demo\n"
        "  ruga demo --list\n"
        "  ruga demo subdivision -o pictures\n"
        "  ruga demo --all\n",
    .groups = {OPTION_GROUP("Options", demo_options)},
    .run = run,
};
