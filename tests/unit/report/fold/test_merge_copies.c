#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/demangle/clone_name.h"
#include "report/fold/merge_copies.h"

#define MAX_NODES 32

/* A fold made by hand: functions of one module, by name. */
struct made_fold {
	struct fold fold;
	struct fold_entity entities[MAX_NODES];
	struct fold_node nodes[MAX_NODES];
	struct fold_detail details[MAX_NODES];
	uint64_t self[MAX_NODES], samples[MAX_NODES];
	char *base_names[MAX_NODES];
};

static void begin(struct made_fold *made)
{
	*made = (struct made_fold){
		.fold = { .n_entities = 1, .n_nodes = 1, .n_metrics = 1 },
		.entities[0] = { .name = "all", .module = "" },
	};
	made->fold.entities = made->entities;
	made->fold.nodes = made->nodes;
	made->fold.details = made->details;
	made->fold.self = made->self;
	made->fold.self_samples = made->samples;
}

static void end(struct made_fold *made)
{
	for (uint32_t i = 0; i < made->fold.n_entities; i++)
		free(made->base_names[i]);
	path_marks_deinit(&made->fold.marks);
}

static uint32_t add_entity(struct made_fold *made, const char *name, bool is_inlined)
{
	uint32_t index = made->fold.n_entities++;

	made->base_names[index] = clone_base_name(name);
	made->entities[index] = (struct fold_entity){
		.name = name,
		.base_name = made->base_names[index],
		.module = "prog",
		.module_id = 1,
		.frame_kind = FRAME_USER,
		.is_inlined = is_inlined,
	};
	return index;
}

/* Each node has a different cost and number of samples: 2 to the power of its index. */
static uint32_t add_node(struct made_fold *made, uint32_t parent, uint32_t entity)
{
	uint32_t index = made->fold.n_nodes++;

	made->nodes[index] = (struct fold_node){ .parent = parent, .entity = entity };
	assert_int_equal(path_marks_add(&made->fold.marks, index, PATH_GUESSED, 1), 0);
	made->details[index].frame_marks = 1u << PATH_GUESSED;
	made->self[index] = made->samples[index] = (uint64_t)1 << index;
	return index;
}

/* "foo(2) foo(4)": the nodes in order, each with its own cost. */
static const char *tell(const struct made_fold *made)
{
	static char text[1024];
	size_t size = 0;

	text[0] = '\0';
	for (uint32_t i = 1; i < made->fold.n_nodes; i++)
		size += (size_t)snprintf(
			text + size, sizeof(text) - size, "%s%s/%s(%u)", i > 1 ? " " : "",
			made->entities[made->nodes[made->nodes[i].parent].entity].name,
			made->entities[made->nodes[i].entity].name, (unsigned)made->self[i]);
	return text;
}

static uint64_t sum(const struct made_fold *made)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < made->fold.n_nodes; i++) {
		assert_int_equal(made->self[i], made->samples[i]);
		all += made->self[i];
	}
	return all;
}

static void expect_merged(struct made_fold *made, bool inlined, const char *expected)
{
	uint64_t before = sum(made);
	uint32_t n_nodes = made->fold.n_nodes;
	uint64_t n_marked = 0;

	assert_int_equal(merge_copies(&made->fold, inlined), 0);
	assert_string_equal(tell(made), expected);
	assert_int_equal(sum(made), before);
	for (uint32_t i = 0; i < made->fold.n_nodes; i++)
		n_marked += path_marks_of(&made->fold.marks, i)[PATH_GUESSED];
	for (uint32_t i = 1; i < made->fold.n_nodes; i++)
		assert_int_equal(made->details[i].frame_marks, 1u << PATH_GUESSED);
	assert_int_equal(n_marked, n_nodes - 1);
	end(made);
}

