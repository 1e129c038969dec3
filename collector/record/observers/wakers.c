/*
 * A new thread is known when its FORK record was read, which may be in the same round as its first
 * wakings. So what was read in a round is judged, and written, at the end of that round.
 */
#include "collector/record/observers/wakers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "collector/record/live/targets.h"
#include "perf/catalog/event_parse.h"
#include "perf/counters/refusal.h"
#include "perf/records/waking_record.h"

/* The woken thread's number is in the field pid. */
#define EVENT "sched:sched_waking/weight=pid/"
/* The inode of the first pid namespace, whose numbers tracepoints have (PROC_PID_INIT_INO). */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCu
/* More wakings than this do not wait for the end of a round. */
#define HELD_MAX (4u << 20)
/* Names of wakers that are remembered, by tid, and how long: a thread may change its name. */
#define N_NAMES     1024
#define NAME_AGE_NS NSEC_PER_SEC

struct waker_name {
	pid_t tid; /* 0: free */
	uint64_t read_ns;
	char comm[WAKING_COMM_MAX];
};

struct wakers {
	const struct observed_recording *recording;
	struct waking_rings *rings;
	uint8_t *recorded; /* a bit for each tid; NULL: all threads are recorded */
	struct int_list gone;
	struct waking *held;
	size_t n_held, n_allocated;
	uint64_t known_ns; /* which threads are recorded is known up to this time */
	struct waker_name names[N_NAMES];
	struct wakers_stats stats;
};

static bool is_tid(pid_t tid)
{
	return tid > 0 && tid < TARGET_PID_MAX;
}

static bool is_recorded(const struct wakers *wakers, pid_t tid)
{
	return !wakers->recorded ||
	       (is_tid(tid) && wakers->recorded[tid / 8] & 1u << (unsigned)tid % 8);
}

static void set_recorded(struct wakers *wakers, pid_t tid, bool is_now)
{
	const uint8_t bit = (uint8_t)(1u << (unsigned)tid % 8);

	if (!wakers->recorded || !is_tid(tid))
		return;
	wakers->recorded[tid / 8] &= (uint8_t)~bit;
	wakers->recorded[tid / 8] |= is_now ? bit : 0;
}

struct wakers *wakers_create(const struct observed_recording *recording, struct waking_rings *rings)
{
	struct wakers *wakers = calloc(1, sizeof(*wakers));

	if (!wakers)
		return NULL;
	wakers->recording = recording;
	wakers->rings = rings;
	return wakers;
}

void wakers_destroy(struct wakers *wakers)
{
	if (!wakers)
		return;
	waking_rings_close(wakers->rings);
	int_list_deinit(&wakers->gone);
	free(wakers->recorded);
	free(wakers->held);
	free(wakers);
}

const struct wakers_stats *wakers_stats(const struct wakers *wakers)
{
	return &wakers->stats;
}

int wakers_begin(struct wakers *wakers)
{
	const struct int_list *tids = wakers->recording->tids;

	if (tids) {
		wakers->recorded = calloc(TARGET_PID_MAX / 8, 1);
		if (!wakers->recorded)
			return -ENOMEM;
		for (size_t i = 0; i < tids->n; i++)
			set_recorded(wakers, tids->values[i], true);
	}
	if (wakers->rings)
		waking_rings_enable(wakers->rings);
	return 0;
}

static int explain_refusal(const struct observed_recording *recording, int err,
			   const struct perf_event_attr *attr)
{
	struct perf_limits limits;
	const struct refused_event refused = { .name = "sched:sched_waking",
					       .attr = attr,
					       .target = EVLIST_SYSTEM };

	limits_read(&limits);
	_cleanup_free_ char *text =
		err == -EACCES || err == -EPERM ? refusal_sentence(&refused, &limits) : NULL;
	return recording_notes_explain(
		recording->notes, err,
		"--waker needs the wakings of all CPUs, because any thread may "
		"wake a recorded one. %s",
		text ? text : strerror(-err));
}

