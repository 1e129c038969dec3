#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/model/profile.h"
#include "report/findings/hottest.h"
#include "report/views/view.h"
#include "tests/unit/fixtures/letter_view.h"
#include "tests/unit/fixtures/sample_profile.h"

static unsigned count_children(const struct view_row *row)
{
	unsigned n = 0;

	for (row = row->children; row; row = row->next)
		n++;
	return n;
}

/* Arcs of a call graph have the costs of the functions again. */
static uint64_t sum_of_self(const struct view_row *row, uint32_t metric)
{
	uint64_t sum = row->arc ? 0 : row->self[metric];

	for (const struct view_row *below = row->children; below; below = below->next)
		sum += sum_of_self(below, metric);
	return sum;
}

static void call_sites_of_one_function_are_one_row(void **state)
{
	struct letter_view *fixture = *state;
	const struct view_row *root, *b;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mab", 3);
	letter_view_add_sample(fixture, 0, "mab", 4);
	letter_view_add_sample(fixture, 0, "mac", 5);
	root = letter_view_show(fixture, &(struct view_options){ .kind = VIEW_TREE });
	assert_int_equal(count_children(root), 1);
	assert_string_equal(root->children->name, "prog");
	assert_int_equal(root->children->id, 10);
	b = letter_view_descend(root->children, "mab");
	assert_non_null(b);
	assert_int_equal(b->total[0], 7);
	assert_int_equal(b->samples[0], 2);
	assert_string_equal(b->module, "prog");
	assert_int_equal(letter_view_descend(root->children, "ma")->total[0], 12);
	assert_int_equal(root->total[0], 12);
}

static void the_tree_keeps_recursion(void **state)
{
	struct letter_view *fixture = *state;
	const struct view_row *root;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mrrr", 1);
	root = letter_view_show(fixture, &(struct view_options){ .kind = VIEW_TREE });
	assert_int_equal(letter_view_descend(root->children, "mrrr")->self[0], 1);
	assert_int_equal(letter_view_descend(root->children, "mr")->self[0], 0);
}

static void recursion_counts_a_sample_once(void **state)
{
	static const struct {
		const char *path;
		uint64_t weight;
	} samples[] = { { "mrrr", 5 }, { "mrxrx", 3 }, { "mx", 2 }, { "m", 1 } };
	static const struct {
		const char *name;
		uint64_t self, total, n_samples;
	} expected[] = { { "m", 1, 11, 4 }, { "r", 5, 8, 2 }, { "x", 5, 5, 2 } };
	struct letter_view *fixture = *state;
	const struct view_row *root;

	profile_add_process(fixture->profile, 10, "prog");
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		letter_view_add_sample(fixture, 0, samples[i].path, samples[i].weight);
	root = letter_view_show(fixture, &(struct view_options){ .kind = VIEW_FUNCTIONS });
	assert_int_equal(count_children(root), 3);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct view_row *row = letter_view_child(root, expected[i].name);

		assert_non_null(row);
		assert_int_equal(row->self[0], expected[i].self);
		assert_int_equal(row->total[0], expected[i].total);
		assert_int_equal(row->samples[0], expected[i].n_samples);
	}
}

/* A sample of a path whose innermost frames are of new calls. */
static void add_calls(struct letter_view *fixture, const char *path, size_t n_new)
{
	letter_view_add_sample(fixture, 0, path, 1);
	cct_count_calls(fixture->profile->cct, letter_view_add_path(fixture, 0, path), n_new);
}

static void all_calls_of_a_function_add_up_wherever_it_was_called(void **state)
{
	static const struct view_options functions = { .kind = VIEW_FUNCTIONS },
					 tree = { .kind = VIEW_TREE };
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	assert_int_equal(cct_keep_activations(fixture->profile->cct), 0);
	add_calls(fixture, "mrrr", 4);
	add_calls(fixture, "mrx", 1);
	add_calls(fixture, "mrx", 0);
	add_calls(fixture, "mx>AB", 3);
	const struct view_row *root = letter_view_show(fixture, &functions);
	assert_int_equal(letter_view_child(root, "m")->activations, 1);
	assert_int_equal(letter_view_child(root, "r")->activations, 3);
	assert_int_equal(letter_view_child(root, "x")->activations, 2);
	assert_int_equal(letter_view_child(root, "B")->activations, 1);
	const struct view_row *process = letter_view_show(fixture, &tree)->children;
	assert_int_equal(process->activations, 0);
	assert_int_equal(letter_view_descend(process, "mr")->activations, 1);
	assert_int_equal(letter_view_descend(process, "mrr")->activations, 1);
	assert_int_equal(letter_view_descend(process, "mrx")->activations, 1);
	assert_int_equal(letter_view_descend(process, "mx")->activations, 1);
}

