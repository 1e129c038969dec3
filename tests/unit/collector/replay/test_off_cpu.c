#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/replay/off_cpu.h"
#include "tests/unit/fixtures/memory_recording.h"

#define PID 10

struct fixture {
	struct data_file *file;
	struct profile *profile;
	struct module_finder *finder;
	struct processes *processes;
	struct off_cpu *off_cpu;
	/* What was handed out. */
	size_t n_samples, n_missing;
	uint64_t weight;
	uint64_t weight_by_tid[8]; /* tid modulo 8 */
	struct sample last;        /* without its references */
	uint64_t last_ip;
};

static void open_from(struct fixture *fixture, uint64_t begin_ns)
{
	*fixture =
		(struct fixture){ .file = memory_empty_recording(), .profile = profile_create() };
	fixture->finder = module_finder_create(fixture->file, "", fixture->profile);
	fixture->processes = processes_create(fixture->profile, fixture->finder);
	fixture->off_cpu = off_cpu_create(fixture->processes, &fixture->profile->quality, begin_ns);
	assert_non_null(fixture->off_cpu);
}

/* Of a command: all is recorded from the start. */
static int setup(void **state)
{
	static struct fixture fixture;

	open_from(&fixture, 0);
	*state = &fixture;
	return 0;
}

static int setup_attached(void **state)
{
	static struct fixture fixture;

	open_from(&fixture, UINT64_MAX);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	off_cpu_destroy(fixture->off_cpu);
	processes_destroy(fixture->processes);
	module_finder_destroy(fixture->finder);
	profile_destroy(fixture->profile);
	data_file_close(fixture->file);
	return 0;
}

/* A record of nothing but a number, to know it again. */
struct numbered {
	struct perf_event_header header;
	uint64_t number;
};

static int take(struct fixture *fixture, int got, struct sample *sample)
{
	assert_in_range(got, 0, 1);
	if (!got)
		return 0;
	fixture->n_samples += sample->raw.header != NULL;
	fixture->n_missing += !sample->raw.header;
	fixture->weight += sample->weight;
	fixture->weight_by_tid[sample->thread->tid & 7] += sample->weight;
	if (sample->raw.header)
		fixture->last_ip = ((const struct numbered *)sample->raw.header)->number;
	fixture->last = *sample;
	sample_deinit(sample);
	return 1;
}

static int apply(struct fixture *fixture, const struct record *record)
{
	struct sample sample;

	assert_int_equal(processes_apply(fixture->processes, record), 0);
	return take(fixture, off_cpu_apply(fixture->off_cpu, record, &sample), &sample);
}

static int switch_to(struct fixture *fixture, int32_t tid, uint64_t time_ns, bool is_out,
		     bool is_preempt)
{
	return apply(fixture, &(struct record){ .type = PERF_RECORD_SWITCH,
						.has_time = true,
						.has_tid = true,
						.pid = PID,
						.tid = tid,
						.time_ns = time_ns,
						.context_switch = { .is_out = is_out,
								    .is_preempt = is_preempt } });
}

static int goes(struct fixture *fixture, int32_t tid, uint64_t time_ns)
{
	return switch_to(fixture, tid, time_ns, true, false);
}

static int is_preempted(struct fixture *fixture, int32_t tid, uint64_t time_ns)
{
	return switch_to(fixture, tid, time_ns, true, true);
}

static int comes(struct fixture *fixture, int32_t tid, uint64_t time_ns)
{
	return switch_to(fixture, tid, time_ns, false, false);
}

static int task(struct fixture *fixture, uint32_t type, int32_t pid, int32_t tid, uint64_t time_ns)
{
	return apply(fixture, &(struct record){ .type = type,
						.has_time = true,
						.time_ns = time_ns,
						.task = { .pid = pid,
							  .ppid = PID,
							  .tid = tid,
							  .ptid = PID,
							  .time_ns = time_ns } });
}

