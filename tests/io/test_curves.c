#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "io/curves.h"
#include "math/vec3.h"
#include "support/shapes.h"

/* A cylinder of radius 1 m and height 1 m with UVs on corners: u around, v upwards, a seam where u jumps from 1 to
 * 0. */
static ruga_mesh *cylinder_with_uvs(ruga_context *context) {
    enum { NX = 16, NY = 4 };
    ruga_mesh *plain = shape_cylinder(context, NX, NY);
    double *uvs = malloc(plain->corner_count * 2 * sizeof *uvs);
    assert_non_null(uvs);
    for (size_t t = 0; t < plain->triangle_count; t++) {
        vec3 middle = {0, 0, 0};
        for (size_t k = 0; k < 3; k++)
            middle = vec3_add_scaled(middle, plain->positions[plain->triangles[3 * t + k]], 1.0 / 3);
        double about = atan2(middle.z, middle.x) / (2 * acos(-1));
        about -= floor(about);
        for (size_t k = 0; k < 3; k++) {
            vec3 p = plain->positions[plain->triangles[3 * t + k]];
            double u = atan2(p.z, p.x) / (2 * acos(-1));
            u = round((u - floor(u)) * NX) / NX;
            if (u - about > 0.5) u -= 1;
            if (about - u > 0.5) u += 1;
            uvs[2 * (3 * t + k)] = u;
            uvs[2 * (3 * t + k) + 1] = p.y;
        }
    }
    ruga_mesh *mesh = shape_with_uvs(plain, RUGA_DOMAIN_CORNER, uvs);
    free(uvs);
    return mesh;
}

static ruga_curve *draw(const ruga_mesh *mesh, const char *name, int closed, const ruga_vec3 *points, size_t count) {
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    def.name = name;
    def.closed = closed;
    assert_ok(mesh->context, ruga_curve_from_points(mesh, points, count, &def, &curve));
    return curve;
}

static vec3 around(double turn, double height) {
    return (vec3){cos(2 * acos(-1) * turn), height, sin(2 * acos(-1) * turn)};
}

/* An open curve over the seam, a closed one around the whole cylinder, a closed one that the seam cuts, one around that
 * begins on it. */
static void draw_four(const ruga_mesh *mesh, ruga_curve *curves[4]) {
    const ruga_vec3 from_seam[] = {around(0, 0.5), around(0.25, 0.55), around(0.5, 0.5), around(0.75, 0.45)};
    curves[3] = draw(mesh, "from the seam", 1, from_seam, 4);
    const ruga_vec3 over[] = {around(0.85, 0.3), around(0.95, 0.4), around(0.1, 0.62)};
    const ruga_vec3 ring[] = {around(0.2, 0.5), around(0.45, 0.55), around(0.7, 0.5), around(0.95, 0.45)};
    const ruga_vec3 loop[] = {around(0.93, 0.3), around(0.05, 0.31), around(0.06, 0.7), around(0.94, 0.68)};
    curves[0] = draw(mesh, "over \"the\" <seam> & on \\", 0, over, 3);
    curves[1] = draw(mesh, "ring", 1, ring, 4);
    curves[2] = draw(mesh, "", 1, loop, 4);
}

static double greatest_distance(const ruga_mesh *mesh, const ruga_curve *a, const ruga_curve *b) {
    ruga_vec3 *p = malloc(a->point_count * sizeof *p), *q = malloc(b->point_count * sizeof *q);
    double greatest = 0;
    ruga_curve_points(a, mesh, NULL, p);
    ruga_curve_points(b, mesh, NULL, q);
    for (size_t i = 0; i < a->point_count; i++) {
        double least = INFINITY;
        for (size_t k = 0; k < b->point_count; k++) least = fmin(least, vec3_distance(p[i], q[k]));
        greatest = fmax(greatest, least);
    }
    free(p);
    free(q);
    return greatest;
}

/* Curves without a name have their number in the file, from 1. */
static void assert_name(const ruga_curve *curve, const char *expected, size_t i) {
    char number[24];
    snprintf(number, sizeof number, "%zu", i + 1);
    assert_string_equal(curve->name, *expected ? expected : number);
}

