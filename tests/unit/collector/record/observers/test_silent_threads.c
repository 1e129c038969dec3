/* Made-up threads, in a /proc of this process and with states that the tests choose. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/observers/silent_threads.h"
#include "perf/records/record.h"

enum { PID = 100, RUNS = 101, WAITS = 102, ENDS = 103, KERNEL = 104, MOVES = 105 };
#define SP 0x7f0000001000ull

static struct {
	bool is_over;        /* the window */
	bool waits_at_begin; /* otherwise the threads are ready to run until it is over */
	size_t n_reads;
	uint64_t stack_size;
} world;

static int status_of(const char *proc, pid_t tid, struct thread_status *ret)
{
	(void)proc;
	*ret = (struct thread_status){
		.name = "waiter", .state = 'S', .pid = PID, .n_switches = 5
	};
	if (tid == RUNS && world.is_over)
		ret->n_switches++;
	if (!world.is_over && !world.waits_at_begin)
		ret->state = 'R';
	if (tid == MOVES && world.n_reads)
		ret->state = 'R';
	return tid == ENDS && world.is_over ? -ESRCH : 0;
}

static int read_thread(struct waiting_thread_reader *reader, pid_t tid, struct waiting_thread *ret)
{
	(void)reader;
	world.n_reads++;
	*ret = (struct waiting_thread){ .abi = PERF_SAMPLE_REGS_ABI_64,
					.regs = { 1, SP, 3 },
					.n_regs = 3,
					.sp = SP,
					.kernel = { 0xffffffff81000010, 0xffffffff81000020 },
					.n_kernel = 2 };
	if (tid == KERNEL)
		*ret = (struct waiting_thread){ .abi = PERF_SAMPLE_REGS_ABI_NONE, .n_kernel = 1 };
	return 0;
}

static size_t read_memory(pid_t pid, uint64_t addr, void *to, size_t size)
{
	assert_int_equal(pid, PID);
	assert_int_equal(addr, SP);
	memset(to, 0x5a, size);
	world.stack_size = size;
	return size - 3; /* where the mapping ends */
}

static const struct silent_threads_access access_of_tests = {
	.status = status_of,
	.read = read_thread,
	.memory = read_memory,
};

struct bench {
	struct observed_recording recording;
	struct evlist_event event;
	struct stack_output stack_output;
	struct data_writer *writer;
	struct int_list tids;
	uint64_t n_samples;
	uint64_t id;
	int fd;
};

static struct bench *bench_create(const int *tids, size_t n_tids)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	const struct data_writer_options options = { .compression_level = 0 };

	assert_non_null(bench);
	memset(&world, 0, sizeof(world));
	bench->id = 7;
	bench->event.attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.config = 300,
		.size = PERF_ATTR_SIZE_VER7,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = 0x181,
		.sample_stack_user = 1024,
		.sample_id_all = 1,
	};
	bench->event.ids = &bench->id;
	bench->event.n_ids = 1;
	const struct data_writer_event event = { &bench->event.attr, "off-cpu", &bench->id, 1 };
	bench->fd = memfd_create("recording", MFD_CLOEXEC);
	assert_int_equal(
		data_writer_create(bench->fd, &options, &event, 1, NULL, 0, &bench->writer), 0);
	for (size_t i = 0; i < n_tids; i++)
		assert_int_equal(int_list_insert(&bench->tids, tids[i]), 0);
	bench->recording = (struct observed_recording){ .proc = "/proc",
							.writer = bench->writer,
							.stack_output = &bench->stack_output,
							.off_cpu = &bench->event,
							.tids = &bench->tids,
							.n_samples = &bench->n_samples };
	return bench;
}

static void bench_destroy(struct bench *bench)
{
	data_writer_destroy(bench->writer);
	int_list_deinit(&bench->tids);
	close(bench->fd);
	free(bench);
}

/* Lists the threads and writes samples of those that wait at the end. */
static struct silent_threads_stats run(struct bench *bench)
{
	struct silent_threads *silent = silent_threads_create(&bench->recording, &access_of_tests);

	assert_non_null(silent);
	assert_int_equal(silent_threads_list(silent), 0);
	world.is_over = true;
	assert_int_equal(silent_threads_write(silent), 0);
	struct silent_threads_stats stats = *silent_threads_stats(silent);
	silent_threads_destroy(silent);
	return stats;
}

/* The only sample of the recording. */
static struct record sample_of(struct bench *bench)
{
	static _Alignas(8) char bytes[65536];
	struct record_layout layout;
	struct record record = { .type = 0 };

	assert_int_equal(data_writer_finish(bench->writer), 0);
	ssize_t n = pread(bench->fd, bytes, sizeof(bytes), 0);
	const struct perf_event_header *header;
	uint64_t data_offset;
	assert_in_range(n, 104, sizeof(bytes));
	memcpy(&data_offset, bytes + 40, sizeof(data_offset)); /* of struct perf_file_header */
	record_layout_init(&layout, &bench->event.attr);
	for (size_t at = data_offset; at < (size_t)n && record.type != PERF_RECORD_SAMPLE;
	     at += header->size) {
		header = (const struct perf_event_header *)(bytes + at);
		assert_in_range(header->size, 8, n - at);
		if (header->type == PERF_RECORD_SAMPLE)
			assert_int_equal(record_decode(&layout, header, &record), RECORD_OK);
	}
	assert_int_equal(record.type, PERF_RECORD_SAMPLE);
	return record;
}