static void clones_are_known_by_their_names(void **state)
{
	static const struct {
		const char *name, *base;
	} cases[] = {
		{ "foo", NULL },
		{ "", NULL },
		{ ".cold", NULL },
		{ "foo.cold", "foo" },
		{ "foo.cold.1", "foo" },
		{ "foo.part.0", "foo" },
		{ "foo.isra.0.constprop.12.cold", "foo" },
		{ "foo.lto_priv.0", NULL },
		{ "foo.lto_priv.0.cold", "foo.lto_priv.0" },
		{ "foo.llvm.123", NULL },
		{ "foo.0", NULL },
		{ "shares__work__worker.7", NULL },
		{ "main._omp_fn.0", NULL },
		{ "foo.coldest", NULL },
		{ "foo@plt", NULL },
		{ "foo(int) [clone .cold]", "foo(int)" },
		{ "foo(int) [clone .part.0] [clone .constprop.1]", "foo(int)" },
		{ "foo(int) [clone .llvm.123] [clone .cold]", "foo(int) [clone .llvm.123]" },
		{ "foo(int) [clone .llvm.123]", NULL },
		{ "foo.cold]", NULL },
		{ "main.(*T).cold", "main.(*T)" }, /* a method of Go looks the same, but is alone */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *base = clone_base_name(cases[i].name);

		if (cases[i].base)
			assert_string_equal(base, cases[i].base);
		else
			assert_null(base);
		free(base);
	}
}

static void clones_and_their_function_are_one(void **state)
{
	struct made_fold made;

	(void)state;
	begin(&made);
	uint32_t main = add_entity(&made, "main", false), foo = add_entity(&made, "foo", false),
		 cold = add_entity(&made, "foo.cold", false),
		 clone = add_entity(&made, "foo.constprop.0", false),
		 bar = add_entity(&made, "bar", false);
	uint32_t top = add_node(&made, 0, main);

	add_node(&made, add_node(&made, top, foo), bar);
	add_node(&made, add_node(&made, top, cold), bar);
	add_node(&made, add_node(&made, top, clone), bar);
	expect_merged(&made, false, "all/main(2) main/foo(84) foo/bar(168)");
}

static void a_part_below_its_function_is_the_function_going_on(void **state)
{
	struct made_fold made;

	(void)state;
	begin(&made);
	uint32_t foo = add_entity(&made, "foo", false),
		 part = add_entity(&made, "foo.part.0", false),
		 bar = add_entity(&made, "bar", false);

	add_node(&made, add_node(&made, add_node(&made, 0, foo), part), bar);
	expect_merged(&made, false, "all/foo(6) foo/bar(8)");
}

static void recursion_stays(void **state)
{
	struct made_fold made;

	(void)state;
	begin(&made);
	uint32_t foo = add_entity(&made, "foo", false),
		 part = add_entity(&made, "foo.part.0", false),
		 clone = add_entity(&made, "foo.isra.0", false);

	/* By its part, by the part itself, and by a clone. */
	uint32_t node = add_node(&made, add_node(&made, add_node(&made, 0, foo), part), foo);
	node = add_node(&made, add_node(&made, node, part), part);
	add_node(&made, node, clone);
	expect_merged(&made, false, "all/foo(6) foo/foo(24) foo/foo(32) foo/foo(64)");
}

static void clones_without_their_function_have_its_name(void **state)
{
	struct made_fold made;

	(void)state;
	begin(&made);
	uint32_t one = add_entity(&made, "foo.constprop.0", false),
		 two = add_entity(&made, "foo.constprop.1", false);

	add_node(&made, 0, one);
	add_node(&made, 0, two);
	expect_merged(&made, false, "all/foo(6)");
}

static void what_belongs_to_one_of_two_functions_stays_apart(void **state)
{
	struct made_fold made;

	(void)state;
	begin(&made);
	uint32_t one = add_entity(&made, "init", false), two = add_entity(&made, "init", false),
		 cold = add_entity(&made, "init.cold", false);

	add_node(&made, 0, one);
	add_node(&made, 0, two);
	add_node(&made, 0, cold);
	expect_merged(&made, false, "all/init(2) all/init(4) all/init.cold(8)");
	begin(&made);
	one = add_entity(&made, "init.cold", false);
	two = add_entity(&made, "init.cold", false);
	add_node(&made, 0, one);
	add_node(&made, 0, two);
	expect_merged(&made, false, "all/init.cold(2) all/init.cold(4)");
}

