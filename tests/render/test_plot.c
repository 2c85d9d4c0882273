/* Plots: places, ranges, ticks, gaps, bands, legends; PNG and SVG. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "plot/plot.h"
#include "render/colour.h"
#include "support/file_systems.h"
#include "support/support.h"

static const ruga_colour red = {1, 0, 0};

static ruga_plot_series red_series(const double *x, const double *y, size_t count, ruga_plot_kind kind) {
    return (ruga_plot_series){.x = x, .y = y, .count = count, .kind = kind, .own_colour = 1, .colour = red};
}

static ruga_plot_def plot_of(const ruga_plot_series *series, size_t count) {
    ruga_plot_def def = ruga_plot_def_default();
    def.width = 480, def.height = 320;
    def.series = series, def.series_count = count;
    return def;
}

static char *svg_of(ruga_context *context, const ruga_plot_def *def, ruga_status expected) {
    char *text = NULL;
    size_t size = 0;
    ruga_status status = ruga_plot_write_svg_memory(context, def, &text, &size);
    assert_ok(context, status);
    assert_status(status, expected);
    assert_int_equal(strlen(text), size);
    return text;
}

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

/* How red a pixel is, beyond grey, white and black. */
static double redness(const ruga_image *image, int x, int y) {
    const uint8_t *p = image->pixels + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
    return (p[0] - 0.5 * (p[1] + p[2])) / 255.0;
}

static double redness_within(const ruga_image *image, plot_box box, plot_point *centre) {
    double sum = 0, x_sum = 0, y_sum = 0;
    for (int y = (int)fmax(box.top, 0); y < (int)fmin(box.bottom, image->height); y++)
        for (int x = (int)fmax(box.left, 0); x < (int)fmin(box.right, image->width); x++) {
            double amount = fmax(redness(image, x, y), 0);
            sum += amount, x_sum += amount * (x + 0.5), y_sum += amount * (y + 0.5);
        }
    if (centre) *centre = (plot_point){x_sum / sum, y_sum / sum};
    return sum;
}

static plot_box around(double x, double y, double reach) {
    return (plot_box){x - reach, y - reach, x + reach, y + reach};
}

/* ---- Places. */

