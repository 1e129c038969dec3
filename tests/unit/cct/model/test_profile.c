#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/model/profile.h"

/* Two metrics; the second has weights of 10 and 5 in two nodes. */
static struct profile *profile_with_costs(void)
{
	struct profile *profile = profile_create();
	struct frame frame = { .kind = FRAME_USER, .offset = 1 };

	assert_non_null(profile);
	profile_add_metric(profile, "cycles", "events");
	profile_add_metric(profile, "instructions", "events");
	profile->cct = cct_create(2);
	uint32_t node = cct_child(profile->cct, CCT_ROOT, &frame);
	cct_add_cost(profile->cct, node, 0, 7);
	cct_add_cost(profile->cct, node, 1, 10);
	frame.offset = 2;
	cct_add_cost(profile->cct, cct_child(profile->cct, node, &frame), 1, 5);
	profile->metrics[0].samples = 1;
	profile->metrics[0].total = 7;
	profile->metrics[1].samples = 2;
	profile->metrics[1].total = 15;
	assert_int_equal(profile_check_conservation(profile), -1);
	return profile;
}

static void what_was_multiplexed_is_scaled_and_the_sum_is_kept(void **state)
{
	static const struct {
		uint64_t enabled_ns, running_ns;
		bool is_scaled;
		uint64_t first, second;
	} cases[] = {
		{ 0, 0, false, 10, 5 },          /* not known */
		{ 1000, 1000, false, 10, 5 },    /* all the time */
		{ 1000, 1003, false, 10, 5 },    /* clocks that differ a little */
		{ 1000, 996, false, 10, 5 },     /* hardly shared */
		{ 1000, 500, true, 20, 10 },     /* half of the time */
		{ 1000, 400, true, 25, 13 },     /* rounded */
		{ 1000, 0, false, 10, 5 },       /* never */
		{ UINT64_MAX, 1, false, 10, 5 }, /* nonsense */
		{ UINT64_MAX, UINT64_MAX / 2, true, 20, 10 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *profile = profile_with_costs();
		struct metric *metric = &profile->metrics[1];

		metric->time_enabled_ns = cases[i].enabled_ns;
		metric->time_running_ns = cases[i].running_ns;
		profile_scale(profile);
		profile_scale(profile); /* once is enough */
		assert_int_equal(metric->is_scaled, cases[i].is_scaled);
		assert_int_equal(cct_cost(profile->cct, 1, 1)->weight, cases[i].first);
		assert_int_equal(cct_cost(profile->cct, 2, 1)->weight, cases[i].second);
		assert_int_equal(metric->total, cases[i].first + cases[i].second);
		assert_int_equal(metric->samples, 2);
		assert_int_equal(cct_cost(profile->cct, 1, 0)->weight, 7);
		assert_int_equal(profile_check_conservation(profile), -1);
		profile_destroy(profile);
	}
}

static void a_cpu_that_is_lost_and_regained_leaves_a_gap(void **state)
{
	struct profile *profile = profile_create();
	struct profile_info *info = &profile->info;

	(void)state;
	profile_regain_cpu(info, 1, 5); /* it was never lost */
	assert_int_equal(info->n_cpu_gaps, 0);
	assert_int_equal(profile_lose_cpu(info, 1, 10), 0);
	assert_int_equal(profile_lose_cpu(info, 2, 11), 0);
	assert_int_equal(profile_lose_cpu(info, 1, 12), 0); /* it is lost already */
	profile_regain_cpu(info, 1, 20);
	profile_regain_cpu(info, 1, 21);
	assert_int_equal(profile_lose_cpu(info, 1, 30), 0);
	assert_int_equal(info->n_cpu_gaps, 3);
	assert_int_equal(info->cpu_gaps[0].cpu, 1);
	assert_int_equal(info->cpu_gaps[0].start_ns, 10);
	assert_int_equal(info->cpu_gaps[0].end_ns, 20);
	assert_int_equal(info->cpu_gaps[1].cpu, 2);
	assert_int_equal(info->cpu_gaps[1].end_ns, 0);
	assert_int_equal(info->cpu_gaps[2].start_ns, 30);
	profile_destroy(profile);
}

static void gaps_are_bounded(void **state)
{
	struct profile *profile = profile_create();

	(void)state;
	for (uint32_t cpu = 0; cpu < 10000; cpu++)
		assert_int_equal(profile_lose_cpu(&profile->info, cpu, cpu), 0);
	assert_in_range(profile->info.n_cpu_gaps, 1000, 9999);
	profile_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_multiplexed_is_scaled_and_the_sum_is_kept),
		cmocka_unit_test(a_cpu_that_is_lost_and_regained_leaves_a_gap),
		cmocka_unit_test(gaps_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