static int exec(struct fixture *fixture, int32_t tid, uint64_t time_ns)
{
	return apply(fixture,
		     &(struct record){
			     .type = PERF_RECORD_COMM,
			     .has_time = true,
			     .time_ns = time_ns,
			     .comm = { .pid = PID, .tid = tid, .name = "x", .is_exec = true } });
}

static struct sample make_sample(struct fixture *fixture, int32_t pid, int32_t tid, uint64_t number)
{
	struct numbered *bytes = malloc(sizeof(*bytes));
	static const struct data_file_event event;
	struct sample sample = { .weight = 1, .event = &event };

	*bytes =
		(struct numbered){ { .type = PERF_RECORD_SAMPLE, .size = sizeof(*bytes) }, number };
	sample.raw.header = &bytes->header;
	assert_int_equal(raw_record_detach(&sample.raw), 0);
	free(bytes);
	sample_place(&sample, processes_thread(fixture->processes, pid, tid));
	return sample;
}

static int sampled_in(struct fixture *fixture, int32_t pid, int32_t tid, uint64_t time_ns)
{
	struct sample sample = make_sample(fixture, pid, tid, time_ns), over;

	return take(fixture, off_cpu_hold(fixture->off_cpu, &sample, time_ns, &over), &over);
}

/* Found waiting at the begin or at the end. false: it has run. */
static bool found(struct fixture *fixture, int32_t pid, int32_t tid, uint64_t number)
{
	struct sample sample = make_sample(fixture, pid, tid, number);

	if (off_cpu_is_silent(fixture->off_cpu, sample.thread)) {
		assert_int_equal(off_cpu_hold_silent(fixture->off_cpu, &sample), 0);
		return true;
	}
	sample_deinit(&sample);
	return false;
}

static int sampled(struct fixture *fixture, int32_t tid, uint64_t time_ns)
{
	return sampled_in(fixture, PID, tid, time_ns);
}

static size_t end(struct fixture *fixture, uint64_t time_ns)
{
	struct sample sample;
	size_t n = 0;

	while (take(fixture, off_cpu_next_at_end(fixture->off_cpu, time_ns, &sample), &sample))
		n++;
	return n;
}

static const struct profile_quality *quality(const struct fixture *fixture)
{
	return &fixture->profile->quality;
}

static void a_sample_weighs_the_time_from_its_switch_out_to_the_next_switch_in(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	assert_int_equal(sampled(fixture, PID, 100), 0);
	assert_int_equal(goes(fixture, PID, 110), 0);
	assert_int_equal(comes(fixture, PID, 400), 1);
	assert_int_equal(fixture->last_ip, 100);
	assert_int_equal(fixture->last.weight, 290);
	assert_int_equal(fixture->last.cpu_state, OFF_BLOCKED);
	assert_int_equal(end(fixture, 1000), 0);
	assert_int_equal(quality(fixture)->counts[QUALITY_OFF_UNPAIRED], 0);
	assert_int_equal(quality(fixture)->counts[QUALITY_OFF_AT_END], 0);
}

static void who_could_have_run_on_was_preempted(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	sampled(fixture, PID, 100);
	is_preempted(fixture, PID, 101);
	assert_int_equal(comes(fixture, PID, 111), 1);
	assert_int_equal(fixture->last.cpu_state, OFF_PREEMPTED);
	sampled(fixture, PID, 200);
	goes(fixture, PID, 201);
	assert_int_equal(comes(fixture, PID, 202), 1);
	assert_int_equal(fixture->last.cpu_state, OFF_BLOCKED);
}

static void threads_wait_apart(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	task(fixture, PERF_RECORD_FORK, PID, 11, 60);
	comes(fixture, 11, 60);
	sampled(fixture, PID, 100);
	goes(fixture, PID, 100);
	sampled(fixture, 11, 200);
	goes(fixture, 11, 200);
	comes(fixture, PID, 300);
	assert_int_equal(fixture->last_ip, 100);
	assert_int_equal(fixture->last.weight, 200);
	comes(fixture, 11, 500);
	assert_int_equal(fixture->last_ip, 200);
	assert_int_equal(fixture->last.weight, 300);
}

