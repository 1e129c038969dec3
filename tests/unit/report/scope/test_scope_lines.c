/* Lines of a part of a profile, beside the lines of a tree that has nothing but this part. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/scope/scope_lines.h"
#include "report/selection/select_paths.h"
#include "tests/unit/fixtures/letter_view.h"
#include "tests/unit/fixtures/sample_profile.h"

#define MAX_DEPTH 32

/* clang-format off */
#define PLACE(name) __asm__ volatile(".globl " #name "\n" #name ": nop")
#define INLINED static inline __attribute__((always_inline))
extern const char place_in_inner[], place_in_outer[], place_after_outer[];

enum { INNER_LINE = __LINE__ + 1 };
INLINED void inner(void) { PLACE(place_in_inner); }

enum { CALL_LINE = __LINE__ + 5, FIRST_LINE = __LINE__ + 4, LAST_LINE = __LINE__ + 6 };

__attribute__((noinline)) static void outer(void)
{
	PLACE(place_in_outer);
	inner();
	PLACE(place_after_outer);
}
/* clang-format on */

static uint32_t draw(uint32_t n)
{
	static uint64_t seed = 11;

	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* Few letters and processes of one name, so that rows are of many nodes, and recursion. */
static void make_up(struct letter_view *fixture)
{
	static const char *const names[] = { "make", "sh", "sh", "cc" };

	assert_int_equal(cct_keep_longest(fixture->profile->cct, 0), 0);
	for (int i = 0; i < 4; i++)
		profile_add_process(fixture->profile, 10 + i, names[i]);
	for (int i = 0; i < 600; i++) {
		char path[16] = "";
		size_t size = 0;

		for (uint32_t depth = draw(6); depth; depth--)
			path[size++] = (char)('a' + draw(3));
		if (draw(3) == 0)
			path[size++] = '>';
		for (uint32_t depth = draw(3); strchr(path, '>') && depth; depth--)
			path[size++] = (char)('A' + draw(2));
		sample_profile_add(fixture->profile, letter_view_add_path(fixture, draw(4), path),
				   draw(2), 1 + draw(9));
	}
}

/* "self total name:line" of each row in the order of names, and the root's costs. */
static char *write_rows(const struct view *view)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (const struct view_row *row = view->root; row;
	     row = row == view->root ? row->children : row->next) {
		fprintf(out, "%s:%u [%s] %d %u", row->name, row->line, row->module, (int)row->kind,
			row->n_merged);
		for (uint32_t i = 0; i < view->n_columns; i++)
			fprintf(out, " %lu %lu %lu %lu", row->self[i], row->total[i],
				row->self_samples ? row->self_samples[i] : 0, row->samples[i]);
		fprintf(out, ", longest %lu\n", row->longest);
	}
	fclose(out);
	return text;
}

static const char *name_of(const struct profile *profile, struct symbolizer *symbolizer,
			   const struct frame *frame)
{
	struct frame_name name;

	if (frame->kind == FRAME_PROCESS)
		return profile->processes[frame->offset].name;
	assert_int_equal(symbolizer_name(symbolizer, frame, &name), 0);
	return name.name;
}

static bool is_hidden(enum view_kernel kernel, const struct frame *frame)
{
	const bool is_kernel = frame->kind == FRAME_KERNEL || frame->kind == FRAME_MARKER;

	return (kernel == KERNEL_NONE && is_kernel) ||
	       (kernel == KERNEL_ONLY && frame->kind != FRAME_KERNEL &&
		frame->kind != FRAME_PROCESS);
}

/* Which frame of a path is the row of the zoom; -1: the path is beside it. */
static int find_top(const struct letter_view *fixture, const struct frame *frames, int n,
		    const struct browse_scope *scope)
{
	size_t n_found = 0;

	for (int i = 0; i < n; i++) {
		if (is_hidden(scope->kernel, &frames[i]))
			continue;
		if (strcmp(name_of(fixture->profile, fixture->symbolizer, &frames[i]),
			   scope->zoom[n_found].name) != 0)
			return -1;
		if (++n_found == scope->n_zoom)
			return i;
	}
	return -1;
}

/* The tree of what is in the row that is shown alone, without what is above it. */
static struct cct *copy_zoomed(const struct letter_view *fixture, const struct cct *from,
			       const struct browse_scope *scope)
{
	struct cct *tree = cct_create_like(from);

	for (uint32_t i = 1; i < from->n_nodes; i++) {
		struct frame frames[MAX_DEPTH];
		int n = MAX_DEPTH;

		for (uint32_t at = i; at != CCT_ROOT; at = from->nodes[at].parent)
			frames[--n] = *cct_frame(from, at);
		const int top = find_top(fixture, frames + n, MAX_DEPTH - n, scope);
		uint32_t node = CCT_ROOT;
		for (int k = n + top; top >= 0 && k < MAX_DEPTH; k++)
			node = cct_child(tree, node, &frames[k]);
		if (top >= 0)
			assert_int_equal(cct_add_costs(tree, node, from, i), 0);
	}
	return tree;
}

