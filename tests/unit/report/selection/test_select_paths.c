/*
 * Selections of generated trees, compared with an implementation that goes from sample to sample
 * and knows no tree. A path is a string: a lower-case letter is a user function, an upper-case one
 * a function of the kernel, '>' the mark [kernel], '!' a stack that was cut.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/selection/select_paths.h"
#include "report/views/view.h"
#include "tests/unit/fixtures/sample_profile.h"

#define MAX_SAMPLES 400
#define MAX_LENGTH  40
#define N_TRIALS    300

struct sample {
	char path[MAX_LENGTH + 1];
	uint32_t process;
	uint64_t weight;
};

struct fixture {
	struct profile *profile;
	struct symbolizer *symbolizer;
	uint32_t user, kernel;
	struct sample samples[MAX_SAMPLES];
	size_t n_samples;
	unsigned site; /* views fold call sites */
	uint64_t seed;
};

static void add_names(struct module *module, char first)
{
	module->symbols = symbol_table_create();
	for (char name = first; name < first + 26; name++)
		assert_int_equal(symbol_table_add(module->symbols, (uint64_t)name * 16, 16,
						  (const char[]){ name, '\0' }, 1),
				 0);
	symbol_table_sort(module->symbols);
}

static void set_up(struct fixture *fixture, uint64_t seed)
{
	struct module_key user = { .kind = MODULE_ELF, .path = "/bin/prog" };
	struct module_key kernel = { .kind = MODULE_KERNEL, .path = "[kernel.kallsyms]" };
	struct module_table *modules;

	*fixture = (struct fixture){ .seed = seed };
	fixture->profile = sample_profile_create((const char *[]){ "cycles" }, 1);
	fixture->profile->rows = calloc(1, sizeof(*fixture->profile->rows));
	assert_non_null(fixture->profile->rows);
	modules = &fixture->profile->modules;
	fixture->user = module_table_add(modules, &user);
	fixture->kernel = module_table_add(modules, &kernel);
	add_names(module_table_get(modules, fixture->user), 'a');
	add_names(module_table_get(modules, fixture->kernel), 'A');
	for (int i = 0; i < 3; i++)
		profile_add_process(fixture->profile, 100 + i, i ? "other" : "prog");
	fixture->symbolizer =
		symbolizer_create(fixture->profile, &(struct symbolizer_options){ 0 });
}

static void tear_down(struct fixture *fixture)
{
	symbolizer_destroy(fixture->symbolizer);
	profile_destroy(fixture->profile);
}

/* Numerical Recipes' linear congruential generator. */
static uint32_t draw(struct fixture *fixture, uint32_t n)
{
	fixture->seed = fixture->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(fixture->seed >> 33) % n;
}

static struct frame make_frame(struct fixture *fixture, char letter)
{
	if (letter == '>')
		return frame_marker(MARKER_KERNEL);
	if (letter == '!')
		return frame_marker(MARKER_STACK_CUT);
	bool is_user = letter >= 'a';
	return (struct frame){ .kind = is_user ? FRAME_USER : FRAME_KERNEL,
			       .module = is_user ? fixture->user : fixture->kernel,
			       .offset = (uint64_t)letter * 16 + fixture->site++ % 3 };
}

static void add_sample(struct fixture *fixture, uint32_t process, const char *path, uint64_t weight)
{
	struct sample *sample = &fixture->samples[fixture->n_samples++];
	uint32_t node = sample_profile_process(fixture->profile, process);

	*sample = (struct sample){ .process = process, .weight = weight };
	snprintf(sample->path, sizeof(sample->path), "%s", path);
	for (; *path; path++) {
		struct frame frame = make_frame(fixture, *path);

		node = cct_child(fixture->profile->cct, node, &frame);
		assert_int_not_equal(node, CCT_NONE);
	}
	sample_profile_add(fixture->profile, node, 0, weight);
	const struct sample_row row = { .node = node, .weight = weight };
	assert_int_equal(sample_rows_add(fixture->profile->rows, &row), 0);
}

