#include <stdint.h>
#include <unistd.h>

#include "perf/rings/ring_size.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define KIB               1024ull
#define MIB               (1024 * KIB)
#define GIB               (1024 * MIB)

static struct ring_demand demand_of(uint64_t frequency, uint32_t stack_size)
{
	return (struct ring_demand){
		.frequency = frequency,
		.stack_size = stack_size,
		.n_events = 1,
		.n_sample_rings = 2,
		.n_sideband_rings = 2,
		.available = 24 * GIB,
	};
}

static void default_rings_bridge_100_ms_within_bounds(void **state)
{
	(void)state;
	static const struct {
		uint64_t frequency;
		uint32_t stack_size;
		size_t n_events;
		uint64_t available, size;
	} cases[] = {
		{ 99, 0, 1, 24 * GIB, 1 * MIB },
		{ 997, 16384, 1, 24 * GIB, 2 * MIB },
		{ 997, 16384, 4, 24 * GIB, 8 * MIB },
		{ 997, 65528, 1, 24 * GIB, 8 * MIB },
		{ 20000, 16384, 1, 24 * GIB, 64 * MIB },
		{ 100000, 65528, 8, 24 * GIB, 64 * MIB },
		{ UINT64_MAX, 65528, 8, 24 * GIB, 64 * MIB },
		{ 0, 16384, 1, 24 * GIB, 32 * MIB },     /* a period: a generous guess */
		{ 20000, 16384, 1, 256 * MIB, 8 * MIB }, /* an eighth of the memory */
		{ 20000, 16384, 1, 1 * MIB, 256 * KIB }, /* 8 samples, whatever the memory */
		{ 20000, 65528, 1, 1 * MIB, 1 * MIB },
		{ 20000, 16384, 1, 0, 64 * MIB }, /* memory unknown */
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ring_demand demand = demand_of(cases[i].frequency, cases[i].stack_size);
		demand.n_events = cases[i].n_events;
		demand.available = cases[i].available;
		struct ring_sizes sizes;
		ring_sizes_choose(&demand, &sizes);
		assert_int_equal(sizes.samples, cases[i].size);
		assert_true(sizes.sideband >= 512 * KIB);
	}
}

static void copies_of_stacks_are_smaller_at_high_rates(void **state)
{
	static const struct {
		uint64_t frequency;
		size_t n_events;
		uint32_t wanted, chosen;
	} cases[] = {
		{ 997, 1, 65528, 65528 },   { 10000, 1, 65528, 65528 },
		{ 11000, 1, 65528, 32768 }, { 20000, 1, 65528, 32768 },
		{ 25000, 1, 65528, 16384 }, { 10000, 4, 65528, 16384 },
		{ 10000, 2, 65528, 32768 }, { UINT64_MAX, 8, 65528, 16384 },
		{ 25000, 1, 32768, 16384 }, { 100000, 1, 8192, 8192 },
		{ 20000, 1, 0, 0 },         { 0, 1, 65528, 65528 }, /* a period */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ring_demand demand = demand_of(cases[i].frequency, cases[i].wanted);

		demand.n_events = cases[i].n_events;
		assert_int_equal(ring_sizes_choose_stack(&demand), cases[i].chosen);
	}
}