static void assert_points_land_where_the_axes_say(int log) {
    ruga_context *context = context_plain(1);
    const double linear[3] = {0, 5, 10}, decades[3] = {0.1, 10, 1000};
    const double *values = log ? decades : linear;
    ruga_plot_series series = red_series(values, values, 3, RUGA_PLOT_POINTS);
    ruga_plot_def def = plot_of(&series, 1);
    def.x_log = def.y_log = log;
    def.x_low = def.y_low = values[0], def.x_high = def.y_high = values[2];
    plot_layout l;
    assert_ok(context, plot_layout_make(context, &def, &l));
    // The range spans the frame, and the middle value lies in its middle.
    plot_point expected[3] = {{l.frame.left, l.frame.bottom},
                              {0.5 * (l.frame.left + l.frame.right), 0.5 * (l.frame.top + l.frame.bottom)},
                              {l.frame.right, l.frame.top}};
    ruga_image *image;
    assert_ok(context, ruga_plot_draw(context, &def, &image));
    char *svg = svg_of(context, &def, RUGA_OK);
    const char *at = svg;
    for (int i = 0; i < 3; i++) {
        plot_point centre;
        assert_less_case(5, redness_within(image, around(expected[i].x, expected[i].y, 8), &centre), "i %d", i);
        assert_less_case(hypot(centre.x - expected[i].x, centre.y - expected[i].y), 0.3, "i %d", i);
        // The red circle of the SVG follows its white border.
        at = strstr(strstr(at, "<circle") + 1, "<circle");
        double x, y;
        assert_int_equal(sscanf(at, "<circle cx=\"%lf\" cy=\"%lf\"", &x, &y), 2);
        assert_near_case(x, expected[i].x, 0.0051, "i %d", i);
        assert_near_case(y, expected[i].y, 0.0051, "i %d", i);
        at++;
    }
    ruga_free(context, svg);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

static void points_land_where_linear_axes_say(void **state) {
    (void)state;
    assert_points_land_where_the_axes_say(0);
}

static void points_land_where_logarithmic_axes_say(void **state) {
    (void)state;
    assert_points_land_where_the_axes_say(1);
}

static void ranges_hold_the_data_and_have_round_ends(void **state) {
    (void)state;
    test_random random = {11};
    size_t spread = 0;
    for (int i = 0; i < 2000; i++) {
        int log = i % 2;
        double size = pow(10, random_between(&random, -200, 200)),
               a = random_between(&random, log ? 0.01 : -1, 1) * size;
        double b = i % 7 ? a + size * pow(10, random_between(&random, -3, 1)) : a, low = a, high = b;
        plot_round_range(log, &low, &high);
        assert_less_case(low, high, "i %d", i);
        assert_at_most_case(low, a + 1e-5 * (high - low), "i %d", i);
        assert_at_most_case(b - 1e-5 * (high - low), high, "i %d", i);
        assert_true(plot_can_show(log, low) && plot_can_show(log, high));
        // Not much more than the data needs.
        if (!log && b - a > 1e-6 * size) {
            spread++;
            assert_less_case(high - low, 2.1 * (b - a), "i %d", i);
        }
        if (log) {
            assert_less_case(a / 5.1, low, "i %d", i);
            assert_less_case(high, b * 5.1, "i %d", i);
        }
    }
    assert_ran(spread, 800);
    double low = INFINITY, high = -INFINITY;
    plot_round_range(0, &low, &high);
    assert_equal(low, 0);
    assert_equal(high, 1);
}

static void lines_end_on_the_axes_but_marks_keep_off(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const double values[2] = {1, 100};
    for (int log = 0; log < 2; log++)
        for (int marks = 0; marks < 2; marks++) {
            ruga_plot_series series = red_series(values, values, 2, marks ? RUGA_PLOT_POINTS : RUGA_PLOT_LINE);
            ruga_plot_def def = plot_of(&series, 1);
            def.x_log = log;
            plot_layout l;
            assert_ok(context, plot_layout_make(context, &def, &l));
            double off = l.frame.right - plot_place(&l.x, 100);
            if (marks)
                assert_less_case(5.6 * l.unit, off, "log %d", log);
            else
                assert_near_case(off, 0, 1e-9, "log %d", log);
        }
    ruga_context_destroy(context);
}

static void ticks_rise_inside_the_axis_and_are_few(void **state) {
    (void)state;
    test_random random = {12};
    for (int i = 0; i < 3000; i++) {
        plot_axis axis = {.log = i % 2};
        double factor = pow(10, i % 4 == 1 ? random_between(&random, 0.01, 2) : random_between(&random, 2, 40));
        axis.low = pow(10, random_between(&random, -20, 20)), axis.high = axis.low * factor;
        int most = 2 + (int)(random_bits(&random) % 9);
        plot_choose_ticks(&axis, most, &axis.ticks);
        const plot_ticks *t = &axis.ticks;
        assert_at_most_case(1, t->count, "i %d", i);
        assert_at_most_case(t->count, most + 2, "i %d", i);
        for (int k = 0; k < t->count; k++) {
            assert_at_most_case(axis.low * (1 - 1e-6), t->values[k], "i %d, k %d", i, k);
            assert_at_most_case(t->values[k], axis.high * (1 + 1e-6), "i %d, k %d", i, k);
            if (k > 0) assert_less_case(t->values[k - 1], t->values[k], "i %d, k %d", i, k);
            assert_true(t->labels[k][0] != 0);
        }
        for (int k = 0; k < t->minor_count; k++) {
            assert_at_most_case(axis.low * (1 - 1e-6), t->minors[k], "i %d, k %d", i, k);
            assert_at_most_case(t->minors[k], axis.high * (1 + 1e-6), "i %d, k %d", i, k);
            if (k > 0) assert_less_case(t->minors[k - 1], t->minors[k], "i %d, k %d", i, k);
        }
    }
}

static void an_axis_that_counts_has_whole_ticks(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int last = 1; last < 40; last++) {
        const double x[2] = {0, last}, y[2] = {1, 2};
        const ruga_plot_series series = {.x = x, .y = y, .count = 2};
        ruga_plot_def def = ruga_plot_def_default();
        def.series_count = 1;
        def.series = &series;
        def.x_whole = 1;
        plot_layout layout;
        assert_ok(context, plot_layout_make(context, &def, &layout));
        const plot_ticks *t = &layout.x.ticks;
        assert_at_most_case(2, t->count, "last %d", last);
        for (int k = 0; k < t->count; k++) {
            char label[TICKS_TEXT];
            snprintf(label, sizeof label, "%d", (int)t->values[k]);
            assert_near_case(t->values[k], round(t->values[k]), 0, "last %d, tick %d", last, k);
            assert_string_equal(t->labels[k], label);
        }
    }
    ruga_context_destroy(context);
}