/* Few functions, so there is direct, mutual and deep recursion; some paths are empty. */
static void draw_samples(struct fixture *fixture)
{
	uint32_t n_functions = 1 + draw(fixture, 5);
	size_t n = 1 + draw(fixture, MAX_SAMPLES - 1);

	for (size_t i = 0; i < n; i++) {
		char path[MAX_LENGTH + 1] = "";
		size_t length = draw(fixture, MAX_LENGTH - 5), at = 0;

		if (length && !draw(fixture, 4))
			path[at++] = '!';
		while (at < length)
			path[at++] = (char)('a' + draw(fixture, n_functions));
		if (length && !draw(fixture, 3)) {
			path[at++] = '>';
			for (uint32_t k = draw(fixture, 4); k > 0; k--)
				path[at++] = (char)('A' + draw(fixture, 3));
		}
		add_sample(fixture, draw(fixture, 3), path, draw(fixture, 1000));
	}
}

/* The functions of a condition, as letters: a through "a,b" is "ab", a focus on [ab] any of both.
 */
struct wanted {
	enum condition_kind kind;
	char letters[4];
};

struct wanted_selection {
	struct wanted conditions[4];
	size_t n_conditions;
	int caller_depth; /* -1: none */
};

static struct wanted_selection draw_wanted(struct fixture *fixture)
{
	static const char letters[] = "abcdABz";
	struct wanted_selection wanted = { .n_conditions = draw(fixture, 4), .caller_depth = -1 };

	for (size_t i = 0; i < wanted.n_conditions; i++) {
		struct wanted *condition = &wanted.conditions[i];

		condition->kind = (enum condition_kind)draw(fixture, 4);
		for (uint32_t k = 1 + draw(fixture, 3); k > 0; k--)
			condition->letters[k - 1] = letters[draw(fixture, sizeof(letters) - 1)];
	}
	if (!draw(fixture, 2) || !wanted.n_conditions)
		wanted.caller_depth = (int)draw(fixture, 6);
	return wanted;
}

/* "a,b" */
static void write_names(const char *letters, char *text)
{
	for (size_t i = 0; letters[i]; i++) {
		*text++ = letters[i];
		*text++ = letters[i + 1] ? ',' : '\0';
	}
}

static void make_selection(const struct wanted_selection *wanted, struct path_selection *selection)
{
	*selection = (struct path_selection){
		.has_caller_depth = wanted->caller_depth >= 0,
		.caller_depth = (uint32_t)wanted->caller_depth,
	};
	for (size_t i = 0; i < wanted->n_conditions; i++) {
		const struct wanted *condition = &wanted->conditions[i];
		char text[16], *error;

		if (condition->kind == PATH_THROUGH)
			write_names(condition->letters, text);
		else
			snprintf(text, sizeof(text), "^[%s]$", condition->letters);
		assert_int_equal(path_selection_add(selection, condition->kind, text, &error), 0);
	}
}

static bool goes_through(const char *path, const char *letters)
{
	for (; *path && *letters; path++)
		letters += *path == *letters;
	return !*letters;
}

static bool is_wanted(const struct wanted_selection *wanted, const char *path)
{
	for (size_t i = 0; i < wanted->n_conditions; i++) {
		const char *letters = wanted->conditions[i].letters;
		bool has_one = strpbrk(path, letters) != NULL;

		switch (wanted->conditions[i].kind) {
		case PATH_FOCUS:
			if (!has_one)
				return false;
			break;
		case PATH_IGNORE:
			if (has_one)
				return false;
			break;
		case PATH_THROUGH:
			if (!goes_through(path, letters))
				return false;
			break;
		case PATH_HIDE:
			break;
		}
	}
	return true;
}

