#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/findings/missing.h"
#include "tests/unit/fixtures/sample_profile.h"

struct fixture {
	struct profile *profile;
	struct symbolizer *symbolizer;
	uint32_t top;             /* node of a process */
	uint32_t partly, nowhere; /* modules: some of its code has names, none has */
	struct missing_list missing;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	const struct module_key partly = { .kind = MODULE_JIT, .path = "/tmp/jit-7.dump" };
	const struct module_key nowhere = { .kind = MODULE_ANON, .path = "//anon" };
	struct profile *profile = sample_profile_create((const char *[]){ "cycles" }, 1);

	fixture->profile = profile;
	fixture->top = sample_profile_process(profile, profile_add_process(profile, 7, "p"));
	fixture->partly = module_table_add(&profile->modules, &partly);
	fixture->nowhere = module_table_add(&profile->modules, &nowhere);
	struct module *module = module_table_get(&profile->modules, fixture->partly);
	module->symbols = symbol_table_create();
	symbol_table_add(module->symbols, 0x100, 0x100, "named", 5);
	symbol_table_sort(module->symbols);
	fixture->symbolizer = symbolizer_create(profile, &(struct symbolizer_options){ 0 });
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	missing_list_deinit(&fixture->missing);
	symbolizer_destroy(fixture->symbolizer);
	profile_destroy(fixture->profile);
	free(fixture);
	return 0;
}

static uint32_t add_frame(struct fixture *fixture, uint32_t node, uint32_t module, uint64_t offset,
			  uint64_t weight)
{
	const struct frame frame = { .kind = FRAME_USER, .module = module, .offset = offset };

	node = cct_child(fixture->profile->cct, node, &frame);
	sample_profile_add(fixture->profile, node, 0, weight);
	return node;
}

/* After a view has named all frames. */
static void list(struct fixture *fixture)
{
	struct view *view;

	assert_int_equal(view_create(fixture->profile, fixture->symbolizer,
				     &(struct view_options){ .kind = VIEW_TREE }, &view),
			 0);
	view_destroy(view);
	assert_int_equal(
		missing_list_init(&fixture->missing, fixture->profile, fixture->symbolizer, 0), 0);
}

static void missing_names_cost_what_the_code_without_them_costs(void **state)
{
	struct fixture *fixture = *state;
	const uint32_t named = add_frame(fixture, fixture->top, fixture->partly, 0x110, 1000);
	const uint32_t unnamed = add_frame(fixture, named, fixture->partly, 0x10, 20);
	const uint32_t again = add_frame(fixture, unnamed, fixture->partly, 0x20, 3);

	add_frame(fixture, again, fixture->nowhere, 0, 5);
	list(fixture);
	const struct missing *items = fixture->missing.items;
	assert_int_equal(fixture->missing.n, 2);
	assert_int_equal(items[0].problem.module, fixture->partly);
	assert_int_equal(items[0].self[0], 23);
	assert_int_equal(items[0].total[0], 28);
	assert_int_equal(missing_cost(&items[0], 0), 28);
	assert_int_equal(items[1].problem.module, fixture->nowhere);
	assert_int_equal(items[1].self[0], 5);
	assert_int_equal(items[1].total[0], 5);
}

static void nothing_is_missing_where_all_code_has_names(void **state)
{
	struct fixture *fixture = *state;

	add_frame(fixture, fixture->top, fixture->partly, 0x110, 7);
	list(fixture);
	assert_int_equal(fixture->missing.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(missing_names_cost_what_the_code_without_them_costs,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_is_missing_where_all_code_has_names, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