static void a_new_thread_waits_from_its_fork_on(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	task(fixture, PERF_RECORD_FORK, PID, 11, 100);
	assert_int_equal(comes(fixture, 11, 130), 1);
	assert_null(fixture->last.raw.header);
	assert_int_equal(fixture->last.end, MARKER_NOT_YET_RUN);
	assert_int_equal(fixture->last.cpu_state, OFF_PREEMPTED);
	assert_int_equal(fixture->last.weight, 30);
}

static void a_switch_without_its_sample_is_shown_as_such(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	goes(fixture, PID, 100);
	assert_int_equal(comes(fixture, PID, 170), 1);
	assert_null(fixture->last.raw.header);
	assert_int_equal(fixture->last.end, MARKER_SWITCH_LOST);
	assert_int_equal(fixture->last.cpu_state, OFF_BLOCKED);
	assert_int_equal(fixture->last.weight, 70);
}

static void where_a_switch_in_was_lost_nobody_knows_how_long(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	sampled(fixture, PID, 100);
	goes(fixture, PID, 101);
	assert_int_equal(sampled(fixture, PID, 300), 1);
	assert_int_equal(fixture->last_ip, 100);
	assert_int_equal(fixture->last.weight, 0);
	goes(fixture, PID, 301);
	assert_int_equal(goes(fixture, PID, 500), 1); /* the sample was lost, too */
	assert_int_equal(fixture->last_ip, 300);
	assert_int_equal(fixture->last.weight, 0);
	assert_int_equal(quality(fixture)->counts[QUALITY_OFF_UNPAIRED], 2);
	assert_int_equal(comes(fixture, PID, 510), 1);
	assert_int_equal(fixture->last.weight, 10);
}

static void where_a_switch_out_was_lost_its_sample_has_the_time(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	sampled(fixture, PID, 100);
	assert_int_equal(comes(fixture, PID, 300), 1);
	assert_int_equal(fixture->last.weight, 200);
	assert_int_equal(fixture->last.cpu_state, ON_CPU);
	assert_int_equal(comes(fixture, PID, 400), 0);
	assert_int_equal(quality(fixture)->counts[QUALITY_OFF_UNPAIRED], 2);
}

static void losses_make_the_times_they_fall_into_doubtful(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	sampled(fixture, PID, 100);
	goes(fixture, PID, 101);
	off_cpu_lose(fixture->off_cpu);
	comes(fixture, PID, 301);
	assert_int_equal(fixture->last.weight, 200);
	assert_int_equal(quality(fixture)->counts[QUALITY_OFF_DOUBTFUL], 1);
	sampled(fixture, PID, 400);
	goes(fixture, PID, 401);
	comes(fixture, PID, 402);
	assert_int_equal(quality(fixture)->counts[QUALITY_OFF_DOUBTFUL], 1);
}

static void sample_and_record_of_one_moment_may_come_in_either_order(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	goes(fixture, PID, 100);
	sampled(fixture, PID, 100);
	assert_int_equal(comes(fixture, PID, 150), 1);
	assert_int_equal(fixture->last_ip, 100);
	assert_int_equal(fixture->last.weight, 50);
	assert_int_equal(quality(fixture)->counts[QUALITY_OFF_UNPAIRED], 0);
}

static void what_follows_a_threads_exit_is_no_wait(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	task(fixture, PERF_RECORD_EXIT, PID, PID, 100);
	assert_int_equal(sampled(fixture, PID, 110), 1);
	assert_int_equal(fixture->last.weight, 0);
	assert_int_equal(goes(fixture, PID, 111), 0);
	assert_int_equal(end(fixture, 1000), 0);
	assert_int_equal(quality(fixture)->counts[QUALITY_OFF_AT_END], 0);
	assert_int_equal(quality(fixture)->counts[QUALITY_SILENT_THREADS], 0);
}

