#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/fold/fold_part.h"
#include "report/fold/fold_profile.h"
#include "tests/unit/fixtures/letter_view.h"

static struct fold *make_fold(const struct letter_view *fixture)
{
	static const struct view_options options = { .kind = VIEW_TREE };
	struct fold *fold;

	assert_int_equal(fold_profile(fixture->profile, fixture->symbolizer, &options, &fold), 0);
	return fold;
}

/* The node of a process and letters. */
static uint32_t find(const struct fold *fold, const char *process, const char *letters)
{
	struct fold_step steps[16] = {
		{ .name = process, .module = "", .frame_kind = FRAME_PROCESS, .id = 10 }
	};
	char names[16][2];
	size_t n = 1;

	for (; *letters; letters++, n++) {
		snprintf(names[n], sizeof(names[n]), "%c", *letters);
		steps[n] = (struct fold_step){
			.name = names[n], .module = "prog", .frame_kind = FRAME_USER, .id = -1
		};
	}
	return fold_find_path(fold, steps, n);
}

static const char *name_of(const struct fold *fold, uint32_t node)
{
	return fold->entities[fold->nodes[node].entity].name;
}

static void a_path_leads_to_its_node(void **state)
{
	const struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(*state, 0, "mab", 3);
	letter_view_add_sample(*state, 0, "mb", 4);
	struct fold *fold = make_fold(fixture);
	uint32_t node = find(fold, "prog", "mb");
	assert_int_not_equal(node, FOLD_NONE);
	assert_int_equal(fold->total[node * fold->n_metrics], 4);
	assert_int_equal(fold->total[find(fold, "prog", "") * fold->n_metrics], 7);
	assert_int_equal(find(fold, "prog", "mba"), FOLD_NONE);
	assert_int_equal(find(fold, "other", ""), FOLD_NONE);
	fold_destroy(fold);
}

static void a_part_has_what_is_below_its_node(void **state)
{
	const struct letter_view *fixture = *state;
	struct fold *part;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(*state, 0, "mab", 3);
	letter_view_add_sample(*state, 0, "ma", 1);
	letter_view_add_sample(*state, 0, "mb", 4);
	letter_view_add_sample(*state, 0, "mac", 5);
	struct fold *fold = make_fold(fixture);
	assert_int_equal(fold_part_create(fold, find(fold, "prog", "ma"), &part), 0);
	assert_int_equal(part->n_nodes, 4);
	assert_int_equal(part->total[0], 9);
	assert_int_equal(part->samples[0], 3);
	assert_string_equal(name_of(part, 1), "a");
	assert_int_equal(part->nodes[1].parent, 0);
	assert_int_equal(part->self[1 * part->n_metrics], 1);
	for (uint32_t i = 2; i < part->n_nodes; i++) {
		assert_int_equal(part->nodes[i].parent, 1);
		assert_int_equal(part->total[i * part->n_metrics],
				 *name_of(part, i) == 'b' ? 3 : 5);
	}
	fold_destroy(part);
	fold_destroy(fold);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_path_leads_to_its_node, letter_view_set_up,
						letter_view_tear_down),
		cmocka_unit_test_setup_teardown(a_part_has_what_is_below_its_node,
						letter_view_set_up, letter_view_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
