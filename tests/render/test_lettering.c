/* The parts of a picture that need no rays: colours, canvas, text, ticks, fields. */
#include <math.h>

#include "plot/font.h"
#include "plot/lettering.h"
#include "plot/ticks.h"
#include "render/canvas.h"
#include "render/colour.h"
#include "render/image.h"
#include "render/scalar.h"
#include "support/support.h"

static const ruga_colour white = {1, 1, 1}, black = {0, 0, 0};

static ruga_image *blank(ruga_context *context, int width, int height) {
    ruga_image *image;
    assert_ok(context, image_create(context, width, height, &image));
    canvas c = canvas_of(image);
    canvas_fill(&c, white);
    return image;
}

/* How much ink an image holds: black pixels, parts added up. */
static double ink_of(const ruga_image *image) {
    double ink = 0;
    for (size_t i = 0; i < (size_t)image->width * (size_t)image->height; i++) ink += 1 - image->pixels[3 * i] / 255.0;
    return ink;
}

static void srgb_round_trips(void **state) {
    (void)state;
    for (int i = 0; i <= 255; i++) {
        float encoded = (float)i / 255.0f;
        assert_int_equal(colour_byte(colour_encode(colour_decode(encoded))), i);
    }
    assert_float_equal(colour_encode(2), 1, 0);
    assert_float_equal(colour_encode(NAN), 0, 0);
    assert_float_equal((float)colour_lightness(white), 1, 1e-3f);
    assert_float_equal((float)colour_lightness(black), 0, 1e-3f);
}

static void sequential_map_rises_evenly_in_lightness(void **state) {
    (void)state;
    colour_map map;
    colour_map_make(0, &map);
    double first = colour_lightness(light_to_colour(colour_map_at(&map, 0)));
    double last = colour_lightness(light_to_colour(colour_map_at(&map, 1)));
    assert_less(0.6, last - first);
    for (int i = 0; i <= 200; i++) {
        double t = i / 200.0, l = colour_lightness(light_to_colour(colour_map_at(&map, t)));
        assert_near_case(l, first + (last - first) * t, 0.005, "i %d", i);
    }
}

static void diverging_map_is_balanced_about_a_light_middle(void **state) {
    (void)state;
    colour_map map;
    colour_map_make(1, &map);
    assert_less(0.94, colour_lightness(light_to_colour(colour_map_at(&map, 0.5))));
    double before = 2;
    for (int i = 0; i <= 100; i++) {
        ruga_colour a = light_to_colour(colour_map_at(&map, 0.5 - i / 200.0));
        ruga_colour b = light_to_colour(colour_map_at(&map, 0.5 + i / 200.0));
        double la = colour_lightness(a), lb = colour_lightness(b);
        assert_near_case(la, lb, 0.005, "i %d", i);
        assert_less_case(la, before, "i %d", i);
        if (i > 10) {
            assert_less_case(a.r, a.b, "i %d", i);
            assert_less_case(b.b, b.r, "i %d", i);
        }
        before = la;
    }
}

static void maps_are_smooth_and_clamp(void **state) {
    (void)state;
    for (int diverging = 0; diverging < 2; diverging++) {
        colour_map map;
        colour_map_make(diverging, &map);
        for (int i = 0; i < 256; i++) {
            ruga_colour a = light_to_colour(colour_map_at(&map, i / 256.0));
            ruga_colour b = light_to_colour(colour_map_at(&map, (i + 1) / 256.0));
            assert_less_case(fabsf(a.r - b.r) + fabsf(a.g - b.g) + fabsf(a.b - b.b), 0.03f, "diverging %d, i %d",
                             diverging, i);
        }
        light low = colour_map_at(&map, -5), zero = colour_map_at(&map, 0);
        light high = colour_map_at(&map, INFINITY), one = colour_map_at(&map, 1);
        assert_memory_equal(&low, &zero, sizeof low);
        assert_memory_equal(&high, &one, sizeof high);
        ruga_colour missing = light_to_colour(colour_map_at(&map, NAN));
        assert_equal_case(missing.r, missing.g, "diverging %d", diverging);
        assert_equal_case(missing.g, missing.b, "diverging %d", diverging);
    }
}

