#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/views/view_hot.h"
#include "tests/unit/fixtures/letter_view.h"
#include "tests/unit/fixtures/sample_profile.h"

enum { CYCLES, FAULTS };

static void add(struct letter_view *fixture, const char *path, uint64_t cycles, uint64_t faults)
{
	uint32_t node = letter_view_add_path(fixture, 0, path);

	if (cycles)
		sample_profile_add(fixture->profile, node, CYCLES, cycles);
	if (faults)
		sample_profile_add(fixture->profile, node, FAULTS, faults);
}

/* 200 faults in 1000 cycles; e has as many for each cycle as the whole. */
static const struct hot_view *show(struct letter_view *fixture, double threshold)
{
	profile_add_process(fixture->profile, 10, "prog");
	add(fixture, "md", 40, 60);
	add(fixture, "mxd", 10, 20);
	add(fixture, "ms", 700, 99);
	add(fixture, "me", 50, 10);
	add(fixture, "mf", 0, 10);
	add(fixture, "mc", 200, 1);
	letter_view_show(fixture, &(struct view_options){ .kind = VIEW_HOT,
							  .sort = SORT_SELF,
							  .sort_metric = FAULTS,
							  .per_metric = CYCLES,
							  .threshold_percent = threshold });
	return fixture->view->hot;
}

static void assert_class(const struct heat_class *class, uint64_t n, uint64_t faults,
			 uint64_t cycles)
{
	assert_int_equal(class->n, n);
	assert_int_equal(class->sum.metric, faults);
	assert_int_equal(class->sum.per, cycles);
}

static void hot_functions_are_dense_above_the_mean_and_sparse_below(void **state)
{
	struct letter_view *fixture = *state;
	const struct hot_view *hot = show(fixture, 1);
	static const struct {
		const char *name;
		enum heat heat;
	} expected[] = { { "d", HEAT_DENSE }, { "s", HEAT_SPARSE }, { "e", HEAT_SPARSE },
			 { "f", HEAT_DENSE }, { "c", HEAT_COLD },   { "m", HEAT_COLD } };

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_int_equal(letter_view_child(fixture->view->root, expected[i].name)->heat,
				 expected[i].heat);
	assert_class(&hot->functions[HEAT_DENSE], 2, 90, 50);
	assert_class(&hot->functions[HEAT_SPARSE], 2, 109, 750);
	assert_class(&hot->functions[HEAT_COLD], 1, 1, 200);
}

static void contexts_are_classified_like_functions(void **state)
{
	struct letter_view *fixture = *state;
	const struct hot_view *hot = show(fixture, 20);

	assert_class(&hot->contexts[HEAT_DENSE], 1, 60, 40);
	assert_class(&hot->contexts[HEAT_SPARSE], 1, 99, 700);
	assert_class(&hot->contexts[HEAT_COLD], 4, 41, 260);
	assert_int_equal(hot->n_hottest, 2);
	assert_string_equal(hot->nodes[hot->hottest[0].node].name, "s");
	const struct hot_node *d = &hot->nodes[hot->hottest[1].node];
	assert_string_equal(d->name, "d");
	assert_string_equal(hot->nodes[d->parent].name, "m");
	assert_int_equal(hot->nodes[d->parent].parent, 0);
	assert_class(&hot->functions[HEAT_DENSE], 1, 80, 50);
}

static void the_threshold_itself_is_hot(void **state)
{
	struct letter_view *fixture = *state;
	const struct hot_view *hot = show(fixture, 5);

	assert_int_equal(letter_view_child(fixture->view->root, "e")->heat, HEAT_SPARSE);
	assert_true(heat_density(&(struct heat_costs){ 10, 50 }, &hot->whole) == 1);
	assert_true(heat_density(&(struct heat_costs){ 10, 25 }, &hot->whole) == 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, letter_view_set_up, letter_view_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hot_functions_are_dense_above_the_mean_and_sparse_below),
		TEST(contexts_are_classified_like_functions),
		TEST(the_threshold_itself_is_hot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
