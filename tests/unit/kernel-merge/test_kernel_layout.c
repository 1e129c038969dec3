#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernel-merge/kernel_layout.h"

#define N_ADDRS 256
#define N_TIMES 400

/* The same by a table with a line for each time. */
struct model {
	uint32_t module[N_ADDRS];
};

static void put(struct model *model, uint64_t start, uint64_t end, uint32_t module)
{
	/* Without room, what the middle is taken of ends there. */
	uint32_t before = start ? model->module[start - 1] : 0;

	for (uint64_t addr = end; addr < N_ADDRS && before && model->module[addr] == before &&
				  model->module[start] == before;
	     addr++)
		model->module[addr] = 0;
	for (uint64_t addr = start; addr < end; addr++) {
		uint32_t old = model->module[addr];
		bool begins = old && (!addr || model->module[addr - 1] != old);

		/* What begins here is gone, its end too. */
		for (uint64_t at = addr; begins && at < N_ADDRS && model->module[at] == old; at++)
			model->module[at] = 0;
		model->module[addr] = module;
	}
}

static void drop(struct model *model, uint64_t start, uint64_t end)
{
	for (uint64_t addr = start; addr < end; addr++) {
		uint32_t old = model->module[addr];
		bool begins = old && (!addr || model->module[addr - 1] != old);

		for (uint64_t at = addr; begins && at < N_ADDRS && model->module[at] == old; at++)
			model->module[at] = 0;
	}
}

static void each_layout_stays_as_it_was(void **state)
{
	static struct model models[N_TIMES];
	static const struct kernel_layout *taken[N_TIMES];
	struct kernel_layouts *layouts = kernel_layouts_create();
	struct model model = { { 0 } };

	(void)state;
	srandom(1);
	for (uint32_t t = 0; t < N_TIMES; t++) {
		uint64_t start = (uint64_t)random() % (N_ADDRS - 32);
		uint64_t end = start + 1 + (uint64_t)random() % 32;

		if (random() % 3) {
			const struct kernel_range range = { .start = start,
							    .end = end,
							    .module = t + 1 };
			assert_int_equal(kernel_layouts_put(layouts, &range), 0);
			put(&model, start, end, t + 1);
		} else {
			assert_int_equal(kernel_layouts_remove(layouts, start, end), 0);
			drop(&model, start, end);
		}
		/* Not each of them is handed out. */
		taken[t] = random() % 2 ? kernel_layouts_take(layouts) : NULL;
		models[t] = model;
	}
	for (uint32_t t = 0; t < N_TIMES; t++) {
		for (uint64_t addr = 0; taken[t] && addr < N_ADDRS; addr++) {
			const struct kernel_range *range = kernel_layout_find(taken[t], addr);

			assert_int_equal(range ? range->module : 0, models[t].module[addr]);
		}
	}
	kernel_layouts_destroy(layouts);
}

static void memory_for_layouts_is_bounded(void **state)
{
	struct kernel_layouts *layouts = kernel_layouts_create();
	const struct kernel_range kept = { .start = 1, .end = 2, .module = 7 };
	const struct kernel_layout *before;
	uint64_t n = 0;
	int err = kernel_layouts_put(layouts, &kept);

	(void)state;
	before = kernel_layouts_take(layouts);
	while (!err && n < 10000000) {
		n++;
		const struct kernel_range range = { .start = 16 * n,
						    .end = 16 * n + 8,
						    .module = 1 };

		err = kernel_layouts_put(layouts, &range);
		kernel_layouts_take(layouts);
	}
	assert_int_equal(err, -E2BIG);
	assert_true(n > 40000);
	kernel_layouts_return_to(layouts, before);
	assert_int_equal(kernel_layout_find(kernel_layouts_take(layouts), 1)->module, 7);
	assert_null(kernel_layout_find(kernel_layouts_take(layouts), 16));
	kernel_layouts_destroy(layouts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_layout_stays_as_it_was),
		cmocka_unit_test(memory_for_layouts_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
