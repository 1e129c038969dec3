#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernel-merge/callchain.h"

#define K ((uint64_t)PERF_CONTEXT_KERNEL)
#define U ((uint64_t)PERF_CONTEXT_USER)
#define G ((uint64_t)PERF_CONTEXT_GUEST_KERNEL)

static void markers_say_whose_addresses_follow(void **state)
{
	static const struct {
		uint64_t ips[8];
		size_t n;
		uint16_t mode;
		size_t n_kernel, n_user, n_other;
		uint64_t first_kernel, first_user;
	} cases[] = {
		{ { K, 1, 2, U, 3, 4, 5 }, 7, PERF_RECORD_MISC_KERNEL, 2, 3, 0, 1, 3 },
		{ { U, 3 }, 2, PERF_RECORD_MISC_USER, 0, 1, 0, 0, 3 },
		{ { 3, 4 }, 2, PERF_RECORD_MISC_USER, 0, 2, 0, 0, 3 },
		{ { 3, 4 }, 2, PERF_RECORD_MISC_KERNEL, 2, 0, 0, 3, 0 },
		{ { G, 8, 9, K, 1 }, 5, PERF_RECORD_MISC_GUEST_KERNEL, 1, 0, 2, 1, 0 },
		{ { K, U }, 2, PERF_RECORD_MISC_KERNEL, 0, 0, 0, 0, 0 },
		{ { K, 1, U, 2, U, 3 }, 6, PERF_RECORD_MISC_KERNEL, 1, 1, 1, 1, 2 },
		/* a zero ends a part, but a leaf may be anywhere */
		{ { K, 1, 2, 0, U, 3, 4, 0 }, 8, PERF_RECORD_MISC_KERNEL, 2, 2, 0, 1, 3 },
		{ { U, 0 }, 2, PERF_RECORD_MISC_USER, 0, 1, 0, 0, 0 },
		{ { U, 0, 4 }, 3, PERF_RECORD_MISC_USER, 0, 2, 0, 0, 0 },
		{ { 0 }, 0, PERF_RECORD_MISC_KERNEL, 0, 0, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct callchain chain;

		callchain_split(cases[i].ips, cases[i].n, cases[i].mode, &chain);
		assert_int_equal(chain.n_kernel, cases[i].n_kernel);
		assert_int_equal(chain.n_user, cases[i].n_user);
		assert_int_equal(chain.n_other, cases[i].n_other);
		if (chain.n_kernel)
			assert_int_equal(chain.kernel[0], cases[i].first_kernel);
		if (chain.n_user)
			assert_int_equal(chain.user[0], cases[i].first_user);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markers_say_whose_addresses_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
