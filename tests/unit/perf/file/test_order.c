#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/file/order.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define NO_BOUND SIZE_MAX

enum { MAX_RECORDS = 4096, TEST_REFS = 1 << 20 };

/* Records without bytes: order looks at none. @file_offset is the number of a push. */
struct bench {
	struct order *order;
	struct data_block blocks[MAX_RECORDS];
	size_t n_pushed;
	uint64_t times[MAX_RECORDS];   /* popped */
	uint64_t numbers[MAX_RECORDS]; /* popped */
	size_t n_popped;
};

static struct bench *bench_create(size_t bound)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	bench->order = order_create(bound);
	assert_non_null(bench->order);
	for (size_t i = 0; i < MAX_RECORDS; i++) {
		bench->blocks[i].size = 1 << 20;
		atomic_init(&bench->blocks[i].n_refs, TEST_REFS);
	}
	return bench;
}

static void drain(struct bench *bench)
{
	struct raw_record record;
	uint64_t time_ns;

	while (order_pop(bench->order, &record, &time_ns)) {
		bench->times[bench->n_popped] = time_ns;
		bench->numbers[bench->n_popped++] = record.file_offset;
		data_block_unref(record.block);
	}
}

static void push_into(struct bench *bench, uint64_t time_ns, struct data_block *block)
{
	struct raw_record record = { .block = block, .file_offset = bench->n_pushed++ };

	data_block_ref(block);
	assert_int_equal(order_push(bench->order, &record, time_ns), 0);
	drain(bench);
}

static void push(struct bench *bench, uint64_t time_ns)
{
	push_into(bench, time_ns, &bench->blocks[0]);
}

static void push_all(struct bench *bench, const uint64_t *times)
{
	for (; *times; times++)
		push(bench, *times);
}

static void finish_round(struct bench *bench)
{
	order_finish_round(bench->order);
	drain(bench);
}

static void finish(struct bench *bench)
{
	order_finish(bench->order);
	drain(bench);
}

/* Every reference given to order came back. */
static void bench_destroy(struct bench *bench)
{
	order_destroy(bench->order);
	for (size_t i = 0; i < MAX_RECORDS; i++)
		assert_int_equal(atomic_load(&bench->blocks[i].n_refs), TEST_REFS);
	free(bench);
}

static void check_sorted(const struct bench *bench, size_t n)
{
	assert_int_equal(bench->n_popped, n);
	for (size_t i = 1; i < n; i++) {
		assert_true(bench->times[i - 1] <= bench->times[i]);
		if (bench->times[i - 1] == bench->times[i])
			assert_true(bench->numbers[i - 1] < bench->numbers[i]);
	}
}

static void records_of_several_rings_come_out_by_time(void **state)
{
	struct bench *bench = bench_create(NO_BOUND);

	(void)state;
	push_all(bench, (const uint64_t[]){ 1, 4, 7, 9, 2, 3, 8, 5, 6, 10, 0 });
	assert_int_equal(bench->n_popped, 0);
	finish(bench);
	check_sorted(bench, 10);
	assert_int_equal(order_n_late(bench->order), 0);
	bench_destroy(bench);
}

static void equal_times_keep_the_order_of_the_file(void **state)
{
	struct bench *bench = bench_create(NO_BOUND);

	(void)state;
	push_all(bench, (const uint64_t[]){ 5, 5, 3, 5, 3, 3, 1, 5, 0 });
	finish_round(bench);
	push_all(bench, (const uint64_t[]){ 5, 3, 5, 0 });
	finish(bench);
	check_sorted(bench, 11);
	bench_destroy(bench);
}

static void a_round_lets_go_what_the_round_before_had(void **state)
{
	struct bench *bench = bench_create(NO_BOUND);

	(void)state;
	push_all(bench, (const uint64_t[]){ 10, 20, 30, 0 });
	finish_round(bench);
	assert_int_equal(bench->n_popped, 0);
	push_all(bench, (const uint64_t[]){ 25, 40, 50, 0 });
	finish_round(bench);
	assert_int_equal(bench->n_popped, 4);
	finish_round(bench);
	check_sorted(bench, 6);
	bench_destroy(bench);
}

static void random_records_in_rounds_come_out_sorted(void **state)
{
	struct bench *bench = bench_create(NO_BOUND);
	uint64_t now = 1000;

	(void)state;
	srandom(1);
	for (size_t round = 0; round < 40; round++) {
		/* What a ring holds is at most as old as the last round's begin. */
		for (size_t i = 0; i < 100; i++)
			push(bench, now - (uint64_t)random() % 900);
		now += 900;
		finish_round(bench);
	}
	finish(bench);
	check_sorted(bench, 4000);
	assert_int_equal(order_n_late(bench->order), 0);
	bench_destroy(bench);
}

