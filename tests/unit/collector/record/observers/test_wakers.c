#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/observers/wakers.h"
#include "perf/records/waking_record.h"

enum { RECORDED = 100, NEW = 101, FOREIGN = 102 };
#define MAX_RECORDS 16

struct bench {
	struct observed_recording recording;
	struct stack_output stack_output;
	struct perf_event_attr attr;
	struct data_writer *writer;
	struct int_list tids;
	struct wakers *wakers;
	uint64_t id, now_ns;
	int fd;
	struct waking_record records[MAX_RECORDS]; /* read by read_records() */
	size_t n_records;
};

static void open_bench(struct bench *bench, bool is_system_wide)
{
	const struct data_writer_options options = { .compression_level = 0 };

	*bench = (struct bench){ .id = 7, .attr = { .size = PERF_ATTR_SIZE_VER7 } };
	const struct data_writer_event event = { &bench->attr, "off-cpu", &bench->id, 1 };
	bench->fd = memfd_create("recording", MFD_CLOEXEC);
	assert_int_equal(
		data_writer_create(bench->fd, &options, &event, 1, NULL, 0, &bench->writer), 0);
	assert_int_equal(int_list_insert(&bench->tids, RECORDED), 0);
	bench->recording =
		(struct observed_recording){ .proc = "/nowhere",
					     .writer = bench->writer,
					     .stack_output = &bench->stack_output,
					     .tids = is_system_wide ? NULL : &bench->tids };
	bench->wakers = wakers_create(&bench->recording, NULL);
	assert_non_null(bench->wakers);
	assert_int_equal(wakers_begin(bench->wakers), 0);
}

static int setup(void **state)
{
	static struct bench bench;

	open_bench(&bench, false);
	*state = &bench;
	return 0;
}

static int setup_system_wide(void **state)
{
	static struct bench bench;

	open_bench(&bench, true);
	*state = &bench;
	return 0;
}

static int teardown(void **state)
{
	struct bench *bench = *state;

	wakers_destroy(bench->wakers);
	data_writer_destroy(bench->writer);
	int_list_deinit(&bench->tids);
	close(bench->fd);
	return 0;
}

/* A round that reads all up to now. */
static void begin_round(struct bench *bench)
{
	const struct observed_round round = { .began_ns = ++bench->now_ns, .end_ns = UINT64_MAX };

	assert_int_equal(wakers_begin_round(bench->wakers, &round), 0);
}

static void wake_at(struct bench *bench, pid_t tid, enum waking_context context, uint64_t time_ns)
{
	const struct waking waking = { .time_ns = time_ns,
				       .tid = tid,
				       .waker_pid = FOREIGN,
				       .waker_tid = FOREIGN,
				       .context = context };

	assert_int_equal(wakers_take(bench->wakers, &waking), 0);
}

static void wake(struct bench *bench, pid_t tid)
{
	wake_at(bench, tid, WAKING_IN_THREAD, bench->now_ns);
}

static void see(struct bench *bench, uint32_t type, int32_t tid)
{
	const struct record record = { .type = type, .task = { .pid = RECORDED, .tid = tid } };

	assert_int_equal(wakers_see_sideband(bench->wakers, &record), 0);
}

static size_t n_written(const struct bench *bench)
{
	return wakers_stats(bench->wakers)->n_written;
}

/* Ends the file. */
static void read_records(struct bench *bench)
{
	static _Alignas(8) char bytes[65536];

	assert_int_equal(data_writer_finish(bench->writer), 0);
	ssize_t n = pread(bench->fd, bytes, sizeof(bytes), 0);
	for (ssize_t at = 0; at + (ssize_t)sizeof(struct waking_record) <= n; at += 8) {
		const void *header = bytes + at;

		if (waking_record_decode(header, &bench->records[bench->n_records]))
			bench->n_records++;
	}
}

static void only_wakings_of_recorded_threads_are_kept(void **state)
{
	struct bench *bench = *state;

	begin_round(bench);
	wake(bench, FOREIGN);
	wake(bench, RECORDED);
	wake(bench, -1);
	assert_int_equal(wakers_end_round(bench->wakers), 0);
	read_records(bench);
	assert_int_equal(bench->n_records, 1);
	assert_int_equal(bench->records[0].tid, RECORDED);
	assert_int_equal(bench->records[0].waker_tid, FOREIGN);
	assert_int_equal(bench->records[0].kind, WAKING_BY_THREAD);
	assert_int_equal(wakers_stats(bench->wakers)->n_left_out, 2);
	assert_int_equal(bench->stack_output.newest_ns, bench->now_ns);
}

static void a_thread_that_is_new_in_the_round_is_recorded_until_it_ends(void **state)
{
	struct bench *bench = *state;

	begin_round(bench);
	wake(bench, NEW);
	see(bench, PERF_RECORD_FORK, NEW);
	see(bench, PERF_RECORD_EXIT, NEW);
	assert_int_equal(wakers_end_round(bench->wakers), 0);
	begin_round(bench);
	wake(bench, NEW);
	assert_int_equal(wakers_end_round(bench->wakers), 0);
	assert_int_equal(n_written(bench), 1);
}

static void what_is_later_than_the_round_waits_for_the_next(void **state)
{
	struct bench *bench = *state;

	begin_round(bench);
	wake_at(bench, RECORDED, WAKING_IN_THREAD, bench->now_ns + 1);
	assert_int_equal(wakers_end_round(bench->wakers), 0);
	assert_int_equal(n_written(bench), 0);
	begin_round(bench);
	assert_int_equal(wakers_end_round(bench->wakers), 0);
	assert_int_equal(n_written(bench), 1);
}

static void a_round_without_an_end_is_written_by_the_next_or_at_the_end(void **state)
{
	struct bench *bench = *state;

	begin_round(bench);
	wake(bench, RECORDED);
	begin_round(bench);
	assert_int_equal(n_written(bench), 1);
	wake(bench, RECORDED);
	assert_int_equal(wakers_finish(bench->wakers), 0);
	assert_int_equal(n_written(bench), 2);
}

static void what_an_interrupt_interrupted_is_not_recorded(void **state)
{
	struct bench *bench = *state;

	begin_round(bench);
	wake_at(bench, RECORDED, WAKING_IN_INTERRUPT, bench->now_ns);
	wake_at(bench, RECORDED, WAKING_IN_SOFTIRQ, bench->now_ns);
	assert_int_equal(wakers_end_round(bench->wakers), 0);
	read_records(bench);
	assert_int_equal(bench->n_records, 2);
	assert_int_equal(bench->records[0].kind, WAKING_BY_INTERRUPT);
	assert_int_equal(bench->records[0].waker_tid, 0);
	assert_int_equal(bench->records[1].kind, WAKING_BY_SOFTIRQ);
	assert_int_equal(bench->records[1].waker_tid, FOREIGN);
}

static void of_the_whole_machine_all_are_kept(void **state)
{
	struct bench *bench = *state;

	begin_round(bench);
	wake(bench, FOREIGN);
	wake(bench, RECORDED);
	assert_int_equal(wakers_end_round(bench->wakers), 0);
	assert_int_equal(n_written(bench), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_wakings_of_recorded_threads_are_kept),
		TEST(a_thread_that_is_new_in_the_round_is_recorded_until_it_ends),
		TEST(what_is_later_than_the_round_waits_for_the_next),
		TEST(a_round_without_an_end_is_written_by_the_next_or_at_the_end),
		TEST(what_an_interrupt_interrupted_is_not_recorded),
		cmocka_unit_test_setup_teardown(of_the_whole_machine_all_are_kept,
						setup_system_wide, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