static void logarithmic_ticks_are_labelled_by_powers(void **state) {
    (void)state;
    plot_axis axis = {.low = 1e-3, .high = 1e2, .log = 1};
    plot_choose_ticks(&axis, 8, &axis.ticks);
    assert_int_equal(axis.ticks.count, 6);
    assert_int_equal(axis.ticks.minor_count, 5 * 8);
    assert_string_equal(axis.ticks.labels[0], "10⁻³");
    assert_string_equal(axis.ticks.labels[3], "10⁰");
    assert_string_equal(axis.ticks.labels[5], "10²");
    axis = (plot_axis){.low = 0.02, .high = 1, .log = 1};
    plot_choose_ticks(&axis, 8, &axis.ticks);
    assert_int_equal(axis.ticks.count, 6);
    assert_string_equal(axis.ticks.labels[0], "0.02");
    assert_string_equal(axis.ticks.labels[5], "1");
    axis = (plot_axis){.low = 2e-7, .high = 1e-6, .log = 1};
    plot_choose_ticks(&axis, 8, &axis.ticks);
    assert_string_equal(axis.ticks.labels[0], "2×10⁻⁷");
    axis = (plot_axis){.low = 1e-20, .high = 1e20, .log = 1};
    plot_choose_ticks(&axis, 9, &axis.ticks);
    assert_int_equal(axis.ticks.count, 9);
}

static void letters_and_ticks_stay_in_the_picture(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const double x[2] = {0, 123456.7}, y[2] = {1e-9, 3e-9};
    ruga_plot_series series = {.name = "a", .x = x, .y = y, .count = 2};
    const int sizes[][2] = {{96, 96}, {252, 180}, {1200, 800}, {2000, 300}, {200, 900}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ruga_plot_def def = plot_of(&series, 1);
        def.width = sizes[i][0], def.height = sizes[i][1];
        def.title = "a title that is far too long for a small figure and is made smaller to fit";
        def.x_label = def.y_label = "label (m)";
        ruga_image *image;
        assert_ok(context, ruga_plot_draw(context, &def, &image));
        // The outermost pixels are white all around.
        for (int p = 0; p < image->width; p++) {
            assert_int_equal(image->pixels[3 * p], 255);
            assert_int_equal(image->pixels[3 * ((size_t)(image->height - 1) * (size_t)image->width + (size_t)p)], 255);
        }
        for (int p = 0; p < image->height; p++) {
            assert_int_equal(image->pixels[3 * ((size_t)p * (size_t)image->width)], 255);
            assert_int_equal(image->pixels[3 * ((size_t)(p + 1) * (size_t)image->width - 1)], 255);
        }
        ruga_image_destroy(image);
    }
    ruga_context_destroy(context);
}

/* ---- Drawing. */

static void a_value_that_is_no_number_is_a_gap(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const double x[5] = {0, 1, 2, 3, 4}, whole[5] = {1, 1, 1, 1, 1}, gap[5] = {1, 1, NAN, 1, 1};
    double inks[2];
    for (int i = 0; i < 2; i++) {
        ruga_plot_series series = red_series(x, i ? gap : whole, 5, RUGA_PLOT_LINE);
        ruga_plot_def def = plot_of(&series, 1);
        def.x_high = 4, def.y_high = 2;
        ruga_image *image;
        assert_status(ruga_plot_draw(context, &def, &image), RUGA_OK);
        inks[i] = redness_within(image, (plot_box){0, 0, 480, 320}, NULL);
        char *svg = svg_of(context, &def, RUGA_OK);
        assert_int_equal(count_of(svg, "stroke=\"#ff0000\""), i + 1);
        ruga_free(context, svg);
        ruga_image_destroy(image);
    }
    assert_near(inks[1] / inks[0], 0.5, 0.03);
    ruga_context_destroy(context);
}

static void dashes_are_half_of_a_line(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    double x[200], y[200], inks[2];
    for (int i = 0; i < 200; i++) x[i] = i, y[i] = 50 + 40 * sin(0.05 * i);
    for (int i = 0; i < 2; i++) {
        ruga_plot_series series = red_series(x, y, 200, RUGA_PLOT_LINE);
        series.dashed = i;
        ruga_plot_def def = plot_of(&series, 1);
        def.width = 1200, def.height = 800;
        ruga_image *image;
        assert_ok(context, ruga_plot_draw(context, &def, &image));
        inks[i] = redness_within(image, (plot_box){0, 0, 1200, 800}, NULL);
        ruga_image_destroy(image);
    }
    // Round ends make a dash longer than its half.
    assert_less(0.5, inks[1] / inks[0]);
    assert_less(inks[1] / inks[0], 0.72);
    ruga_context_destroy(context);
}

