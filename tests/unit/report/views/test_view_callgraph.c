#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fixtures/letter_view.h"
#include "tests/unit/fixtures/sample_profile.h"

static const struct view_row *show_graph(struct letter_view *fixture)
{
	return letter_view_show(fixture, &(struct view_options){ .kind = VIEW_CALLGRAPH });
}

/* The arc to or from @other (0: no caller) of a function. NULL: none. */
static const struct view_row *find_arc(const struct view_row *row, enum row_arc kind, char other)
{
	for (row = row->children; row; row = row->next) {
		bool is_other = other ? row->function && row->name[0] == other && !row->name[1]
				      : !row->function;

		if (row->arc == kind && is_other)
			return row;
	}
	return NULL;
}

static void assert_costs(const struct view_row *row, uint64_t self, uint64_t total)
{
	assert_non_null(row);
	assert_int_equal(row->self[0], self);
	assert_int_equal(row->total[0], total);
}

/* The functions of a cycle as a word, from the smallest letter on. */
static void spell_cycle(const struct view_row *cycle, char word[static 32])
{
	size_t n = 0;

	for (const struct view_row *row = cycle->children; row && n < 31; row = row->next)
		word[n++] = row->name[0];
	word[n] = '\0';
}

/*
 * Spivey 2004, figure 2: Main -> (P -> Q -> R)^n -> P -> S. Each state of the stack has another
 * power of two as its cost, so each sum names its samples; the items of the figure's contexts give
 * what is expected. C0: m, C1: mp, C2: mpq, C3: mpqr, C4: mpqrp and later p, C5, C6, and that of S.
 */
static void the_program_of_spiveys_figure_2_has_the_papers_numbers(void **state)
{
	static const char *const stacks[] = { "m",      "mp",      "mpq",      "mpqr",     "mpqrp",
					      "mpqrpq", "mpqrpqr", "mpqrpqrp", "mpqrpqrps" };
	enum { C0 = 1, C1 = 2, C2 = 4, C3 = 8, C4 = 16 + 128, C5 = 32, C6 = 64, S = 256 };
	struct letter_view *fixture = *state;
	char word[32];

	profile_add_process(fixture->profile, 10, "prog");
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++)
		letter_view_add_sample(fixture, 0, stacks[i], 1u << i);
	const struct view_row *root = show_graph(fixture);
	const struct view_row *m = letter_view_child(root, "m"), *p = letter_view_child(root, "p"),
			      *q = letter_view_child(root, "q"), *r = letter_view_child(root, "r"),
			      *s = letter_view_child(root, "s");

	assert_costs(m, C0, 511);
	assert_costs(p, C1 + C4, 510);
	assert_costs(q, C2 + C5, 508);
	assert_costs(r, C3 + C6, 504);
	assert_costs(s, S, S);
	assert_costs(find_arc(m, ARC_FROM_CALLER, 0), C0, 511);
	assert_costs(find_arc(p, ARC_FROM_CALLER, 'm'), C1, C1 + C2 + C3);
	assert_costs(find_arc(p, ARC_FROM_CALLER, 'r'), C4, C4 + C5 + C6 + S);
	assert_costs(find_arc(q, ARC_FROM_CALLER, 'p'), C2 + C5, 508);
	assert_costs(find_arc(r, ARC_FROM_CALLER, 'q'), C3 + C6, 504);
	assert_costs(find_arc(s, ARC_FROM_CALLER, 'p'), S, S);
	assert_costs(find_arc(m, ARC_TO_CALLEE, 'p'), C1 + C4, 510);
	assert_costs(find_arc(p, ARC_TO_CALLEE, 'q'), C2 + C5, C2 + C3 + C5 + C6);
	assert_costs(find_arc(p, ARC_TO_CALLEE, 's'), S, S);
	assert_costs(find_arc(q, ARC_TO_CALLEE, 'r'), C3 + C6, C3 + C4 + C6 + S);
	assert_costs(find_arc(r, ARC_TO_CALLEE, 'p'), C4, C4 + C5 + S);
	assert_true(find_arc(p, ARC_TO_CALLEE, 'q')->differs);
	assert_true(find_arc(q, ARC_FROM_CALLER, 'p')->differs);
	assert_false(find_arc(p, ARC_TO_CALLEE, 's')->differs);
	assert_false(find_arc(s, ARC_FROM_CALLER, 'p')->differs);

	const struct view_row *cycle = fixture->view->cycles->children;
	assert_costs(cycle, 0, C4 + C5 + C6 + S);
	assert_null(cycle->next);
	spell_cycle(cycle, word);
	assert_string_equal(word, "pqr");
}

