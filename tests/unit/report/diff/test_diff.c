#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/diff/diff.h"
#include "report/views/view.h"
#include "tests/unit/fixtures/sample_profile.h"

#define WEIGHT 10

/* A run: how often each function of one letter was sampled. */
struct run {
	const char *path; /* of the program */
	unsigned start;   /* of its functions in it */
	struct {
		const char *stack; /* the last letter is the sampled function */
		unsigned n;
	} samples[8];
};

static void add_names(struct module *module, unsigned start)
{
	module->symbols = symbol_table_create();
	for (char letter = 'a'; letter <= 'z'; letter++) {
		const char name[] = { letter, '\0' };

		assert_int_equal(symbol_table_add(module->symbols, start + (uint64_t)letter * 16,
						  16, name, 1),
				 0);
	}
	symbol_table_sort(module->symbols);
}

static struct profile *profile_of(const struct run *run)
{
	struct profile *profile = sample_profile_create((const char *[]){ "cycles" }, 1);
	struct module_key key = { .kind = MODULE_ELF,
				  .path = run->path,
				  .build_id = { .size = 1, .bytes = { (uint8_t)run->start } } };
	uint32_t module = module_table_add(&profile->modules, &key);

	assert_int_equal(profile_add_process(profile, 1, "prog"), 0);
	add_names(module_table_get(&profile->modules, module), run->start);
	for (size_t i = 0; run->samples[i].n; i++) {
		uint32_t node = sample_profile_process(profile, 0);

		for (const char *letter = run->samples[i].stack; *letter; letter++) {
			struct frame frame = { .kind = FRAME_USER,
					       .module = module,
					       .offset = run->start + (uint64_t)*letter * 16 };

			node = cct_child(profile->cct, node, &frame);
		}
		for (unsigned n = 0; n < run->samples[i].n; n++)
			sample_profile_add(profile, node, 0, WEIGHT);
	}
	return profile;
}

static void add_run(struct diff_rows *rows, size_t at, const struct run *run)
{
	const struct view_options options = { .kind = VIEW_FUNCTIONS };
	struct profile *profile = profile_of(run);
	struct symbolizer *symbolizer =
		symbolizer_create(profile, &(struct symbolizer_options){ 0 });
	struct view *view;

	assert_int_equal(view_create(profile, symbolizer, &options, &view), 0);
	assert_int_equal(diff_rows_add(rows, at, view, (const uint32_t[]){ 0 }, false, NULL), 0);
	view_destroy(view);
	symbolizer_destroy(symbolizer);
	profile_destroy(profile);
}

static struct diff_source sources[] = { { .side = DIFF_BEFORE, .amount = 1 },
					{ .side = DIFF_AFTER, .amount = 1 } };

static void compare(struct diff *diff, const struct diff_options *options, const struct run *before,
		    const struct run *after)
{
	struct diff_rows rows = { .n_runs = 2, .n_metrics = 1 };

	add_run(&rows, 0, before);
	add_run(&rows, 1, after);
	assert_int_equal(diff_init(diff, options, sources, &rows), 0);
}

static size_t row_named(const struct diff *diff, const char *name)
{
	for (size_t i = 0; i < diff->rows.n_rows; i++) {
		if (strcmp(diff->rows.rows[i].name, name) == 0)
			return i;
	}
	fail_msg("no row %s", name);
	return 0;
}

static const struct diff_change *change_of(const struct diff *diff, enum diff_measure measure,
					   const char *name)
{
	return &diff->changes[0].rows[measure][row_named(diff, name)];
}