/* What is left of a path: without hidden functions, and of the rest the end. */
static void shorten(const struct wanted_selection *wanted, char *path)
{
	size_t n = 0, start;
	int n_calls = 0;

	for (size_t i = 0; path[i]; i++) {
		bool is_hidden = false;

		for (size_t k = 0; k < wanted->n_conditions; k++)
			is_hidden |= wanted->conditions[k].kind == PATH_HIDE &&
				     strchr(wanted->conditions[k].letters, path[i]);
		if (!is_hidden)
			path[n++] = path[i];
	}
	path[n] = '\0';
	for (start = n; wanted->caller_depth >= 0 && start && n_calls <= wanted->caller_depth;)
		n_calls += path[--start] != '>' && path[start] != '!';
	if (wanted->caller_depth >= 0)
		memmove(path, path + start, n - start + 1);
}

/* Adds a sample to the list, or to the one with its path. */
static void add_up(struct sample *list, size_t *n, const struct sample *sample)
{
	for (size_t i = 0; i < *n; i++) {
		if (list[i].process == sample->process && strcmp(list[i].path, sample->path) == 0) {
			list[i].weight += sample->weight;
			return;
		}
	}
	list[(*n)++] = *sample;
}

static char letter_of(const struct frame *frame)
{
	if (frame->kind == FRAME_MARKER)
		return frame->offset == MARKER_KERNEL ? '>' : '!';
	return (char)(frame->offset / 16);
}

/* The paths of the profile's tree with their weights, each once. */
static size_t read_tree(const struct profile *profile, struct sample *list)
{
	const struct cct *cct = profile->cct;
	size_t n = 0;

	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		struct sample sample = { .weight = cct_cost(cct, i, 0)->weight };
		size_t at = MAX_LENGTH;
		uint32_t node = i;

		if (!cct_cost(cct, i, 0)->samples)
			continue;
		for (; cct_frame(cct, node)->kind >= FRAME_USER; node = cct->nodes[node].parent)
			sample.path[--at] = letter_of(cct_frame(cct, node));
		memmove(sample.path, sample.path + at, MAX_LENGTH - at + 1);
		sample.process = (uint32_t)cct_frame(cct, node)->offset;
		add_up(list, &n, &sample);
	}
	return n;
}

static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return strcmp(x->path, y->path);
}

static void expect_equal(struct sample *got, size_t n_got, struct sample *wanted, size_t n_wanted)
{
	qsort(got, n_got, sizeof(*got), compare_samples);
	qsort(wanted, n_wanted, sizeof(*wanted), compare_samples);
	assert_int_equal(n_got, n_wanted);
	for (size_t i = 0; i < n_got; i++) {
		assert_int_equal(got[i].process, wanted[i].process);
		assert_string_equal(got[i].path, wanted[i].path);
		assert_int_equal(got[i].weight, wanted[i].weight);
	}
}

/* A row's total is that of the paths with its function, each once; its self cost of those that end
 * there. */
static void expect_functions(const struct view_row *root, const struct sample *paths, size_t n)
{
	for (const struct view_row *row = root->children; row; row = row->next) {
		uint64_t self = 0, total = 0;
		char letter =
			row->kind == ROW_MARKER ? row->name[1] == 'k' ? '>' : '!' : *row->name;

		if (row->kind == ROW_PROCESS)
			continue;
		for (size_t i = 0; i < n; i++) {
			size_t length = strlen(paths[i].path);

			total += strchr(paths[i].path, letter) ? paths[i].weight : 0;
			self += length && paths[i].path[length - 1] == letter ? paths[i].weight : 0;
		}
		assert_int_equal(row->total[0], total);
		assert_int_equal(row->self[0], self);
		assert_true(row->total[0] <= root->total[0]);
	}
}

