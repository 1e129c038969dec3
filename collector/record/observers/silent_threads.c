#include "collector/record/observers/silent_threads.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "collector/record/live/live_process.h"
#include "perf/records/window_record.h"
#include "perf/writer/sample_build.h"

#define SAMPLE_MAX (UINT16_MAX + 1)

/* At most so many are read when sampling begins: meanwhile the rings fill. */
#define READ_AT_BEGIN_MAX 512

struct listed_thread {
	pid_t tid;
	uint64_t n_switches;
	bool is_read;      /* it has a sample */
	bool is_of_kernel; /* idle threads of the kernel are not what anybody looks for */
};

struct silent_threads {
	const struct observed_recording *recording;
	struct silent_threads_access access;
	struct waiting_thread_reader *reader; /* NULL: ->stats.reader_err */
	struct record_layout layout;          /* of the samples */
	struct listed_thread *threads;
	size_t n_threads, n_allocated;
	size_t n_read_at_begin;
	void *room; /* for a sample */
	bool is_listed, is_over;
	struct silent_threads_stats stats;
};

static const struct silent_threads_access real_access = {
	.status = thread_status_read,
	.read = waiting_thread_read,
	.memory = live_memory_read_start,
};

struct silent_threads *silent_threads_create(const struct observed_recording *recording,
					     const struct silent_threads_access *access)
{
	struct silent_threads *silent = calloc(1, sizeof(*silent));

	if (!silent)
		return NULL;
	silent->recording = recording;
	silent->room = malloc(SAMPLE_MAX);
	if (!silent->room) {
		free(silent);
		return NULL;
	}
	silent->access = access ? *access : real_access;
	record_layout_init(&silent->layout, &recording->off_cpu->attr);
	if (!access)
		silent->stats.reader_err = waiting_thread_reader_create(
			silent->layout.regs_user_mask, &silent->reader);
	return silent;
}

void silent_threads_destroy(struct silent_threads *silent)
{
	if (!silent)
		return;
	waiting_thread_reader_destroy(silent->reader);
	free(silent->threads);
	free(silent->room);
	free(silent);
}

const struct silent_threads_stats *silent_threads_stats(const struct silent_threads *silent)
{
	return &silent->stats;
}

/* sched:sched_switch, as of Linux 3.14 and later. */
struct switch_data {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t common_pid;
	char prev_comm[16];
	int32_t prev_pid, prev_prio;
	int64_t prev_state;
	char next_comm[16];
	int32_t next_pid, next_prio;
};
static_assert(sizeof(struct switch_data) == 64, "the kernel's layout");

/* TASK_INTERRUPTIBLE, ...: include/linux/sched.h. */
static int64_t state_number(char state)
{
	switch (state) {
	case 'S':
		return 1;
	case 'T':
		return 4;
	case 't':
		return 8;
	default:
		return 2;
	}
}

static void fill_switch(const struct silent_threads *silent, pid_t tid,
			const struct thread_status *status, struct switch_data *ret)
{
	*ret = (struct switch_data){ .type = (uint16_t)silent->recording->off_cpu->attr.config,
				     .common_pid = tid,
				     .prev_pid = tid,
				     .prev_state = state_number(status->state) };
	memcpy(ret->prev_comm, status->name, sizeof(ret->prev_comm));
}

/* A sample of a thread with this state in ->room; its stack is read now. Returns its size. */
static size_t build(const struct silent_threads *silent, pid_t tid, uint64_t time_ns,
		    const struct thread_status *status, const struct waiting_thread *thread)
{
	uint64_t callchain[1 + WAITING_THREAD_CALLERS_MAX] = { (uint64_t)PERF_CONTEXT_KERNEL };
	struct switch_data data;
	struct sample_parts parts = {
		.id = silent->recording->off_cpu->ids[0],
		.ip = thread->n_kernel ? thread->kernel[0] : 0,
		.time_ns = time_ns,
		.period = 1,
		.pid = status->pid,
		.tid = tid,
		.callchain = callchain,
		.n_callchain = 1 + thread->n_kernel,
		.raw = &data,
		.raw_size = sizeof(data),
		.abi = thread->abi,
		.regs = thread->regs,
	};

	memcpy(callchain + 1, thread->kernel, thread->n_kernel * sizeof(callchain[0]));
	fill_switch(silent, tid, status, &data);
	size_t max = sample_build_stack_max(&silent->layout, &parts);
	uint32_t wanted = silent->recording->off_cpu->attr.sample_stack_user;
	_cleanup_free_ void *stack = malloc(max + !max);
	if (stack && thread->abi != PERF_SAMPLE_REGS_ABI_NONE)
		parts.stack_size = silent->access.memory(status->pid, thread->sp, stack,
							 wanted < max ? wanted : max) &
				   ~(size_t)7;
	parts.stack = stack;
	return sample_build(&silent->layout, &parts, silent->room, SAMPLE_MAX);
}

/* It has not run since it was listed. */
static bool is_silent(const struct silent_threads *silent, const struct listed_thread *listed,
		      struct thread_status *status_ret)
{
	return !silent->access.status(silent->recording->proc, listed->tid, status_ret) &&
	       status_ret->n_switches == listed->n_switches && !strchr("RZX", status_ret->state);
}

/* In time order with the records of the rings. */
static int write_sample(struct silent_threads *silent, struct listed_thread *listed,
			uint64_t time_ns, size_t size)
{
	const struct observed_recording *recording = silent->recording;
	struct window_record before;
	int err = 0;

	listed->is_read = true;
	++*recording->n_samples;
	if (!silent->is_over) {
		silent->n_read_at_begin++;
		window_record_init(&before, WINDOW_RECORD_WAITING, time_ns);
		before.cpu = (uint32_t)listed->tid;
		recording->stack_output->newest_ns = time_ns;
		err = data_writer_append(recording->writer, &before, sizeof(before));
	}
	return err ? err : data_writer_append(recording->writer, silent->room, size);
}

