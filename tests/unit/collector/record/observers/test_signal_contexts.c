/* Deliveries in a ring in plain memory, samples after them, and what the recording holds then. */
#include <asm/perf_regs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collector/record/observers/signal_contexts.h"
#include "tests/unit/fixtures/recorded_stacks.h"

enum { RING_SIZE = 1 << 20, MAX_RECORDED = 32, PID = 10, TID = 11 };
#define MAIN_STACK  0x7fff0000ull
#define OTHER_STACK 0x10000000ull
#ifdef __aarch64__
#define SP_AND_PC (1ull << PERF_REG_ARM64_SP | 1ull << PERF_REG_ARM64_PC)
#else
#define SP_AND_PC (1ull << PERF_REG_X86_SP | 1ull << PERF_REG_X86_IP)
#endif
#define MSEC 1000000ull

struct bench {
	struct recording recording;
	struct perf_event_mmap_page page;
	_Alignas(8) uint8_t aside[65536];
	struct ring ring;
	int fd;
	struct evlist evlist;
	struct signal_contexts *contexts;
};

static int setup(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	recording_begin(&bench->recording);
	bench->ring = (struct ring){ .page = &bench->page,
				     .data = calloc(1, RING_SIZE),
				     .size = RING_SIZE,
				     .aside = bench->aside };
	bench->fd = -1;
	bench->evlist = (struct evlist){
		.context_rings = &bench->ring,
		.n_sample_rings = 1,
		.contexts = { .attr = { .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_REGS_USER |
						       PERF_SAMPLE_STACK_USER,
					.sample_regs_user = SP_AND_PC,
					.sample_stack_user = 65528 },
			      .fds = &bench->fd,
			      .n_ids = 1 },
	};
	bench->contexts = signal_contexts_create(&bench->evlist, &bench->recording.output);
	*state = bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *bench = *state;

	signal_contexts_destroy(bench->contexts);
	free(bench->ring.data);
	free(bench);
	return 0;
}

static void deliver(struct bench *bench, int32_t tid, uint64_t time_ns, uint64_t sp)
{
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
		uint64_t time_ns, abi, sp, ip, size, stack[2], dyn_size;
	} record = { .header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(record) },
		     .pid = PID,
		     .tid = tid,
		     .time_ns = time_ns,
		     .abi = PERF_SAMPLE_REGS_ABI_64,
		     .sp = sp,
		     .ip = 0x400000,
		     .size = 16,
		     .dyn_size = 16 };

	for (size_t i = 0; i < sizeof(record); i++)
		bench->ring.data[(bench->page.data_head + i) % RING_SIZE] =
			((const uint8_t *)&record)[i];
	bench->page.data_head += sizeof(record);
}

static void begin(struct bench *bench, uint64_t now_ns, uint64_t end_ns)
{
	assert_int_equal(signal_contexts_begin_round(bench->contexts, now_ns, end_ns), 0);
}

static void end(struct bench *bench)
{
	assert_int_equal(signal_contexts_end_round(bench->contexts), 0);
}

/* A round without a sample. */
static void pass(struct bench *bench, uint64_t now_ns, uint64_t end_ns)
{
	begin(bench, now_ns, end_ns);
	end(bench);
}

/* A sample of a handler: its stack holds the interrupted stack pointer. */
static void see_handler(struct bench *bench, uint64_t time_ns, uint64_t interrupted_sp)
{
	const uint64_t regs[] = { OTHER_STACK, 0x400100 }, stack[] = { 1, interrupted_sp, 2 };
	const struct record record = {
		.type = PERF_RECORD_SAMPLE,
		.pid = PID,
		.tid = TID,
		.time_ns = time_ns,
		.sample = { .user_regs = { PERF_SAMPLE_REGS_ABI_64, SP_AND_PC, regs },
			    .user_stack = (const uint8_t *)stack,
			    .user_stack_size = sizeof(stack) },
	};

	assert_int_equal(signal_contexts_see(bench->contexts, &record), 0);
}

static size_t n_recorded(struct bench *bench, struct stack_record_header *headers)
{
	return recording_end(&bench->recording, headers, MAX_RECORDED);
}