static void functions_of_two_builds_are_compared_by_name(void **state)
{
	const struct run before = { "/old/prog", 0, { { "ab", 300 }, { "ac", 100 } } };
	const struct run after = { "/new/prog", 64, { { "ab", 100 }, { "ad", 300 } } };
	struct diff diff;

	(void)state;
	compare(&diff, &(struct diff_options){ .view = VIEW_FUNCTIONS }, &before, &after);
	assert_int_equal(diff.rows.n_rows, 4);
	assert_true(change_of(&diff, DIFF_SELF, "b")->result.values[DIFF_BEFORE] == 0.75);
	assert_true(change_of(&diff, DIFF_SELF, "b")->result.values[DIFF_AFTER] == 0.25);
	assert_true(diff_relative(change_of(&diff, DIFF_SELF, "b")) == -2. / 3);
	assert_true(diff_change_of(change_of(&diff, DIFF_TOTAL, "a")) == 0);
	assert_string_equal(diff_row_status(&diff, row_named(&diff, "a")), "");
	assert_string_equal(diff_row_status(&diff, row_named(&diff, "c")), "gone");
	assert_string_equal(diff_row_status(&diff, row_named(&diff, "d")), "new");
	assert_true(isnan(diff_relative(change_of(&diff, DIFF_SELF, "d"))));
	/* What moved most comes first. */
	assert_int_equal(diff.order[0], row_named(&diff, "d"));
	assert_int_equal(diff.order[1], row_named(&diff, "b"));
	assert_int_equal(diff.n_shown, 4);
	diff_deinit(&diff);
}

static void a_run_does_not_differ_from_itself(void **state)
{
	const struct run run = { "/prog", 0, { { "ab", 300 }, { "ac", 100 } } };
	struct diff diff;
	struct diff_rise rise;

	(void)state;
	compare(&diff, &(struct diff_options){ .significant_only = true }, &run, &run);
	for (size_t i = 0; i < diff.rows.n_rows; i++)
		assert_true(diff_change_of(&diff.changes[0].rows[DIFF_SELF][i]) == 0);
	assert_int_equal(diff.n_shown, 0);
	assert_int_equal(diff_find_rise(&diff, 0, NULL, &rise), 0);
	diff_deinit(&diff);
}

static void a_share_that_moved_because_the_total_did_is_not_significant(void **state)
{
	const struct run before = { "/prog", 0, { { "ab", 1000 }, { "ac", 1000 } } };
	const struct run after = { "/prog", 0, { { "ab", 1000 }, { "ac", 3000 } } };
	struct diff diff;

	(void)state;
	compare(&diff, &(struct diff_options){ .view = VIEW_FUNCTIONS }, &before, &after);
	assert_true(diff_change_of(change_of(&diff, DIFF_SELF, "b")) == -0.25);
	assert_false(diff_change_is_significant(change_of(&diff, DIFF_SELF, "b")));
	assert_true(diff_change_is_significant(change_of(&diff, DIFF_SELF, "c")));
	assert_true(diff.changes[0].total.result.values[DIFF_AFTER] == 4000 * WEIGHT);
	diff_deinit(&diff);
}

static void costs_are_divided_by_what_was_done(void **state)
{
	const struct run before = { "/prog", 0, { { "ab", 1000 }, { "ac", 1000 } } };
	const struct run after = { "/prog", 0, { { "ab", 2000 }, { "ac", 3000 } } };
	struct diff diff;

	(void)state;
	sources[0].amount = 10;
	sources[1].amount = 20;
	compare(&diff, &(struct diff_options){ .norm = DIFF_BY_NUMBER }, &before, &after);
	sources[0].amount = sources[1].amount = 1;
	assert_true(diff_change_of(change_of(&diff, DIFF_SELF, "b")) == 0);
	assert_true(diff_change_of(change_of(&diff, DIFF_SELF, "c")) == 50 * WEIGHT);
	assert_true(diff_relative(change_of(&diff, DIFF_SELF, "c")) == 0.5);
	assert_int_equal(diff.changes[0].n_significant, 1);
	diff_deinit(&diff);
}

/* Samples of the second metric are at other functions than those of the first. */
static struct profile *profile_of_two(const char *names[2], const unsigned n[2])
{
	struct profile *profile = sample_profile_create((const char *[]){ "cycles", "faults" }, 2);

	assert_int_equal(profile_add_process(profile, 1, "prog"), 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct module_key key = { .kind = MODULE_ELF, .path = names[i] };
		uint32_t module = module_table_add(&profile->modules, &key);
		struct frame frame = { .kind = FRAME_USER, .module = module };
		uint32_t node = cct_child(profile->cct, sample_profile_process(profile, 0), &frame);

		for (unsigned j = 0; j < n[i]; j++)
			sample_profile_add(profile, node, i, WEIGHT);
	}
	return profile;
}