static void direct_recursion_is_no_arc(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mrrr", 1);
	letter_view_add_sample(fixture, 0, "mrrx", 2);
	letter_view_add_sample(fixture, 0, "mr", 4);
	const struct view_row *r = letter_view_child(show_graph(fixture), "r");

	assert_costs(r, 5, 7);
	assert_costs(find_arc(r, ARC_FROM_CALLER, 'm'), 5, 7);
	assert_costs(find_arc(r, ARC_TO_CALLEE, 'x'), 2, 2);
	assert_null(find_arc(r, ARC_FROM_CALLER, 'r'));
	assert_null(find_arc(r, ARC_TO_CALLEE, 'r'));
	assert_null(fixture->view->cycles->children);
}

/* gprof shares the cost of w by the number of calls, and attributes nothing to one caller. */
static void a_callees_cost_belongs_to_the_caller_that_caused_it(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "maw", 90);
	letter_view_add_sample(fixture, 0, "mbw", 10);
	letter_view_add_sample(fixture, 0, "maew", 3);
	const struct view_row *root = show_graph(fixture), *w = letter_view_child(root, "w");

	assert_costs(find_arc(w, ARC_FROM_CALLER, 'a'), 90, 90);
	assert_costs(find_arc(w, ARC_FROM_CALLER, 'b'), 10, 10);
	assert_costs(find_arc(w, ARC_FROM_CALLER, 'e'), 3, 3);
	assert_costs(letter_view_child(root, "a"), 0, 93);
	assert_costs(letter_view_child(root, "b"), 0, 10);
}

/* u calls what it was given: each caller of u has the cost of its own function. */
static void a_function_that_calls_for_others_charges_each_of_them(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mbug", 64);
	letter_view_add_sample(fixture, 0, "mauf", 1);
	const struct view_row *root = show_graph(fixture), *u = letter_view_child(root, "u");

	assert_costs(find_arc(u, ARC_FROM_CALLER, 'a'), 0, 1);
	assert_costs(find_arc(u, ARC_FROM_CALLER, 'b'), 0, 64);
	assert_costs(find_arc(u, ARC_TO_CALLEE, 'f'), 1, 1);
	assert_costs(find_arc(u, ARC_TO_CALLEE, 'g'), 64, 64);
}

/* Two letters' worth of arcs, by the definition: a sample's path, without the tree. */
struct expected {
	uint64_t self[128], total[128];
	uint64_t in_self[128][128], in_total[128][128]; /* [function][caller], caller 0: none */
	uint64_t out_self[128][128], out_total[128][128];
};

static void expect_sample(struct expected *expected, const char *path, uint64_t weight)
{
	char word[64];
	size_t n = 0;

	for (const char *at = path; *at; at++) {
		if (!n || word[n - 1] != *at)
			word[n++] = *at;
	}
	word[n] = '\0';
	unsigned char running = (unsigned char)word[n - 1];
	expected->self[running] += weight;
	for (unsigned char letter = 'a'; letter <= 'z'; letter++) {
		const char *last = strrchr(word, letter);

		if (!last)
			continue;
		unsigned char caller = last == word ? 0 : (unsigned char)last[-1];
		unsigned char callee = (unsigned char)last[1];
		expected->total[letter] += weight;
		expected->in_total[letter][caller] += weight;
		expected->in_self[letter][caller] += letter == running ? weight : 0;
		expected->out_total[letter][callee] += callee ? weight : 0;
		expected->out_self[letter][callee] += callee == running ? weight : 0;
	}
}

static void check_arc(const struct view_row *row, enum row_arc kind, char other, uint64_t self,
		      uint64_t total)
{
	const struct view_row *arc = find_arc(row, kind, other);

	if (total)
		assert_costs(arc, self, total);
	else
		assert_null(arc);
}