static void functions_of_two_modules_stay_apart(void **state)
{
	struct made_fold made;

	(void)state;
	begin(&made);
	uint32_t foo = add_entity(&made, "foo", false), cold = add_entity(&made, "foo.cold", false);

	made.entities[cold].module_id = 2;
	add_node(&made, 0, foo);
	add_node(&made, 0, cold);
	expect_merged(&made, false, "all/foo(2) all/foo(4)");
}

static void inlined_copies_are_added_where_asked_for(void **state)
{
	for (int inlined = 0; inlined < 2; inlined++) {
		struct made_fold made;

		(void)state;
		begin(&made);
		uint32_t main = add_entity(&made, "main", false),
			 copy = add_entity(&made, "foo", true),
			 foo = add_entity(&made, "foo", false),
			 alone = add_entity(&made, "bar", true);
		uint32_t top = add_node(&made, 0, main);

		add_node(&made, top, copy);
		add_node(&made, top, foo);
		add_node(&made, top, alone);
		expect_merged(&made, inlined,
			      inlined ? "all/main(2) main/foo(12) main/bar(16)"
				      : "all/main(2) main/foo(4) main/foo(8) main/bar(16)");
	}
}

static void debug_information_may_tell_no_parameters(void **state)
{
	struct made_fold made;

	(void)state;
	begin(&made);
	uint32_t copy = add_entity(&made, "ns::foo", true),
		 foo = add_entity(&made, "ns::foo(int)", false);

	add_node(&made, 0, copy);
	add_node(&made, 0, foo);
	expect_merged(&made, true, "all/ns::foo(int)(6)");
	begin(&made);
	copy = add_entity(&made, "ns::foo", true);
	foo = add_entity(&made, "ns::foo(int)", false);
	uint32_t other = add_entity(&made, "ns::foo(double)", false);
	add_node(&made, 0, copy);
	add_node(&made, 0, foo);
	add_node(&made, 0, other);
	expect_merged(&made, true, "all/ns::foo(2) all/ns::foo(int)(4) all/ns::foo(double)(8)");
}

static void two_inlined_functions_of_one_name_stay_apart(void **state)
{
	struct made_fold made;

	(void)state;
	begin(&made);
	uint32_t one = add_entity(&made, "foo", true), two = add_entity(&made, "foo", true),
		 foo = add_entity(&made, "foo", false);

	add_node(&made, 0, one);
	add_node(&made, 0, two);
	add_node(&made, 0, foo);
	expect_merged(&made, true, "all/foo(2) all/foo(4) all/foo(8)");
}

static void a_call_known_for_one_of_two_merged_nodes_is_not_known(void **state)
{
	struct made_fold made;

	(void)state;
	begin(&made);
	uint32_t foo = add_entity(&made, "foo", false), cold = add_entity(&made, "foo.cold", false),
		 inlined = add_entity(&made, "bar", true);
	uint32_t one = add_node(&made, add_node(&made, 0, foo), inlined);
	uint32_t two = add_node(&made, add_node(&made, 0, cold), inlined);

	made.details[one].call_file = made.details[two].call_file = "foo.c";
	made.details[one].call_line = 1;
	made.details[two].call_line = 2;
	assert_int_equal(merge_copies(&made.fold, false), 0);
	assert_int_equal(made.fold.n_nodes, 3);
	assert_int_equal(made.details[2].call_line, 0);
	end(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clones_are_known_by_their_names),
		cmocka_unit_test(clones_and_their_function_are_one),
		cmocka_unit_test(a_part_below_its_function_is_the_function_going_on),
		cmocka_unit_test(recursion_stays),
		cmocka_unit_test(clones_without_their_function_have_its_name),
		cmocka_unit_test(what_belongs_to_one_of_two_functions_stays_apart),
		cmocka_unit_test(functions_of_two_modules_stay_apart),
		cmocka_unit_test(inlined_copies_are_added_where_asked_for),
		cmocka_unit_test(debug_information_may_tell_no_parameters),
		cmocka_unit_test(two_inlined_functions_of_one_name_stay_apart),
		cmocka_unit_test(a_call_known_for_one_of_two_merged_nodes_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
