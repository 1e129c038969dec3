#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/fold/fold_part.h"
#include "report/fold/outer_nodes.h"
#include "report/scope/refold.h"
#include "report/selection/select_paths.h"
#include "tests/unit/fixtures/letter_view.h"

#define N_PATHS   400
#define MAX_LINES 8192

struct lines {
	char *lines[MAX_LINES];
	size_t n;
};

static uint32_t draw(uint32_t n)
{
	static uint64_t seed = 7;

	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* Five processes of three names. Few letters, so that paths meet. */
static void make_up(struct letter_view *fixture)
{
	static const char *const names[] = { "make", "sh", "sh", "cc", "sh" };

	for (int i = 0; i < 5; i++)
		profile_add_process(fixture->profile, 10 + i, names[i]);
	for (int i = 0; i < N_PATHS; i++) {
		char path[16] = "";
		size_t size = 0;

		for (uint32_t depth = 1 + draw(5); depth; depth--)
			path[size++] = (char)('a' + draw(4));
		if (draw(2)) {
			path[size++] = '>';
			for (uint32_t depth = 1 + draw(3); depth; depth--)
				path[size++] = (char)('A' + draw(3));
			if (draw(3) == 0)
				path[size++] = '!';
		}
		path[size] = '\0';
		letter_view_add_sample(fixture, draw(5), path, 1 + draw(9));
	}
}

static void write_path(char *text, size_t size, const struct fold *fold, uint32_t node)
{
	char above[256] = "";

	if (node)
		write_path(above, sizeof(above), fold, fold->nodes[node].parent);
	const struct fold_entity *entity = &fold->entities[fold->nodes[node].entity];
	snprintf(text, size, "%s/%s", above, entity->name);
	if (entity->frame_kind == FRAME_PROCESS)
		snprintf(text + strlen(text), size - strlen(text), "(%d,%u)", entity->id,
			 entity->n_merged);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct lines *write_fold(const struct fold *fold)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	for (uint32_t i = 0; i < fold->n_nodes; i++) {
		const size_t at = (size_t)i * fold->n_metrics;
		char path[256];

		write_path(path, sizeof(path), fold, i);
		assert_true(lines->n < MAX_LINES);
		lines->lines[lines->n] = malloc(512);
		snprintf(lines->lines[lines->n++], 512, "%s self %lu %lu total %lu %lu marks %u",
			 path, fold->self[at], fold->self_samples[at], fold->total[at],
			 fold->samples[at], fold->details[i].frame_marks);
	}
	qsort(lines->lines, lines->n, sizeof(*lines->lines), compare_lines);
	return lines;
}

static void free_lines(struct lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->lines[i]);
	free(lines);
}

static void assert_same(const struct fold *fold, const struct fold *expected)
{
	struct lines *got = write_fold(fold), *wanted = write_fold(expected);

	for (size_t i = 0; i < got->n && i < wanted->n; i++)
		assert_string_equal(got->lines[i], wanted->lines[i]);
	assert_int_equal(got->n, wanted->n);
	free_lines(got);
	free_lines(wanted);
}

/* By --focus and --ignore, which look at the profile's tree. */
static int fold_selection(struct letter_view *fixture, const char *focus, const char *ignore,
			  enum view_kernel kernel, struct fold **fold_ret)
{
	struct path_selection selection = { 0 };
	struct selected_paths selected;
	struct profile part = *fixture->profile;
	const struct view_options options = { .kind = VIEW_TREE, .kernel = kernel };
	char *error = NULL;

	if (*focus)
		assert_int_equal(path_selection_add(&selection, PATH_FOCUS, focus, &error), 0);
	if (*ignore)
		assert_int_equal(path_selection_add(&selection, PATH_IGNORE, ignore, &error), 0);
	assert_int_equal(select_paths_aside(fixture->profile, fixture->symbolizer, &selection,
					    &part.cct, &selected),
			 0);
	const bool is_none = selected_paths_are_none(&selected, part.n_metrics);
	if (!is_none)
		assert_int_equal(fold_profile(&part, fixture->symbolizer, &options, fold_ret), 0);
	cct_destroy(part.cct);
	selected_paths_deinit(&selected);
	path_selection_deinit(&selection);
	return is_none ? -ENOENT : 0;
}

/* @focus, @ignore: one letter or none. */
static void meet(const struct fold *fold, const char *focus, const char *ignore, uint64_t *met,
		 struct refold_conditions *conditions)
{
	for (uint32_t i = 0; i < fold->n_entities; i++) {
		const struct fold_entity *entity = &fold->entities[i];

		if (!entity_is_code(entity))
			continue;
		met[i] |= *focus && strcmp(entity->name, focus) == 0 ? 1 : 0;
		met[i] |= *ignore && strcmp(entity->name, ignore) == 0 ? 2 : 0;
	}
	*conditions = (struct refold_conditions){ .met = *focus || *ignore ? met : NULL,
						  .wanted = *focus ? 1 : 0,
						  .unwanted = *ignore ? 2 : 0 };
}