/* A function's arcs add up to it, and nothing is above the whole. */
static void check_function(const struct view_row *row, const struct expected *expected,
			   uint64_t whole)
{
	unsigned char letter = (unsigned char)row->name[0];
	uint64_t in = 0, in_self = 0, out = 0;

	assert_costs(row, expected->self[letter], expected->total[letter]);
	assert_in_range(row->total[0], 1, whole);
	for (int other = 0; other < 128; other++) {
		check_arc(row, ARC_FROM_CALLER, (char)other, expected->in_self[letter][other],
			  expected->in_total[letter][other]);
		if (other)
			check_arc(row, ARC_TO_CALLEE, (char)other,
				  expected->out_self[letter][other],
				  expected->out_total[letter][other]);
	}
	for (const struct view_row *arc = row->children; arc; arc = arc->next) {
		in += arc->arc == ARC_FROM_CALLER ? arc->total[0] : 0;
		in_self += arc->arc == ARC_FROM_CALLER ? arc->self[0] : 0;
		out += arc->arc == ARC_TO_CALLEE ? arc->total[0] : 0;
		assert_in_range(arc->self[0], 0, arc->total[0]);
	}
	assert_int_equal(in, row->total[0]);
	assert_int_equal(in_self, row->self[0]);
	assert_int_equal(out, row->total[0] - row->self[0]);
}

static void calls_are_those_by_a_caller_and_of_a_callee(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	assert_int_equal(cct_keep_activations(fixture->profile->cct), 0);
	letter_view_add_sample(fixture, 0, "maab", 1);
	letter_view_add_sample(fixture, 0, "mb", 1);
	cct_count_calls(fixture->profile->cct, letter_view_add_path(fixture, 0, "maab"), 4);
	cct_count_calls(fixture->profile->cct, letter_view_add_path(fixture, 0, "maab"), 1);
	cct_count_calls(fixture->profile->cct, letter_view_add_path(fixture, 0, "mb"), 1);
	const struct view_row *root = show_graph(fixture);
	const struct view_row *m = letter_view_child(root, "m"), *a = letter_view_child(root, "a"),
			      *b = letter_view_child(root, "b");

	assert_int_equal(m->activations, 1);
	assert_int_equal(a->activations, 2);
	assert_int_equal(b->activations, 3);
	assert_int_equal(find_arc(a, ARC_FROM_CALLER, 'm')->activations, 1);
	assert_int_equal(find_arc(b, ARC_FROM_CALLER, 'a')->activations, 2);
	assert_int_equal(find_arc(b, ARC_FROM_CALLER, 'm')->activations, 1);
	assert_int_equal(find_arc(m, ARC_TO_CALLEE, 'a')->activations, 1);
	assert_int_equal(find_arc(m, ARC_TO_CALLEE, 'b')->activations, 1);
	assert_int_equal(find_arc(a, ARC_TO_CALLEE, 'b')->activations, 2);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

/* Few letters make much recursion, direct and mutual; each trial has more of them. */
static void generate(struct letter_view *fixture, uint32_t seed, struct expected *expected,
		     uint64_t *whole)
{
	uint32_t random = seed, n_letters = 1 + seed % 7;

	for (unsigned i = 0; i < 60; i++) {
		char path[48] = "m";
		size_t n = 1 + next_random(&random) % 40;

		for (size_t j = 1; j < n; j++)
			path[j] = (char)('a' + next_random(&random) % n_letters);
		uint64_t weight = 1 + next_random(&random) % 1000;
		letter_view_add_sample(fixture, i % 3, path, weight);
		expect_sample(expected, path, weight);
		*whole += weight;
	}
}

static void generated_trees_have_the_numbers_of_the_definition(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 100; seed++) {
		struct expected *expected = calloc(1, sizeof(*expected));
		void *made;
		uint64_t whole = 0;

		letter_view_set_up(&made);
		struct letter_view *fixture = made;
		for (int i = 0; i < 3; i++)
			profile_add_process(fixture->profile, 10 + i, "prog");
		generate(fixture, seed, expected, &whole);
		const struct view_row *root = show_graph(fixture);
		assert_int_equal(root->total[0], whole);
		for (const struct view_row *row = root->children; row; row = row->next)
			check_function(row, expected, whole);
		for (const struct view_row *cycle = fixture->view->cycles->children; cycle;
		     cycle = cycle->next)
			assert_in_range(cycle->total[0], 1, whole);
		letter_view_tear_down(&made);
		free(expected);
	}
}

