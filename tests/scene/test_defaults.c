/* Defaults that a program gets are those of the tables, also where the code below the tables can't read them. */
#include <math.h>

#include "contact/solver.h"
#include "scene/tables.h"
#include "support/shapes.h"

/* The numbers of a row, or its choice or flag, in two structs of its section. */
static int same_value(const ruga_field *row, const void *a, const void *b) {
    const char *x = (const char *)a + row->offset, *y = (const char *)b + row->offset;
    double p, q;
    if (row->kind == RUGA_FIELD_WHOLE || row->kind == RUGA_FIELD_FLAG || row->kind == RUGA_FIELD_CHOICE)
        return memcmp(x, y, sizeof(int)) == 0;
    if (row->kind != RUGA_FIELD_NUMBER) return 1;
    memcpy(&p, x, sizeof p);
    memcpy(&q, y, sizeof q);
    return p == q || (isnan(p) && isnan(q));
}

/* Those of contact stand below the scene. */
static void contact_has_the_defaults_of_its_table(void **state) {
    (void)state;
    const ruga_section *table = ruga_scene_section_find("contact");
    const contact_def inner = contact_def_default();
    ruga_contact_def values;
    ruga_section_defaults(table, &values);
    for (size_t i = 0; i < table->field_count; i++) {
        const ruga_field *row = &table->fields[i];
        if (strcmp(row->name, "check") == 0) continue; /* the scene's work */
        fail_if(!same_value(row, &inner.values, &values), "contact: %s differs", row->name);
    }
}

/* In C a skin is solved ten times as exactly, and has no material of a preset. */
static void skins_have_the_defaults_of_their_table(void **state) {
    (void)state;
    const ruga_section *table = ruga_scene_section_find("objects.details.shell");
    ruga_shell_def values, inner;
    ruga_section_defaults(table, &values);
    inner = values;
    inner.shell = ruga_embedded_shell_def_default();
    for (size_t i = 0; i < table->field_count; i++) {
        const ruga_field *row = &table->fields[i];
        if (strstr(row->name, "poisson")) continue;
        if (strcmp(row->name, "tolerance") == 0)
            assert_near(inner.shell.tolerance, values.shell.tolerance / 10, 1e-12);
        else
            fail_if(!same_value(row, &inner, &values), "shell: %s differs", row->name);
    }
}

static ruga_status make_shell(const ruga_mesh *mesh, double spacing) {
    ruga_embedded_shell_def def = ruga_embedded_shell_def_default();
    ruga_embedded_shell *shell = NULL;
    def.thickness = ruga_param_constant(0.05);
    def.spacing = spacing;
    ruga_status status = ruga_embedded_shell_create(mesh, &def, &shell);
    ruga_embedded_shell_destroy(shell);
    return status;
}

static void the_spacing_of_clusters_has_the_range_of_its_row(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 8, 8);
    const ruga_field *row = ruga_section_field(ruga_scene_section_find("objects.details.shell"), "spacing");
    assert_ok(*state, make_shell(mesh, row->low));
    assert_ok(*state, make_shell(mesh, row->high));
    assert_status(make_shell(mesh, 0.999 * row->low), RUGA_ERROR_INPUT);
    assert_status(make_shell(mesh, 1.001 * row->high), RUGA_ERROR_INPUT);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(contact_has_the_defaults_of_its_table),
                                       cmocka_unit_test(skins_have_the_defaults_of_their_table),
                                       cmocka_unit_test(the_spacing_of_clusters_has_the_range_of_its_row)};
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