static void callers_share_the_cost_of_their_callee(void **state)
{
	struct letter_view *fixture = *state;
	const struct view_row *root, *w;

	profile_add_process(fixture->profile, 10, "prog");
	profile_add_process(fixture->profile, 11, "other");
	letter_view_add_sample(fixture, 0, "maw", 1);
	letter_view_add_sample(fixture, 0, "mbw", 2);
	letter_view_add_sample(fixture, 1, "mbw", 4);
	letter_view_add_sample(fixture, 0, "mb", 8);
	root = letter_view_show(fixture, &(struct view_options){ .kind = VIEW_CALLERS });
	assert_int_equal(root->total[0], 15);
	assert_int_equal(count_children(root), 2);
	w = letter_view_child(root, "w");
	assert_int_equal(w->self[0], 7);
	assert_int_equal(w->total[0], 7);
	assert_int_equal(letter_view_descend(w, "a")->total[0], 1);
	assert_int_equal(letter_view_descend(w, "bm")->total[0], 6);
	assert_int_equal(letter_view_descend(w, "bm")->self[0], 0);
	assert_null(letter_view_descend(w, "bm")->children);
	assert_int_equal(letter_view_descend(root, "bm")->total[0], 8);
}

static void callers_below_the_threshold_are_not_expanded(void **state)
{
	struct letter_view *fixture = *state;
	const struct view_row *root;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "maw", 1);
	letter_view_add_sample(fixture, 0, "mb", 99);
	root = letter_view_show(fixture,
				&(struct view_options){ .kind = VIEW_CALLERS, .min_percent = 5 });
	assert_non_null(letter_view_child(root, "b")->children);
	assert_non_null(letter_view_child(root, "w"));
	assert_null(letter_view_child(root, "w")->children);
}

/* "s" has self costs in a row that is shown and in three nodes without rows. */
static void rows_below_the_threshold_have_no_children_and_count_as_hottest(void **state)
{
	struct letter_view *fixture = *state;
	struct hottest whole, part;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mabst", 1);
	letter_view_add_sample(fixture, 0, "mabs", 2);
	letter_view_add_sample(fixture, 0, "mabus", 1);
	letter_view_add_sample(fixture, 0, "mas", 20);
	letter_view_add_sample(fixture, 0, "m", 76);
	(void)letter_view_show(fixture, &(struct view_options){ .kind = VIEW_TREE });
	assert_int_equal(hottest_find(fixture->view, &whole), 0);
	assert_null(fixture->view->left_out);
	const struct view_row *root = letter_view_show(
		fixture, &(struct view_options){ .kind = VIEW_TREE, .min_percent = 5 });
	assert_int_equal(hottest_find(fixture->view, &part), 0);
	const struct view_row *b = letter_view_descend(root->children, "mab");
	assert_int_equal(b->total[0], 4);
	assert_null(b->children);
	assert_int_equal(letter_view_descend(root->children, "mas")->total[0], 20);
	assert_int_equal(part.n_functions, whole.n_functions);
	for (unsigned i = 0; i < whole.n_functions; i++) {
		assert_string_equal(part.functions[i].row.name, whole.functions[i].row.name);
		assert_int_equal(part.functions[i].cost, whole.functions[i].cost);
	}
	assert_int_equal(part.functions[1].cost, 23);
}

static void kernel_frames_are_merged_alone_or_given_to_who_entered(void **state)
{
	struct letter_view *fixture = *state;
	const struct view_row *process;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mr>SV", 6);
	letter_view_add_sample(fixture, 0, "m", 1);
	process = letter_view_show(fixture, &(struct view_options){ .kernel = KERNEL_MERGED })
			  ->children;
	process = letter_view_child(letter_view_descend(process, "mr"), "[kernel]");
	assert_int_equal(process->kind, ROW_MARKER);
	assert_int_equal(letter_view_descend(process, "SV")->self[0], 6);
	assert_int_equal(letter_view_descend(process, "S")->kind, ROW_KERNEL);
	assert_string_equal(letter_view_descend(process, "S")->module, "[kernel]");

	process = letter_view_show(fixture, &(struct view_options){ .kernel = KERNEL_ONLY })
			  ->children;
	assert_int_equal(letter_view_descend(process, "SV")->self[0], 6);
	assert_int_equal(process->self[0], 1);
	assert_int_equal(process->total[0], 7);

	process = letter_view_show(fixture, &(struct view_options){ .kernel = KERNEL_NONE })
			  ->children;
	assert_int_equal(letter_view_descend(process, "mr")->self[0], 6);
	assert_null(letter_view_descend(process, "mr")->children);
}

