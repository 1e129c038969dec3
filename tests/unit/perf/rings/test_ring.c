/* A ring in plain memory replaces the kernel's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf/rings/ring.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define RING_SIZE 4096

struct fake_ring {
	struct ring ring;
	struct perf_event_mmap_page page;
	_Alignas(8) uint8_t data[RING_SIZE];
	_Alignas(8) uint8_t aside[1 << 16];
};

static struct fake_ring *fake_ring_create(uint64_t position)
{
	struct fake_ring *fake = calloc(1, sizeof(*fake));
	assert_non_null(fake);
	fake->page.data_head = fake->page.data_tail = position;
	fake->ring.page = &fake->page;
	fake->ring.data = fake->data;
	fake->ring.size = RING_SIZE;
	fake->ring.aside = fake->aside;
	return fake;
}

/* Writes a record as the kernel would: header, then bytes counting up from @first. */
static void fake_ring_write(struct fake_ring *fake, uint32_t type, uint16_t size, uint8_t first)
{
	uint8_t record[RING_SIZE];
	struct perf_event_header header = { .type = type, .size = size };
	memcpy(record, &header, sizeof(header));
	for (size_t i = sizeof(header); i < size; i++)
		record[i] = first + i;
	for (size_t i = 0; i < size; i++)
		fake->data[(fake->page.data_head + i) % RING_SIZE] = record[i];
	fake->page.data_head += size;
}

static void assert_payload(const struct perf_event_header *header, uint8_t first)
{
	const uint8_t *bytes = (const uint8_t *)header;
	for (size_t i = sizeof(*header); i < header->size; i++)
		assert_int_equal(bytes[i], (uint8_t)(first + i));
}

static void an_empty_ring_has_no_next_record(void **state)
{
	(void)state;
	struct fake_ring *fake = fake_ring_create(0);
	assert_int_equal(ring_begin(&fake->ring), 0);
	assert_null(ring_next(&fake->ring));
	assert_int_equal(fake->ring.tail, fake->ring.head);
	free(fake);
}

static void records_come_in_order_and_space_goes_back_at_the_end(void **state)
{
	(void)state;
	struct fake_ring *fake = fake_ring_create(0);
	fake_ring_write(fake, PERF_RECORD_COMM, 40, 1);
	fake_ring_write(fake, PERF_RECORD_EXIT, 8, 2);
	assert_int_equal(ring_begin(&fake->ring), 48);

	const struct perf_event_header *header = ring_next(&fake->ring);
	assert_int_equal(header->type, PERF_RECORD_COMM);
	assert_payload(header, 1);
	assert_int_equal(ring_next(&fake->ring)->type, PERF_RECORD_EXIT);
	assert_null(ring_next(&fake->ring));
	assert_int_equal(fake->page.data_tail, 0);
	ring_end(&fake->ring);
	assert_int_equal(fake->page.data_tail, 48);
	free(fake);
}

static void a_record_across_the_end_comes_in_one_piece(void **state)
{
	(void)state;
	for (uint64_t before_end = 8; before_end < 64; before_end += 8) {
		struct fake_ring *fake = fake_ring_create(7 * RING_SIZE - before_end);
		fake_ring_write(fake, PERF_RECORD_SAMPLE, 64, 3);
		fake_ring_write(fake, PERF_RECORD_LOST, 24, 4);
		ring_begin(&fake->ring);
		const struct perf_event_header *header = ring_next(&fake->ring);
		assert_ptr_equal(header, fake->aside);
		assert_int_equal(header->size, 64);
		assert_payload(header, 3);
		header = ring_next(&fake->ring);
		assert_int_equal(header->type, PERF_RECORD_LOST);
		assert_payload(header, 4);
		free(fake);
	}
}

static void a_record_up_to_the_end_is_not_copied(void **state)
{
	(void)state;
	struct fake_ring *fake = fake_ring_create(RING_SIZE - 64);
	fake_ring_write(fake, PERF_RECORD_SAMPLE, 64, 3);
	ring_begin(&fake->ring);
	assert_ptr_equal(ring_next(&fake->ring), fake->data + RING_SIZE - 64);
	free(fake);
}