/* In every view the rows, and what is not selected, add up to the whole. */
static void expect_views(struct fixture *fixture, uint64_t whole, uint64_t selected,
			 const struct sample *paths, size_t n)
{
	static const enum view_kind kinds[] = { VIEW_TREE,      VIEW_CALLERS, VIEW_FUNCTIONS,
						VIEW_MODULES,   VIEW_LINES,   VIEW_PROCESSES,
						VIEW_CALLGRAPH, VIEW_SYSCALLS };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct view_options options = { .kind = kinds[i] };
		bool has_own_costs = kinds[i] != VIEW_TREE && kinds[i] != VIEW_CALLERS &&
				     kinds[i] != VIEW_SYSCALLS;
		uint64_t sum = 0;
		struct view *view;

		assert_int_equal(
			view_create(fixture->profile, fixture->symbolizer, &options, &view), 0);
		assert_int_equal(view->root->total[0], whole);
		for (const struct view_row *row = view->root->children; row; row = row->next)
			sum += has_own_costs ? row->self[0] : row->total[0];
		assert_int_equal(sum, selected);
		if (kinds[i] == VIEW_FUNCTIONS)
			expect_functions(view->root, paths, n);
		view_destroy(view);
	}
}

/* No row has more than the one that it is a part of, and by itself no more than with its callees.
 */
static void expect_bounded(const struct view_row *parent, const struct view_row *row)
{
	assert_true(row->total[0] <= parent->total[0]);
	assert_true(row->self[0] <= row->total[0]);
	for (const struct view_row *child = row->children; child; child = child->next)
		expect_bounded(row, child);
}

/* With the options that change what a path is. */
static void expect_bounded_views(struct fixture *fixture)
{
	static const struct view_options views[] = {
		{ .kind = VIEW_TREE },
		{ .kind = VIEW_TREE, .fold_recursion = true },
		{ .kind = VIEW_CALLERS },
		{ .kind = VIEW_CALLERS, .fold_recursion = true },
		{ .kind = VIEW_FUNCTIONS },
		{ .kind = VIEW_FUNCTIONS, .each_task = true },
		{ .kind = VIEW_MODULES },
		{ .kind = VIEW_LINES },
		{ .kind = VIEW_CALLGRAPH },
		{ .kind = VIEW_PATHS, .root = "a" },
		{ .kind = VIEW_PATHS, .root = "a", .direction = PATHS_UP },
		{ .kind = VIEW_PATHS, .root = "*" },
		{ .kind = VIEW_PATHS, .root = "*", .direction = PATHS_UP },
		{ .kind = VIEW_SYSCALLS },
		{ .kind = VIEW_PROCESSES },
		{ .kind = VIEW_THREADS },
	};

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		for (int kernel = KERNEL_MERGED; kernel <= KERNEL_NONE; kernel++) {
			struct view_options options = views[i];
			struct view *view;

			options.kernel = (enum view_kernel)kernel;
			int err =
				view_create(fixture->profile, fixture->symbolizer, &options, &view);
			if (options.root && err == -ENOENT)
				continue;
			assert_int_equal(err, 0);
			assert_true(view->root->total[0] <= fixture->profile->metrics[0].total);
			expect_bounded(view->root, view->root);
			view_destroy(view);
		}
	}
}

/* Rows have the nodes of the selection's tree. */
static void expect_rows(const struct profile *profile)
{
	const struct sample_rows *rows = profile->rows;
	uint64_t *weights = calloc(profile->cct->n_nodes, sizeof(*weights));

	assert_non_null(weights);
	assert_int_equal(sample_rows_check(rows, profile->cct), 0);
	for (uint32_t i = 0; i < rows->n_rows; i++)
		weights[rows->rows[i].node] += rows->rows[i].weight;
	for (uint32_t i = 0; i < profile->cct->n_nodes; i++)
		assert_int_equal(weights[i], cct_cost(profile->cct, i, 0)->weight);
	free(weights);
}