static char *expected_rows(struct letter_view *fixture, const struct browse_scope *scope)
{
	const struct view_options options = { .kind = VIEW_LINES,
					      .kernel = scope->kernel,
					      .sort = SORT_NAME };
	struct path_selection selection = { 0 };
	struct selected_paths selected = { 0 };
	struct profile part = *fixture->profile;
	struct view *view;
	char *error = NULL;

	for (size_t i = 0; i < scope->n_conditions; i++)
		assert_int_equal(path_selection_add(&selection, scope->conditions[i].kind,
						    scope->conditions[i].text, &error),
				 0);
	if (scope->n_conditions)
		assert_int_equal(select_paths_aside(fixture->profile, fixture->symbolizer,
						    &selection, &part.cct, &selected),
				 0);
	struct cct *selected_tree = part.cct;
	if (scope->n_zoom)
		part.cct = copy_zoomed(fixture, selected_tree, scope);
	assert_int_equal(view_create(&part, fixture->symbolizer, &options, &view), 0);
	char *text = write_rows(view);
	view_destroy(view);
	if (part.cct != selected_tree)
		cct_destroy(part.cct);
	if (selected_tree != fixture->profile->cct)
		cct_destroy(selected_tree);
	selected_paths_deinit(&selected);
	path_selection_deinit(&selection);
	return text;
}

/* NULL: nothing is in scope. */
static char *rows_in_scope(const struct profile *profile, struct symbolizer *symbolizer,
			   const struct browse_scope *scope, struct refold_base *base)
{
	const struct view_options options = { .kind = VIEW_LINES, .sort = SORT_NAME };
	struct fold *fold;
	struct view *view;
	int err = scope_lines_fold(scope, base, symbolizer, &options, &fold);

	if (err) {
		assert_int_equal(err, -ENOENT);
		return NULL;
	}
	assert_int_equal(view_create_from_fold(profile, &options, fold, &view), 0);
	char *text = write_rows(view);
	view_destroy(view);
	fold_destroy(fold);
	return text;
}

static void make_base(const struct profile *profile, struct symbolizer *symbolizer,
		      struct refold_base *base)
{
	const struct view_options options = { .kind = VIEW_TREE };

	assert_int_equal(refold_base_init(base, profile, symbolizer, &options), 0);
}

static void zoom_in(struct browse_scope *scope, const struct fold *fold, const char *name)
{
	for (uint32_t i = 1; i < fold->n_entities; i++) {
		if (strcmp(fold->entities[i].name, name) == 0)
			scope->zoom[scope->n_zoom++] = fold_step_of(&fold->entities[i]);
	}
}

/* @zoom: a process, and letters. */
static void compare(struct letter_view *fixture, struct refold_base *base,
		    struct browse_scope *scope, const char *process, const char *letters)
{
	struct fold_step steps[MAX_DEPTH];

	scope->zoom = steps;
	scope->n_zoom = 0;
	if (*process)
		zoom_in(scope, base->fold, process);
	for (; *letters; letters++)
		zoom_in(scope, base->fold, (const char[]){ *letters, '\0' });
	char *text = rows_in_scope(fixture->profile, fixture->symbolizer, scope, base);
	char *expected = expected_rows(fixture, scope);

	if (text)
		assert_string_equal(text, expected);
	else
		assert_null(strchr(strchr(expected, '\n') + 1, '\n'));
	free(text);
	free(expected);
	scope->zoom = NULL;
	scope->n_zoom = 0;
}

static void compare_zooms(struct letter_view *fixture, struct refold_base *base,
			  struct browse_scope *scope)
{
	compare(fixture, base, scope, "", "");
	compare(fixture, base, scope, "sh", "");
	compare(fixture, base, scope, "cc", scope->kernel == KERNEL_ONLY ? "A" : "a");
	compare(fixture, base, scope, "sh", scope->kernel == KERNEL_ONLY ? "AB" : "ab");
	compare(fixture, base, scope, "sh", scope->kernel == KERNEL_ONLY ? "AA" : "bab");
}