/* A 32-bit stack that ends 4 bytes off puts every record after it out of step. */
static void records_out_of_step_come_aligned_and_whole(void **state)
{
	(void)state;
	for (uint64_t before_end = 4; before_end < 96; before_end += 4) {
		struct fake_ring *fake = fake_ring_create(RING_SIZE - 96);
		fake_ring_write(fake, PERF_RECORD_SAMPLE, 96 - before_end + 8, 3);
		fake_ring_write(fake, PERF_RECORD_SAMPLE, 64, 4);
		fake_ring_write(fake, PERF_RECORD_LOST, 24, 5);
		ring_begin(&fake->ring);
		assert_payload(ring_next(&fake->ring), 3);
		for (uint8_t first = 4; first <= 5; first++) {
			const struct perf_event_header *header = ring_next(&fake->ring);
			assert_non_null(header);
			assert_int_equal((uintptr_t)header % 8, 0);
			assert_payload(header, first);
		}
		assert_int_equal(fake->ring.tail, fake->ring.head);
		free(fake);
	}
}

static void a_full_ring_is_read_whole(void **state)
{
	(void)state;
	struct fake_ring *fake = fake_ring_create(512);
	for (int i = 0; i < RING_SIZE / 64; i++)
		fake_ring_write(fake, PERF_RECORD_SAMPLE, 64, i);
	assert_int_equal(ring_begin(&fake->ring), RING_SIZE);
	int n = 0;
	while (ring_next(&fake->ring))
		n++;
	assert_int_equal(n, RING_SIZE / 64);
	assert_int_equal(fake->ring.tail, fake->ring.head);
	free(fake);
}

static void what_arrives_after_begin_waits_for_the_next_round(void **state)
{
	(void)state;
	struct fake_ring *fake = fake_ring_create(0);
	fake_ring_write(fake, PERF_RECORD_SAMPLE, 64, 1);
	ring_begin(&fake->ring);
	fake_ring_write(fake, PERF_RECORD_EXIT, 8, 1);
	assert_non_null(ring_next(&fake->ring));
	assert_null(ring_next(&fake->ring));
	ring_end(&fake->ring);
	assert_int_equal(ring_begin(&fake->ring), 8);
	free(fake);
}

static void garbage_stops_the_reading_and_shows(void **state)
{
	(void)state;
	static const struct {
		uint16_t size;
		uint64_t head, tail;
	} cases[] = {
		{ .size = 0, .head = 64 },            /* no size */
		{ .size = 7, .head = 64 },            /* less than a header */
		{ .size = 72, .head = 64 },           /* beyond the head */
		{ .size = 8, .head = RING_SIZE + 8 }, /* overrun */
		{ .size = 8, .head = 0, .tail = 8 },  /* head before tail */
		{ .size = 8, .head = 4 },             /* less than a header waits */
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_ring *fake = fake_ring_create(0);
		struct perf_event_header header = { .type = 1, .size = cases[i].size };
		memcpy(fake->data, &header, sizeof(header));
		fake->page.data_head = cases[i].head;
		fake->page.data_tail = cases[i].tail;
		ring_begin(&fake->ring);
		assert_null(ring_next(&fake->ring));
		assert_int_not_equal(fake->ring.tail, fake->ring.head);
		free(fake);
	}
}

static void odd_sizes_are_refused(void **state)
{
	(void)state;
	struct ring ring;
	assert_int_equal(ring_map(&ring, -1, 100), -EINVAL);
	assert_int_equal(ring_map(&ring, -1, 3 * 65536), -EINVAL);
	assert_int_equal(ring_map(&ring, -1, 65536), -EBADF);
	ring_unmap(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_ring_has_no_next_record),
		cmocka_unit_test(records_come_in_order_and_space_goes_back_at_the_end),
		cmocka_unit_test(a_record_across_the_end_comes_in_one_piece),
		cmocka_unit_test(a_record_up_to_the_end_is_not_copied),
		cmocka_unit_test(records_out_of_step_come_aligned_and_whole),
		cmocka_unit_test(a_full_ring_is_read_whole),
		cmocka_unit_test(what_arrives_after_begin_waits_for_the_next_round),
		cmocka_unit_test(garbage_stops_the_reading_and_shows),
		cmocka_unit_test(odd_sizes_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