static void copies_are_smaller_where_all_rings_are_more_than_one_thread_reads(void **state)
{
	static const struct {
		uint64_t frequency;
		size_t n_rings;
		bool is_system_wide;
		uint32_t chosen;
	} cases[] = {
		{ 997, 16, true, 65528 },       { 5000, 8, true, 65528 },
		{ 5000, 16, true, 32768 },      { 5000, 16, false, 65528 },
		{ 5000, 48, true, 16384 },      { 997, 128, true, 32768 },
		{ 99, 512, true, 65528 },       { 5000, 0, true, 65528 },
		{ UINT64_MAX, 2, true, 16384 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ring_demand demand = demand_of(cases[i].frequency, 65528);

		demand.n_sample_rings = cases[i].n_rings;
		demand.is_system_wide = cases[i].is_system_wide;
		assert_int_equal(ring_sizes_choose_stack(&demand), cases[i].chosen);
	}
}

static void the_size_asked_for_is_rounded_up_and_holds_8_samples(void **state)
{
	(void)state;
	static const struct {
		uint64_t asked;
		uint32_t stack_size;
		uint64_t size;
	} cases[] = {
		{ 3 * MIB, 16384, 4 * MIB },    { 4 * MIB, 16384, 4 * MIB },
		{ 4096, 16384, 256 * KIB },     { 4096, 65528, 1 * MIB },
		{ UINT64_MAX, 16384, 1 * GIB },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ring_demand demand = demand_of(997, cases[i].stack_size);
		demand.asked = cases[i].asked;
		struct ring_sizes sizes;
		ring_sizes_choose(&demand, &sizes);
		assert_int_equal(sizes.samples, cases[i].size);
	}
}

static void rings_shrink_step_by_step_down_to_a_few_samples(void **state)
{
	(void)state;
	static const uint32_t stack_sizes[] = { 0, 8, 4096, 16384, 65528 };
	for (size_t i = 0; i < ARRAY_SIZE(stack_sizes); i++) {
		struct ring_demand demand = demand_of(20000, stack_sizes[i]);
		struct ring_sizes sizes, before;
		ring_sizes_choose(&demand, &sizes);
		for (before = sizes; ring_sizes_shrink(&demand, &sizes); before = sizes)
			assert_true(sizes.samples + sizes.sideband <
				    before.samples + before.sideband);
		assert_true(sizes.samples >= 3 * stack_sizes[i]);
		assert_true(sizes.samples <= 256 * KIB);
		assert_int_equal(sizes.sideband, 64 * KIB);
	}
}

static void the_default_mlock_limit_leaves_room_for_both(void **state)
{
	(void)state;
	struct ring_demand demand = demand_of(997, 65528);
	struct perf_limits limits = { .paranoid = 2, .mlock_bytes = 516 * KIB, .n_cpus = 2 };
	struct ring_sizes sizes;
	ring_sizes_choose(&demand, &sizes);
	while (!ring_sizes_fit(&demand, &sizes, &limits))
		assert_true(ring_sizes_shrink(&demand, &sizes));
	assert_int_equal(sizes.samples, 256 * KIB);
	assert_int_equal(sizes.sideband, 128 * KIB);
}

static void the_mlock_limit_binds_only_whom_it_should(void **state)
{
	(void)state;
	static const struct {
		struct perf_limits limits;
		bool fits;
	} cases[] = {
		{ { .paranoid = 2, .n_cpus = 2 }, false },
		{ { .paranoid = -1, .n_cpus = 2 }, true },
		{ { .paranoid = 2, .n_cpus = 2, .has_cap_ipc_lock = true }, true },
		{ { .paranoid = 2, .n_cpus = 2, .rlimit_memlock = UINT64_MAX }, true },
		{ { .paranoid = 2, .n_cpus = 2, .rlimit_memlock = 6 * MIB }, false },
		{ { .paranoid = 2, .n_cpus = 2, .rlimit_memlock = 6 * MIB, .mlock_bytes = 8 * KIB },
		  true },
		{ { .paranoid = 2, .n_cpus = 256, .mlock_bytes = 516 * KIB }, true },
	};
	struct ring_demand demand = demand_of(997, 16384);
	struct ring_sizes sizes = { .samples = 2 * MIB, .sideband = 1 * MIB };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(ring_sizes_fit(&demand, &sizes, &cases[i].limits), cases[i].fits);
}

static void memory_is_known_here(void **state)
{
	(void)state;
	if (access("/proc/meminfo", R_OK) < 0)
		skip();
	assert_true(ring_size_memory_available() > MIB);
}

static void switches_need_more_sideband(void **state)
{
	(void)state;
	struct ring_demand demand = demand_of(99, 65528);
	struct ring_sizes rare, frequent;
	ring_sizes_choose(&demand, &rare);
	demand.has_switches = true;
	ring_sizes_choose(&demand, &frequent);
	assert_int_equal(frequent.samples, rare.samples);
	assert_int_equal(frequent.sideband, 4 * rare.sideband);
}

static void a_reader_that_comes_late_is_woken_seldom(void **state)
{
	const struct ring_demand usual = { .n_sample_rings = 2, .n_sideband_rings = 2 };
	struct ring_demand late = usual;
	struct ring_sizes sizes, more;

	(void)state;
	late.is_read_late = true;
	ring_sizes_choose(&usual, &sizes);
	ring_sizes_choose(&late, &more);
	assert_int_equal(more.sideband, 4 * sizes.sideband);
	/* Many CPUs have small ones. */
	late.n_sideband_rings = 128;
	ring_sizes_choose(&late, &more);
	assert_int_equal(more.sideband, sizes.sideband);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(default_rings_bridge_100_ms_within_bounds),
		cmocka_unit_test(switches_need_more_sideband),
		cmocka_unit_test(a_reader_that_comes_late_is_woken_seldom),
		cmocka_unit_test(copies_of_stacks_are_smaller_at_high_rates),
		cmocka_unit_test(copies_are_smaller_where_all_rings_are_more_than_one_thread_reads),
		cmocka_unit_test(the_size_asked_for_is_rounded_up_and_holds_8_samples),
		cmocka_unit_test(rings_shrink_step_by_step_down_to_a_few_samples),
		cmocka_unit_test(the_default_mlock_limit_leaves_room_for_both),
		cmocka_unit_test(the_mlock_limit_binds_only_whom_it_should),
		cmocka_unit_test(memory_is_known_here),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