static void compare(struct letter_view *fixture, const struct refold_base *base, const char *focus,
		    const char *ignore)
{
	uint64_t *met = calloc(base->fold->n_entities, sizeof(*met));
	char focus_regex[8] = "", ignore_regex[8] = "";
	struct refold_conditions conditions;

	if (*focus)
		snprintf(focus_regex, sizeof(focus_regex), "^%s$", focus);
	if (*ignore)
		snprintf(ignore_regex, sizeof(ignore_regex), "^%s$", ignore);
	meet(base->fold, focus, ignore, met, &conditions);
	for (int kernel = KERNEL_MERGED; kernel <= KERNEL_NONE; kernel++) {
		struct fold *fold = NULL, *expected = NULL;
		const int err = fold_selection(fixture, focus_regex, ignore_regex,
					       (enum view_kernel)kernel, &expected);

		assert_int_equal(refold(base, &conditions, (enum view_kernel)kernel, &fold), err);
		if (!err)
			assert_same(fold, expected);
		fold_destroy(fold);
		fold_destroy(expected);
	}
	free(met);
}

static void a_part_is_as_if_folded_from_the_tree(void **state)
{
	static const char *const letters[] = { "", "a", "b", "c", "A", "B", "z" };
	struct letter_view *fixture = *state;
	const struct view_options options = { .kind = VIEW_TREE };
	struct refold_base base;

	make_up(fixture);
	for (uint32_t i = 1; i < fixture->profile->cct->n_nodes; i += 7)
		fixture->profile->cct->nodes[i].frame_marks = 1 + i % 7;
	assert_int_equal(refold_base_init(&base, fixture->profile, fixture->symbolizer, &options),
			 0);
	assert_true(base.has_groups);
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		for (size_t j = 0; j < sizeof(letters) / sizeof(letters[0]); j++)
			compare(fixture, &base, letters[i], letters[j]);
	}
	refold_base_deinit(&base);
}

/* Of code in one module, and of the kernel's. */
static void assert_outer_nodes(const struct fold *fold, bool is_noted)
{
	uint32_t *group = calloc(fold->n_entities, sizeof(*group)), n_recursive = 0;

	for (int k = 0; k < N_FOLD_GROUPINGS; k++) {
		assert_int_equal(fold_group_entities(fold, (enum fold_grouping)k, group), 0);
		assert_int_equal(fold->outer[k] != NULL, is_noted);
		for (uint32_t i = 1; is_noted && i < fold->n_nodes; i++) {
			uint32_t above = fold->nodes[i].parent;

			while (above &&
			       group[fold->nodes[above].entity] != group[fold->nodes[i].entity])
				above = fold->nodes[above].parent;
			assert_int_equal(fold->outer[k][i], above);
			n_recursive += above != 0;
		}
	}
	assert_true(n_recursive || !is_noted);
	free(group);
}

static void recursion_in_a_part_is_known_from_the_whole(void **state)
{
	struct letter_view *fixture = *state;
	const struct view_options options = { .kind = VIEW_TREE };
	struct refold_base base;

	make_up(fixture);
	assert_int_equal(refold_base_init(&base, fixture->profile, fixture->symbolizer, &options),
			 0);
	assert_int_equal(refold_base_prepare(&base), 0);
	assert_outer_nodes(base.fold, true);
	uint64_t *met = calloc(base.fold->n_entities, sizeof(*met));
	for (int kernel = KERNEL_MERGED; kernel <= KERNEL_NONE; kernel++) {
		struct refold_conditions conditions;
		struct fold *fold, *part;

		meet(base.fold, "b", "C", met, &conditions);
		assert_int_equal(refold(&base, &conditions, (enum view_kernel)kernel, &fold), 0);
		assert_outer_nodes(fold, kernel == KERNEL_MERGED);
		for (uint32_t top = 1; top < fold->n_nodes && kernel != KERNEL_ONLY; top++) {
			if (fold->nodes[top].parent)
				continue;
			assert_int_equal(fold_part_create(fold, top, &part), 0);
			assert_outer_nodes(part, kernel == KERNEL_MERGED);
			fold_destroy(part);
		}
		fold_destroy(fold);
	}
	free(met);
	refold_base_deinit(&base);
}

static void samples_that_were_not_selected_stay_at_the_root(void **state)
{
	struct letter_view *fixture = *state;
	const struct view_options options = { .kind = VIEW_TREE };
	struct refold_base base;
	struct fold *fold;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "ab", 5);
	cct_add_cost(fixture->profile->cct, CCT_ROOT, 0, 3);
	assert_int_equal(refold_base_init(&base, fixture->profile, fixture->symbolizer, &options),
			 0);
	uint64_t *met = calloc(base.fold->n_entities, sizeof(*met));
	const struct refold_conditions conditions = { .met = met };
	assert_int_equal(refold(&base, &conditions, KERNEL_NONE, &fold), 0);
	assert_int_equal(fold->total[0], 8);
	assert_int_equal(fold->samples[0], 2);
	assert_int_equal(fold->total[fold->n_metrics], 5);
	fold_destroy(fold);
	free(met);
	refold_base_deinit(&base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_part_is_as_if_folded_from_the_tree,
						letter_view_set_up, letter_view_tear_down),
		cmocka_unit_test_setup_teardown(recursion_in_a_part_is_known_from_the_whole,
						letter_view_set_up, letter_view_tear_down),
		cmocka_unit_test_setup_teardown(samples_that_were_not_selected_stay_at_the_root,
						letter_view_set_up, letter_view_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
