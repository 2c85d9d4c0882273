/* The projection by a crease's binding, point by point, against the fit over unknowns. */
#include "wrinkle/crease_project.h"

static const drawing lines[][3] = {
    {LINE(0, 0.4201, 1, 0.6327)},
    {LINE(0, 0.4201, 1, 0.6327), LINE(0.5314, 0, 0.4086, 1)},
    {LINE(0, 0.31, 1, 0.31), LINE(0, 0.33, 1, 0.33), LINE(0, 0.35, 1, 0.35)},
    {LINE(0, 0.4201, 1, 0.6327), LINE(0.4314, 0, 0.52, 0.5306)},
    {LINE(0.5, 0.5, 0.9, 1), LINE(0.5, 0.5, 0, 0.8), LINE(0.5, 0.5, 0.45, 0)},
    {{3, {0, 0.3, 0.52, 0.61, 1, 0.28}, 0}, LINE(0.2, 0.8, 0.72, 0.83)},
    {{4, {0.3, 0.3, 0.7, 0.31, 0.71, 0.7, 0.29, 0.72}, 1}},
};
enum { DRAWINGS = sizeof lines / sizeof lines[0] };

static void projections_are_those_of_the_fit(void **state) {
    test_random random = {3};
    size_t paired = 0, other = 0;
    for (size_t d = 0; d < DRAWINGS; d++)
        for (int held = 0; held < 2; held++) {
            creased s;
            size_t count = 1;
            while (count < 3 && lines[d][count].count > 0) count++;
            creased_make(*state, 14, 0.15, lines[d], count, &s);
            projected p = check_projection(&s.c, &random, held ? 7 : 0, (int)d);
            paired += p.paired;
            other += p.other;
            creased_release(&s);
        }
    assert_less(200, paired);
    assert_less(100, other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(projections_are_those_of_the_fit)};
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
