/* Answers about code that is not there: kept_scans looks at none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/code/kept_scans.h"

/* What one file may take, with the space in which its tables grow. */
#define BOUND ((size_t)4 << 20)

static struct kept_scans *kept;

static int create(void **state)
{
	(void)state;
	kept = kept_scans_create();
	assert_non_null(kept);
	return 0;
}

static int destroy(void **state)
{
	(void)state;
	kept_scans_destroy(kept);
	return 0;
}

static struct scan_question question_at(uint64_t offset)
{
	return (struct scan_question){ .arch = &arch_x86_64,
				       .start = 0x1000,
				       .size = 0x8000,
				       .offset = offset,
				       .entry = SCAN_RETURNS };
}

/* One that differs from those for other numbers. */
static struct code_rule rule_of(int32_t number)
{
	return (struct code_rule){
		.sp = { 1, 7, number, 0 },
		.return_slot = { 1, 7, number - 8, 0 },
		.saved = { { 2, 7, number - 16, 3 }, { 1, 6, 0, 0 } },
		.is_doubtful = number % 2,
	};
}

static bool knows(const struct scan_question *question)
{
	struct scan_answer answer;

	return kept_scans_find(kept, question, &answer);
}

static void an_answer_is_what_it_was(void **state)
{
	const struct scan_question question = question_at(0x1234);
	struct scan_answer given = { .is_outermost = true, .way = CODE_CANNOT_LEAD }, got;

	(void)state;
	given.outcomes.n_rules = CODE_OUTCOMES_MAX;
	given.outcomes.is_ambiguous = true;
	for (int32_t i = 0; i < CODE_OUTCOMES_MAX; i++)
		given.outcomes.rules[i] = rule_of(i / 2);
	assert_false(knows(&question));
	kept_scans_add(kept, &question, &given);
	memset(&got, 0xff, sizeof(got));
	assert_true(kept_scans_find(kept, &question, &got));
	assert_int_equal(got.outcomes.n_rules, CODE_OUTCOMES_MAX);
	assert_memory_equal(got.outcomes.rules, given.outcomes.rules, sizeof(got.outcomes.rules));
	assert_true(got.outcomes.is_ambiguous);
	assert_false(got.outcomes.is_complete);
	assert_true(got.is_outermost);
	assert_int_equal(got.way, CODE_CANNOT_LEAD);
	assert_false(got.leaves);
}

static void each_part_of_a_question_matters(void **state)
{
	const struct scan_question question = question_at(0x1234);
	struct scan_question others[6];
	const struct scan_answer answer = { .way = CODE_LEADS };

	(void)state;
	for (size_t i = 0; i < 6; i++)
		others[i] = question;
	others[0].arch = &arch_i386;
	others[1].start++;
	others[2].size++;
	others[3].offset++;
	others[4].entry = 0;
	others[5].is_exact = true;
	kept_scans_add(kept, &question, &answer);
	for (size_t i = 0; i < 6; i++)
		assert_false(knows(&others[i]));
	for (size_t i = 0; i < 6; i++)
		kept_scans_add(kept, &others[i], &answer);
	for (size_t i = 0; i < 6; i++)
		assert_true(knows(&others[i]));
	assert_true(knows(&question));
}

static void equal_rules_are_there_once(void **state)
{
	struct scan_answer answer = { .outcomes.n_rules = 1 };

	(void)state;
	for (uint64_t i = 0; i < 10000; i++) {
		const struct scan_question question = question_at(i);

		answer.outcomes.rules[0] = rule_of((int32_t)(i % 10));
		kept_scans_add(kept, &question, &answer);
	}
	assert_true(kept_scans_size(kept) < 32768 * 33); /* slots for twice as many, a power of 2 */
	for (uint64_t i = 0; i < 10000; i++) {
		const struct scan_question question = question_at(i);
		const struct code_rule rule = rule_of((int32_t)(i % 10));

		assert_true(kept_scans_find(kept, &question, &answer));
		assert_memory_equal(&answer.outcomes.rules[0], &rule, sizeof(rule));
	}
	assert_false(kept_scans_are_full(kept));
}

static void a_full_table_stays_as_it_is(void **state)
{
	struct scan_answer answer = { .outcomes.n_rules = 1 };
	uint64_t n = 0;

	(void)state;
	for (; n < 1000000 && !kept_scans_are_full(kept); n++) {
		const struct scan_question question = question_at(n);

		answer.outcomes.rules[0] = rule_of((int32_t)n);
		kept_scans_add(kept, &question, &answer);
	}
	const struct scan_question first = question_at(0), later = question_at(n + 1);
	const size_t size = kept_scans_size(kept);

	assert_true(kept_scans_are_full(kept));
	assert_true(size <= BOUND);
	kept_scans_add(kept, &later, &answer);
	assert_false(knows(&later));
	assert_true(knows(&first));
	assert_int_equal(kept_scans_size(kept), size);
}

static void code_that_is_mapped_in_many_ways_is_left_out(void **state)
{
	const struct scan_answer answer = { .way = CODE_LEADS };
	size_t n_known = 0;

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		struct scan_question question = question_at(0x1234);

		question.size += i;
		kept_scans_add(kept, &question, &answer);
		n_known += knows(&question);
	}
	assert_in_range(n_known, 1, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_answer_is_what_it_was, create, destroy),
		cmocka_unit_test_setup_teardown(each_part_of_a_question_matters, create, destroy),
		cmocka_unit_test_setup_teardown(equal_rules_are_there_once, create, destroy),
		cmocka_unit_test_setup_teardown(a_full_table_stays_as_it_is, create, destroy),
		cmocka_unit_test_setup_teardown(code_that_is_mapped_in_many_ways_is_left_out,
						create, destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