static void a_band_covers_its_area_and_is_cut_at_the_frame(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const double x[5] = {-2, 0, 2, 4, 6}, y[5] = {NAN, NAN, NAN, NAN, NAN};
    const double low[5] = {1, 1, 1, 1, 1}, high[5] = {2, 2, 2, 2, 2}, beyond[5] = {9, 9, 9, 9, 9};
    for (int cut = 0; cut < 2; cut++) {
        ruga_plot_series series = red_series(x, y, 5, RUGA_PLOT_LINE);
        series.y_low = low, series.y_high = cut ? beyond : high;
        ruga_plot_def def = plot_of(&series, 1);
        def.x_high = 4, def.y_high = 3;
        plot_layout l;
        assert_ok(context, plot_layout_make(context, &def, &l));
        ruga_image *image;
        assert_status(ruga_plot_draw(context, &def, &image), RUGA_OK);
        // A fifth of the colour, over one third of the frame, or two.
        double area = (l.frame.right - l.frame.left) * (l.frame.bottom - l.frame.top);
        double inked = redness_within(image, (plot_box){0, 0, 480, 320}, NULL) / 0.2;
        assert_near_case(inked / area, (cut ? 2 : 1) / 3.0, 0.02, "cut %d", cut);
        assert_less_case(redness_within(image, (plot_box){0, 0, 480, l.frame.top - 1}, NULL), 0.5, "cut %d", cut);
        assert_less_case(redness_within(image, (plot_box){l.frame.right + 1, 0, 480, 320}, NULL), 0.5, "cut %d", cut);
        ruga_image_destroy(image);
    }
    ruga_context_destroy(context);
}

