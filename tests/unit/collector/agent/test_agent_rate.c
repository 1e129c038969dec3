/* Rates by what windows took of what they may take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "collector/agent/agent_rate.h"

#define SECOND_NS 1000000000ull
#define MIB       (1ull << 20)

static const struct agent_limits limits = { .cpu_percent = 1, .memory = 100 * MIB };

/* Of a window of 100 seconds, by hundredths of a per cent of a CPU. */
static struct agent_usage usage(uint64_t cpu_bp, uint64_t memory)
{
	return (struct agent_usage){ 100 * SECOND_NS, cpu_bp * SECOND_NS / 100, memory };
}

static void the_rate_goes_down_before_a_limit_is_passed(void **state)
{
	static const struct {
		uint64_t cpu_bp, memory, rate, expected;
	} cases[] = {
		{ 10, 10 * MIB, 49, 49 },
		{ 79, 79 * MIB, 49, 49 },
		{ 80, 10 * MIB, 49, 30 }, /* the aim is a half */
		{ 10, 80 * MIB, 49, 30 },
		{ 100, 200 * MIB, 49, 12 }, /* by the one that is passed more */
		{ 10000, MIB, 49, 1 },      /* never none */
		{ UINT32_MAX, MIB, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct agent_usage used = usage(cases[i].cpu_bp, cases[i].memory);

		assert_int_equal(agent_rate_next(&limits, &used, 49, cases[i].rate),
				 cases[i].expected);
	}
}

static void it_goes_up_again_to_what_was_asked_for(void **state)
{
	const struct agent_usage little = usage(10, 10 * MIB), some = usage(30, 10 * MIB);
	uint64_t rate = 5;

	(void)state;
	assert_int_equal(agent_rate_next(&limits, &some, 49, rate), 5);
	rate = agent_rate_next(&limits, &little, 49, rate);
	assert_int_equal(rate, 10);
	rate = agent_rate_next(&limits, &little, 49, rate);
	assert_int_equal(rate, 20);
	rate = agent_rate_next(&limits, &little, 49, rate);
	assert_int_equal(rate, 40);
	rate = agent_rate_next(&limits, &little, 49, rate);
	assert_int_equal(rate, 49);
	assert_int_equal(agent_rate_next(&limits, &little, 49, 24), 49);
}

/* Whatever a sample and a window cost, some rate is kept from then on. */
static void it_does_not_go_up_and_down_by_turns(void **state)
{
	(void)state;
	for (uint64_t fixed = 0; fixed <= 200; fixed += 5) {
		for (uint64_t each = 0; each <= 20; each++) {
			uint64_t rate = 49, before = 0;

			for (int i = 0; i < 100 && rate != before; i++) {
				const struct agent_usage used = usage(fixed + each * rate, MIB);

				before = rate;
				rate = agent_rate_next(&limits, &used, 49, rate);
			}
			assert_int_equal(rate, before);
		}
	}
}

static void without_limits_it_is_what_was_asked_for(void **state)
{
	static const struct agent_limits none = { 0 };
	const struct agent_usage much = usage(1000000, UINT64_MAX);

	(void)state;
	assert_int_equal(agent_rate_next(&none, &much, 49, 49), 49);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rate_goes_down_before_a_limit_is_passed),
		cmocka_unit_test(it_goes_up_again_to_what_was_asked_for),
		cmocka_unit_test(it_does_not_go_up_and_down_by_turns),
		cmocka_unit_test(without_limits_it_is_what_was_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