static int open_rings(const struct observed_recording *recording, const struct event *event,
		      struct waking_rings **rings_ret)
{
	struct perf_event_attr attr = event->attr;
	struct int_list cpus = { 0 };

	int err = targets_online_cpus(&cpus);
	if (!err)
		err = waking_rings_open(&attr, event->weight.offset, cpus.values, cpus.n,
					rings_ret);
	int_list_deinit(&cpus);
	return err ? explain_refusal(recording, err, &attr) : 0;
}

/* Elsewhere the numbers of woken threads are not those of this namespace. */
static bool is_in_first_pid_namespace(const struct observed_recording *recording)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/self/ns/pid", recording->proc);
	return stat(path, &st) || st.st_ino == FIRST_PID_NAMESPACE;
}

static int prepare(const struct observed_recording *recording, void **state)
{
	struct event *events = NULL;
	size_t n_events = 0;
	_cleanup_free_ char *error = NULL;
	struct waking_rings *rings = NULL;

	if (!recording->records_wakers)
		return 0;
	if (!is_in_first_pid_namespace(recording))
		return recording_notes_explain(recording->notes, -ENOTSUP,
					       "--waker does not work in a container: wakings have "
					       "the numbers that threads have outside.");
	if (event_parse(EVENT, &events, &n_events, &error) != EVENT_OK)
		return recording_notes_explain(recording->notes, -ENOENT, "--waker: %s",
					       error ? error : strerror(ENOMEM));
	int err = open_rings(recording, &events[0], &rings);
	events_destroy(events, n_events);
	if (err)
		return err;
	*state = wakers_create(recording, rings);
	if (!*state)
		waking_rings_close(rings);
	return *state ? 0 : -ENOMEM;
}

/* NULL in @state: this is called where wakers are not wanted, too. */
static int begin(const struct observed_recording *recording, void **state)
{
	struct wakers *wakers = *state;

	if (!wakers)
		return 0;
	if (!recording->has_known_clock) {
		recording_notes_add(recording->notes, false,
				    "wakers are not recorded: this kernel's events have another "
				    "clock.");
		wakers_destroy(wakers);
		*state = NULL;
		return 0;
	}
	return wakers_begin(wakers);
}

static void destroy(void *state)
{
	wakers_destroy(state);
}

static void read_name(const struct wakers *wakers, struct waker_name *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%d/comm", wakers->recording->proc, name->tid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, name->comm, sizeof(name->comm) - 1);
	name->comm[n > 0 ? n : 0] = '\0';
	name->comm[strcspn(name->comm, "\n")] = '\0';
}

/* The name of a thread that the recording does not describe. */
static const char *name_of(struct wakers *wakers, pid_t tid)
{
	struct waker_name *name = &wakers->names[(unsigned)tid % N_NAMES];
	const uint64_t now = now_ns();

	if (tid <= 0 || is_recorded(wakers, tid))
		return "";
	if (name->tid == tid && now - name->read_ns < NAME_AGE_NS)
		return name->comm;
	name->tid = tid;
	name->read_ns = now;
	read_name(wakers, name);
	return name->comm;
}

static void fill_record(struct wakers *wakers, const struct waking *waking,
			struct waking_record *record)
{
	waking_record_init(record);
	record->time_ns = waking->time_ns;
	record->tid = waking->tid;
	record->kind = WAKING_BY_INTERRUPT;
	if (waking->context == WAKING_IN_INTERRUPT)
		return;
	record->kind = waking->context == WAKING_IN_SOFTIRQ ? WAKING_BY_SOFTIRQ : WAKING_BY_THREAD;
	record->waker_pid = waking->waker_pid;
	record->waker_tid = waking->waker_tid;
	strcpy(record->waker_comm, name_of(wakers, waking->waker_tid));
}

static int write_waking(struct wakers *wakers, const struct waking *waking)
{
	struct stack_output *output = wakers->recording->stack_output;
	struct waking_record record;

	if (!is_recorded(wakers, waking->tid)) {
		wakers->stats.n_left_out++;
		return 0;
	}
	fill_record(wakers, waking, &record);
	wakers->stats.n_written++;
	if (record.time_ns > output->newest_ns)
		output->newest_ns = record.time_ns;
	return data_writer_append(wakers->recording->writer, &record, sizeof(record));
}

