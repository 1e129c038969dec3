#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/export/export_text.h"
#include "report/fold/fold.h"
#include "tests/unit/fixtures/sample_profile.h"

/* A view whose rows the test adds, with the report's text. */
struct fixture {
	struct profile *profile;
	struct symbolizer *symbolizer;
	struct view *view;
	char *output;
};

static const struct fold_entity all = { .name = "all", .module = "", .frame_kind = FRAME_ROOT };

static int set_up(void **state)
{
	static const struct view_options options = { .kind = VIEW_TREE };
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->profile = sample_profile_create((const char *[]){ "cycles:u" }, 1);
	fixture->symbolizer =
		symbolizer_create(fixture->profile, &(struct symbolizer_options){ 0 });
	fixture->view = view_alloc(fixture->profile, &options);
	fixture->view->root = view_add_row(fixture->view, NULL, &all);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	view_destroy(fixture->view);
	symbolizer_destroy(fixture->symbolizer);
	profile_destroy(fixture->profile);
	free(fixture->output);
	free(fixture);
	return 0;
}

/* Adds a row as the last child of @parent, and @self to its costs and those of all rows above. */
static struct view_row *add_row(struct fixture *fixture, struct view_row *parent,
				const struct fold_entity *entity, uint64_t self)
{
	struct view_row *row = view_add_row(fixture->view, parent, entity), *last = row;

	while (last->next)
		last = last->next;
	if (last != row) {
		parent->children = row->next;
		row->next = NULL;
		last->next = row;
	}
	row->self[0] = self;
	for (struct view_row *above = row; above; above = above->parent)
		above->total[0] += self;
	return row;
}

static struct view_row *add_process(struct fixture *fixture, const char *name, uint64_t self)
{
	return add_row(fixture, fixture->view->root,
		       &(struct fold_entity){ .name = name,
					      .module = "",
					      .id = 7,
					      .n_merged = 1,
					      .frame_kind = FRAME_PROCESS },
		       self);
}

static struct view_row *add_function(struct fixture *fixture, struct view_row *parent,
				     const char *name, uint64_t self)
{
	return add_row(
		fixture, parent,
		&(struct fold_entity){
			.name = name, .module = "m", .n_merged = 1, .frame_kind = FRAME_USER },
		self);
}

/* The tree of a report without its header. */
static const char *write_tree(struct fixture *fixture, const struct export_options *options)
{
	size_t size;

	free(fixture->output);
	FILE *out = open_memstream(&fixture->output, &size);
	assert_int_equal(export_text(out, fixture->view, fixture->symbolizer, options), 0);
	fclose(out);
	return strstr(fixture->output, "  total    self  call path");
}

static void entry_functions_are_folded_into_the_line_of_their_process(void **state)
{
	struct fixture *fixture = *state;
	struct view_row *row = add_process(fixture, "postgres", 0);

	row = add_function(fixture, row, "_start", 0);
	row = add_function(fixture, row, "__libc_start_main", 0);
	row = add_function(fixture, row, "main", 20);
	row = add_function(fixture, row, "_start", 0); /* not an entry here */
	add_function(fixture, row, "f", 80);
	assert_string_equal(write_tree(fixture, &(struct export_options){ 0 }),
			    "  total    self  call path                  module\n"
			    "100.00%  20.00%  postgres (pid 7) ... main  m\n"
			    " 80.00%       -    _start                   m\n"
			    " 80.00%  80.00%    f                        m\n");
}

static void entry_functions_of_several_threads_are_folded_one_by_one(void **state)
{
	struct fixture *fixture = *state;
	struct view_row *row, *process = add_process(fixture, "java", 0);

	row = add_function(fixture, process, "clone3", 0);
	row = add_function(fixture, row, "start_thread", 0);
	add_function(fixture, row, "work", 50);
	add_function(fixture, row, "wait", 20);
	row = add_function(fixture, process, "_start", 0);
	add_function(fixture, row, "main", 30);
	assert_string_equal(write_tree(fixture, &(struct export_options){ 0 }),
			    "  total    self  call path           module\n"
			    "100.00%       -  java (pid 7)\n"
			    " 70.00%       -  |-... start_thread  m\n"
			    " 50.00%  50.00%  | |-work            m\n"
			    " 20.00%  20.00%  | `-wait            m\n"
			    " 30.00%  30.00%  `-... main          m\n");
}

/* Its parentheses are no parameters, so what is too wide is cut in the middle. */
static void the_text_of_a_value_is_no_function(void **state)
{
	struct fixture *fixture = *state;
	struct view_row *row = add_process(fixture, "postgres", 0);

	row = add_function(fixture, row, "exec_simple_query", 0);
	add_row(fixture, row,
		&(struct fold_entity){ .name = "[query_string = \"select max(id), count(*), "
					       "min(id) from accounts\"]",
				       .module = "",
				       .n_merged = 1,
				       .frame_kind = FRAME_VALUE },
		100);
	const char *tree = write_tree(fixture, &(struct export_options){ .width = 70 });
	assert_non_null(strstr(tree, "[query_string = \"s...*), min(id) from"));
}