/* 30 000 levels of two functions in turn. */
static void deep_recursion_counts_a_sample_once(void **state)
{
	enum { LEVELS = 30000 };
	struct letter_view *fixture = *state;
	char *path = calloc(1, LEVELS + 1);

	profile_add_process(fixture->profile, 10, "prog");
	for (size_t i = 0; i < LEVELS; i++)
		path[i] = i % 2 ? 'b' : 'a';
	letter_view_add_sample(fixture, 0, path, 5);
	free(path);
	const struct view_row *root = show_graph(fixture);
	const struct view_row *a = letter_view_child(root, "a"), *b = letter_view_child(root, "b");

	assert_costs(a, 0, 5);
	assert_costs(b, 5, 5);
	assert_costs(find_arc(a, ARC_FROM_CALLER, 'b'), 0, 5);
	assert_costs(find_arc(a, ARC_TO_CALLEE, 'b'), 5, 5);
	assert_costs(find_arc(b, ARC_FROM_CALLER, 'a'), 5, 5);
	assert_null(find_arc(b, ARC_TO_CALLEE, 'a'));
	assert_costs(fixture->view->cycles->children, 0, 5);
}

static void check_two_cycles(struct letter_view *fixture, const char *first, const char *second)
{
	char word[32];

	show_graph(fixture);
	const struct view_row *cycle = fixture->view->cycles->children;
	assert_non_null(cycle);
	spell_cycle(cycle, word);
	assert_string_equal(word, first);
	assert_non_null(cycle->next);
	spell_cycle(cycle->next, word);
	assert_string_equal(word, second);
	assert_null(cycle->next->next);
}

static void cycles_within_a_cycle_are_listed_apart(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "mpqsqsqrp", 7);
	letter_view_add_sample(fixture, 0, "mqrpq", 1);
	check_two_cycles(fixture, "pqr", "qs");
	assert_int_equal(fixture->view->cycles->children->total[0], 8);
}

static void equal_cycles_are_in_the_order_of_their_functions(void **state)
{
	struct letter_view *fixture = *state;

	/* Of the first cycle X is met first, so it is found as one of the kernel. */
	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "XaX", 1);
	letter_view_add_sample(fixture, 0, "aba", 1);
	check_two_cycles(fixture, "aX", "ab");
}

static void which_function_of_a_cycle_is_met_first_does_not_matter(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "bab", 1);
	letter_view_add_sample(fixture, 0, "aca", 1);
	check_two_cycles(fixture, "ab", "ac");
}

static void a_sample_without_frames_belongs_to_its_process(void **state)
{
	struct letter_view *fixture = *state;

	profile_add_process(fixture->profile, 10, "prog");
	letter_view_add_sample(fixture, 0, "", 3);
	letter_view_add_sample(fixture, 0, "m", 4);
	const struct view_row *root = show_graph(fixture);

	assert_costs(letter_view_child(root, "prog"), 3, 3);
	assert_null(letter_view_child(root, "prog")->children);
	assert_costs(letter_view_child(root, "m"), 4, 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, letter_view_set_up, letter_view_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_program_of_spiveys_figure_2_has_the_papers_numbers),
		TEST(direct_recursion_is_no_arc),
		TEST(calls_are_those_by_a_caller_and_of_a_callee),
		TEST(a_callees_cost_belongs_to_the_caller_that_caused_it),
		TEST(a_function_that_calls_for_others_charges_each_of_them),
		cmocka_unit_test(generated_trees_have_the_numbers_of_the_definition),
		TEST(deep_recursion_counts_a_sample_once),
		TEST(cycles_within_a_cycle_are_listed_apart),
		TEST(equal_cycles_are_in_the_order_of_their_functions),
		TEST(which_function_of_a_cycle_is_met_first_does_not_matter),
		TEST(a_sample_without_frames_belongs_to_its_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