static void what_comes_too_late_is_handed_out_at_once_and_counted(void **state)
{
	struct bench *bench = bench_create(NO_BOUND);

	(void)state;
	push_all(bench, (const uint64_t[]){ 10, 20, 0 });
	finish_round(bench);
	finish_round(bench);
	assert_int_equal(bench->n_popped, 2);
	push(bench, 15);
	assert_int_equal(bench->n_popped, 3);
	assert_int_equal(bench->times[2], 15);
	assert_int_equal(order_n_late(bench->order), 1);
	push(bench, 30);
	finish(bench);
	assert_int_equal(bench->n_popped, 4);
	assert_int_equal(order_n_late(bench->order), 1);
	bench_destroy(bench);
}

static void records_without_time_keep_their_place(void **state)
{
	static const uint64_t expected[] = { 0, 1, 4, 5, 2, 3 };
	struct bench *bench = bench_create(NO_BOUND);

	(void)state;
	push(bench, 0); /* before any time */
	push(bench, 10);
	push(bench, 30);
	push(bench, UINT64_MAX);
	push(bench, 20);
	push(bench, 0);
	finish(bench);
	assert_int_equal(bench->n_popped, 6);
	assert_memory_equal(bench->numbers, expected, sizeof(expected));
	assert_int_equal(order_n_late(bench->order), 0);
	bench_destroy(bench);
}

static void beyond_the_bound_the_older_half_goes(void **state)
{
	struct bench *bench = bench_create(16 << 20);

	(void)state;
	for (size_t i = 0; i < 2000; i++) {
		push_into(bench, 1000 + i, &bench->blocks[i]);
		assert_true(bench->n_pushed - bench->n_popped <= 17);
	}
	assert_in_range(bench->n_pushed - bench->n_popped, 7, 17);
	finish(bench);
	check_sorted(bench, 2000);
	bench_destroy(bench);
}

/* Each block has one record from the far future, so letting the older half go frees no block. */
static void blocks_held_by_single_records_do_not_add_up(void **state)
{
	struct bench *bench = bench_create(16 << 20);
	size_t n_held = 0;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		push_into(bench, 1000 + i, &bench->blocks[i]);
		push_into(bench, 1000000 + i, &bench->blocks[i]);
		size_t n = 0;
		for (size_t block = 0; block <= i; block++)
			n += atomic_load(&bench->blocks[block].n_refs) != TEST_REFS;
		n_held = n > n_held ? n : n_held;
	}
	assert_in_range(n_held, 8, 32);
	finish(bench);
	assert_int_equal(bench->n_popped, 2000);
	assert_true(order_n_late(bench->order) > 0);
	bench_destroy(bench);
}

static void what_is_never_popped_is_dropped_with_the_order(void **state)
{
	struct bench *bench = bench_create(NO_BOUND);

	(void)state;
	push_all(bench, (const uint64_t[]){ 10, 20, 0 });
	finish_round(bench);
	push_all(bench, (const uint64_t[]){ 30, 5, 0 });
	bench_destroy(bench);
	order_destroy(NULL);
}

static void what_waits_can_be_looked_at_in_order(void **state)
{
	struct bench *bench = bench_create(NO_BOUND);

	(void)state;
	assert_null(order_peek(bench->order, 0));
	push_all(bench, (const uint64_t[]){ 1, 2, 0 });
	finish_round(bench);
	push_all(bench, (const uint64_t[]){ 5, 7, 4, 6, 0 });
	finish_round(bench);
	/* 1 and 2 are handed out by now; 5, 7, 4 and 6 were pushed third to sixth. */
	assert_int_equal(bench->n_popped, 2);
	const uint64_t numbers[] = { 4, 2, 5, 3 };
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(order_peek(bench->order, i)->file_offset, numbers[i]);
	assert_null(order_peek(bench->order, 4));
	finish(bench);
	assert_null(order_peek(bench->order, 0));
	check_sorted(bench, 6);
	bench_destroy(bench);
}

static void rounds_without_records_change_nothing(void **state)
{
	struct bench *bench = bench_create(NO_BOUND);

	(void)state;
	finish_round(bench);
	finish_round(bench);
	push(bench, 5);
	finish(bench);
	finish(bench);
	check_sorted(bench, 1);
	bench_destroy(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_several_rings_come_out_by_time),
		cmocka_unit_test(equal_times_keep_the_order_of_the_file),
		cmocka_unit_test(a_round_lets_go_what_the_round_before_had),
		cmocka_unit_test(random_records_in_rounds_come_out_sorted),
		cmocka_unit_test(what_comes_too_late_is_handed_out_at_once_and_counted),
		cmocka_unit_test(records_without_time_keep_their_place),
		cmocka_unit_test(beyond_the_bound_the_older_half_goes),
		cmocka_unit_test(blocks_held_by_single_records_do_not_add_up),
		cmocka_unit_test(what_is_never_popped_is_dropped_with_the_order),
		cmocka_unit_test(what_waits_can_be_looked_at_in_order),
		cmocka_unit_test(rounds_without_records_change_nothing),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