static void an_entry_function_with_a_cost_is_shown(void **state)
{
	struct fixture *fixture = *state;
	struct view_row *row = add_process(fixture, "sh", 0);

	row = add_function(fixture, row, "_start", 10);
	add_function(fixture, row, "main", 90);
	assert_string_equal(write_tree(fixture, &(struct export_options){ 0 }),
			    "  total    self  call path   module\n"
			    "100.00%       -  sh (pid 7)\n"
			    "100.00%  10.00%    _start    m\n"
			    " 90.00%  90.00%    main      m\n");
}

static void a_function_that_calls_nothing_else_is_not_an_entry(void **state)
{
	struct fixture *fixture = *state;
	struct view_row *row = add_process(fixture, "sh", 0);

	add_function(fixture, add_function(fixture, row, "main", 0), "f", 1);
	assert_string_equal(write_tree(fixture, &(struct export_options){ 0 }),
			    "  total    self  call path   module\n"
			    "100.00%       -  sh (pid 7)\n"
			    "100.00%       -    main      m\n"
			    "100.00% 100.00%    f         m\n");
}

static void hidden_rows_are_summed_up_after_the_row_that_goes_on(void **state)
{
	struct fixture *fixture = *state;
	struct view_row *row = add_process(fixture, "p", 0), *parent;

	parent = add_function(fixture, row, "main", 1);
	row = add_function(fixture, parent, "f", 0);
	add_function(fixture, row, "g", 90);
	add_function(fixture, row, "small", 4);
	for (unsigned i = 0; i < 5; i++)
		add_function(fixture, parent, "smaller", 1);
	assert_string_equal(write_tree(fixture, &(struct export_options){ .min_percent = 5 }),
			    "  total    self  call path  module\n"
			    "100.00%       -  p (pid 7)\n"
			    "100.00%   1.00%    main     m\n"
			    " 94.00%       -    |-f      m\n"
			    " 90.00%  90.00%    | |-g    m\n"
			    "  4.00%   4.00%    | `-... 1 more below 5 %\n"
			    "  5.00%   5.00%    `-... 5 more below 5 %\n");
}

/* A kernel thread that waits for work, and has worked. */
static void add_kernel_thread(struct fixture *fixture, const char *name, uint64_t idle,
			      uint64_t busy)
{
	struct view_row *row = add_process(fixture, name, 0);

	row = add_row(fixture, row,
		      &(struct fold_entity){ .name = "schedule",
					     .module = "[kernel]",
					     .frame_kind = FRAME_KERNEL },
		      busy);
	add_row(fixture, row,
		&(struct fold_entity){ .name = marker_text(MARKER_WAIT_WORK),
				       .module = "",
				       .frame_kind = FRAME_MARKER },
		idle);
}

static void idle_kernel_threads_have_one_line(void **state)
{
	struct fixture *fixture = *state;

	add_function(fixture, add_process(fixture, "p", 0), "f", 600);
	add_kernel_thread(fixture, "kworker/0:1", 100, 0);
	add_kernel_thread(fixture, "kworker/1:1", 100, 1);
	add_kernel_thread(fixture, "kswapd0", 100, 99);
	const char *text = write_tree(fixture, &(struct export_options){ 0 });
	assert_non_null(strstr(text, "p (pid 7)\n"));
	assert_non_null(strstr(text, "kswapd0 (pid 7)\n"));
	assert_null(strstr(text, "kworker"));
	assert_non_null(strstr(text, " 20.10%       -  2 idle kernel threads\n"));
}

static void a_single_idle_kernel_thread_has_its_name(void **state)
{
	struct fixture *fixture = *state;

	add_function(fixture, add_process(fixture, "p", 0), "f", 600);
	add_kernel_thread(fixture, "kworker/0:1", 100, 0);
	const char *text = write_tree(fixture, &(struct export_options){ 0 });
	assert_non_null(strstr(text, "kworker/0:1 (pid 7)\n"));
	assert_null(strstr(text, "idle"));
}

static void a_class_says_more_than_the_place_of_an_inlined_call(void **state)
{
	struct fixture *fixture = *state;
	struct view_row *row = add_process(fixture, "p", 0);

	row = add_function(fixture, row, "space::allocator<int, long>::allocate(int)", 100);
	row->kind = ROW_INLINE;
	row->call_file = "alloc_traits.h";
	row->call_line = 464;
	const char *text = write_tree(fixture, &(struct export_options){ .width = 100 });
	assert_non_null(strstr(
		text, " space::allocator<int, long>::allocate (inlined at alloc_traits.h:464)"));
	text = write_tree(fixture, &(struct export_options){ .width = 70 });
	assert_non_null(strstr(text, " space::allocator<int, long>::allocate (inlined) "));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(entry_functions_are_folded_into_the_line_of_their_process),
		TEST(entry_functions_of_several_threads_are_folded_one_by_one),
		TEST(the_text_of_a_value_is_no_function),
		TEST(an_entry_function_with_a_cost_is_shown),
		TEST(a_function_that_calls_nothing_else_is_not_an_entry),
		TEST(idle_kernel_threads_have_one_line),
		TEST(a_single_idle_kernel_thread_has_its_name),
		TEST(a_class_says_more_than_the_place_of_an_inlined_call),
		TEST(hidden_rows_are_summed_up_after_the_row_that_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