static void assert_round_trip(const char *name, const ruga_file_def *file_def) {
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = cylinder_with_uvs(context);
    ruga_curve *curves[4], **read = NULL;
    size_t count = 0;
    draw_four(mesh, curves);
    const char *path = test_path(name);
    ruga_curve_def def = ruga_curve_def_default();
    assert_ok(context, ruga_curves_write(mesh, (const ruga_curve *const *)curves, 4, path, file_def));
    assert_ok(context, ruga_curves_read(mesh, path, file_def, &def, &read, &count));
    assert_int_equal(count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_name(read[i], curves[i]->name, i);
        assert_int_equal(read[i]->closed, curves[i]->closed);
        double before = ruga_curve_length(curves[i], mesh, NULL), after = ruga_curve_length(read[i], mesh, NULL);
        assert_near_case(after, before, 1e-9, "%s, curve %zu", name, i);
        assert_less_case(greatest_distance(mesh, curves[i], read[i]), 1e-9, "%s, curve %zu", name, i);
        assert_less_case(greatest_distance(mesh, read[i], curves[i]), 1e-9, "%s, curve %zu", name, i);
        ruga_curve_destroy(curves[i]);
    }
    ruga_curves_destroy(context, read, count);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void json_keeps_curves(void **state) {
    (void)state;
    assert_round_trip("a.json", NULL);
}

static void obj_keeps_curves_in_any_unit_and_axes(void **state) {
    (void)state;
    ruga_file_def def = ruga_file_def_default();
    assert_round_trip("a.obj", &def);
    def.unit = 0.01;
    def.up = RUGA_AXIS_Z;
    assert_round_trip("b.OBJ", &def);
}

static void svg_keeps_curves_over_seams(void **state) {
    (void)state;
    assert_round_trip("a.svg", NULL);
}

/* Around the cylinder from the seam to the seam: closed on the surface, but not on the picture, where a line would go
 * back. */
static void what_is_closed_over_a_seam_is_open_on_the_picture(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = cylinder_with_uvs(context);
    ruga_curve *curves[4];
    draw_four(mesh, curves);
    for (size_t i = 2; i < 4; i++) {
        const char *path = test_path("closed.svg");
        unsigned char *text = NULL;
        size_t size;
        assert_ok(context, ruga_curves_write(mesh, (const ruga_curve *const *)curves + i, 1, path, NULL));
        assert_ok(context, file_read_whole(context, path, &text, &size));
        assert_null(memchr(text, 'Z', size));
        memory_release(context, text);
    }
    for (size_t i = 0; i < 4; i++) ruga_curve_destroy(curves[i]);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* ---- Reading what others write. */

static ruga_status read_text(const ruga_mesh *mesh, const char *name, const char *text, curve_list *list) {
    ruga_curve_def def = ruga_curve_def_default();
    const curve_source source = {.context = mesh->context,
                                 .mesh = mesh,
                                 .name = name,
                                 .bytes = (const unsigned char *)text,
                                 .size = strlen(text),
                                 .conversion = io_conversion_reading(NULL),
                                 .def = &def};
    *list = (curve_list){0};
    return curves_read_bytes(&source, curve_format_from_path(name), list);
}

#define PI 3.14159265358979
#define SQRT2 1.41421356237310

typedef struct expected_curve {
    const char *name;
    int closed;
    double length; /* m */
} expected_curve;

static void assert_curves(const char *name, const char *text, const expected_curve *expected, size_t count) {
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet_with_uvs(context, 4, 4);
    curve_list list;
    assert_ok(context, read_text(mesh, name, text, &list));
    assert_int_equal(list.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_name(list.items[i], expected[i].name, i);
        assert_int_equal(list.items[i]->closed, expected[i].closed);
        double length = ruga_curve_length(list.items[i], mesh, NULL);
        assert_near_case(length, expected[i].length, 1e-3, "%s, curve %zu", name, i);
    }
    curve_list_release(context, &list);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void every_command_of_path_data_is_read(void **state) {
    (void)state;
    static const expected_curve expected[] = {
        {"lines", 0, 0.7},       {"lines 2", 1, 0.8 + SQRT2 * 0.4},
        {"cubic", 0, 0.2 * PI},  {"parabola", 0, 0.59162}, /* s + b²/8h ln((4h + 2s)/b), s = √(b² + 16h²)/2, twice */
        {"circle", 1, 0.4 * PI}, {"turned", 0, 0.2},
        {"poly", 0, 0.4},        {"gon", 1, 0.8},
        {"a line", 0, 0.5},      {"A&B", 0, 0.1},
    };
    assert_curves(
        "a.svg",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE svg [<!ENTITY a \"b>\">]>\n"
        "<svg viewBox='0 0 100 100' width='5cm'><!-- <path d='M0'/> --><defs><path id='x' d='M0,0L1'/></defs>"
        "<path id='lines' d='M10 10h20v20l-10,0H10V40 M 50,50 m 0,0 40 0 0 40z m0 0'/>"
        "<path id='cubic' d='M30,50C30 38.954 38.954 30 50 30S70 38.954 70 50'/>"
        "<path id='parabola' d='M30 50Q 40 30 50 50t20 0'/>"
        "<path id='circle' d='M30 50a20 20 0 1040 0A20,20 0 0,0 30,50'/>"
        "<g transform='translate(50 50) scale(2)'><path id='turned' transform='rotate(90 1 1) matrix(1 0 0 1 0 0)' "
        "d='M 0 0 L 10 0'/></g>"
        "<polyline id='poly' points='10,10 30,10 30,30'/><polygon id='gon' points='10 10 30 10 30 30 10 30'/>"
        "<line id='a line' x1='20' y1='20' x2='70' y2='20'/>"
        "<path inkscape:label='A&amp;&#x42;' id='z' d='M1e1-10m0,20.0l10.0.0'/><![CDATA[ <g> ]]></svg>\n",
        expected, sizeof expected / sizeof *expected);
}

/* ---- Places: a curve's first point, and the last of one that is open, by its UVs. */

typedef struct expected_ends {
    const char *name;
    int closed;
    double from[2], to[2];
} expected_ends;

static void assert_ends(const char *name, const char *text, const expected_ends *expected, size_t count) {
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet_with_uvs(context, 4, 4);
    curve_list list;
    assert_ok(context, read_text(mesh, name, text, &list));
    assert_int_equal(list.count, count);
    for (size_t i = 0; i < count; i++) {
        const ruga_curve *curve = list.items[i];
        vec3 from = surface_point_at(mesh, NULL, curve->points[0]);
        vec3 to = surface_point_at(mesh, NULL, curve->points[curve->point_count - 1]);
        assert_string_equal(curve->name, expected[i].name);
        assert_int_equal(curve->closed, expected[i].closed);
        assert_at_most_case(hypot(from.x - expected[i].from[0], -from.z - expected[i].from[1]), 1e-6,
                            "curve \"%s\" starts at (%g, %g)", curve->name, from.x, -from.z);
        if (!curve->closed)
            assert_at_most_case(hypot(to.x - expected[i].to[0], -to.z - expected[i].to[1]), 1e-6,
                                "curve \"%s\" ends at (%g, %g)", curve->name, to.x, -to.z);
    }
    curve_list_release(context, &list);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* v is upwards, the picture's y down; the viewBox may begin anywhere; the innermost transform comes first. */
static void pictures_are_placed_by_their_view_and_transforms(void **state) {
    (void)state;
    static const expected_ends expected[] = {
        {"plain", 0, {0.1, 0.8}, {0.3, 0.7}},  {"moved", 0, {0.3, 0.6}, {0.4, 0.6}},
        {"scaled", 0, {0.2, 0.9}, {0.4, 0.8}}, {"turned", 0, {0.5, 0.5}, {0.5, 0.4}},
        {"about", 0, {0.4, 0.7}, {0.4, 0.5}},  {"skewed", 0, {0.6, 0.8}, {0.7, 0.75}},
        {"upped", 0, {0.2, 0.6}, {0.3, 0.4}},  {"matrix", 0, {0.3, 0.5}, {0.3, 0.3}},
        {"listed", 0, {0.3, 0.8}, {0.5, 0.8}}, {"nested", 0, {0.4, 0.7}, {0.6, 0.7}},
    };
    assert_ends("a.svg",
                "<svg viewBox='-10 20 100 200'><path id='plain' d='M0 60L20 80'/>"
                "<path id='moved' d='M0 60h10' transform='translate(20,40)'/>"
                "<path id='scaled' d='M5 4l10 2' transform='scale(2 10)'/>"
                "<g transform='translate(40 120)'><path id='turned' d='M0 0h20' transform='rotate(90)'/></g>"
                "<path id='about' d='M10 100h40' transform='rotate(90 30 100)translate(0)'/>"
                "<path id='skewed' d='M-30 40v10' transform='translate(40 20) skewX(45)'/>"
                "<path id='upped' d='M10 90 h10 v30' transform='skewY(45)'/>"
                "<path id='matrix' d='M0 0h20' transform='matrix(0 2 1 0 20 120)'/>"
                "<path id='listed' d='M0 0 h10' transform='translate(20 60), scale(2)'/>"
                "<g transform='translate(10 0)'><g transform='translate(0 80)'><g><path id='nested' d='M20 0h20'/></g>"
                "</g></g></svg>",
                expected, sizeof expected / sizeof *expected);
}

/* The origin of relative commands; the start of pieces without a move; the points that S and T mirror. */
static void commands_continue_from_where_the_last_one_ended(void **state) {
    (void)state;
    static const expected_ends expected[] = {
        {"relative", 0, {0.1, 0.9}, {0.5, 0.5}},       {"after z", 1, {0.1, 0.9}, {0.2, 0.8}},
        {"after z 2", 0, {0.1, 0.9}, {0.1, 0.8}},      {"moved twice", 0, {0.2, 0.8}, {0.2, 0.6}},
        {"move and close", 0, {0.1, 0.9}, {0.3, 0.8}}, {"arcs", 0, {0.1, 0.5}, {0.7, 0.5}},
        {"no arc", 0, {0.1, 0.5}, {0.3, 0.5}},         {"flags", 0, {0.1, 0.5}, {0.3, 0.5}},
        {"smooth", 0, {0.1, 0.5}, {0.5, 0.5}},         {"back", 1, {0.1, 0.9}, {0.2, 0.8}},
    };
    assert_ends("a.svg",
                "<svg viewBox='0 0 10 10'><path id='relative' d='m1 1 1 0 0 1 l1 1c0 1 0 1 1 1q1 0 1 1v.5V4l0 1'/>"
                "<path id='after z' d='M1 1h1v1zv1'/><path id='moved twice' d='M8 8M2 2v2'/>"
                "<path id='move and close' d='M1 1h2v1m1 1zz'/><path id='arcs' d='M1 5a1 1 0 1 1 2 0 2 1 0 0 1 4 0'/>"
                "<path id='no arc' d='M1 5a0 1 0 0 1 2 0a1 1 0 0 1 0 0'/><path id='flags' d='M1 5a1 1 0 112 0'/>"
                "<path id='smooth' d='M1 5c0-1 1-1 1 0s1 1 1 0t1 0 1 0'/><path id='back' d='M1 1h1v1L1 1z'/></svg>",
                expected, sizeof expected / sizeof *expected);
}

/* Of the two circles through both ends and their four arcs, the flags choose one, wherever the ends are. */
static void arcs_are_chosen_by_their_flags(void **state) {
    (void)state;
    static const expected_curve expected[] = {
        {"", 0, 0.22214}, {"", 0, 0.22214},       {"", 0, 0.66643}, {"", 0, 0.66643}, {"", 0, 0.22214},
        {"", 0, 0.22214}, {"", 0, 0.66643},       {"", 0, 0.66643}, {"", 0, 0.22214}, {"", 0, 0.22214},
        {"", 0, 0.66643}, {"", 0, 0.66643},       {"", 0, 0.22214}, {"", 0, 0.22214}, {"", 0, 0.66643},
        {"", 0, 0.66643}, {"grown", 0, 0.1 * PI},
    };
    char text[4000] = "<svg width='10px' height='10px'>";
    static const char *const chords[] = {"2 0", "-2 0", "0 2", "0 -2"};
    for (size_t i = 0; i < 16; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "<path d='M5 5a1.414214 1.414214 30 %d %d %s'/>",
                 (int)(i / 2 % 2), (int)(i % 2), chords[i / 4]);
    }
    strcat(text, "<path id='grown' d='M5 5a.1 .1 0 0 1 2 0'/></svg>");
    assert_curves("a.svg", text, expected, sizeof expected / sizeof *expected);
    /* The sweep flag turns from x to y, that is, clockwise on a picture: the middle of the arc is above the chord. */
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet_with_uvs(context, 4, 4);
    for (int sweep = 0; sweep < 2; sweep++) {
        curve_list list;
        double highest = -INFINITY;
        assert_ok(context, read_text(mesh, "a.svg",
                                     sweep ? "<svg viewBox='0 0 10 10'><path d='M3 5a1 1 0 0 1 2 0'/></svg>"
                                           : "<svg viewBox='0 0 10 10'><path d='M3 5a1 1 0 0 0 2 0'/></svg>",
                                     &list));
        for (size_t i = 0; i < list.items[0]->point_count; i++)
            highest = fmax(highest, -surface_point_at(mesh, NULL, list.items[0]->points[i]).z);
        assert_near_case(highest, sweep ? 0.6 : 0.5, 1e-3, "sweep %d", sweep);
        curve_list_release(context, &list);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* S and T behind what is no curve of their kind have nothing to mirror. */
static void smooth_curves_begin_straight_behind_lines(void **state) {
    (void)state;
    static const expected_curve expected[] = {{"s", 0, 0.4}, {"t", 0, 0.4}, {"mixed", 0, 0.4}};
    assert_curves("a.svg",
                  "<svg width='10' height='10'><path id='s' d='M1 5h1S3 5 5 5'/><path id='t' d='M1 5h1t2 0h1'/>"
                  "<path id='mixed' d='M1 5c.2 0 .8 0 1 0T3 5S4 5 5 5'/></svg>",
                  expected, 3);
}

static void every_shape_is_read_and_what_is_hidden_is_not(void **state) {
    (void)state;
    static const expected_curve expected[] = {
        {"r", 1, 1.2},
        {"round", 1, 0.8 + 0.1 * PI},
        {"stadium", 1, 0.2 * PI + 0.4},
        {"c", 1, 0.4 * PI},
        {"e", 1, 0.969},
        /* Ramanujan's */ {"px", 0, 0.3},
        {"shown", 0, 0.1},
    };
    assert_curves("a.svg",
                  "<svg viewBox='0 0 10 10' style='stroke:red'><rect id='r' x='1' y='1' width='4' height='2'/>"
                  "<rect id='round' x='1' y='1' width='4' height='2' rx='.5'/>"
                  "<rect id='stadium' x='1px' y='1' width='4' height='2' rx='1' ry='9'/>"
                  "<rect id='none' width='0' height='2'/><circle cx='1'/><ellipse rx='3'/>"
                  "<circle id='c' cx='5' cy='5' r='2'/><ellipse id='e' cx='5' cy='5' rx='2' ry='1'/>"
                  "<line id='px' x1='1px' y1='1' x2='4px' y2='1'/>"
                  "<g style='opacity:1; display : none'><path d='M99 99h1'/></g><g display='none'><path d='M99 99h1'/>"
                  "<g display='inline'><line x1='99'/></g></g><g style='display:none'/>"
                  "<path id='shown' style='xdisplay:none;display:nones' d='M1 1h1'/></svg>",
                  expected, sizeof expected / sizeof *expected);
}

static void names_are_text_whatever_stands_for_it(void **state) {
    (void)state;
    static const expected_curve expected[] = {{"<\"'>&&nbsp;&#", 0, 0.1},
                                              {"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd", 0, 0.1},
                                              {"&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&;", 0, 0.1}};
    assert_curves("a.svg",
                  "<svg viewBox='0 0 10 10'><path id='&lt;&quot;&apos;&gt;&amp;&nbsp;&#' d='M1 1h1'/>"
                  "<path id='&#65;&#xE9;&#8364;&#x1F600;&#xD800;' d='M1 1h1'/>"
                  "<path id='&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&;' d='M1 1h1'/></svg>",
                  expected, sizeof expected / sizeof *expected);
}

/* As Blender and Maya write them: faces and lines together, counted from behind, several polylines of one object,
 * either order of vertices. */
static void polylines_of_other_programs_are_read(void **state) {
    (void)state;
    static const expected_ends expected[] = {
        {"Plane", 0, {0.1, 0.1}, {0.3, 0.3}},  {"Plane 2", 0, {0.5, 0.5}, {0.9, 0.5}},
        {"behind", 0, {0.5, 0.5}, {0.1, 0.1}}, {"backwards", 0, {0.3, 0.3}, {0.1, 0.1}},
        {"loop", 1, {0.1, 0.1}, {0.3, 0.3}},   {"textured", 0, {0.1, 0.1}, {0.3, 0.1}},
    };
    assert_ends(
        "a.obj",
        "# Blender\nmtllib a.mtl\no Plane\nv 0.1 0 -0.1\nv 0.3 0 -0.1\nv 0.3 0 -0.3\nv 0.5 0 -0.5\nv 0.9 0 -0.5\n"
        "vt 0 0\nvn 0 1 0\nusemtl m\ns off\nf 1/1/1 2/1/1 3/1/1\nl 1 2\nl 2 3\nl 4 5\n"
        "o behind\nl -2 -5\no backwards\nl 3 2\nl 2 1\n"
        "o loop\nl 1 2\nl 2 3\nl 3 1\no textured\nl 1/1 2/1\n",
        expected, sizeof expected / sizeof *expected);
}

/* Much of what takes time to make, the search tree and the edges of the mesh, is made once for a file. */
static void curves_of_one_file_share_what_is_made_for_them(void **state) {
    (void)state;
    static const char *const formats[3][4] = {
        {"a.json", "{\"curves\": [", "{\"points\": [[0.1, 0, -0.1], [0.6, 0, -0.7]]},", "]}"},
        {"a.obj", "v 0.1 0 -0.1\nv 0.6 0 -0.7\n", "o a\nl 1 2\n", ""},
        {"a.svg", "<svg viewBox='0 0 1 1'>", "<path d='M.1 .9L.6 .3'/>", "</svg>"}};
    for (size_t f = 0; f < 3; f++) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = context_counting(&counter);
        ruga_mesh *mesh = shape_sheet_with_uvs(context, 4, 4);
        long allocations[2];
        for (int many = 0; many < 2; many++) {
            char text[4000] = "";
            long before = counter.allocations;
            curve_list list;
            strcat(text, formats[f][1]);
            for (int i = 0; i < (many ? 41 : 1); i++) strcat(text, formats[f][2]);
            if (f == 0) text[strlen(text) - 1] = 0;
            strcat(text, formats[f][3]);
            assert_ok(context, read_text(mesh, formats[f][0], text, &list));
            assert_int_equal(list.count, many ? 41 : 1);
            allocations[many] = counter.allocations - before;
            curve_list_release(context, &list);
        }
        /* A curve allocates its name, its points, and lists while it is read. */
        fail_if(allocations[1] - allocations[0] > 40 * 13, "%s: %ld allocations for a curve", formats[f][0],
                (allocations[1] - allocations[0]) / 40);
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
    }
}

static void polylines_of_edges_are_joined(void **state) {
    (void)state;
    static const expected_curve expected[] = {{"edges", 0, 0.6},  {"loop", 1, 0.8},   {"fork", 0, 0.2},
                                              {"fork 2", 0, 0.2}, {"fork 3", 0, 0.2}, {"there and back", 0, 0.2},
                                              {"", 1, 0.8}};
    assert_curves("a.obj",
                  "v 0.1 0 -0.1\nv 0.3 0 -0.1\nv 0.3 0 -0.3\nv 0.1 0 -0.3\n"
                  "o edges\nl 2 3\nl 4 3\nl 1 2\n"
                  "g loop\nl 1 2\nl 3 2\nl 3 4 1\n"
                  "o fork\nl 1 2\nl 2 3\nv 0.5 0 -0.1\nl 2 -1\n"
                  "o there and back\nl 1 2\nl 2 1\n"
                  "g\nl 1 2 3 4 1\n",
                  expected, sizeof expected / sizeof *expected);
}

static void json_takes_points_in_space_and_on_triangles(void **state) {
    (void)state;
    static const expected_curve expected[] = {{"a", 0, 0.5}, {"", 1, 0.8}, {"c", 0, 0.25}};
    assert_curves("a.json",
                  "{\"curves\": [{\"name\": \"a\", \"points\": [[0.1, 0, -0.1], [0.6, 0, -0.1]]}, // one\n"
                  "{\"closed\": true, \"points\": [[0.1, 0, -0.1], [0.3, 0, -0.1], [0.3, 0, -0.3], [0.1, 0, -0.3]]},\n"
                  "{\"name\": \"c\", \"on\": [[0, 0, 0], [0, 1, 0]]}], \"unit\": 1}",
                  expected, 3);
}

/* ---- Bad input. */

typedef struct bad_file {
    const char *name, *text, *message;
} bad_file;

static void bad_files_are_refused_with_their_place(void **state) {
    (void)state;
    static const bad_file files[] = {
        {"a.json", "{\"curves\": [", "a.json:1:"},
        {"a.json", "[]", "a.json:1:1: expected an object with a list"},
        {"a.json", "{\"curves\": [\n1]}", "a.json:2:1: expected a curve"},
        {"a.json", "{\"curves\": [{}]}", "needs either"},
        {"a.json", "{\"curves\": [{\"points\": 1}]}", "a list of points"},
        {"a.json", "{\"curves\": [{\"name\": 1, \"points\": []}]}", "a name"},
        {"a.json", "{\"curves\": [{\"closed\": 1, \"points\": []}]}", "true or false"},
        {"a.json", "{\"curves\": [{\n\"close\": true, \"points\": []}]}", "a.json:2:1: a curve has no \"close\""},
        {"a.json", "{\"curves\": [{\"name\": \"n\", \"points\":\n []}]}", "a.json:2: curve \"n\": it has no length"},
        {"a.json", "{\"curves\": [{\"points\": [[1, 2]]}]}", "an array of 2"},
        {"a.json", "{\"curves\": [{\"points\": [[1, 2, true]]}]}", "a number"},
        {"a.json", "{\"curves\": [{\"points\": [3]}]}", "a point [x, y, z]"},
        {"a.json", "{\"curves\": [{\"name\": \"far\", \"points\": [[0, 9, 0], [1, 9, 0]]}]}", "\"far\": point 0 at"},
        {"a.json", "{\"curves\": [{\"on\": [[32, 0, 0]]}]}", "unknown triangle 32"},
        {"a.json", "{\"curves\": [{\"on\": [[0.5, 0, 0]]}]}", "unknown triangle 0.5"},
        {"a.json", "{\"curves\": [{\"on\": [[1, 0.5, 0.6]]}]}", "weights 0.5 and 0.6"},
        {"a.obj", "v 0 0 0\n", "a.obj: it has no polyline"},
        {"a.obj", "v 0 0 0\nl 1 2\n", "a.obj:2:"},
        {"a.obj", "v 0 0 0\nv 0 9 0\no n\nl 1 2\n", "a.obj:4: curve \"n\": point 1 at"},
        {"a.svg", "", "it has no <svg>"},
        {"a.svg", "<svg>", "a.svg:1: <svg> needs a viewBox"},
        {"a.svg", "<svg viewBox='0 0 1'/>", "needs a viewBox"},
        {"a.svg", "<svg viewBox='0 0 0 1'/>", "needs a viewBox"},
        {"a.svg", "<svg viewBox='0 0 1 1'>\n", "a.svg:2: the text ends within an element"},
        {"a.svg", "<svg viewBox='0 0 1 1'>\n</g>", "a.svg:2: </g> has no start tag"},
        {"a.svg", "<svg viewBox='0 0 1 1'", "the tag <svg does not end"},
        {"a.svg", "<svg viewBox=1>", "name=\"value\""},
        {"a.svg", "< svg>", "has no name"},
        {"a.svg", "<!-- ", "a comment"},
        {"a.svg", "<![CDATA[ ", "CDATA"},
        {"a.svg", "<?xml ", "an instruction"},
        {"a.svg", "<!DOCTYPE '", "a declaration"},
        {"a.svg", "<path d='M0 0'/>", "not inside an <svg>"},
        {"a.svg", "<svg viewBox='0 0 1 1'>\n<path d='L 1 1'/></svg>", "a.svg:2: expected M at the start"},
        {"a.svg", "<svg viewBox='0 0 1 1'><path d='M 1 x'/></svg>", "expected a number in path data, but found \"x\""},
        {"a.svg", "<svg viewBox='0 0 1 1'><path d='M 1 nan'/></svg>", "expected a number"},
        {"a.svg", "<svg viewBox='0 0 1 1'><path d='M 1 1e999'/></svg>", "expected a number"},
        {"a.svg", "<svg viewBox='0 0 1 1'><path d='M 1 1 B'/></svg>", "expected a command"},
        {"a.svg", "<svg viewBox='0 0 1 1'><path d='M 1 1 A 1 1 0 2 0 1 1'/></svg>", "a flag"},
        {"a.svg", "<svg viewBox='0 0 1 1'><polyline points='1 1 2'/></svg>", "a number in a list of points"},
        {"a.svg", "<svg viewBox='0 0 1 1'><circle r='1mm'/></svg>", "a number for r, but found \"1mm\""},
        {"a.svg", "<svg viewBox='0 0 1 1'>\n<rect x='a'/></svg>", "a.svg:2: expected a number for x"},
        {"a.svg", "<svg viewBox='0 0 1 1'><g transform='turn(1)'/></svg>", "a transform"},
        {"a.svg", "<svg viewBox='0 0 1 1'><g transform='scale'/></svg>", "a transform"},
        {"a.svg", "<svg viewBox='0 0 1 1'><path id='n' d='M.1 .1L3 .1'/></svg>", "curve \"n\": point 1 at uv (3, 0.9)"},
    };
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet_with_uvs(context, 4, 4);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        curve_list list;
        ruga_status status = read_text(mesh, files[i].name, files[i].text, &list);
        fail_if(status != RUGA_ERROR_INPUT, "%s: %s was read", files[i].name, files[i].text);
        assert_message_has(context, files[i].message);
        curve_list_release(context, &list);
    }
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    ruga_curve_def def = ruga_curve_def_default(), bad = {0};
    ruga_file_def wrong = {0};
    ruga_curve **curves = NULL;
    size_t count;
    assert_status(ruga_curves_read(mesh, "a.txt", NULL, &def, &curves, &count), RUGA_ERROR_INPUT);
    assert_message_has(context, "json, obj, svg or fold");
    assert_status(ruga_curves_read(mesh, "a.json", NULL, &bad, &curves, &count), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_curves_read(mesh, "a.json", &wrong, &def, &curves, &count), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_curves_read(mesh, test_path("none.json"), NULL, &def, &curves, &count), RUGA_ERROR_FILE);
    assert_status(ruga_curves_write(mesh, NULL, 0, NULL, NULL), RUGA_ERROR_ARGUMENT);
    const ruga_vec3 ends[] = {mesh->positions[0], mesh->positions[8]};
    ruga_curve *curve = draw(mesh, "n", 0, ends, 2);
    const ruga_curve *one[] = {curve};
    assert_status(ruga_curves_write(mesh, one, 1, test_path("n.svg"), NULL), RUGA_ERROR_INPUT);
    assert_message_has(context, "uv");
    assert_false(test_file_exists(test_path("n.svg")));
    ruga_mesh *smaller = shape_sheet(context, 1, 1);
    assert_status(ruga_curves_write(smaller, one, 1, test_path("n.json"), NULL), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "belongs to another mesh");
    ruga_curve_destroy(curve);
    ruga_mesh_destroy(smaller);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static ruga_status write_and_read(ruga_context *context, void *user) {
    (void)context;
    ruga_mesh *mesh = user;
    ruga_context *own = mesh->context;
    const ruga_vec3 points[] = {around(0.85, 0.3), around(0.1, 0.62)};
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL, **read = NULL;
    size_t count = 0;
    mesh->context = context;
    def.name = "n";
    ruga_status status = ruga_curve_from_points(mesh, points, 2, &def, &curve);
    static const char *const names[] = {"m.json", "m.obj", "m.svg"};
    for (size_t i = 0; i < 3 && !RUGA_FAILED(status); i++) {
        const ruga_curve *one[] = {curve};
        const char *path = test_path(names[i]);
        status = ruga_curves_write(mesh, one, 1, path, NULL);
        if (!RUGA_FAILED(status)) status = ruga_curves_read(mesh, path, NULL, &def, &read, &count);
        if (!RUGA_FAILED(status)) ruga_curves_destroy(context, read, count);
    }
    ruga_curve_destroy(curve);
    mesh->context = own;
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = cylinder_with_uvs(context);
    assert_less(30, assert_every_allocation_may_fail(write_and_read, mesh));
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_keeps_curves),
        cmocka_unit_test(obj_keeps_curves_in_any_unit_and_axes),
        cmocka_unit_test(svg_keeps_curves_over_seams),
        cmocka_unit_test(what_is_closed_over_a_seam_is_open_on_the_picture),
        cmocka_unit_test(every_command_of_path_data_is_read),
        cmocka_unit_test(pictures_are_placed_by_their_view_and_transforms),
        cmocka_unit_test(commands_continue_from_where_the_last_one_ended),
        cmocka_unit_test(arcs_are_chosen_by_their_flags),
        cmocka_unit_test(smooth_curves_begin_straight_behind_lines),
        cmocka_unit_test(every_shape_is_read_and_what_is_hidden_is_not),
        cmocka_unit_test(names_are_text_whatever_stands_for_it),
        cmocka_unit_test(polylines_of_other_programs_are_read),
        cmocka_unit_test(curves_of_one_file_share_what_is_made_for_them),
        cmocka_unit_test(polylines_of_edges_are_joined),
        cmocka_unit_test(json_takes_points_in_space_and_on_triangles),
        cmocka_unit_test(bad_files_are_refused_with_their_place),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down_test_folder);
}
