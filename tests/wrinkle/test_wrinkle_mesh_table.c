/* The table of wrinkle meshes is the only place of their defaults and ranges: scenes and the API have the same. */
#include <math.h>

#include "field/rows.h"
#include "wrinkle/wrinkle.h"
#include "wrinkle_mesh_support.h"

/* The value of a row in a def of the API; NULL: it is one of the detail around it. */
static void *value_of(const ruga_field *row, ruga_wrinkle_mesh_def *def) {
    const size_t begin = offsetof(ruga_wrinkle_def, mesh);
    return row->offset >= begin && row->offset < begin + sizeof *def ? (char *)def + (row->offset - begin) : NULL;
}

static void the_defaults_of_the_api_are_those_of_the_table(void **state) {
    (void)state;
    const ruga_section *table = wrinkle_section();
    size_t compared = 0;
    for (size_t i = 0; i < table->field_count; i++) {
        const ruga_field *row = &table->fields[i];
        ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
        const void *value = value_of(row, &def);
        if (!value || strcmp(row->preset, "null") == 0) continue;
        compared++;
        if (row->kind == RUGA_FIELD_CHOICE)
            assert_string_equal(row->choices[*(const int *)value], row->preset);
        else if (row->kind == RUGA_FIELD_FLAG)
            assert_string_equal(*(const int *)value ? "true" : "false", row->preset);
        else
            assert_equal_case(row->kind == RUGA_FIELD_WHOLE    ? *(const int *)value
                              : row->kind == RUGA_FIELD_NUMBER ? *(const double *)value
                                                               : ((const ruga_param *)value)->constant,
                              atof(row->preset), "%s", row->name);
    }
    assert_ran(compared, 16);
    const ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    assert_true(def.wavelength == 0 && def.reach == INFINITY);
    assert_true(isnan(def.radius.constant) && isnan(def.bending.constant));
}

/* Beyond the range of its row a value is refused by name; its ends are fine. */
static void the_api_refuses_values_outside_the_ranges_of_the_table(void **state) {
    ruga_mesh *base = shape_sheet(*state, 2, 2), *fine = shape_sheet(*state, 4, 4);
    const ruga_section *table = wrinkle_section();
    size_t refused = 0, unknown = 0;
    for (size_t i = 0; i < table->field_count; i++) {
        const ruga_field *row = &table->fields[i];
        for (int beyond = 0; beyond < 2; beyond++) {
            ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
            void *value = value_of(row, &def);
            ruga_wrinkle_mesh *mesh = NULL;
            double at = beyond ? row->high + 0.5 * (fabs(row->high) + 1) : row->low - 0.5 * (fabs(row->low) + 1);
            if (!value) continue;
            if (row->kind == RUGA_FIELD_NUMBER)
                *(double *)value = at;
            else if (row->kind == RUGA_FIELD_WHOLE && row->low < row->high)
                *(int *)value = (int)(beyond ? ceil(at) : floor(at));
            else if (row->kind == RUGA_FIELD_CHOICE)
                *(int *)value = beyond ? 100 : -1, unknown++;
            else
                continue;
            ruga_status status = ruga_wrinkle_mesh_create(base, fine, &def, &mesh);
            assert_equal_case(status, RUGA_ERROR_ARGUMENT, "%s, %d", row->name, beyond);
            assert_null(mesh);
            assert_message_has(*state, row->name);
            refused++;
        }
    }
    assert_ran(unknown, 10);
    assert_ran(refused, 22);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(base);
}

/* The same for painted parameters, in numbers and at single vertices; each row has an array of its own. */
static void the_api_refuses_painted_values_outside_the_ranges_of_the_table(void **state) {
    ruga_mesh *base = shape_sheet_with_uvs(*state, 2, 2), *fine = shape_sheet_with_uvs(*state, 4, 4);
    const ruga_section *table = wrinkle_section();
    size_t rows = 0;
    for (size_t i = 0; i < table->field_count; i++) {
        const ruga_field *row = &table->fields[i];
        if (row->kind != RUGA_FIELD_PARAM) continue;
        rows++;
        assert_less(row->low, row->high);
        for (int k = 0; k < 6; k++) {
            const double span = 0.5 * (row->high - row->low);
            const double value = k % 3 == 0 ? row->low - span : k % 3 == 1 ? row->high + span : row->low + 1e-6 * span;
            double painted[25];
            ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
            ruga_wrinkle_mesh *mesh = NULL;
            for (int v = 0; v < 25; v++) painted[v] = v == 7 ? value : row->low;
            def.wavelength = 1;
            ruga_param *param = value_of(row, &def);
            assert_non_null(param);
            *param = k < 3 ? ruga_param_constant(value) : ruga_param_array(painted, 25);
            ruga_status status = ruga_wrinkle_mesh_create(base, fine, &def, &mesh);
            const int is_fine = k % 3 == 2;
            assert_equal_case(RUGA_FAILED(status), !is_fine, "%s, %d: %s", row->name, k, ruga_context_message(*state));
            if (!is_fine) {
                assert_status(status, RUGA_ERROR_INPUT);
                assert_message_has(*state, row->name);
                assert_message_has(*state, k < 3 ? "vertex 0" : "vertex 7");
            }
            ruga_wrinkle_mesh_destroy(mesh);
        }
    }
    assert_ran(rows, 5);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(base);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults_of_the_api_are_those_of_the_table),
        cmocka_unit_test(the_api_refuses_values_outside_the_ranges_of_the_table),
        cmocka_unit_test(the_api_refuses_painted_values_outside_the_ranges_of_the_table),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