static void processes_are_grouped_by_name_or_pid(void **state)
{
	struct letter_view *fixture = *state;
	const struct view_row *root;
	struct view_options options = { .kind = VIEW_TREE, .grouping = GROUP_COMM };

	profile_add_process(fixture->profile, 10, "sh");
	profile_add_process(fixture->profile, 11, "sh");
	profile_add_process(fixture->profile, 11, "cc");
	profile_add_process(fixture->profile, 12, "sh");
	for (uint32_t i = 0; i < 4; i++)
		letter_view_add_sample(fixture, i, "m", 1);
	root = letter_view_show(fixture, &options);
	assert_int_equal(count_children(root), 2);
	assert_int_equal(letter_view_child(root, "sh")->n_merged, 3);
	assert_int_equal(letter_view_child(root, "sh")->id, -1);
	assert_int_equal(letter_view_child(root, "sh")->total[0], 3);
	assert_int_equal(letter_view_child(root, "cc")->n_merged, 1);
	assert_int_equal(letter_view_child(root, "cc")->id, 11);
	options.grouping = GROUP_PROCESS;
	root = letter_view_show(fixture, &options);
	assert_int_equal(count_children(root), 4);
	for (const struct view_row *row = root->children; row; row = row->next)
		assert_int_equal(row->n_merged, 1);
}

/* The row of a function in a process or CPU; NULL: there is none. */
static const struct view_row *row_of(const struct view_row *root, const char *function,
				     const char *process, int32_t pid, int32_t cpu)
{
	for (const struct view_row *row = root->children; row; row = row->next) {
		const char *of = row->whose->process ? row->whose->process : "";

		if (strcmp(row->name, function) == 0 && strcmp(of, process) == 0 &&
		    row->whose->pid == pid && row->whose->cpu == cpu)
			return row;
	}
	return NULL;
}

static void functions_have_a_row_for_each_process_on_request(void **state)
{
	struct letter_view *fixture = *state;
	struct view_options options = { .kind = VIEW_FUNCTIONS, .each_task = true };
	const struct view_row *root;

	profile_add_process(fixture->profile, 10, "sh");
	profile_add_process(fixture->profile, 11, "sh");
	profile_add_process(fixture->profile, 12, "cc");
	letter_view_add_sample(fixture, 0, "mrmr", 1);
	letter_view_add_sample(fixture, 1, "mr", 2);
	letter_view_add_sample(fixture, 2, "mr", 4);
	letter_view_add_sample(fixture, 2, "m", 8);
	root = letter_view_show(fixture, &options);
	assert_int_equal(count_children(root), 4);
	assert_int_equal(row_of(root, "r", "sh", -1, -1)->self[0], 3);
	assert_int_equal(row_of(root, "m", "sh", -1, -1)->total[0], 3);
	assert_int_equal(row_of(root, "m", "cc", -1, -1)->self[0], 8);
	assert_int_equal(row_of(root, "m", "cc", -1, -1)->total[0], 12);
	options.grouping = GROUP_PROCESS;
	root = letter_view_show(fixture, &options);
	assert_int_equal(count_children(root), 6);
	assert_int_equal(row_of(root, "m", "sh", 10, -1)->total[0], 1);
	assert_int_equal(row_of(root, "m", "sh", 11, -1)->total[0], 2);
}

static void rows_of_a_tree_of_cpus_are_separate_for_each_cpu(void **state)
{
	struct letter_view *fixture = *state;
	struct view_options options = { .kind = VIEW_FUNCTIONS, .each_cpu = true };
	struct frame cpu = { .kind = FRAME_CPU }, process = { .kind = FRAME_PROCESS };
	struct frame function = letter_view_frame(fixture, 'm');
	struct cct *cct = fixture->profile->cct;
	const struct view_row *root;

	profile_add_process(fixture->profile, 10, "sh");
	for (cpu.offset = 0; cpu.offset < 3; cpu.offset++) {
		uint32_t node = cct_child(cct, CCT_ROOT, &cpu);

		node = cct_child(cct, cct_child(cct, node, &process), &function);
		sample_profile_add(fixture->profile, node, 0, 1 + cpu.offset);
	}
	root = letter_view_show(fixture, &options);
	assert_int_equal(count_children(root), 3);
	assert_int_equal(row_of(root, "m", "", -1, 2)->self[0], 3);
	options.each_task = true;
	root = letter_view_show(fixture, &options);
	assert_int_equal(count_children(root), 3);
	assert_int_equal(row_of(root, "m", "sh", -1, 1)->self[0], 2);
	options = (struct view_options){ .kind = VIEW_PROCESSES, .each_cpu = true };
	root = letter_view_show(fixture, &options);
	assert_int_equal(row_of(root, "sh", "", -1, 0)->total[0], 1);
}