static void try_selection(uint64_t seed)
{
	static struct sample wanted_paths[MAX_SAMPLES], got_paths[MAX_SAMPLES];
	struct fixture fixture;
	size_t n_wanted = 0;
	uint64_t selected_weight = 0, n_selected = 0;

	set_up(&fixture, seed);
	draw_samples(&fixture);
	struct wanted_selection wanted = draw_wanted(&fixture);
	for (size_t i = 0; i < fixture.n_samples; i++) {
		struct sample sample = fixture.samples[i];

		if (!is_wanted(&wanted, sample.path))
			continue;
		shorten(&wanted, sample.path);
		add_up(wanted_paths, &n_wanted, &sample);
		selected_weight += sample.weight;
		n_selected++;
	}
	struct path_selection selection;
	struct selected_paths selected;
	make_selection(&wanted, &selection);
	assert_int_equal(select_paths(fixture.profile, fixture.symbolizer, &selection, &selected),
			 0);
	expect_rows(fixture.profile);
	assert_int_equal(selected.costs[0].samples, n_selected);
	assert_int_equal(selected.costs[0].weight, selected_weight);
	assert_int_equal(selected_paths_are_none(&selected, 1), !n_selected);
	assert_int_equal(profile_check_conservation(fixture.profile), -1);
	expect_equal(got_paths, read_tree(fixture.profile, got_paths), wanted_paths, n_wanted);
	expect_views(&fixture, fixture.profile->metrics[0].total, selected_weight, wanted_paths,
		     n_wanted);
	expect_bounded_views(&fixture);
	selected_paths_deinit(&selected);
	path_selection_deinit(&selection);
	tear_down(&fixture);
}

static void selections_are_those_of_the_samples_one_by_one(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= N_TRIALS; seed++)
		try_selection(seed);
}

static void select_by(struct fixture *fixture, enum condition_kind kind, const char *text,
		      struct path_selection *selection, struct selected_paths *selected)
{
	char *error;

	*selection = (struct path_selection){ 0 };
	assert_int_equal(path_selection_add(selection, kind, text, &error), 0);
	assert_int_equal(select_paths(fixture->profile, fixture->symbolizer, selection, selected),
			 0);
}

static void a_pattern_without_a_function_is_named_with_near_ones(void **state)
{
	static const struct {
		enum condition_kind kind;
		const char *text, *unmatched, *question;
	} cases[] = {
		{ PATH_FOCUS, "^ab$", "^ab$", "; did you mean a or b?" },
		{ PATH_THROUGH, "a,xyz", "xyz", "" },
		{ PATH_HIDE, "aa", "aa", "; did you mean a?" },
		{ PATH_IGNORE, "^a$", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture;
		struct path_selection selection;
		struct selected_paths selected;

		set_up(&fixture, 1);
		add_sample(&fixture, 0, "ab", 3);
		select_by(&fixture, cases[i].kind, cases[i].text, &selection, &selected);
		assert_int_equal(selected.n_unmatched, cases[i].unmatched ? 1 : 0);
		if (cases[i].unmatched) {
			assert_string_equal(selected.unmatched[0].text, cases[i].unmatched);
			assert_string_equal(selected.unmatched[0].question, cases[i].question);
		}
		selected_paths_deinit(&selected);
		path_selection_deinit(&selection);
		tear_down(&fixture);
	}
}

static void frames_that_the_view_leaves_out_are_not_counted_as_callers(void **state)
{
	struct path_selection selection = {
		.has_caller_depth = true,
		.uncounted_kinds = 1u << FRAME_KERNEL,
	};
	struct selected_paths selected;
	struct fixture fixture;
	struct sample paths[1];

	(void)state;
	set_up(&fixture, 1);
	add_sample(&fixture, 0, "ab>AB", 3);
	assert_int_equal(select_paths(fixture.profile, fixture.symbolizer, &selection, &selected),
			 0);
	assert_int_equal(read_tree(fixture.profile, paths), 1);
	assert_string_equal(paths[0].path, "b>AB");
	selected_paths_deinit(&selected);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selections_are_those_of_the_samples_one_by_one),
		cmocka_unit_test(a_pattern_without_a_function_is_named_with_near_ones),
		cmocka_unit_test(frames_that_the_view_leaves_out_are_not_counted_as_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