static void lines_are_cut_at_a_given_range(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const double x[3] = {-1e9, 0.5, 1e280}, y[3] = {-1e9, 0.5, 1e280};
    ruga_plot_series series = red_series(x, y, 3, RUGA_PLOT_BOTH);
    ruga_plot_def def = plot_of(&series, 1);
    def.x_high = def.y_high = 1;
    plot_layout l;
    assert_ok(context, plot_layout_make(context, &def, &l));
    ruga_image *image;
    assert_status(ruga_plot_draw(context, &def, &image), RUGA_OK);
    double all = redness_within(image, (plot_box){0, 0, 480, 320}, NULL), reach = 2;
    plot_box frame = {l.frame.left - reach, l.frame.top - reach, l.frame.right + reach, l.frame.bottom + reach};
    assert_less(100, all);
    assert_less(0.999 * all, redness_within(image, frame, NULL));
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

static void the_legend_takes_the_emptiest_corner(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    // Points everywhere but in one corner.
    for (int corner = 0; corner < 4; corner++) {
        double x[400], y[400];
        size_t count = 0;
        for (int i = 0; i < 400; i++) {
            double u = (i % 20 + 0.5) / 20, v = (i / 20 + 0.5) / 20;
            if ((u > 0.5) == (corner % 2) && (v > 0.5) == (corner / 2)) continue;
            x[count] = u, y[count++] = v;
        }
        ruga_plot_series series = {.name = "points", .x = x, .y = y, .count = count, .kind = RUGA_PLOT_POINTS};
        ruga_plot_def def = plot_of(&series, 1);
        def.x_high = def.y_high = 1;
        plot_layout l;
        assert_ok(context, plot_layout_make(context, &def, &l));
        double middle_x = 0.5 * (l.frame.left + l.frame.right), middle_y = 0.5 * (l.frame.top + l.frame.bottom);
        assert_int_equal(l.legend.left > middle_x, corner % 2);
        assert_int_equal(l.legend.bottom < middle_y, corner / 2);
        // A given place is kept, full or not.
        def.legend = RUGA_PLOT_LEGEND_BOTTOM_LEFT;
        assert_ok(context, plot_layout_make(context, &def, &l));
        assert_less_case(l.legend.right, middle_x, "corner %d", corner);
        assert_less_case(middle_y, l.legend.top, "corner %d", corner);
        def.legend = RUGA_PLOT_LEGEND_NONE;
        assert_ok(context, plot_layout_make(context, &def, &l));
        assert_equal_case(l.legend.right, l.legend.left, "corner %d", corner);
    }
    ruga_context_destroy(context);
}

/* Marks in all corners leave room at a side; marks everywhere leave it beside the frame only. */
static void the_legend_hides_nothing(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    double x[400], y[400];
    for (int everywhere = 0; everywhere < 2; everywhere++) {
        size_t count = 0;
        for (int i = 0; i < 400; i++) {
            x[count] = i % 20 / 19.0, y[count] = i / 20 / 19.0;
            count += everywhere || fabs(y[count] - 0.5) > 0.35;
        }
        ruga_plot_series series = {.name = "points", .x = x, .y = y, .count = count, .kind = RUGA_PLOT_POINTS};
        ruga_plot_def def = plot_of(&series, 1);
        plot_layout l;
        assert_ok(context, plot_layout_make(context, &def, &l));
        for (size_t i = 0; i < count; i++) {
            const plot_point at = {plot_place(&l.x, x[i]), plot_place(&l.y, y[i])};
            const int hidden =
                at.x > l.legend.left && at.x < l.legend.right && at.y > l.legend.top && at.y < l.legend.bottom;
            fail_if(hidden, "%s: mark %zu is hidden", everywhere ? "everywhere" : "in corners", i);
        }
        assert_int_equal(l.legend.left > l.frame.right, everywhere);
        assert_less_case(l.legend.left, l.legend.right, "everywhere %d", everywhere);
        assert_at_most_case(l.legend.right, def.width, "everywhere %d", everywhere);
    }
    ruga_context_destroy(context);
}

/* Names in place of numbers; where they have no room, their numbers. */
static void names_stand_below_their_marks(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    static const char *const names[] = {"silk", "wool", "cotton"};
    static const char *const long_names[] = {"a name that is nearly as long as a name may be",
                                             "another name of that kind", "and a third, which is no shorter"};
    const double x[3] = {0, 1, 2}, y[3] = {3, 1, 2};
    ruga_plot_series series = {.x = x, .y = y, .count = 3, .kind = RUGA_PLOT_POINTS};
    ruga_plot_def def = plot_of(&series, 1);
    def.x_names = names;
    def.x_name_count = 3;
    plot_layout l;
    assert_ok(context, plot_layout_make(context, &def, &l));
    assert_int_equal(l.x.ticks.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(l.x.ticks.labels[i], names[i]);
        assert_near_case(l.x.ticks.values[i], i, 0, "name %d", i);
    }
    char *svg = svg_of(context, &def, RUGA_OK);
    assert_non_null(strstr(svg, "cotton"));
    ruga_free(context, svg);
    def.x_names = long_names;
    assert_ok(context, plot_layout_make(context, &def, &l));
    assert_int_equal(l.x.ticks.count, 3);
    assert_string_equal(l.x.ticks.labels[2], "2");
    ruga_context_destroy(context);
}

/* The colour that an eye without green (deuteranope) or red (protanope) receptors sees, after F. Viénot, H. Brettel, J.
 * D. Mollon, "Digital video colourmaps for checking the legibility of displays by dichromats", 1999: red and green
 * merge. */
static light seen_by(ruga_colour colour, int protanope) {
    light l = colour_to_light(colour);
    float r = protanope ? 0.11238f * l.r + 0.88762f * l.g : 0.29275f * l.r + 0.70725f * l.g;
    float b = protanope ? 0.00401f * l.r - 0.00401f * l.g + l.b : -0.02234f * l.r + 0.02234f * l.g + l.b;
    return (light){r, r, b};
}

static void colour_blind_eyes_distinguish_the_palette(void **state) {
    (void)state;
    for (int protanope = 0; protanope < 2; protanope++)
        for (size_t i = 0; i < PLOT_PALETTE; i++)
            for (size_t k = 0; k < i; k++) {
                ruga_colour a = light_to_colour(seen_by(plot_palette(i), protanope));
                ruga_colour b = light_to_colour(seen_by(plot_palette(k), protanope));
                double apart = hypot((double)(a.r - b.r), (double)(a.b - b.b));
                assert_at_most_case(0.12, apart, "colours %zu and %zu, protanope %d", k, i, protanope);
            }
}

/* ---- Values that an axis can't show. */

static int warnings;
static void count_warnings(void *user, ruga_log_level level, const char *message) {
    (void)user, (void)message;
    warnings += level == RUGA_LOG_WARNING;
}

static void what_an_axis_cannot_show_is_left_out_with_one_warning(void **state) {
    (void)state;
    ruga_context_def context_def = ruga_context_def_default();
    context_def.log = count_warnings;
    ruga_context *context;
    assert_status(ruga_context_create(&context_def, &context), RUGA_OK);
    const double x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {1, 0, -5, 10, INFINITY, 100};
    ruga_plot_series series = red_series(x, y, 6, RUGA_PLOT_POINTS);
    ruga_plot_def def = plot_of(&series, 1);
    def.y_log = 1;
    warnings = 0;
    char *svg = svg_of(context, &def, RUGA_WARNING_INPUT);
    assert_int_equal(warnings, 1);
    assert_int_equal(count_of(svg, "fill=\"#ff0000\""), 3);
    ruga_free(context, svg);
    ruga_image *image;
    assert_status(ruga_plot_draw(context, &def, &image), RUGA_WARNING_INPUT);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

static void empty_and_constant_data_are_fine(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const double constants[] = {0, 1, -3, 1e-300, 1e300, -1e300, 123456789, 5e-324};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        double x[2] = {constants[i], constants[i]};
        ruga_plot_series series[2] = {{.name = "none"}, red_series(x, x, 2, RUGA_PLOT_BOTH)};
        for (size_t count = 0; count <= 2; count++) {
            ruga_plot_def def = plot_of(series, count);
            def.x_log = constants[i] >= 1e-300;
            ruga_free(context, svg_of(context, &def, RUGA_OK));
            ruga_image *image;
            assert_status(ruga_plot_draw(context, &def, &image), RUGA_OK);
            ruga_image_destroy(image);
        }
    }
    // As far apart as can be.
    const double far[2] = {-1e300, 1e300};
    ruga_plot_series series = red_series(far, far, 2, RUGA_PLOT_BOTH);
    ruga_plot_def def = plot_of(&series, 1);
    ruga_free(context, svg_of(context, &def, RUGA_OK));
    const double decades[3] = {1e-300, 1, 1e300};
    series = red_series(decades, decades, 3, RUGA_PLOT_POINTS);
    def.x_log = def.y_log = 1;
    plot_layout l;
    assert_ok(context, plot_layout_make(context, &def, &l));
    assert_near(plot_place(&l.x, 1), 0.5 * (l.frame.left + l.frame.right), 1e-6);
    char *svg = svg_of(context, &def, RUGA_OK);
    assert_int_equal(count_of(svg, "fill=\"#ff0000\""), 3);
    ruga_free(context, svg);
    ruga_context_destroy(context);
}

static void assert_refused(ruga_context *context, const ruga_plot_def *def, const char *message) {
    char *text = (char *)"untouched";
    size_t size;
    ruga_image *image;
    assert_status(ruga_plot_write_svg_memory(context, def, &text, &size), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, message);
    assert_string_equal(text, "untouched");
    assert_status(ruga_plot_draw(context, def, &image), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_plot_write_svg(context, def, test_path("refused.svg")), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_plot_write_png(context, def, test_path("refused.png")), RUGA_ERROR_ARGUMENT);
    assert_false(test_file_exists(test_path("refused.svg")) || test_file_exists(test_path("refused.png")));
}

#define REFUSED(change, message)                              \
    do {                                                      \
        ruga_plot_series series[2] = {good, good};            \
        ruga_plot_reference reference = {.value = 1};         \
        ruga_plot_def def = plot_of(series, 2);               \
        def.references = &reference, def.reference_count = 1; \
        change;                                               \
        assert_refused(context, &def, message);               \
    } while (0)

static void what_makes_no_sense_is_refused_by_name(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const double x[2] = {1, 2};
    const ruga_plot_series good = {.name = "good", .x = x, .y = x, .count = 2};
    REFUSED(def.cookie = 0, "ruga_plot_def_default");
    REFUSED(def.width = 95, "95 x 320");
    REFUSED(def.height = 20000, "480 x 20000");
    REFUSED(def.type_size = 2, "type size is 2");
    REFUSED(def.type_size = 200, "no room");
    REFUSED(def.legend = (ruga_plot_legend)9, "place 9");
    REFUSED(def.series = NULL, "no series");
    REFUSED(def.references = NULL, "no references");
    REFUSED(def.x_name_count = 2, "2 names below its x axis, but no array");
    REFUSED((def.x_low = 2, def.x_high = 1), "x range is 2 to 1");
    REFUSED(def.y_low = NAN, "y range");
    REFUSED(def.y_high = INFINITY, "y range");
    REFUSED((def.y_low = 1, def.y_high = 1 + 1e-15), "too narrow");
    REFUSED((def.y_log = 1, def.y_high = 1), "logarithmic");
    REFUSED(series[1].x = NULL, "series 1 of the plot has 2 values, but no x");
    REFUSED(series[0].y = NULL, "series 0 of the plot has 2 values, but no y");
    REFUSED(series[1].y_low = x, "only one of y_low and y_high");
    REFUSED(series[1].kind = (ruga_plot_kind)3, "kind 3");
    REFUSED(reference.value = NAN, "reference line 0");
    REFUSED((reference.value = -1, def.y_log = 1), "reference line 0");
    ruga_plot_def def = plot_of(&good, 1);
    assert_refused(context, NULL, "ruga_plot_def_default");
    assert_status(ruga_plot_write_svg(context, &def, ""), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_plot_write_png(context, &def, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_plot_write_svg_memory(context, &def, NULL, NULL), RUGA_ERROR_ARGUMENT);
    ruga_context_destroy(context);
}

/* ---- A figure with everything. */

typedef struct figure {
    double x[60], y[60], low[60], high[60];
    ruga_plot_series series[5];
    ruga_plot_reference references[4];
    ruga_plot_def def;
} figure;

static void fill_figure(figure *f) {
    for (int i = 0; i < 60; i++) {
        f->x[i] = 1 + i, f->y[i] = i == 30 ? NAN : 2 + sin(0.3 * i);
        f->low[i] = f->y[i] - 0.5, f->high[i] = f->y[i] + 0.4;
    }
    for (int i = 0; i < 5; i++)
        f->series[i] = (ruga_plot_series){.name = i == 4 ? "<&\"µ\x01\xff>" : "name",
                                          .x = f->x,
                                          .y = f->y,
                                          .count = 60,
                                          .kind = (ruga_plot_kind)(i % 3)};
    f->series[0].y_low = f->low, f->series[0].y_high = f->high, f->series[3].dashed = 1;
    f->series[3].kind = RUGA_PLOT_BOTH;
    f->references[0] = (ruga_plot_reference){.value = 2, .label = "mean"};
    f->references[1] = (ruga_plot_reference){.value = 3.4, .label = "top"};
    f->references[2] = (ruga_plot_reference){.value = 20, .vertical = 1, .label = "there"};
    f->references[3] = (ruga_plot_reference){.value = 1, .vertical = 1, .label = "left"};
    f->def = plot_of(f->series, 5);
    f->def.references = f->references, f->def.reference_count = 4;
    f->def.title = "a < b & \"c\"", f->def.x_label = "x (m)", f->def.y_label = "y (m²)";
    f->def.x_log = 1, f->def.x_low = 1, f->def.x_high = 100, f->def.y_high = 3.5, f->def.y_low = 0.5;
}

static const char *skip_name(const char *at) {
    while (isalnum((unsigned char)*at) || *at == '-' || *at == ':') at++;
    return at;
}

/* Elements are nested, attributes are quoted and hold no '<', and no letter is one that XML forbids. */
static void assert_well_formed(const char *svg) {
    const char *stack[32];
    int depth = 0, elements = 0;
    const char *at = strstr(svg, "?>");
    assert_non_null(at);
    for (at += 2; *at; at++) {
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
        if (*at != '<') continue;
        if (at[1] == '/') {
            assert_less(0, depth);
            const char *open = stack[--depth];
            size_t length = (size_t)(skip_name(open) - open);
            assert_memory_equal(at + 2, open, length);
            at += 2 + length;
            assert_int_equal(*at, '>');
            continue;
        }
        const char *name = at + 1;
        at = skip_name(name);
        assert_true(at > name);
        elements++;
        while (*at == ' ') {
            at = skip_name(at + 1);
            assert_memory_equal(at, "=\"", 2);
            for (at += 2; *at != '"'; at++) assert_true(*at && *at != '<');
            at++;
        }
        if (*at == '/')
            at++;
        else
            stack[depth++] = name;
        assert_less(depth, 32);
        assert_true(*at == '>');
    }
    assert_true(depth == 0);
    assert_less(100, elements);
}

static void svg_is_well_formed_and_names_what_it_shows(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    figure f;
    fill_figure(&f);
    char *svg = svg_of(context, &f.def, RUGA_OK);
    assert_well_formed(svg);
    assert_non_null(strstr(svg, "<title>a &lt; b &amp; &quot;c&quot;</title>"));
    assert_non_null(strstr(svg, "x: x (m), 1 to 100, logarithmic."));
    assert_non_null(strstr(svg, "&lt;&amp;&quot;µ\xef\xbf\xbd\xef\xbf\xbd&gt;"));
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    ruga_free(context, svg);
    ruga_context_destroy(context);
}

static void the_same_plot_gives_the_same_bytes(void **state) {
    (void)state;
    figure f;
    fill_figure(&f);
    char *texts[2], *files[4];
    size_t sizes[4];
    ruga_context *contexts[2] = {context_plain(1), context_plain(4)};
    const char *names[4] = {"a.png", "b.png", "a.svg", "b.svg"};
    for (int i = 0; i < 2; i++) {
        // Numbers have a point whatever the locale, where there is one to try.
        if (i) setlocale(LC_ALL, "de_DE.UTF-8");
        texts[i] = svg_of(contexts[i], &f.def, RUGA_OK);
        assert_status(ruga_plot_write_png(contexts[i], &f.def, test_path(names[i])), RUGA_OK);
        assert_status(ruga_plot_write_svg(contexts[i], &f.def, test_path(names[2 + i])), RUGA_OK);
    }
    setlocale(LC_ALL, "C");
    for (int i = 0; i < 4; i++) {
        files[i] = read_test_file(test_path(names[i]), &sizes[i]);
        assert_non_null(files[i]);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_string_equal(texts[0], files[2]);
    assert_string_equal(texts[0], files[3]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(files[0], files[1], sizes[0]);
    assert_memory_equal(files[0], "\x89PNG", 4);
    for (int i = 0; i < 4; i++) free(files[i]);
    for (int i = 0; i < 2; i++) {
        ruga_free(contexts[i], texts[i]);
        ruga_context_destroy(contexts[i]);
    }
}

static ruga_status write_everything(ruga_context *context, void *user) {
    const figure *f = user;
    char *text;
    size_t size;
    TRY(ruga_plot_write_svg_memory(context, &f->def, &text, &size));
    ruga_free(context, text);
    TRY(ruga_plot_write_svg(context, &f->def, test_path("memory.svg")));
    return ruga_plot_write_png(context, &f->def, test_path("memory.png"));
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    figure f;
    fill_figure(&f);
    f.def.width = f.def.height = 120;
    assert_less(10, assert_every_allocation_may_fail(write_everything, &f));
}

static void a_file_that_cannot_be_written_leaves_nothing(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    figure f;
    fill_figure(&f);
    for (int svg = 0; svg < 2; svg++)
        for (int step = 0; step < 3; step++) {
            memory_file_system *memory;
            assert_ok(context, memory_file_system_create(context, &memory));
            failing_file_system failing;
            failing_file_system_init(&failing, memory_file_system_interface(memory));
            if (step == 0) failing.fail_at_byte = 1000;
            if (step == 1) failing.fail_create = 0;
            if (step == 2) failing.fail_rename = 0;
            const file_system *disk = context->file_system;
            context->file_system = &failing.interface;
            ruga_status status = svg ? ruga_plot_write_svg(context, &f.def, "plot.svg")
                                     : ruga_plot_write_png(context, &f.def, "plot.png");
            context->file_system = disk;
            assert_status(status, RUGA_ERROR_FILE);
            assert_message_has(context, svg ? "plot.svg" : "plot.png");
            assert_int_equal(memory_file_system_count(memory), 0);
            memory_file_system_destroy(memory);
        }
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_land_where_linear_axes_say),
        cmocka_unit_test(points_land_where_logarithmic_axes_say),
        cmocka_unit_test(ranges_hold_the_data_and_have_round_ends),
        cmocka_unit_test(lines_end_on_the_axes_but_marks_keep_off),
        cmocka_unit_test(ticks_rise_inside_the_axis_and_are_few),
        cmocka_unit_test(an_axis_that_counts_has_whole_ticks),
        cmocka_unit_test(logarithmic_ticks_are_labelled_by_powers),
        cmocka_unit_test(letters_and_ticks_stay_in_the_picture),
        cmocka_unit_test(a_value_that_is_no_number_is_a_gap),
        cmocka_unit_test(dashes_are_half_of_a_line),
        cmocka_unit_test(a_band_covers_its_area_and_is_cut_at_the_frame),
        cmocka_unit_test(lines_are_cut_at_a_given_range),
        cmocka_unit_test(the_legend_takes_the_emptiest_corner),
        cmocka_unit_test(the_legend_hides_nothing),
        cmocka_unit_test(names_stand_below_their_marks),
        cmocka_unit_test(colour_blind_eyes_distinguish_the_palette),
        cmocka_unit_test(what_an_axis_cannot_show_is_left_out_with_one_warning),
        cmocka_unit_test(empty_and_constant_data_are_fine),
        cmocka_unit_test(what_makes_no_sense_is_refused_by_name),
        cmocka_unit_test(svg_is_well_formed_and_names_what_it_shows),
        cmocka_unit_test(the_same_plot_gives_the_same_bytes),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_file_that_cannot_be_written_leaves_nothing),
    };
    return cmocka_run_group_tests_name("plot", tests, NULL, tear_down_test_folder);
}