static void a_thread_that_never_ran_has_a_sample(void **state)
{
	struct bench *bench = bench_create((const int[]){ RUNS, WAITS, ENDS }, 3);
	struct silent_threads_stats stats = run(bench);

	(void)state;
	assert_int_equal(stats.n_silent, 1);
	assert_int_equal(stats.n_read, 1);
	assert_int_equal(bench->n_samples, 1);
	assert_int_equal(world.n_reads, 1);
	struct record record = sample_of(bench);
	assert_int_equal(record.pid, PID);
	assert_int_equal(record.tid, WAITS);
	assert_int_equal(record.cpu_mode, PERF_RECORD_MISC_KERNEL);
	assert_int_equal(record.sample.ip, 0xffffffff81000010);
	assert_int_equal(record.sample.n_callchain, 3);
	assert_int_equal(record.sample.callchain[2], 0xffffffff81000020);
	assert_int_equal(record.sample.user_regs.values[1], SP);
	assert_int_equal(world.stack_size, 1024);
	assert_int_equal(record.sample.user_stack_size, 1016);
	/* As sched_switch has it: type, then from byte 8 on the name and the number. */
	uint16_t type;
	memcpy(&type, record.sample.raw, sizeof(type));
	assert_int_equal(type, 300);
	assert_string_equal((const char *)record.sample.raw + 8, "waiter");
	bench_destroy(bench);
}

static void idle_threads_of_the_kernel_are_left_out(void **state)
{
	struct bench *bench = bench_create((const int[]){ KERNEL }, 1);
	struct silent_threads_stats stats = run(bench);

	(void)state;
	assert_int_equal(stats.n_silent, 0);
	assert_int_equal(stats.n_read, 0);
	bench_destroy(bench);
}

static void threads_that_wait_at_the_begin_are_read_then_and_not_again(void **state)
{
	struct bench *bench = bench_create((const int[]){ RUNS, WAITS, KERNEL }, 3);
	struct silent_threads *silent = silent_threads_create(&bench->recording, &access_of_tests);

	(void)state;
	world.waits_at_begin = true;
	assert_non_null(silent);
	assert_int_equal(silent_threads_list(silent), 0);
	assert_int_equal(world.n_reads, 3);
	assert_int_equal(bench->n_samples, 2);
	world.is_over = true;
	assert_int_equal(silent_threads_write(silent), 0);
	assert_int_equal(world.n_reads, 3);
	assert_int_equal(bench->n_samples, 2);
	assert_int_equal(silent_threads_stats(silent)->n_silent, 1);
	assert_int_equal(silent_threads_stats(silent)->n_read, 1);
	silent_threads_destroy(silent);
	struct record record = sample_of(bench);
	assert_int_equal(record.tid, RUNS);
	assert_true(record.time_ns <= bench->stack_output.newest_ns);
	bench_destroy(bench);
}

static void a_thread_that_wakes_while_it_is_read_has_no_sample(void **state)
{
	struct bench *bench = bench_create((const int[]){ MOVES }, 1);
	struct silent_threads_stats stats = run(bench);

	(void)state;
	assert_int_equal(stats.n_silent, 1);
	assert_int_equal(stats.n_read, 0);
	assert_int_equal(bench->n_samples, 0);
	bench_destroy(bench);
}

static void without_targets_all_threads_of_the_machine_are_listed(void **state)
{
	struct bench *bench = bench_create(NULL, 0);
	char proc[] = "/tmp/dendro-proc-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(proc));
	static const char *const folders[] = { "100", "100/task", "100/task/101", "100/task/102",
					       "self" };
	for (size_t i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", proc, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	bench->recording.proc = proc;
	bench->recording.tids = NULL;
	struct silent_threads_stats stats = run(bench);
	for (size_t i = 5; i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", proc, folders[i]);
		rmdir(path);
	}
	rmdir(proc);
	assert_int_equal(stats.n_silent, 1);
	assert_int_equal(stats.n_read, 1);
	bench_destroy(bench);
}

static void threads_beyond_the_limit_are_counted(void **state)
{
	struct bench *bench = bench_create(NULL, 0);
	enum { N = SILENT_THREADS_MAX + 3 };

	(void)state;
	free(bench->tids.values);
	bench->tids.values = calloc(N, sizeof(int));
	assert_non_null(bench->tids.values);
	bench->tids.n = N;
	for (int i = 0; i < N; i++)
		bench->tids.values[i] = ENDS;
	struct silent_threads_stats stats = run(bench);
	assert_int_equal(stats.n_left_out, 3);
	assert_int_equal(stats.n_silent, 0);
	bench_destroy(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_that_never_ran_has_a_sample),
		cmocka_unit_test(idle_threads_of_the_kernel_are_left_out),
		cmocka_unit_test(threads_that_wait_at_the_begin_are_read_then_and_not_again),
		cmocka_unit_test(a_thread_that_wakes_while_it_is_read_has_no_sample),
		cmocka_unit_test(without_targets_all_threads_of_the_machine_are_listed),
		cmocka_unit_test(threads_beyond_the_limit_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