static void an_exec_or_a_new_thread_of_the_number_takes_no_old_sample_over(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	sampled(fixture, PID, 100);
	goes(fixture, PID, 100);
	assert_int_equal(exec(fixture, PID, 200), 1);
	assert_int_equal(fixture->last.weight, 0);
	sampled(fixture, PID, 300);
	goes(fixture, PID, 300);
	assert_int_equal(task(fixture, PERF_RECORD_FORK, PID, PID, 400), 1);
	assert_int_equal(fixture->last.weight, 0);
	assert_int_equal(comes(fixture, PID, 410), 1);
	assert_int_equal(fixture->last.weight, 10);
}

static void a_number_that_comes_back_in_another_process_is_another_thread(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	sampled_in(fixture, 20, 21, 100);
	assert_int_equal(goes(fixture, 21, 500), 1);
	assert_int_equal(fixture->last_ip, 100);
	assert_int_equal(fixture->last.weight, 0);
	assert_int_equal(comes(fixture, 21, 600), 1);
	assert_int_equal(fixture->last.weight, 100);
	/* And without the records of switches. */
	assert_int_equal(sampled(fixture, 21, 700), 0);
	assert_int_equal(sampled_in(fixture, 20, 21, 800), 1);
	assert_int_equal(fixture->last_ip, 700);
	assert_int_equal(fixture->last.weight, 0);
	assert_int_equal(end(fixture, 1000), 1);
}

static void threads_off_at_the_end_count_up_to_it(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	task(fixture, PERF_RECORD_FORK, PID, 11, 60);
	comes(fixture, 11, 60);
	sampled(fixture, PID, 100);
	goes(fixture, PID, 100);
	goes(fixture, 11, 300);
	assert_int_equal(end(fixture, 1000), 2);
	assert_int_equal(fixture->weight, 900 + 700);
	assert_int_equal(fixture->n_samples, 1);
	assert_int_equal(fixture->n_missing, 1);
	assert_int_equal(quality(fixture)->counts[QUALITY_OFF_AT_END], 2);
}

static void nothing_counts_before_the_recording_began(void **state)
{
	struct fixture *fixture = *state;

	/* Went and came before. */
	goes(fixture, 11, 10);
	assert_int_equal(comes(fixture, 11, 20), 0);
	/* Was off when it began. */
	goes(fixture, 12, 30);
	/* Sampled by an event that was enabled before the others. */
	sampled(fixture, 13, 90);
	goes(fixture, 13, 91);
	off_cpu_begin(fixture->off_cpu, 100);
	assert_int_equal(comes(fixture, 12, 150), 1);
	assert_int_equal(fixture->last.weight, 50);
	assert_int_equal(fixture->last.end, MARKER_OFF_BEFORE);
	assert_int_equal(fixture->last.cpu_state, OFF_BLOCKED);
	assert_int_equal(comes(fixture, 13, 170), 1);
	assert_int_equal(fixture->last_ip, 90);
	assert_int_equal(fixture->last.weight, 70);
}

static void a_thread_asleep_since_before_shows_when_it_wakes(void **state)
{
	struct fixture *fixture = *state;

	off_cpu_begin(fixture->off_cpu, 100);
	assert_int_equal(comes(fixture, 11, 400), 1);
	assert_null(fixture->last.raw.header);
	assert_int_equal(fixture->last.weight, 300);
	assert_int_equal(fixture->last.end, MARKER_OFF_BEFORE);
	assert_int_equal(fixture->last.cpu_state, ON_CPU);
	assert_int_equal(quality(fixture)->counts[QUALITY_OFF_UNPAIRED], 0);
}