static void only_what_a_sample_needs_is_kept(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];

	deliver(bench, TID, 100 * MSEC, MAIN_STACK);
	deliver(bench, TID, 101 * MSEC, MAIN_STACK - 64);
	deliver(bench, TID, 102 * MSEC, OTHER_STACK + 8);
	deliver(bench, TID + 1, 101 * MSEC, MAIN_STACK - 64);
	begin(bench, 110 * MSEC, UINT64_MAX);
	see_handler(bench, 103 * MSEC, MAIN_STACK - 64);
	see_handler(bench, 104 * MSEC, MAIN_STACK - 64); /* known by now */
	see_handler(bench, 105 * MSEC, OTHER_STACK + 8); /* in the copy */
	see_handler(bench, 106 * MSEC, MAIN_STACK + 8);  /* never delivered */
	see_handler(bench, 99 * MSEC, MAIN_STACK);       /* not yet */
	end(bench);
	assert_int_equal(n_recorded(bench, headers), 1);
	assert_int_equal(headers[0].kind, STACK_RECORD_CONTEXT);
	assert_int_equal(headers[0].born_ns, 101 * MSEC);
	assert_int_equal(headers[0].tid, TID);
	assert_int_equal(headers[0].start, MAIN_STACK - 64);
	assert_int_equal(signal_contexts_stats(bench->contexts)->n_seen, 4);
}

/* Rings are read one after the other, and samples come in no order. */
static void each_sample_gets_the_delivery_before_it(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];

	deliver(bench, TID, 100 * MSEC, MAIN_STACK);
	deliver(bench, TID, 102 * MSEC, MAIN_STACK);
	deliver(bench, TID, 104 * MSEC, MAIN_STACK);
	begin(bench, 110 * MSEC, UINT64_MAX);
	see_handler(bench, 103 * MSEC, MAIN_STACK);
	see_handler(bench, 101 * MSEC, MAIN_STACK);
	end(bench);
	/* The last one of a place serves samples of later rounds. */
	begin(bench, 120 * MSEC, UINT64_MAX);
	see_handler(bench, 112 * MSEC, MAIN_STACK);
	end(bench);
	assert_int_equal(n_recorded(bench, headers), 5);
	assert_int_equal(headers[0].born_ns, 102 * MSEC);
	assert_int_equal(headers[1].born_ns, 100 * MSEC);
	assert_int_equal(headers[2].kind, STACK_RECORD_CONTEXT_OVER);
	assert_int_equal(headers[3].kind, STACK_RECORD_CONTEXT_OVER);
	assert_int_equal(headers[2].born_ns + headers[3].born_ns, 202 * MSEC);
	assert_int_equal(headers[4].born_ns, 104 * MSEC);
	/* In front of every sample of the round that it is written in. */
	assert_true(headers[4].time_ns <= 110 * MSEC);
}

static void deliveries_after_the_samples_of_a_round_wait(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];

	deliver(bench, TID, 100 * MSEC, MAIN_STACK);
	deliver(bench, TID, 112 * MSEC, MAIN_STACK); /* after the samples' rings were looked at */
	pass(bench, 110 * MSEC, UINT64_MAX);
	begin(bench, 120 * MSEC, UINT64_MAX);
	see_handler(bench, 111 * MSEC, MAIN_STACK);
	end(bench);
	assert_int_equal(n_recorded(bench, headers), 2);
	assert_int_equal(headers[0].born_ns, 100 * MSEC);
	assert_int_equal(headers[1].kind, STACK_RECORD_CONTEXT_OVER);
}

static void a_slice_of_a_backlog_leaves_the_rest_in_the_ring(void **state)
{
	struct bench *bench = *state;

	deliver(bench, TID, 100 * MSEC, MAIN_STACK);
	deliver(bench, TID, 102 * MSEC, MAIN_STACK);
	pass(bench, 110 * MSEC, 101 * MSEC);
	assert_int_equal(signal_contexts_stats(bench->contexts)->n_seen, 1);
	assert_true(bench->page.data_tail < bench->page.data_head);
	pass(bench, 111 * MSEC, UINT64_MAX);
	assert_int_equal(signal_contexts_stats(bench->contexts)->n_seen, 2);
	assert_int_equal(bench->page.data_tail, bench->page.data_head);
	assert_int_equal(recording_end(&bench->recording, NULL, 0), 0);
}

/* Waiting records are read in slices: a record in one of them must not have a later time than its
 * slice. */