/* Writes the wakings up to that time, and keeps the others. */
static int write_until(struct wakers *wakers, uint64_t until_ns)
{
	size_t n_kept = 0;
	int err = 0;

	for (size_t i = 0; i < wakers->n_held; i++) {
		if (wakers->held[i].time_ns > until_ns)
			wakers->held[n_kept++] = wakers->held[i];
		else if (!err)
			err = write_waking(wakers, &wakers->held[i]);
	}
	wakers->n_held = n_kept;
	return err;
}

int wakers_take(struct wakers *wakers, const struct waking *waking)
{
	if (wakers->n_held == HELD_MAX) {
		wakers->stats.n_dropped++;
		return 0;
	}
	if (array_reserve(wakers->held, wakers->n_held, wakers->n_allocated, 1))
		return -ENOMEM;
	wakers->held[wakers->n_held++] = *waking;
	return 0;
}

int wakers_begin_round(struct wakers *wakers, const struct observed_round *round)
{
	struct waking waking;
	/* Of a round that had nothing to read. */
	int err = write_until(wakers, wakers->known_ns);

	wakers->known_ns = round->began_ns < round->end_ns ? round->began_ns : round->end_ns;
	if (!wakers->rings)
		return err;
	waking_rings_begin(wakers->rings);
	while (!err && waking_rings_next(wakers->rings, &waking))
		err = wakers_take(wakers, &waking);
	return err;
}

int wakers_see_sideband(struct wakers *wakers, const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_FORK:
		set_recorded(wakers, record->task.tid, true);
		return 0;
	case PERF_RECORD_COMM:
		set_recorded(wakers, record->comm.tid, true);
		return 0;
	case PERF_RECORD_EXIT:
		return int_list_insert(&wakers->gone, record->task.tid);
	default:
		return 0;
	}
}

int wakers_end_round(struct wakers *wakers)
{
	int err = write_until(wakers, wakers->known_ns);

	for (size_t i = 0; i < wakers->gone.n; i++)
		set_recorded(wakers, wakers->gone.values[i], false);
	wakers->gone.n = 0;
	return err;
}

int wakers_finish(struct wakers *wakers)
{
	return write_until(wakers, UINT64_MAX);
}

static int begin_round(void *state, const struct observed_round *round)
{
	return wakers_begin_round(state, round);
}

static int see_sideband(void *state, const struct record *record)
{
	return wakers_see_sideband(state, record);
}

static int end_round(void *state, const struct observed_round *round)
{
	(void)round;
	return wakers_end_round(state);
}

static int finish(void *state)
{
	return wakers_finish(state);
}

static int wake_fd(const void *state)
{
	const struct wakers *wakers = state;

	return waking_rings_fd(wakers->rings);
}

static void advise(const void *state, struct recording_notes *notes)
{
	const struct wakers *wakers = state;
	const uint64_t n_lost = waking_rings_n_lost(wakers->rings) + wakers->stats.n_dropped;

	if (n_lost)
		recording_notes_add_counted(notes, false, n_lost,
					    "{waking was lost: the wait that it|wakings were lost: "
					    "waits that they} ended {has|have} no waker.");
}

static void describe(const void *state, bool is_verbose, struct recording_notes *notes)
{
	const struct wakers_stats *stats = wakers_stats(state);

	if (is_verbose)
		recording_notes_add(notes, true,
				    "%" PRIu64
				    " wakings of recorded threads were recorded, %" PRIu64
				    " of others were not.",
				    stats->n_written, stats->n_left_out);
}

const struct recording_observer wakers_observer = {
	.name = "wakers",
	.prepare = prepare,
	.begin = begin,
	.destroy = destroy,
	.begin_round = begin_round,
	.see_sideband = see_sideband,
	.end_round = end_round,
	.finish = finish,
	.wake_fd = wake_fd,
	.advise = advise,
	.describe = describe,
};