static void threads_without_any_switch_are_counted(void **state)
{
	struct fixture *fixture = *state;

	/* As the recorder describes what runs already: at time 0. */
	apply(fixture, &(struct record){ .type = PERF_RECORD_COMM,
					 .has_time = true,
					 .comm = { .pid = PID, .tid = PID, .name = "x" } });
	task(fixture, PERF_RECORD_FORK, PID, 11, 0);
	task(fixture, PERF_RECORD_FORK, PID, 12, 0);
	task(fixture, PERF_RECORD_FORK, 20, 20, 0);
	off_cpu_begin(fixture->off_cpu, 100);
	goes(fixture, 12, 200);
	comes(fixture, 12, 250);
	assert_int_equal(end(fixture, 1000), 0);
	assert_int_equal(quality(fixture)->counts[QUALITY_SILENT_THREADS], 3);
}

static void a_thread_found_waiting_at_the_end_waited_all_the_time(void **state)
{
	struct fixture *fixture = *state;

	task(fixture, PERF_RECORD_FORK, PID, 11, 0);
	task(fixture, PERF_RECORD_FORK, PID, 12, 0);
	off_cpu_begin(fixture->off_cpu, 100);
	goes(fixture, 12, 200);
	comes(fixture, 12, 250);
	assert_true(found(fixture, PID, 11, 1100));
	assert_false(found(fixture, PID, 12, 1101)); /* it has run */
	assert_false(found(fixture, PID, 11, 1102)); /* again */
	assert_int_equal(end(fixture, 1000), 1);
	assert_int_equal(fixture->last_ip, 1100);
	assert_int_equal(fixture->last.weight, 900);
	assert_int_equal(fixture->last.cpu_state, OFF_BLOCKED);
	assert_true(fixture->last.is_off_all_time);
	assert_true(fixture->last.is_off_at_end);
	assert_int_equal(quality(fixture)->counts[QUALITY_SILENT_THREADS], 0);
}

static void a_thread_found_waiting_at_the_begin_has_that_path_until_it_wakes(void **state)
{
	struct fixture *fixture = *state;

	task(fixture, PERF_RECORD_FORK, PID, 11, 0);
	task(fixture, PERF_RECORD_FORK, PID, 12, 0);
	comes(fixture, 11, 90); /* records of switches begin earlier */
	goes(fixture, 11, 95);
	off_cpu_begin(fixture->off_cpu, 100);
	assert_true(found(fixture, PID, 11, 110));
	goes(fixture, 12, 105);
	assert_false(found(fixture, PID, 12, 111));
	off_cpu_wake(fixture->off_cpu, 11, 3);
	assert_int_equal(comes(fixture, 11, 400), 1);
	assert_int_equal(fixture->last_ip, 110);
	assert_int_equal(fixture->last.weight, 300);
	assert_int_equal(fixture->last.cpu_state, OFF_BLOCKED);
	assert_true(fixture->last.has_waker);
	assert_false(fixture->last.is_off_all_time);
	sampled(fixture, 11, 500);
	goes(fixture, 11, 501);
	end(fixture, 1000);
	assert_int_equal(fixture->weight_by_tid[11 & 7], 300 + 499);
	assert_false(fixture->last.is_off_all_time);
}

static void what_has_no_number_is_no_thread(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(sampled_in(fixture, 0, 0, 100), 1);
	assert_int_equal(fixture->last.weight, 0);
	assert_int_equal(sampled_in(fixture, -1, -1, 100), 1);
	assert_int_equal(fixture->last.weight, 0);
	assert_int_equal(goes(fixture, -1, 200), 0);
	assert_int_equal(comes(fixture, 0, 300), 0);
	assert_int_equal(end(fixture, 1000), 0);
}