static void rectangles_and_lines_have_their_area(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_image *image = blank(context, 64, 48);
    canvas c = canvas_of(image);
    canvas_rectangle(&c, 10.25, 5.5, 20.75, 9.25, black);
    assert_near(ink_of(image), 10.5 * 3.75, 0.2);
    canvas_fill(&c, white);
    canvas_strokes(&c, &(pen_stroke){{12, 10}, {52, 37}, 2.5}, 1, black);
    double length = hypot(40, 27), expected = 5 * length + 3.14159 * 2.5 * 2.5;
    assert_near(ink_of(image) / expected, 1, 0.01);
    // A rectangle that is outside leaves no trace; one that is partly outside is cut.
    canvas_fill(&c, white);
    canvas_rectangle(&c, -30, -30, -10, -10, black);
    canvas_rectangle(&c, 60, 40, 600, 400, black);
    canvas_strokes(&c, &(pen_stroke){{-90, -10}, {-20, -10}, 2}, 1, black);
    assert_near(ink_of(image), 4 * 8, 1e-9);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

static void strokes_that_overlap_are_drawn_once(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_image *once = blank(context, 40, 40), *twice = blank(context, 40, 40);
    pen_stroke segments[2] = {{{8, 8}, {30, 30}, 1.5}, {{8, 8}, {30, 30}, 1.5}};
    canvas a = canvas_of(once), b = canvas_of(twice);
    canvas_strokes(&a, segments, 1, black);
    canvas_strokes(&b, segments, 2, black);
    assert_memory_equal(once->pixels, twice->pixels, 3 * 40 * 40);
    ruga_image_destroy(once);
    ruga_image_destroy(twice);
    ruga_context_destroy(context);
}

static void utf8_is_decoded_and_bad_bytes_are_boxes(void **state) {
    (void)state;
    const char *text = "aé−\U0001F600";
    assert_int_equal(text_next(&text), 'a');
    assert_int_equal(text_next(&text), 0xe9);
    assert_int_equal(text_next(&text), 0x2212);
    assert_int_equal(text_next(&text), 0x1f600);
    assert_int_equal(text_next(&text), 0);
    const char *bad[] = {"\xff", "\xc3", "\xe2\x88", "\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *at = bad[i];
        assert_int_equal(text_next(&at), 0xfffd);
        assert_int_equal(*at, 0);
    }
}

static void every_letter_of_latin_1_and_greek_has_a_glyph(void **state) {
    (void)state;
    for (uint32_t code = 0x20; code < 0x100; code++) {
        if (code >= 0x7f && code < 0xa0) continue;
        int script = code == 0xb2 || code == 0xb3 || code == 0xb9 || (code >= 0xbc && code <= 0xbe);
        fail_if(!script && !font_find(code) && !font_find_composite(code), "no glyph for U+%04X", code);
    }
    for (uint32_t code = 0x391; code <= 0x3c9; code++)
        fail_if(code != 0x3a2 && code != 0x3aa && code != 0x3ab && code != 0x3b0 && code != 0x3ac && !font_find(code) &&
                    !font_find_composite(code),
                "no glyph for U+%04X", code);
    assert_null(font_find(0x65e5));
}

/* Draws a code alone and returns its ink within and beyond the room it claims. */
static void glyphs_stay_within_their_room(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_image *image = blank(context, 160, 160);
    canvas c = canvas_of(image);
    text_style style = {.size = 60, .colour = black};
    const char *letters = "ABCDEGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789éÄçñ±×µ²½Ωαβγδ@&%";
    for (const char *at = letters; *at;) {
        const char *begin = at;
        text_next(&at);
        char one[8] = {0};
        memcpy(one, begin, (size_t)(at - begin));
        canvas_fill(&c, white);
        canvas_text(&c, one, (plot_point){40, 100}, &style);
        double ink = ink_of(image), width = text_width(one, 60);
        assert_less(50, ink);
        // White over the claimed room, from above accents to below descenders, leaves nothing.
        canvas_rectangle(&c, 40 - 1, 100 - 60, 40 + width + 1, 100 + 16, white);
        fail_if(ink_of(image) > 0, "%s leaves its room", one);
    }
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

static void text_is_aligned_and_turned(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_image *image = blank(context, 200, 200);
    canvas c = canvas_of(image);
    double width = text_width("HOH", 30);
    text_style style = {.size = 30, .colour = black, .align = TEXT_CENTRE};
    canvas_text(&c, "HOH", (plot_point){100, 100}, &style);
    // A word that is its own mirror image is symmetric about the middle it was centred on.
    for (int y = 0; y < 200; y++)
        for (int x = 0; x < 100; x++) {
            int a = image->pixels[3 * (y * 200 + x)], b = image->pixels[3 * (y * 200 + 199 - x)];
            assert_at_most_case(abs(a - b), 60, "y %d, x %d", y, x);
        }
    double flat = ink_of(image);
    canvas_fill(&c, white);
    style.upwards = 1;
    canvas_text(&c, "HOH", (plot_point){100, 100}, &style);
    assert_near(ink_of(image) / flat, 1, 0.03);
    canvas_rectangle(&c, 60, 100 - 0.5 * width - 1, 110, 100 + 0.5 * width + 1, white);
    assert_equal(ink_of(image), 0);
    canvas_fill(&c, white);
    style = (text_style){.size = 30, .colour = black, .align = TEXT_RIGHT};
    canvas_text(&c, "HOH", (plot_point){150, 100}, &style);
    canvas_rectangle(&c, 150 - width - 1, 60, 151, 110, white);
    assert_equal(ink_of(image), 0);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

static void text_survives_small_and_huge_sizes(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_image *image = blank(context, 16, 16);
    canvas c = canvas_of(image);
    text_style style = {.size = 0.1, .colour = black};
    canvas_text(&c, "tiny", (plot_point){3, 9}, &style);
    style.size = 4000;
    canvas_text(&c, "O", (plot_point){-2000, 2000}, &style);
    ruga_image_destroy(image);
    ruga_context_destroy(context);
}

static void ticks_are_round_inside_and_few(void **state) {
    (void)state;
    test_random random = {7};
    for (int i = 0; i < 3000; i++) {
        double size = pow(10, random_between(&random, -9, 9)), low = random_between(&random, -size, size);
        double high = low + size * pow(10, random_between(&random, -3, 1));
        int most = 2 + (int)(random_bits(&random) % 10);
        ticks t = ticks_choose(low, high, most);
        assert_at_most_case(1, t.count, "i %d", i);
        assert_at_most_case(t.count, most, "i %d", i);
        double slack = 1e-6 * (high - low), lead = t.step / pow(10, floor(log10(t.step) + 1e-6));
        assert_at_most_case(low - slack, ticks_value(&t, 0), "i %d", i);
        assert_at_most_case(ticks_value(&t, t.count - 1), high + slack, "i %d", i);
        assert_near_case(lead, lead < 1.5 ? 1 : lead < 3.5 ? 2 : 5, 1e-6, "i %d", i);
    }
}

static void tick_labels_read_back_as_their_values(void **state) {
    (void)state;
    char text[TICKS_TEXT], unit[TICKS_TEXT];
    ticks t = ticks_choose(-0.3, 0.3, 7);
    ticks_label(&t, 0, text);
    ticks_unit(&t, unit);
    assert_string_equal(text, "−0.3");
    assert_string_equal(unit, "");
    ticks_label(&t, t.count / 2, text);
    assert_string_equal(text, "0.0");
    t = ticks_choose(0, 2.5e-5, 6);
    ticks_label(&t, t.count - 1, text);
    ticks_unit(&t, unit);
    assert_string_equal(text, "25");
    assert_string_equal(unit, "×10⁻⁶");
    t = ticks_choose(0, 3e7, 4);
    ticks_label(&t, t.count - 1, text);
    ticks_unit(&t, unit);
    assert_string_equal(text, "30");
    assert_string_equal(unit, "×10⁶");
    t = ticks_choose(1000, 1000.004, 5);
    ticks_label(&t, 1, text);
    assert_string_equal(text, "1000.001");
}

static void scalars_come_from_the_frame_before_the_mesh(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    float old[4] = {1, 2, 3, 4}, new[4] = {10, 20, 30, 40}, constant[4] = {5, 5, 5, 5};
    ruga_attribute attributes[2] = {
        {.name = "strain", .domain = RUGA_DOMAIN_VERTEX, .type = RUGA_F32, .components = 1, .count = 4, .values = old},
        {.name = "flat",
         .domain = RUGA_DOMAIN_VERTEX,
         .type = RUGA_F32,
         .components = 1,
         .count = 4,
         .values = constant}};
    double positions[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    uint32_t sizes[1] = {4}, corners[4] = {0, 1, 2, 3};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, 4, 0, RUGA_F64};
    def.face_count = 1, def.face_sizes = sizes, def.face_vertices = corners;
    def.attribute_count = 2, def.attributes = attributes;
    ruga_mesh *mesh;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    ruga_render_mesh item = ruga_render_mesh_default(mesh);
    item.scalar = "strain";
    scalar_field field;
    assert_ok(context, scalar_field_find(context, &item, &field));
    assert_equal(field.low, 1);
    assert_equal(field.high, 4);
    assert_string_equal(field.label, "strain");
    ruga_attribute moving = attributes[0];
    moving.values = new;
    ruga_frame frame = {.vertex_count = 4, .positions = mesh->positions, .attribute_count = 1, .attributes = &moving};
    item.frame = &frame;
    assert_ok(context, scalar_field_find(context, &item, &field));
    assert_equal(field.low, 10);
    assert_equal(field.high, 40);
    // Of one value there is still a range; a diverging one is symmetric about zero.
    item.scalar = "flat";
    assert_ok(context, scalar_field_find(context, &item, &field));
    assert_less(field.low, 5);
    assert_less(5, field.high);
    item.diverging = 1;
    assert_ok(context, scalar_field_find(context, &item, &field));
    assert_equal(field.low, -5);
    assert_equal(field.high, 5);
    assert_equal(scalar_field_place(&field, 0), 0.5);
    item.scalar_low = -1, item.scalar_high = 4;
    assert_ok(context, scalar_field_find(context, &item, &field));
    assert_equal(scalar_field_place(&field, 0), 0.5);
    assert_equal(scalar_field_place(&field, 4), 1);
    item.scalar = "stress";
    assert_status(scalar_field_find(context, &item, &field), RUGA_ERROR_INPUT);
    assert_message_has(context, "stress");
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(srgb_round_trips),
        cmocka_unit_test(sequential_map_rises_evenly_in_lightness),
        cmocka_unit_test(diverging_map_is_balanced_about_a_light_middle),
        cmocka_unit_test(maps_are_smooth_and_clamp),
        cmocka_unit_test(rectangles_and_lines_have_their_area),
        cmocka_unit_test(strokes_that_overlap_are_drawn_once),
        cmocka_unit_test(utf8_is_decoded_and_bad_bytes_are_boxes),
        cmocka_unit_test(every_letter_of_latin_1_and_greek_has_a_glyph),
        cmocka_unit_test(glyphs_stay_within_their_room),
        cmocka_unit_test(text_is_aligned_and_turned),
        cmocka_unit_test(text_survives_small_and_huge_sizes),
        cmocka_unit_test(ticks_are_round_inside_and_few),
        cmocka_unit_test(scalars_come_from_the_frame_before_the_mesh),
        cmocka_unit_test(tick_labels_read_back_as_their_values),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down_test_folder);
}
