/* Rings in plain memory, and what is read back from the recording. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/drain.h"
#include "perf/file/data_file.h"

#define BACKLOG_NS UINT64_C(100000000000)
#define RING_SIZE  (32u << 20)
enum { N_RINGS = 2, STACK_SPACE = 16384 };

struct fake_ring {
	struct perf_event_mmap_page page;
	_Alignas(8) uint8_t aside[65536];
};

struct bench {
	int fd;
	struct perf_event_attr attr;
	struct evlist_event events[2];
	struct ring sample_rings[N_RINGS], sideband_rings[N_RINGS];
	struct fake_ring fakes[2 * N_RINGS];
	struct evlist evlist;
	struct data_writer *writer;
	struct stack_output stack_output;
	struct observed_recording observed;
	struct recording_observers *observers;
	struct drain drain;
};

static void ring_init(struct ring *ring, struct fake_ring *fake)
{
	ring->page = &fake->page;
	ring->aside = fake->aside;
	ring->size = RING_SIZE;
	ring->data = mmap(NULL, RING_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(ring->data != MAP_FAILED);
}

static uint64_t ids[] = { 21, 22 };

/* An observer that writes down the calls of its hooks. */
static struct {
	char text[256];
	int err; /* of seeing a sample */
} logging_observer;

static void tell(char what)
{
	size_t n = strlen(logging_observer.text);

	if (n + 1 == sizeof(logging_observer.text)) /* the test does not look at it */
		return;
	logging_observer.text[n] = what;
	logging_observer.text[n + 1] = '\0';
}

static int observer_begin(const struct observed_recording *recording, void **state)
{
	(void)recording;
	*state = &logging_observer;
	logging_observer.text[0] = '\0';
	logging_observer.err = 0;
	return 0;
}

static int begins_round(void *state, const struct observed_round *round)
{
	(void)state;
	assert_true(round->began_ns > 0);
	tell('(');
	return 0;
}

static int sees_sideband(void *state, const struct record *record)
{
	(void)state;
	assert_int_equal(record->type, PERF_RECORD_EXIT);
	tell('x');
	return 0;
}

static int sees_sample(void *state, const struct record *record)
{
	(void)state;
	assert_int_equal(record->type, PERF_RECORD_SAMPLE);
	tell('s');
	return logging_observer.err;
}

static int writes_waiting(void *state, size_t max_bytes)
{
	(void)state;
	assert_true(max_bytes > 0);
	tell('w');
	return 0;
}

static int ends_round(void *state, const struct observed_round *round)
{
	(void)state;
	(void)round;
	tell(')');
	return 0;
}

static const struct recording_observer observer = {
	.name = "logging",
	.begin = observer_begin,
	.see_sideband = sees_sideband,
	.see_sample = sees_sample,
	.begin_round = begins_round,
	.end_round = ends_round,
	.write_waiting = writes_waiting,
};
enum { N_TOLD = 1 };
static const struct recording_observer *const table[N_TOLD] = { &observer };

static struct bench *bench_create(void)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct data_writer_options options = { .compression_level = 1 };
	static char names[2][16] = { "cpu-clock", "dummy" };

	bench->fd = memfd_create("recording", MFD_CLOEXEC);
	bench->attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER7,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_STACK_USER,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sample_stack_user = STACK_SPACE,
	};
	for (size_t i = 0; i < 2; i++)
		bench->events[i] = (struct evlist_event){
			.name = names[i], .attr = bench->attr, .ids = ids + i, .n_ids = 1
		};
	bench->evlist = (struct evlist){ .events = bench->events,
					 .n_events = 1,
					 .sample_rings = bench->sample_rings,
					 .n_sample_rings = N_RINGS,
					 .sideband_rings = bench->sideband_rings,
					 .n_sideband_rings = N_RINGS };
	for (size_t i = 0; i < N_RINGS; i++) {
		ring_init(&bench->sample_rings[i], &bench->fakes[i]);
		ring_init(&bench->sideband_rings[i], &bench->fakes[N_RINGS + i]);
	}
	const struct data_writer_event events[] = { { &bench->attr, "cpu-clock", ids, 1 },
						    { &bench->attr, "dummy", ids + 1, 1 } };
	assert_int_equal(
		data_writer_create(bench->fd, &options, events, 2, NULL, 0, &bench->writer), 0);
	assert_int_equal(
		recording_observers_create(table, N_TOLD, &bench->observed, &bench->observers), 0);
	assert_int_equal(recording_observers_begin(bench->observers), 0);
	drain_init(&bench->drain, &bench->evlist, bench->writer, &bench->stack_output,
		   bench->observers, NULL);
	return bench;
}