static void many_samples_may_wait_at_once(void **state)
{
	struct fixture *fixture = *state;
	enum { FIRST = 100, N = 500 };

	for (int32_t tid = FIRST; tid < FIRST + N; tid++) {
		assert_int_equal(sampled(fixture, tid, (uint64_t)tid), 0);
		goes(fixture, tid, (uint64_t)tid);
	}
	for (int32_t tid = FIRST + N - 1; tid >= FIRST; tid--) {
		assert_int_equal(comes(fixture, tid, 10000), 1);
		assert_int_equal(fixture->last_ip, tid);
		assert_int_equal(fixture->last.weight, 10000 - tid);
	}
}

/* Whatever is lost on the way. */
static void every_sample_is_handed_out_once_and_no_time_twice(void **state)
{
	struct fixture *fixture = *state;
	enum { FIRST = 100, N_THREADS = 7, N_STEPS = 20000 };
	uint32_t random = 1;
	size_t n_sampled = 0;

	for (uint64_t step = 1; step <= N_STEPS; step++) {
		random = random * 1664525u + 1013904223u;
		int32_t tid = FIRST + (int32_t)((random >> 24) % N_THREADS);
		int32_t pid = random >> 16 & 31 ? PID : PID + 1;
		switch (random >> 12 & 15) {
		case 0:
			task(fixture, PERF_RECORD_FORK, pid, tid, step);
			break;
		case 1:
			task(fixture, PERF_RECORD_EXIT, pid, tid, step);
			break;
		case 2:
			exec(fixture, tid, step);
			break;
		case 3 ... 6:
			n_sampled++;
			sampled_in(fixture, pid, tid, step);
			break;
		case 7 ... 10:
			goes(fixture, tid, step);
			break;
		default:
			comes(fixture, tid, step);
			break;
		}
	}
	end(fixture, N_STEPS);
	assert_int_equal(fixture->n_samples, n_sampled);
	for (int i = 0; i < 8; i++)
		assert_in_range(fixture->weight_by_tid[i], 0, N_STEPS);
	assert_true(fixture->weight > 0);
	assert_true(quality(fixture)->counts[QUALITY_OFF_UNPAIRED] > 0);
}

/* A sample of another event. */
static int seen(struct fixture *fixture, int32_t tid, uint64_t time_ns)
{
	const struct thread *thread = processes_find_thread(fixture->processes, PID, tid);
	struct sample sample;

	return take(fixture, off_cpu_see(fixture->off_cpu, thread, time_ns, &sample), &sample);
}

static void without_records_of_switches_the_next_sample_ends_the_time(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(sampled(fixture, PID, 100), 0);
	assert_int_equal(seen(fixture, PID, 150), 0);
	off_cpu_end_with_samples(fixture->off_cpu);
	assert_int_equal(seen(fixture, PID + 1, 160), 0);
	assert_int_equal(seen(fixture, PID, 400), 1);
	assert_int_equal(fixture->last.weight, 300);
	assert_int_equal(fixture->last_ip, 100);
	assert_int_equal(seen(fixture, PID, 500), 0);
	/* Another switch is a sample, too. */
	assert_int_equal(sampled(fixture, PID, 600), 0);
	assert_int_equal(exec(fixture, PID, 650), 0);
	assert_int_equal(sampled(fixture, PID, 700), 1);
	assert_int_equal(fixture->last.weight, 100);
	assert_int_equal(fixture->last_ip, 600);
	/* Nobody knows how long the last one is. */
	assert_int_equal(end(fixture, 1000), 1);
	assert_int_equal(fixture->last.weight, 0);
	assert_int_equal(fixture->weight, 400);
	assert_int_equal(quality(fixture)->counts[QUALITY_OFF_UNPAIRED], 1);
	assert_int_equal(quality(fixture)->counts[QUALITY_OFF_AT_END], 0);
}

#define TEST(name)          cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_ATTACHED(name) cmocka_unit_test_setup_teardown(name, setup_attached, teardown)