static void threads_stand_below_their_process_on_request(void **state)
{
	struct letter_view *fixture = *state;
	struct frame process = { .kind = FRAME_PROCESS }, thread = { .kind = FRAME_THREAD };
	struct view_options options = { .kind = VIEW_TREE, .grouping = GROUP_THREAD };
	struct cct *cct = fixture->profile->cct;
	struct frame function = letter_view_frame(fixture, 'm');
	const struct view_row *root;
	uint32_t node;

	profile_add_process(fixture->profile, 10, "prog");
	profile_add_thread(fixture->profile, 10, 0, "main");
	profile_add_thread(fixture->profile, 11, 0, "worker");
	for (thread.offset = 0; thread.offset < 2; thread.offset++) {
		node = cct_child(cct, CCT_ROOT, &process);
		node = cct_child(cct, node, &thread);
		sample_profile_add(fixture->profile, cct_child(cct, node, &function), 0,
				   1 + thread.offset);
	}
	root = letter_view_show(fixture, &options);
	assert_int_equal(count_children(root->children), 2);
	assert_int_equal(letter_view_child(root->children, "worker")->id, 11);
	assert_int_equal(letter_view_child(root->children, "worker")->kind, ROW_THREAD);
	assert_int_equal(letter_view_child(root->children, "worker")->total[0], 2);
	options.grouping = GROUP_COMM;
	root = letter_view_show(fixture, &options);
	assert_int_equal(letter_view_descend(root->children, "m")->total[0], 3);
}

static void modules_count_a_sample_once(void **state)
{
	struct letter_view *fixture = *state;
	const struct view_row *root;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mab>S", 2);
	letter_view_add_sample(fixture, 0, "!ab", 3);
	letter_view_add_sample(fixture, 0, "!", 4);
	root = letter_view_show(fixture, &(struct view_options){ .kind = VIEW_MODULES });
	assert_int_equal(count_children(root), 3);
	assert_int_equal(letter_view_child(root, "prog")->self[0], 3);
	assert_int_equal(letter_view_child(root, "prog")->total[0], 5);
	assert_int_equal(letter_view_child(root, "[kernel]")->self[0], 2);
	assert_int_equal(letter_view_child(root, "[kernel]")->kind, ROW_KERNEL);
	assert_int_equal(letter_view_child(root, marker_text(MARKER_STACK_CUT))->self[0], 4);
}

static void every_view_adds_up_to_the_profile(void **state)
{
	struct letter_view *fixture = *state;
	uint32_t node;

	profile_add_process(fixture->profile, 10, "prog");
	profile_add_process(fixture->profile, 0, "idle");
	letter_view_add_sample(fixture, 0, "mrrx>SV", 7);
	letter_view_add_sample(fixture, 0, "!xrx", 11);
	letter_view_add_sample(fixture, 1, "IH", 13);
	letter_view_add_sample(fixture, 1, "", 17);
	node = letter_view_add_path(fixture, 0, "mrx");
	sample_profile_add(fixture->profile, node, 1, 19);
	for (int kind = VIEW_TREE; kind <= VIEW_SYSCALLS; kind++) {
		if (kind == VIEW_PATHS) /* needs a root; test_view_paths.c */
			continue;
		for (int kernel = KERNEL_MERGED; kernel <= KERNEL_NONE; kernel++) {
			const struct view_row *root = letter_view_show(
				fixture,
				&(struct view_options){ .kind = (enum view_kind)kind,
							.kernel = (enum view_kernel)kernel });

			assert_int_equal(root->total[0], 48);
			assert_int_equal(root->total[1], 19);
			assert_int_equal(root->samples[0], 4);
			assert_int_equal(sum_of_self(root, 0), 48);
			assert_int_equal(sum_of_self(root, 1), 19);
		}
	}
}