static void bench_destroy(struct bench *bench)
{
	for (size_t i = 0; i < N_RINGS; i++) {
		munmap(bench->sample_rings[i].data, RING_SIZE);
		munmap(bench->sideband_rings[i].data, RING_SIZE);
	}
	data_writer_destroy(bench->writer);
	recording_observers_destroy(bench->observers);
	close(bench->fd);
	free(bench);
}

static void ring_put(struct ring *ring, const void *bytes, size_t size)
{
	uint64_t head = ring->page->data_head;

	assert_true(head - ring->page->data_tail + size <= RING_SIZE);
	for (size_t i = 0; i < size; i++)
		ring->data[(head + i) % RING_SIZE] = ((const uint8_t *)bytes)[i];
	ring->page->data_head = head + size;
}

static void put_sample(struct ring *ring, uint64_t time_ns, uint32_t cpu)
{
	static struct {
		struct perf_event_header header;
		uint64_t id, ip;
		uint32_t pid, tid;
		uint64_t time_ns;
		uint32_t cpu, reserved;
		uint64_t stack_size;
		uint8_t stack[STACK_SPACE];
		uint64_t dyn_size;
	} sample;

	sample.header =
		(struct perf_event_header){ .type = PERF_RECORD_SAMPLE, .size = sizeof(sample) };
	sample.id = ids[0];
	sample.time_ns = time_ns;
	sample.cpu = cpu;
	sample.stack_size = STACK_SPACE;
	sample.dyn_size = 1000;
	ring_put(ring, &sample, sizeof(sample));
}

/* Of sideband; @body_size bytes before the sample_id. */
static void put_record(struct ring *ring, uint32_t type, const uint64_t *body, size_t body_size,
		       uint64_t time_ns)
{
	struct perf_event_header header = { .type = type,
					    .size = (uint16_t)(sizeof(header) + body_size + 32) };
	uint64_t sample_id[4] = { 0, time_ns, 0, ids[1] };

	ring_put(ring, &header, sizeof(header));
	ring_put(ring, body, body_size);
	ring_put(ring, sample_id, sizeof(sample_id));
}

/* The recording's records in file order. */
struct contents {
	uint64_t n_samples, n_rounds, n_late, max_round_samples, newest_ns;
};

/* Checks the contract: after round n nothing comes that is older than the newest of round n - 1. */
static struct contents read_back(struct bench *bench)
{
	struct contents contents = { 0 };
	uint64_t limit = 0, next_limit = 0, round_samples = 0;
	struct data_file *file;
	struct raw_record raw;
	struct record record;
	char path[32], *error = NULL;
	size_t event;

	assert_int_equal(data_writer_finish(bench->writer), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bench->fd);
	assert_int_equal(data_file_open(path, &file, &error), 0);
	while (data_file_next(file, &raw) == 1) {
		assert_int_equal(data_file_decode(file, raw.header, &record, &event), RECORD_OK);
		if (record.type == RECORD_FINISHED_ROUND) {
			limit = next_limit;
			next_limit = contents.newest_ns;
			contents.n_rounds++;
			if (round_samples > contents.max_round_samples)
				contents.max_round_samples = round_samples;
			round_samples = 0;
		} else {
			contents.n_late += record.time_ns < limit;
			if (record.time_ns > contents.newest_ns)
				contents.newest_ns = record.time_ns;
		}
		if (record.type == PERF_RECORD_SAMPLE) {
			contents.n_samples++;
			round_samples++;
			assert_int_equal(record.sample.user_stack_size, 1000);
			assert_int_equal(record.sample.user_stack_space, 1000);
		}
		data_block_unref(raw.block);
	}
	assert_null(data_file_error(file));
	data_file_close(file);
	return contents;
}

static void empty_rings_make_no_round(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	assert_int_equal(drain_round(&bench->drain), 0);
	assert_int_equal(read_back(bench).n_rounds, 0);
	bench_destroy(bench);
}

static void records_are_written_trimmed_and_their_space_given_back(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	put_sample(&bench->sample_rings[0], 10, 0);
	put_sample(&bench->sample_rings[1], 11, 1);
	assert_int_equal(drain_round(&bench->drain), 1);
	for (size_t i = 0; i < N_RINGS; i++)
		assert_int_equal(bench->sample_rings[i].page->data_tail,
				 bench->sample_rings[i].page->data_head);
	assert_int_equal(drain_round(&bench->drain), 0);
	assert_int_equal(bench->drain.n_samples, 2);
	struct contents contents = read_back(bench);
	assert_int_equal(contents.n_samples, 2);
	assert_int_equal(contents.n_rounds, 1);
	bench_destroy(bench);
}