static void each_metric_has_its_changes_and_the_first_decides_about_rows(void **state)
{
	const char *names[] = { "/lib/slow", "/lib/faulty" };
	const unsigned n[][2] = { { 100, 20 }, { 100, 200 } };
	const struct diff_metric metrics[] = { { "faults", "events" }, { "cycles", "events" } };
	const struct view_options options = { .kind = VIEW_MODULES };
	struct diff_rows rows = { .n_runs = 2, .n_metrics = 2 };
	struct diff diff;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct profile *profile = profile_of_two(names, n[i]);
		struct symbolizer *symbolizer =
			symbolizer_create(profile, &(struct symbolizer_options){ 0 });
		struct view *view;

		assert_int_equal(view_create(profile, symbolizer, &options, &view), 0);
		assert_int_equal(
			diff_rows_add(&rows, i, view, (const uint32_t[]){ 1, 0 }, false, NULL), 0);
		view_destroy(view);
		symbolizer_destroy(symbolizer);
		profile_destroy(profile);
	}
	assert_int_equal(diff_init(&diff,
				   &(struct diff_options){ .view = VIEW_MODULES,
							   .norm = DIFF_BY_NUMBER,
							   .metrics = metrics },
				   sources, &rows),
			 0);
	size_t slow = row_named(&diff, "slow"), faulty = row_named(&diff, "faulty");
	assert_true(diff_change_of(diff_change_at(&diff, 0, faulty)) == 180 * WEIGHT);
	assert_true(diff_change_of(diff_change_at(&diff, 0, slow)) == 0);
	assert_true(diff_change_at(&diff, 1, slow)->result.values[DIFF_AFTER] == 100 * WEIGHT);
	assert_true(diff_change_of(diff_change_at(&diff, 1, slow)) == 0);
	assert_int_equal(diff.changes[0].n_significant, 1);
	assert_int_equal(diff.changes[1].n_significant, 0);
	assert_int_equal(diff.order[0], faulty);
	assert_string_equal(diff_row_status(&diff, slow), "");
	diff_deinit(&diff);
}

static void a_rise_fails_if_it_is_large_and_no_chance(void **state)
{
	const struct run before = { "/prog",
				    0,
				    { { "ab", 1000 }, { "ac", 1000 }, { "ae", 8 }, { "af", 90 } } };
	const struct run after = { "/prog",
				   0,
				   { { "ab", 1000 }, { "ac", 1500 }, { "ae", 16 }, { "ag", 40 } } };
	struct diff diff;
	struct diff_rise rise;

	(void)state;
	compare(&diff, &(struct diff_options){ .view = VIEW_FUNCTIONS }, &before, &after);
	assert_int_equal(diff_find_rise(&diff, 10, "c", &rise), 1);
	assert_string_equal(rise.row->name, "c");
	assert_int_equal(diff_find_rise(&diff, 50, "c", &rise), 0);
	assert_int_equal(diff_find_rise(&diff, 10, "e", &rise), 0); /* chance */
	assert_int_equal(diff_find_rise(&diff, 10, "f", &rise), 0); /* a fall */
	/* What came rose by more than any percentage. */
	assert_int_equal(diff_find_rise(&diff, 1000, NULL, &rise), 1);
	assert_string_equal(rise.row->name, "g");
	assert_int_equal(diff_find_rise(&diff, 10, "x*", &rise), 0);
	assert_int_equal(rise.n_rows, 0);
	diff_deinit(&diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_two_builds_are_compared_by_name),
		cmocka_unit_test(a_run_does_not_differ_from_itself),
		cmocka_unit_test(a_share_that_moved_because_the_total_did_is_not_significant),
		cmocka_unit_test(costs_are_divided_by_what_was_done),
		cmocka_unit_test(each_metric_has_its_changes_and_the_first_decides_about_rows),
		cmocka_unit_test(a_rise_fails_if_it_is_large_and_no_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