static void rows_are_sorted_as_asked(void **state)
{
	static const struct {
		enum view_sort sort;
		uint32_t metric;
		const char *order;
	} cases[] = {
		{ SORT_TOTAL, 0, "mabc" }, /* b and c tie in cycles: faults decide */
		{ SORT_SELF, 0, "abcm" },
		{ SORT_NAME, 0, "abcm" },
		{ SORT_TOTAL, 1, "mbac" },
	};
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "ma", 5);
	letter_view_add_sample(fixture, 0, "mb", 2);
	letter_view_add_sample(fixture, 0, "mc", 2);
	sample_profile_add(fixture->profile, letter_view_add_path(fixture, 0, "mb"), 1, 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct view_row *row =
			letter_view_show(fixture,
					 &(struct view_options){ .kind = VIEW_FUNCTIONS,
								 .sort = cases[i].sort,
								 .sort_metric = cases[i].metric })
				->children;

		for (const char *name = cases[i].order; *name; name++, row = row->next)
			assert_int_equal(row->name[0], *name);
		assert_null(row);
	}
}

static void an_empty_profile_has_an_empty_view(void **state)
{
	struct letter_view *fixture = *state;

	for (int kind = VIEW_TREE; kind <= VIEW_PROCESSES; kind++) {
		const struct view_row *root = letter_view_show(
			fixture, &(struct view_options){ .kind = (enum view_kind)kind });

		assert_null(root->children);
		assert_int_equal(root->total[0], 0);
	}
}

/* Two functions of one name and one cost, of which either was met first. */
static void functions_of_one_name_are_in_the_order_of_their_code(void **state)
{
	const struct module_key key = { .kind = MODULE_ELF, .path = "/nowhere/program" };

	(void)state;
	for (uint64_t first = 0x100; first <= 0x200; first += 0x100) {
		struct profile *profile = sample_profile_create((const char *[]){ "cycles" }, 1);
		const uint32_t id = module_table_add(&profile->modules, &key);
		struct module *module = module_table_get(&profile->modules, id);
		const uint32_t top =
			sample_profile_process(profile, profile_add_process(profile, 7, "p"));

		module->symbols = symbol_table_create();
		symbol_table_add(module->symbols, 0x100, 0x100, "same", 4);
		symbol_table_add(module->symbols, 0x200, 0x100, "same", 4);
		symbol_table_sort(module->symbols);
		for (int i = 0; i < 2; i++) {
			const struct frame frame = { .kind = FRAME_USER,
						     .module = id,
						     .offset = i ? 0x300 - first : first };

			sample_profile_add(profile, cct_child(profile->cct, top, &frame), 0, 5);
		}
		struct symbolizer *symbolizer =
			symbolizer_create(profile, &(struct symbolizer_options){ 0 });
		struct view *view;
		assert_int_equal(view_create(profile, symbolizer,
					     &(struct view_options){ .kind = VIEW_FUNCTIONS },
					     &view),
				 0);
		assert_int_equal(count_children(view->root), 2);
		assert_string_equal(view->root->children->name, "same");
		assert_int_equal(view->root->children->lowest_offset, 0x100);
		assert_string_equal(view->root->children->next->name, "same");
		view_destroy(view);
		symbolizer_destroy(symbolizer);
		profile_destroy(profile);
	}
}

static void a_sort_metric_that_does_not_exist_is_refused(void **state)
{
	struct letter_view *fixture = *state;
	struct view_options options = { .sort_metric = 2 };

	assert_true(view_create(fixture->profile, fixture->symbolizer, &options, &fixture->view) <
		    0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, letter_view_set_up, letter_view_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(call_sites_of_one_function_are_one_row),
		TEST(the_tree_keeps_recursion),
		TEST(recursion_counts_a_sample_once),
		TEST(all_calls_of_a_function_add_up_wherever_it_was_called),
		TEST(callers_share_the_cost_of_their_callee),
		TEST(callers_below_the_threshold_are_not_expanded),
		TEST(rows_below_the_threshold_have_no_children_and_count_as_hottest),
		TEST(kernel_frames_are_merged_alone_or_given_to_who_entered),
		TEST(processes_are_grouped_by_name_or_pid),
		TEST(functions_have_a_row_for_each_process_on_request),
		TEST(rows_of_a_tree_of_cpus_are_separate_for_each_cpu),
		TEST(threads_stand_below_their_process_on_request),
		TEST(modules_count_a_sample_once),
		TEST(every_view_adds_up_to_the_profile),
		TEST(rows_are_sorted_as_asked),
		cmocka_unit_test(functions_of_one_name_are_in_the_order_of_their_code),
		TEST(an_empty_profile_has_an_empty_view),
		TEST(a_sort_metric_that_does_not_exist_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