static void put_code(struct ring *ring, uint16_t type, const char *name)
{
	struct {
		uint64_t addr;
		uint32_t len;
		uint16_t type, flags;
		char name[48];
	} body = { 0xffffffffc0000000, 64, type, 0, "" };

	snprintf(body.name, sizeof(body.name), "%s", name);
	put_record(ring, PERF_RECORD_KSYMBOL, (const uint64_t *)&body, sizeof(body), 10);
}

static void changes_of_the_kernels_code_are_counted(void **state)
{
	static const struct {
		uint16_t type;
		const char *name;
		unsigned n;
	} cases[] = {
		{ PERF_RECORD_KSYMBOL_TYPE_BPF, "bpf_prog_6deef7357e7b4530_sd_devices", 1 },
		{ PERF_RECORD_KSYMBOL_TYPE_BPF, "bpf_prog_6deef7357e7b4530_dendro_symbols", 0 },
		{ PERF_RECORD_KSYMBOL_TYPE_BPF, "dendro_symbols", 1 },
		{ 2, "kprobe_insn_page", 1 },
		{ 2, "bpf_prog_6deef7357e7b4530_dendro_symbols", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench *bench = bench_create();

		put_code(&bench->sideband_rings[0], cases[i].type, cases[i].name);
		assert_int_equal(drain_round(&bench->drain), 1);
		assert_int_equal(bench->drain.n_code_changes, cases[i].n);
		bench_destroy(bench);
	}
}

/* Fills in how many bytes of stack the next sample has, and its misc. */
static void read_sample(struct data_file *file, size_t *size_ret, uint16_t *misc_ret)
{
	struct raw_record raw;
	struct record record = { 0 };
	size_t event;

	while (record.type != PERF_RECORD_SAMPLE) {
		assert_int_equal(data_file_next(file, &raw), 1);
		assert_int_equal(data_file_decode(file, raw.header, &record, &event), RECORD_OK);
		*size_ret = record.sample.user_stack_size;
		*misc_ret = record.misc;
		data_block_unref(raw.block);
	}
}

static void stacks_are_left_out_while_the_caller_says_so(void **state)
{
	static const size_t sizes[] = { 1000, 0, 1000 };
	struct bench *bench = bench_create();
	struct data_file *file;
	char path[32], *error = NULL;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		bench->drain.leaves_stacks = !sizes[i];
		put_sample(&bench->sample_rings[0], 10 + i, 0);
		assert_int_equal(drain_round(&bench->drain), 1);
	}
	assert_int_equal(bench->drain.n_samples, 3);
	assert_int_equal(bench->drain.n_left_out, 1);
	assert_int_equal(data_writer_finish(bench->writer), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", bench->fd);
	assert_int_equal(data_file_open(path, &file, &error), 0);
	for (size_t i = 0; i < 3; i++) {
		size_t size;
		uint16_t misc;

		read_sample(file, &size, &misc);
		assert_int_equal(size, sizes[i]);
		assert_int_equal(misc, sizes[i] ? 0 : RECORD_MISC_STACK_LEFT_OUT);
	}
	data_file_close(file);
	bench_destroy(bench);
}

/* Two rings with 20 MiB each. Returns the time up to which they have records. */
static uint64_t put_backlog(struct bench *bench)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t end = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	/* Far longer than it takes to put the records, so that slices hardly depend on that. */
	uint64_t span = end / 2 < BACKLOG_NS ? end / 2 : BACKLOG_NS, start = end - span;
	/* One ring holds 20 MiB evenly over that time; the other as much, all late in it. */
	for (uint64_t i = 0; i < 1200; i++) {
		put_sample(&bench->sample_rings[0], start + i * (span / 1250), 0);
		put_sample(&bench->sample_rings[1], end - span / 5 + i * (span / 6667), 1);
	}
	put_record(&bench->sideband_rings[0], PERF_RECORD_EXIT, (uint64_t[3]){ 0 }, 24, start);
	put_record(&bench->sideband_rings[1], PERF_RECORD_EXIT, (uint64_t[3]){ 0 }, 24, end - 1);
	return end;
}

/* What comes later is the next part's. */
static void a_backlog_is_read_before_a_part_ends(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	put_backlog(bench);
	assert_true(drain_up_to_now(&bench->drain) >= 0);
	assert_int_equal(bench->drain.n_samples, 2400);
	assert_int_equal(drain_all(&bench->drain), 0);
	assert_int_equal(bench->drain.n_samples, 2400);
	bench_destroy(bench);
}

static void a_backlog_is_read_in_slices_of_time(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	const uint64_t end = put_backlog(bench);
	assert_int_equal(drain_round(&bench->drain), 1);
	assert_true(bench->drain.is_behind);
	/* More comes while the backlog is read. */
	put_sample(&bench->sample_rings[0], end, 0);
	assert_int_equal(drain_all(&bench->drain), 0);
	assert_false(bench->drain.is_behind);

	struct contents contents = read_back(bench);
	assert_int_equal(contents.n_samples, 2401);
	assert_int_equal(contents.n_late, 0);
	assert_true(contents.n_rounds >= 3);
	assert_true(contents.max_round_samples < 1800);
	bench_destroy(bench);
}

