#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/file/block_holds.h"

#define N_BLOCKS 32

static void a_block_counts_once_until_its_last_record_leaves(void **state)
{
	(void)state;
	struct data_block block = { .size = 100 };
	struct block_holds holds;

	block_holds_init(&holds);
	assert_int_equal(block_holds_reserve(&holds, N_BLOCKS), 0);
	uint32_t hold = block_holds_take(&holds, &block);
	assert_int_equal(block_holds_take(&holds, &block), hold);
	assert_int_equal(holds.n_bytes, 100);
	block_holds_release(&holds, hold);
	assert_int_equal(holds.n_bytes, 100);
	block_holds_release(&holds, hold);
	assert_int_equal(holds.n_bytes, 0);
	block_holds_deinit(&holds);
}

static void the_place_of_a_block_that_left_is_used_again(void **state)
{
	(void)state;
	struct data_block blocks[N_BLOCKS];
	uint32_t indexes[N_BLOCKS];
	struct block_holds holds;

	block_holds_init(&holds);
	assert_int_equal(block_holds_reserve(&holds, N_BLOCKS), 0);
	for (int round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < N_BLOCKS; i++) {
			blocks[i] = (struct data_block){ .size = i + 1 };
			indexes[i] = block_holds_take(&holds, &blocks[i]);
			assert_true(indexes[i] < N_BLOCKS);
		}
		assert_int_equal(holds.n_holds, N_BLOCKS);
		assert_int_equal(holds.n_bytes, N_BLOCKS * (N_BLOCKS + 1) / 2);
		for (uint32_t i = 0; i < N_BLOCKS; i++)
			block_holds_release(&holds, indexes[i]);
		assert_int_equal(holds.n_bytes, 0);
	}
	block_holds_deinit(&holds);
}

static void a_block_that_left_is_not_found_again(void **state)
{
	(void)state;
	struct data_block first = { .size = 10 }, second = { .size = 20 };
	struct block_holds holds;

	block_holds_init(&holds);
	assert_int_equal(block_holds_reserve(&holds, 2), 0);
	block_holds_release(&holds, block_holds_take(&holds, &first));
	uint32_t of_second = block_holds_take(&holds, &second);
	uint32_t of_first = block_holds_take(&holds, &first);
	assert_int_not_equal(of_first, of_second);
	assert_int_equal(holds.n_bytes, 30);
	block_holds_release(&holds, of_second);
	assert_int_equal(holds.n_bytes, 10);
	block_holds_deinit(&holds);
}

/* Only a few blocks are remembered by their address; the sum is a bound, and may only be high. */
static void a_block_taken_again_after_many_others_counts_again(void **state)
{
	(void)state;
	struct data_block blocks[BLOCK_HOLDS_RECENT + 1];
	struct block_holds holds;

	block_holds_init(&holds);
	assert_int_equal(block_holds_reserve(&holds, N_BLOCKS), 0);
	for (size_t i = 0; i < BLOCK_HOLDS_RECENT + 1; i++) {
		blocks[i] = (struct data_block){ .size = 1 };
		block_holds_take(&holds, &blocks[i]);
	}
	uint32_t again = block_holds_take(&holds, &blocks[0]);
	assert_int_equal(again, BLOCK_HOLDS_RECENT + 1);
	assert_int_equal(holds.n_bytes, BLOCK_HOLDS_RECENT + 2);
	block_holds_release(&holds, again);
	assert_int_equal(holds.n_bytes, BLOCK_HOLDS_RECENT + 1);
	block_holds_deinit(&holds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_counts_once_until_its_last_record_leaves),
		cmocka_unit_test(the_place_of_a_block_that_left_is_used_again),
		cmocka_unit_test(a_block_that_left_is_not_found_again),
		cmocka_unit_test(a_block_taken_again_after_many_others_counts_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
