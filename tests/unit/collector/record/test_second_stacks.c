/* Second stacks in the sample rings, made up; what is tested is which samples get them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/record/second_stacks.h"
#include "perf/counters/second_stacks_program.h"
#include "tests/unit/fixtures/recorded_stacks.h"

enum { PID = 10, TID = 11, N_RINGS = 2, MAX_RECORDED = 8 };
#define SP         0x7000010ull
#define START      0x1000ff8ull /* 8 bytes before a page ends */
#define PAGE       SECOND_STACK_PAGE
#define SP_AND_PC  (1u << 7 | 1u << 8)
#define STACK_SIZE 16384

struct bench {
	struct recording recording;
	struct evlist evlist;
	struct evlist_event events[1];
	struct second_stacks *stacks;
};

static uint64_t ids[N_RINGS] = { 31, 32 };

/* Recorders write second stacks on x86-64 only: the registers of samples here are its. */
static void only_on_x86_64(void)
{
#ifndef __x86_64__
	print_message("second stacks are recorded on x86-64 only\n");
	skip();
#endif
}

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	recording_begin(&bench->recording);
	bench->events[0].attr.sample_stack_user = STACK_SIZE;
	bench->evlist = (struct evlist){
		.events = bench->events,
		.n_sample_rings = N_RINGS,
		.second_stacks = { .attr = { .size = PERF_ATTR_SIZE_VER7,
					     .sample_type = PERF_SAMPLE_IDENTIFIER |
							    PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							    PERF_SAMPLE_TIME | PERF_SAMPLE_RAW },
				   .ids = ids,
				   .n_ids = N_RINGS },
	};
	assert_int_equal(
		second_stacks_create(&bench->evlist, &bench->recording.output, &bench->stacks), 0);
	*state = bench;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	second_stacks_destroy(bench->stacks);
	free(bench);
	return 0;
}

/* A record as the kernel writes it; @raw_size: of the header and pages. */
static bool take_sized(struct bench *bench, size_t ring, uint64_t id, uint64_t end, bool is_saved,
		       uint32_t raw_size)
{
	static struct {
		struct perf_event_header header;
		uint64_t id, ip;
		int32_t pid, tid;
		uint64_t time_ns;
		uint32_t raw_size;
		uint8_t raw[sizeof(struct second_stack_bytes) + 15 * PAGE + 4];
	} __attribute__((packed, aligned(8))) record;
	const struct second_stack_bytes bytes = {
		.sample_sp = SP, .start = START, .end = end, .is_saved = is_saved
	};
	size_t size = offsetof(__typeof__(record), raw) + raw_size;

	record.header = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE,
						    .size = (uint16_t)((size + 7) & ~7ul) };
	record.id = id;
	record.pid = PID;
	record.tid = TID;
	record.raw_size = raw_size + 4;
	memcpy(record.raw, &bytes, sizeof(bytes));
	return second_stacks_take(bench->stacks, ring, &record.header);
}

static bool take(struct bench *bench, size_t ring, uint64_t end, bool is_saved, size_t n_pages)
{
	return take_sized(bench, ring, ids[ring], end, is_saved,
			  (uint32_t)(sizeof(struct second_stack_bytes) + n_pages * PAGE));
}

static void see(struct bench *bench, size_t ring, int32_t tid, uint64_t time_ns, uint64_t sp)
{
	const uint64_t regs[] = { sp, 0x400100 };
	const struct record record = {
		.type = PERF_RECORD_SAMPLE,
		.pid = PID,
		.tid = tid,
		.time_ns = time_ns,
		.sample = { .user_regs = { PERF_SAMPLE_REGS_ABI_64, SP_AND_PC, regs } },
	};

	assert_int_equal(second_stacks_see_sample(bench->stacks, ring, &record), 0);
}

static void a_second_stack_is_that_of_the_next_sample_of_its_ring(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];

	only_on_x86_64();
	assert_true(take(bench, 0, UINT64_MAX, false, 2));
	assert_true(take(bench, 0, START + 24, true, 1));
	see(bench, 1, TID, 4, SP);
	see(bench, 0, TID, 5, SP);
	see(bench, 0, TID, 6, SP);
	assert_int_equal(recording_end(&bench->recording, headers, MAX_RECORDED), 2);
	assert_int_equal(headers[0].kind, STACK_RECORD_INTERRUPTED);
	assert_int_equal(headers[1].kind, STACK_RECORD_GOROUTINE);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(headers[i].time_ns, 5);
		assert_int_equal(headers[i].tid, TID);
		assert_int_equal(headers[i].start, START);
	}
	assert_int_equal(headers[0].size, PAGE + 8);
	assert_int_equal(headers[1].size, 8);
}

static void another_sample_gets_none(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];

	only_on_x86_64();
	assert_true(take(bench, 0, UINT64_MAX, false, 1));
	see(bench, 0, TID + 1, 5, SP);
	assert_true(take(bench, 0, UINT64_MAX, false, 1));
	see(bench, 0, TID, 6, SP + 8);
	/* The sample was lost: LOST comes in between. */
	assert_true(take(bench, 0, UINT64_MAX, false, 1));
	second_stacks_see_other(bench->stacks, 0);
	see(bench, 0, TID, 7, SP);
	assert_int_equal(recording_end(&bench->recording, headers, MAX_RECORDED), 0);
}

static void a_stack_that_was_read_as_far_as_it_may_be_goes_on(void **state)
{
	const size_t n_pages = second_stacks_pages(STACK_SIZE);
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];
	static const struct {
		uint64_t end;
		bool is_whole;
	} cases[] = {
		{ UINT64_MAX, true },
		{ START + 8, false },
		{ START + 8 + PAGE, false },
	};

	only_on_x86_64();
	for (size_t i = 0; i < 3; i++) {
		assert_true(take(bench, 0, cases[i].end, true, i ? i : n_pages));
		see(bench, 0, TID, i + 1, SP);
	}
	assert_int_equal(recording_end(&bench->recording, headers, MAX_RECORDED), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(headers[i].end > headers[i].start + headers[i].size,
				 cases[i].is_whole);
}

static void records_of_other_events_and_sizes_are_left_out(void **state)
{
	static const uint32_t sizes[] = { 0, 8, sizeof(struct second_stack_bytes),
					  sizeof(struct second_stack_bytes) + PAGE - 8 };
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];

	only_on_x86_64();
	assert_false(take_sized(bench, 0, ids[1], UINT64_MAX, false, sizes[2] + PAGE));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_true(take_sized(bench, 0, ids[0], UINT64_MAX, false, sizes[i]));
	/* More than a walk uses. */
	for (size_t i = 0; i < 3; i++)
		assert_true(take(bench, 1, UINT64_MAX, false, 1));
	see(bench, 0, TID, 5, SP);
	see(bench, 1, TID, 6, SP);
	assert_int_equal(recording_end(&bench->recording, headers, MAX_RECORDED), 2);
	assert_int_equal(headers[0].time_ns, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_second_stack_is_that_of_the_next_sample_of_its_ring, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_sample_gets_none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_stack_that_was_read_as_far_as_it_may_be_goes_on,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(records_of_other_events_and_sizes_are_left_out,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