static void a_wait_has_the_waker_that_ended_it(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	sampled(fixture, PID, 100);
	goes(fixture, PID, 101);
	off_cpu_wake(fixture->off_cpu, PID, 5);
	assert_int_equal(comes(fixture, PID, 111), 1);
	assert_true(fixture->last.has_waker);
	assert_int_equal(fixture->last.waker, 5);
	sampled(fixture, PID, 200);
	goes(fixture, PID, 201);
	assert_int_equal(comes(fixture, PID, 211), 1);
	assert_false(fixture->last.has_waker);
}

static void
a_waker_just_before_the_switch_counts_and_one_of_a_preempted_thread_does_not(void **state)
{
	struct fixture *fixture = *state;

	exec(fixture, PID, 50);
	off_cpu_wake(fixture->off_cpu, PID, 5);
	sampled(fixture, PID, 100);
	goes(fixture, PID, 101);
	assert_int_equal(comes(fixture, PID, 111), 1);
	assert_true(fixture->last.has_waker);
	off_cpu_wake(fixture->off_cpu, PID, 6);
	sampled(fixture, PID, 200);
	is_preempted(fixture, PID, 201);
	assert_int_equal(comes(fixture, PID, 211), 1);
	assert_false(fixture->last.has_waker);
}

static void wakers_of_threads_that_were_never_met_or_are_gone_are_forgotten(void **state)
{
	struct fixture *fixture = *state;

	off_cpu_wake(fixture->off_cpu, 77, 5);
	exec(fixture, PID, 50);
	task(fixture, PERF_RECORD_FORK, PID, 11, 60);
	comes(fixture, 11, 61);
	off_cpu_wake(fixture->off_cpu, 11, 5);
	task(fixture, PERF_RECORD_EXIT, PID, 11, 70);
	task(fixture, PERF_RECORD_FORK, PID, 11, 80);
	comes(fixture, 11, 81);
	sampled(fixture, 11, 90);
	goes(fixture, 11, 91);
	assert_int_equal(comes(fixture, 11, 99), 1);
	assert_false(fixture->last.has_waker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sample_weighs_the_time_from_its_switch_out_to_the_next_switch_in),
		TEST(who_could_have_run_on_was_preempted),
		TEST(threads_wait_apart),
		TEST(a_new_thread_waits_from_its_fork_on),
		TEST(a_switch_without_its_sample_is_shown_as_such),
		TEST(where_a_switch_in_was_lost_nobody_knows_how_long),
		TEST(where_a_switch_out_was_lost_its_sample_has_the_time),
		TEST(losses_make_the_times_they_fall_into_doubtful),
		TEST(sample_and_record_of_one_moment_may_come_in_either_order),
		TEST(what_follows_a_threads_exit_is_no_wait),
		TEST(an_exec_or_a_new_thread_of_the_number_takes_no_old_sample_over),
		TEST(a_number_that_comes_back_in_another_process_is_another_thread),
		TEST(threads_off_at_the_end_count_up_to_it),
		TEST_ATTACHED(nothing_counts_before_the_recording_began),
		TEST_ATTACHED(a_thread_asleep_since_before_shows_when_it_wakes),
		TEST_ATTACHED(threads_without_any_switch_are_counted),
		TEST_ATTACHED(a_thread_found_waiting_at_the_end_waited_all_the_time),
		TEST_ATTACHED(a_thread_found_waiting_at_the_begin_has_that_path_until_it_wakes),
		TEST(what_has_no_number_is_no_thread),
		TEST(many_samples_may_wait_at_once),
		TEST(every_sample_is_handed_out_once_and_no_time_twice),
		TEST(a_wait_has_the_waker_that_ended_it),
		TEST(a_waker_just_before_the_switch_counts_and_one_of_a_preempted_thread_does_not),
		TEST(wakers_of_threads_that_were_never_met_or_are_gone_are_forgotten),
		TEST(without_records_of_switches_the_next_sample_ends_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