static void losses_and_throttling_are_counted(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	put_record(&bench->sample_rings[0], PERF_RECORD_LOST, (uint64_t[2]){ 21, 5 }, 16, 1);
	put_record(&bench->sample_rings[1], PERF_RECORD_LOST, (uint64_t[2]){ 21, 6 }, 16, 2);
	put_record(&bench->sideband_rings[0], PERF_RECORD_LOST, (uint64_t[2]){ 22, 7 }, 16, 3);
	put_record(&bench->sample_rings[0], PERF_RECORD_THROTTLE, (uint64_t[3]){ 0 }, 24, 4);
	assert_int_equal(drain_all(&bench->drain), 0);
	assert_int_equal(bench->drain.n_lost, 11);
	assert_int_equal(bench->drain.n_lost_sideband, 7);
	assert_int_equal(bench->drain.n_throttled, 1);
	bench_destroy(bench);
}

static void a_record_is_written_without_what_follows_its_trailer(void **state)
{
	struct bench *bench = bench_create();
	struct {
		struct perf_event_header header;
		uint64_t fields[2], sample_id[4], garbage[8];
	} bpf = {
		.header = { .type = PERF_RECORD_BPF_EVENT, .size = sizeof(bpf) },
		.sample_id = { 0, 2, 0, ids[1] },
	};

	(void)state;
	memset(bpf.garbage, 0x77, sizeof(bpf.garbage));
	put_sample(&bench->sample_rings[0], 1, 0);
	ring_put(&bench->sideband_rings[0], &bpf, sizeof(bpf));
	assert_int_equal(drain_round(&bench->drain), 1);
	assert_int_equal(bench->drain.newest_ns, 2);
	put_sample(&bench->sample_rings[0], 3, 0);
	assert_int_equal(drain_all(&bench->drain), 0);
	struct contents contents = read_back(bench);
	assert_int_equal(contents.n_samples, 2);
	assert_int_equal(contents.n_late, 0);
	assert_int_equal(contents.newest_ns, 3);
	bench_destroy(bench);
}

static void garbage_in_a_ring_is_dropped_and_counted(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	put_sample(&bench->sample_rings[0], 1, 0);
	ring_put(&bench->sample_rings[0], (uint8_t[64]){ 0 }, 64);
	put_sample(&bench->sample_rings[1], 2, 1);
	assert_int_equal(drain_all(&bench->drain), 0);
	assert_int_equal(bench->drain.n_corrupt_rings, 1);
	put_sample(&bench->sample_rings[0], 3, 0);
	assert_int_equal(drain_all(&bench->drain), 0);
	assert_int_equal(read_back(bench).n_samples, 3);
	bench_destroy(bench);
}

static void observers_see_sideband_before_samples_and_the_end_of_the_round_last(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	put_sample(&bench->sample_rings[0], 1, 0);
	put_sample(&bench->sample_rings[1], 2, 1);
	put_record(&bench->sideband_rings[1], PERF_RECORD_EXIT, (uint64_t[3]){ 0 }, 24, 3);
	assert_int_equal(drain_all(&bench->drain), 0);
	/* The last one finds the rings empty. */
	assert_string_equal(logging_observer.text, "(xwss)(");
	bench_destroy(bench);
}

static void a_round_that_fails_has_an_end_for_observers(void **state)
{
	struct bench *bench = bench_create();

	(void)state;
	put_sample(&bench->sample_rings[0], 1, 0);
	put_sample(&bench->sample_rings[1], 2, 1);
	logging_observer.err = -ENOMEM;
	assert_int_equal(drain_round(&bench->drain), -ENOMEM);
	assert_string_equal(logging_observer.text, "(ws)");
	bench_destroy(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_rings_make_no_round),
		cmocka_unit_test(changes_of_the_kernels_code_are_counted),
		cmocka_unit_test(records_are_written_trimmed_and_their_space_given_back),
		cmocka_unit_test(stacks_are_left_out_while_the_caller_says_so),
		cmocka_unit_test(a_backlog_is_read_in_slices_of_time),
		cmocka_unit_test(a_backlog_is_read_before_a_part_ends),
		cmocka_unit_test(losses_and_throttling_are_counted),
		cmocka_unit_test(
			observers_see_sideband_before_samples_and_the_end_of_the_round_last),
		cmocka_unit_test(a_round_that_fails_has_an_end_for_observers),
		cmocka_unit_test(a_record_is_written_without_what_follows_its_trailer),
		cmocka_unit_test(garbage_in_a_ring_is_dropped_and_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