/* Of a thread that has not run since it was listed. */
static int read_thread(struct silent_threads *silent, struct listed_thread *listed,
		       struct thread_status *status)
{
	struct waiting_thread thread;

	if (silent->stats.reader_err || silent->access.read(silent->reader, listed->tid, &thread))
		return 0;
	listed->is_of_kernel = thread.abi == PERF_SAMPLE_REGS_ABI_NONE;
	if (listed->is_of_kernel)
		return 0;
	const uint64_t time_ns = now_ns();
	size_t size = build(silent, listed->tid, time_ns, status, &thread);
	/* If it has run meanwhile, its parts may be of different times. */
	if (!size || !is_silent(silent, listed, status))
		return 0;
	return write_sample(silent, listed, time_ns, size);
}

static int read_at_begin(struct silent_threads *silent, struct listed_thread *listed)
{
	struct thread_status status;

	if (silent->n_read_at_begin == READ_AT_BEGIN_MAX || !is_silent(silent, listed, &status))
		return 0;
	return read_thread(silent, listed, &status);
}

static int list_thread(struct silent_threads *silent, pid_t tid)
{
	struct thread_status status;

	if (silent->n_threads == SILENT_THREADS_MAX) {
		silent->stats.n_left_out++;
		return 0;
	}
	if (silent->access.status(silent->recording->proc, tid, &status))
		return 0;
	if (array_reserve(silent->threads, silent->n_threads, silent->n_allocated, 1))
		return -ENOMEM;
	struct listed_thread *listed = &silent->threads[silent->n_threads++];
	*listed = (struct listed_thread){ .tid = tid, .n_switches = status.n_switches };
	return read_at_begin(silent, listed);
}

/* Calls @visit with each number that is the name of an entry. */
static int each_number(const char *path, int (*visit)(struct silent_threads *silent, pid_t number),
		       struct silent_threads *silent)
{
	DIR *directory = opendir(path);
	int err = 0;

	if (!directory)
		return 0; /* the process has ended */
	for (struct dirent *entry; !err && (entry = readdir(directory));) {
		if (isdigit((unsigned char)entry->d_name[0]))
			err = visit(silent, atoi(entry->d_name));
	}
	closedir(directory);
	return err;
}

static int list_process(struct silent_threads *silent, pid_t pid)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%d/task", silent->recording->proc, pid);
	return each_number(path, list_thread, silent);
}

int silent_threads_list(struct silent_threads *silent)
{
	const struct int_list *tids = silent->recording->tids;
	int err = 0;

	silent->is_listed = true;
	if (!tids)
		return each_number(silent->recording->proc, list_process, silent);
	for (size_t i = 0; i < tids->n && !err; i++)
		err = list_thread(silent, tids->values[i]);
	return err;
}

static int read_at_end(struct silent_threads *silent, struct listed_thread *listed)
{
	struct thread_status status;
	int err = 0;

	if (listed->is_of_kernel || !is_silent(silent, listed, &status))
		return 0;
	if (!listed->is_read)
		err = read_thread(silent, listed, &status);
	silent->stats.n_silent += !listed->is_of_kernel;
	silent->stats.n_read += listed->is_read;
	return err;
}

int silent_threads_write(struct silent_threads *silent)
{
	int err = 0;

	silent->is_over = true;
	for (size_t i = 0; i < silent->n_threads && !err; i++)
		err = read_at_end(silent, &silent->threads[i]);
	return err;
}

static int begin(const struct observed_recording *recording, void **state)
{
	bool has_targets = !recording->tids || recording->tids->n;

	if (!recording->off_cpu || !recording->has_known_clock || !has_targets)
		return 0;
	*state = silent_threads_create(recording, NULL);
	return *state ? 0 : -ENOMEM;
}

static void destroy(void *state)
{
	silent_threads_destroy(state);
}

static int look(void *state, bool is_last)
{
	struct silent_threads *silent = state;

	if (is_last)
		return silent->recording->goes_on ? 0 : silent_threads_write(silent);
	return silent->is_listed || !silent->recording->is_sampling ? 0
								    : silent_threads_list(silent);
}

static void advise(const void *state, struct recording_notes *notes)
{
	const struct silent_threads_stats *stats = silent_threads_stats(state);

	if (stats->reader_err && stats->n_silent)
		recording_notes_add(
			notes, false, "%zu %s not be read (BPF iterators of Linux 6.1: %s).",
			stats->n_silent,
			stats->n_silent == 1 ? "thread never ran, and where it waits could"
					     : "threads never ran, and where they wait could",
			strerror(-stats->reader_err));
	if (stats->n_left_out)
		recording_notes_add(notes, false,
				    "of %zu threads beyond %d, those that never ran were not read.",
				    stats->n_left_out, SILENT_THREADS_MAX);
}

static void describe(const void *state, bool is_verbose, struct recording_notes *notes)
{
	const struct silent_threads_stats *stats = silent_threads_stats(state);

	if (is_verbose && stats->n_silent)
		recording_notes_add(notes, true, "%zu thread%s never ran: %zu of them %s read.",
				    stats->n_silent, stats->n_silent == 1 ? "" : "s", stats->n_read,
				    stats->n_read == 1 ? "was" : "were");
}

const struct recording_observer silent_threads_observer = {
	.name = "silent threads",
	.begin = begin,
	.destroy = destroy,
	.look = look,
	.advise = advise,
	.describe = describe,
};