static void in_a_backlog_deliveries_precede_their_samples(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];

	deliver(bench, TID, 100 * MSEC, MAIN_STACK);
	deliver(bench, TID, 104 * MSEC, MAIN_STACK - 8);
	pass(bench, 200 * MSEC, 101 * MSEC);
	begin(bench, 210 * MSEC, 105 * MSEC);
	see_handler(bench, 102 * MSEC, MAIN_STACK);
	see_handler(bench, 105 * MSEC, MAIN_STACK - 8);
	end(bench);
	assert_int_equal(n_recorded(bench, headers), 2);
	assert_true(headers[0].time_ns <= 102 * MSEC);
	assert_true(headers[1].time_ns <= 105 * MSEC);
}

static void a_ring_that_was_full_voids_all_before(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];

	pass(bench, 90 * MSEC, UINT64_MAX);
	deliver(bench, TID, 100 * MSEC, MAIN_STACK);
	while (bench->page.data_head + 65536 <= RING_SIZE)
		deliver(bench, TID + 1, 101 * MSEC, MAIN_STACK);
	begin(bench, 110 * MSEC, UINT64_MAX);
	see_handler(bench, 105 * MSEC, MAIN_STACK);
	end(bench);
	assert_int_equal(signal_contexts_stats(bench->contexts)->n_pauses, 1);
	assert_int_equal(n_recorded(bench, headers), 1);
	assert_int_equal(headers[0].kind, STACK_RECORD_CONTEXTS_LOST);
	assert_int_equal(headers[0].time_ns, 90 * MSEC);
	assert_true(headers[0].born_ns >= 110 * MSEC);
}

static void too_many_are_not_taken_until_a_pause_is_over(void **state)
{
	struct bench *bench = *state;

	pass(bench, 90 * MSEC, UINT64_MAX);
	for (uint64_t i = 0; i < 500; i++)
		deliver(bench, TID, 100 * MSEC + i, MAIN_STACK);
	pass(bench, 110 * MSEC, UINT64_MAX);
	assert_int_equal(signal_contexts_stats(bench->contexts)->n_pauses, 1);
	for (uint64_t now = 200; now < 1000; now += 100) {
		pass(bench, now * MSEC, UINT64_MAX);
	}
	assert_int_equal(signal_contexts_stats(bench->contexts)->n_pauses, 1);
	pass(bench, 2000 * MSEC, UINT64_MAX);
	for (uint64_t i = 0; i < 500; i++)
		deliver(bench, TID, 2001 * MSEC + i, MAIN_STACK);
	pass(bench, 2010 * MSEC, UINT64_MAX);
	assert_int_equal(signal_contexts_stats(bench->contexts)->n_pauses, 2);
	recording_end(&bench->recording, NULL, 0);
}

static void an_exec_ends_what_was_before_it(void **state)
{
	struct bench *bench = *state;
	struct stack_record_header headers[MAX_RECORDED];
	const struct record exec = { .type = PERF_RECORD_COMM,
				     .time_ns = 105 * MSEC,
				     .comm = { .pid = PID, .tid = TID, .is_exec = true } };

	deliver(bench, TID, 100 * MSEC, MAIN_STACK);
	begin(bench, 110 * MSEC, UINT64_MAX);
	assert_int_equal(signal_contexts_see(bench->contexts, &exec), 0);
	see_handler(bench, 104 * MSEC, MAIN_STACK);
	end(bench);
	begin(bench, 120 * MSEC, UINT64_MAX);
	see_handler(bench, 115 * MSEC, MAIN_STACK);
	end(bench);
	assert_int_equal(n_recorded(bench, headers), 2);
	assert_int_equal(headers[0].kind, STACK_RECORD_CONTEXT);
	assert_int_equal(headers[1].kind, STACK_RECORD_CONTEXT_OVER);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_what_a_sample_needs_is_kept),
		TEST(each_sample_gets_the_delivery_before_it),
		TEST(deliveries_after_the_samples_of_a_round_wait),
		TEST(a_slice_of_a_backlog_leaves_the_rest_in_the_ring),
		TEST(in_a_backlog_deliveries_precede_their_samples),
		TEST(a_ring_that_was_full_voids_all_before),
		TEST(too_many_are_not_taken_until_a_pause_is_over),
		TEST(an_exec_ends_what_was_before_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