static void they_are_those_of_the_tree_of_the_scope(void **state)
{
	struct letter_view *fixture = *state;
	struct refold_base base;

	make_up(fixture);
	make_base(fixture->profile, fixture->symbolizer, &base);
	for (int kernel = KERNEL_MERGED; kernel <= KERNEL_NONE; kernel++) {
		struct browse_scope scope = { .kernel = (enum view_kernel)kernel };
		struct browse_condition focus = { .kind = PATH_FOCUS };
		struct browse_condition ignore = { .kind = PATH_IGNORE };

		assert_int_equal(browse_condition_init(&focus, "^b$"), 0);
		assert_int_equal(browse_condition_init(&ignore, "^B$"), 0);
		compare_zooms(fixture, &base, &scope);
		assert_int_equal(browse_scope_add_condition(&scope, &focus), 0);
		compare_zooms(fixture, &base, &scope);
		assert_int_equal(browse_scope_add_condition(&scope, &ignore), 0);
		compare_zooms(fixture, &base, &scope);
		browse_condition_deinit(&focus);
		browse_condition_deinit(&ignore);
		browse_scope_deinit(&scope);
	}
	refold_base_deinit(&base);
}

struct program {
	struct profile *profile;
	struct symbolizer *symbolizer, *line_symbolizer;
	struct sample_profile_modules modules;
	struct refold_base base;
};

static void begin(struct program *program)
{
	*program = (struct program){ .profile = NULL };
	program->profile = sample_profile_create((const char *[]){ "cycles" }, 1);
	program->modules = sample_profile_add_modules(program->profile);
	profile_add_process(program->profile, 1, "program");
	outer();
}

static void add_sample(struct program *program, const char *const *path, uint64_t weight)
{
	uint32_t node = sample_profile_process(program->profile, 0);

	node = sample_profile_add_path(program->profile, node, &program->modules, path);
	sample_profile_add(program->profile, node, 0, weight);
}

static void expect_lines(struct program *program, const char *const *zoom, const char *expected)
{
	const struct symbolizer_options lines = { .lines = true };
	struct fold_step steps[MAX_DEPTH];
	struct browse_scope scope = { .zoom = steps };
	char *rows, *rest, *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	program->symbolizer =
		symbolizer_create(program->profile, &(struct symbolizer_options){ .lines = false });
	program->line_symbolizer = symbolizer_create(program->profile, &lines);
	make_base(program->profile, program->symbolizer, &program->base);
	for (; *zoom; zoom++)
		zoom_in(&scope, program->base.fold, *zoom);
	rows = rest =
		rows_in_scope(program->profile, program->line_symbolizer, &scope, &program->base);
	assert_non_null(rows);
	strsep(&rest, "\n"); /* the root */
	for (char *row; (row = strsep(&rest, "\n")) && rest;) {
		char name[64];
		unsigned line, kind, n_merged;
		unsigned long self, total;

		assert_int_equal(sscanf(row, "%63[^:]:%u [%*[^]]] %u %u %lu %lu", name, &line,
					&kind, &n_merged, &self, &total),
				 6);
		fprintf(out, "%s:%u %lu %lu, ", name, line, self, total);
	}
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	free(rows);
	refold_base_deinit(&program->base);
	symbolizer_destroy(program->symbolizer);
	symbolizer_destroy(program->line_symbolizer);
	profile_destroy(program->profile);
}

static void a_row_shown_alone_has_what_was_called_at_all_lines_of_its_caller(void **state)
{
	struct program program;
	char expected[256];

	(void)state;
	begin(&program);
	add_sample(&program, (const char *[]){ place_in_outer, "", place_after_outer, NULL }, 1);
	add_sample(&program, (const char *[]){ place_after_outer, "", NULL }, 2);
	add_sample(&program, (const char *[]){ place_after_outer, "", place_in_outer, NULL }, 4);
	add_sample(&program, (const char *[]){ "", place_in_outer, NULL }, 8);
	snprintf(expected, sizeof(expected), "0x1000:0 2 7, outer:%d 4 4, outer:%d 1 1, ",
		 FIRST_LINE, LAST_LINE);
	expect_lines(&program, (const char *[]){ "program", "outer", "0x1000", NULL }, expected);
}

static void an_inlined_function_shown_alone_lacks_the_line_of_its_call(void **state)
{
	struct program program;
	char expected[256];

	(void)state;
	begin(&program);
	add_sample(&program, (const char *[]){ place_in_outer, NULL }, 1);
	add_sample(&program, (const char *[]){ place_in_inner, NULL }, 2);
	add_sample(&program, (const char *[]){ place_in_inner, place_in_inner, NULL }, 4);
	snprintf(expected, sizeof(expected), "inner:%d 6 6, outer:%d 0 4, ", INNER_LINE, CALL_LINE);
	expect_lines(&program, (const char *[]){ "program", "outer", "inner", NULL }, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(they_are_those_of_the_tree_of_the_scope,
						letter_view_set_up, letter_view_tear_down),
		cmocka_unit_test(a_row_shown_alone_has_what_was_called_at_all_lines_of_its_caller),
		cmocka_unit_test(an_inlined_function_shown_alone_lacks_the_line_of_its_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
