/* Which thread runs, since when, and the sample that waits for it. */
#include "collector/replay/off_cpu.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

/* So many waiting samples may pin a block of the file. */
#define MAX_PINS 32
#define NO_PIN   UINT32_MAX

enum presence {
	UNKNOWN,
	NEW, /* made, but it has not run yet */
	ON,
	OFF,
	GONE, /* has exited: its remaining time in the kernel is not a wait */
};

/* One per thread that was ever switched. */
struct off_cpu_thread {
	struct off_cpu_thread *next;
	struct thread *thread;
	int32_t pid; /* a tid may come back in another process without a word */
	enum presence presence;
	bool is_preempted;
	bool has_never_run; /* since the begin; its sample was read from it */
	bool has_waker;     /* since it last ran */
	uint32_t waker;
	uint32_t pin;
	uint64_t n_losses;    /* when it went off */
	uint64_t since_ns;    /* off, or new, or when the sample was taken */
	struct sample sample; /* of the last switch-out; no thread: none */
};

struct off_cpu {
	struct processes *processes;
	struct profile_quality *quality;
	struct off_cpu_thread *threads; /* all; from ->left on those not yet asked at the end */
	struct off_cpu_thread *left;
	bool is_at_end;
	bool ends_with_samples;
	uint64_t begin_ns;
	uint64_t n_losses;
	struct off_cpu_thread *pins[MAX_PINS]; /* in a circle */
	uint32_t next_pin;
};

struct off_cpu *off_cpu_create(struct processes *processes, struct profile_quality *quality,
			       uint64_t begin_ns)
{
	struct off_cpu *off_cpu = calloc(1, sizeof(*off_cpu));

	if (!off_cpu)
		return NULL;
	off_cpu->processes = processes;
	off_cpu->quality = quality;
	off_cpu->begin_ns = begin_ns;
	return off_cpu;
}

void off_cpu_destroy(struct off_cpu *off_cpu)
{
	if (!off_cpu)
		return;
	while (off_cpu->threads) {
		struct off_cpu_thread *state = off_cpu->threads;

		off_cpu->threads = state->next;
		state->thread->off_cpu = NULL;
		sample_deinit(&state->sample);
		free(state);
	}
	free(off_cpu);
}

void off_cpu_end_with_samples(struct off_cpu *off_cpu)
{
	off_cpu->ends_with_samples = true;
}

void off_cpu_lose(struct off_cpu *off_cpu)
{
	off_cpu->n_losses++;
}

void off_cpu_begin(struct off_cpu *off_cpu, uint64_t time_ns)
{
	off_cpu->begin_ns = time_ns;
}

static bool has_sample(const struct off_cpu_thread *state)
{
	return state->sample.thread;
}

static struct off_cpu_thread *find_thread(struct off_cpu *off_cpu, struct thread *thread)
{
	struct off_cpu_thread *state = thread->off_cpu;

	if (state)
		return state;
	state = calloc(1, sizeof(*state));
	if (!state)
		return NULL;
	state->thread = thread;
	state->pid = thread->process->pid;
	state->pin = NO_PIN;
	state->next = off_cpu->threads;
	off_cpu->threads = state;
	thread->off_cpu = state;
	return state;
}

static void unpin(struct off_cpu *off_cpu, struct off_cpu_thread *state)
{
	if (state->pin != NO_PIN)
		off_cpu->pins[state->pin] = NULL;
	state->pin = NO_PIN;
}

/* A sample that has waited for long is moved to a separate block. */
static int pin(struct off_cpu *off_cpu, struct off_cpu_thread *state)
{
	struct off_cpu_thread **slot = &off_cpu->pins[off_cpu->next_pin];

	if (*slot) {
		int err = sample_detach(&(*slot)->sample);
		if (err)
			return err;
		unpin(off_cpu, *slot);
	}
	*slot = state;
	state->pin = off_cpu->next_pin;
	off_cpu->next_pin = (off_cpu->next_pin + 1) % MAX_PINS;
	return 0;
}

/* Of the time up to @end_ns, what the recording covers. */
static uint64_t time_off(const struct off_cpu *off_cpu, const struct off_cpu_thread *state,
			 uint64_t end_ns)
{
	uint64_t start_ns =
		state->since_ns > off_cpu->begin_ns ? state->since_ns : off_cpu->begin_ns;

	return end_ns > start_ns ? end_ns - start_ns : 0;
}

static void take_sample(struct off_cpu *off_cpu, struct off_cpu_thread *state, uint64_t weight,
			struct sample *ret)
{
	unpin(off_cpu, state);
	*ret = state->sample;
	state->sample = (struct sample){ .thread = NULL };
	ret->weight = weight;
}

/* Whatever waits has waited for something that was not recorded. */
static int let_go(struct off_cpu *off_cpu, struct off_cpu_thread *state, struct sample *ret)
{
	if (!has_sample(state))
		return 0;
	off_cpu->quality->counts[QUALITY_OFF_UNPAIRED]++;
	take_sample(off_cpu, state, 0, ret);
	return 1;
}

static enum marker why_missing(const struct off_cpu *off_cpu, const struct off_cpu_thread *state)
{
	if (state->presence == UNKNOWN || state->since_ns < off_cpu->begin_ns)
		return MARKER_OFF_BEFORE;
	return state->presence == NEW ? MARKER_NOT_YET_RUN : MARKER_SWITCH_LOST;
}

static enum cpu_state state_when_off(const struct off_cpu_thread *state)
{
	if (state->presence == UNKNOWN || state->presence == ON)
		return ON_CPU; /* only the record of the switch tells */
	return state->presence == NEW || state->is_preempted ? OFF_PREEMPTED : OFF_BLOCKED;
}

/* The time off up to @end_ns is over. */
static int hand_out(struct off_cpu *off_cpu, struct off_cpu_thread *state, uint64_t end_ns,
		    uint32_t cpu, struct sample *ret)
{
	uint64_t weight = time_off(off_cpu, state, end_ns);

	if (has_sample(state)) {
		take_sample(off_cpu, state, weight, ret);
	} else if (weight) {
		*ret = (struct sample){ .weight = weight, .end = why_missing(off_cpu, state) };
		ret->record.pid = state->thread->process->pid;
		ret->record.tid = state->thread->tid;
		ret->record.cpu = cpu;
		sample_place(ret, state->thread);
	} else {
		return 0;
	}
	ret->cpu_state = state_when_off(state);
	ret->has_waker = state->has_waker && ret->cpu_state == OFF_BLOCKED;
	ret->waker = state->waker;
	off_cpu->quality->counts[QUALITY_OFF_DOUBTFUL] += state->n_losses != off_cpu->n_losses;
	return 1;
}

static void go_off(struct off_cpu *off_cpu, struct off_cpu_thread *state, uint64_t time_ns)
{
	state->since_ns = time_ns;
	state->n_losses = off_cpu->n_losses;
}

static int switch_out(struct off_cpu *off_cpu, struct off_cpu_thread *state,
		      const struct record *record, struct sample *ret)
{
	int n = 0;

	if (state->presence == GONE)
		return 0;
	if (state->presence == OFF) {
		off_cpu->quality->counts[QUALITY_OFF_UNPAIRED] += !has_sample(state);
		n = let_go(off_cpu, state, ret);
	}
	state->presence = OFF;
	state->is_preempted = record->context_switch.is_preempt;
	go_off(off_cpu, state, record->time_ns);
	return n;
}

static int switch_in(struct off_cpu *off_cpu, struct off_cpu_thread *state,
		     const struct record *record, struct sample *ret)
{
	int n = 0;

	switch (state->presence) {
	case GONE:
		return 0;
	case ON: /* its switch-out was lost; the sample of it may be there */
		off_cpu->quality->counts[QUALITY_OFF_UNPAIRED]++;
		if (has_sample(state))
			n = hand_out(off_cpu, state, record->time_ns, record->cpu, ret);
		break;
	case UNKNOWN: /* since when, only the beginning of the recording tells */
		if (!off_cpu->begin_ns)
			off_cpu->quality->counts[QUALITY_OFF_UNPAIRED]++;
		else
			n = hand_out(off_cpu, state, record->time_ns, record->cpu, ret);
		break;
	case NEW:
	case OFF:
		n = hand_out(off_cpu, state, record->time_ns, record->cpu, ret);
		break;
	}
	state->presence = ON;
	state->has_waker = state->has_never_run = false;
	return n;
}

/* Another life of the thread begins, or none. */
static int restart(struct off_cpu *off_cpu, struct off_cpu_thread *state, enum presence presence,
		   uint64_t time_ns, struct sample *ret)
{
	int n = let_go(off_cpu, state, ret);

	state->pid = state->thread->process->pid;
	state->presence = presence;
	state->has_waker &= presence == ON;
	state->has_never_run = false;
	go_off(off_cpu, state, time_ns);
	return n;
}

static enum presence presence_after(const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return record->context_switch.is_out ? OFF : ON;
	case PERF_RECORD_COMM:
		return ON;
	case PERF_RECORD_FORK: /* of what already ran, nobody knows whether it runs */
		return record->time_ns ? NEW : UNKNOWN;
	default:
		return GONE;
	}
}

static int apply_to(struct off_cpu *off_cpu, struct off_cpu_thread *state,
		    const struct record *record, struct sample *ret)
{
	switch (record->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return record->context_switch.is_out ? switch_out(off_cpu, state, record, ret)
						     : switch_in(off_cpu, state, record, ret);
	default:
		return restart(off_cpu, state, presence_after(record), record->time_ns, ret);
	}
}

/* Whose record it is; false: nobody's here. */
static bool whose(const struct record *record, int32_t *pid_ret, int32_t *tid_ret)
{
	switch (record->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		*pid_ret = record->pid;
		*tid_ret = record->tid;
		return record->has_time && record->has_tid;
	case PERF_RECORD_COMM:
		*pid_ret = record->comm.pid;
		*tid_ret = record->comm.tid;
		return record->comm.is_exec && record->has_time;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		*pid_ret = record->task.pid;
		*tid_ret = record->task.tid;
		return record->has_time;
	default:
		return false;
	}
}

int off_cpu_see(struct off_cpu *off_cpu, const struct thread *thread, uint64_t time_ns,
		struct sample *ret)
{
	struct off_cpu_thread *state = thread ? thread->off_cpu : NULL;

	if (!off_cpu->ends_with_samples || !state || !has_sample(state))
		return 0;
	return hand_out(off_cpu, state, time_ns, 0, ret);
}

int off_cpu_apply(struct off_cpu *off_cpu, const struct record *record, struct sample *ret)
{
	int32_t pid, tid;

	if (off_cpu->ends_with_samples && record->type != PERF_RECORD_EXIT)
		return 0;
	if (!whose(record, &pid, &tid) || pid <= 0 || tid <= 0)
		return 0;
	struct thread *thread = record->type == PERF_RECORD_EXIT
					? processes_find_thread(off_cpu->processes, pid, tid)
					: processes_thread(off_cpu->processes, pid, tid);
	if (!thread && record->type == PERF_RECORD_EXIT)
		return 0;
	struct off_cpu_thread *state = thread ? find_thread(off_cpu, thread) : NULL;
	if (!state)
		return -ENOMEM;
	if (state->pid == pid)
		return apply_to(off_cpu, state, record, ret);
	if (presence_after(record) == OFF)
		state->is_preempted = record->context_switch.is_preempt;
	return restart(off_cpu, state, presence_after(record), record->time_ns, ret);
}

/* Where the clock did not move between sample and record, they may come in either order. */
static bool is_of_last_switch(const struct off_cpu_thread *state, uint64_t sample_ns)
{
	return state->presence == OFF && !has_sample(state) && sample_ns <= state->since_ns;
}

int off_cpu_hold(struct off_cpu *off_cpu, const struct sample *sample, uint64_t time_ns,
		 struct sample *ret)
{
	struct sample mine = *sample;
	struct off_cpu_thread *state = find_thread(off_cpu, sample->thread);
	int n = 0;

	if (!state) {
		sample_deinit(&mine);
		return -ENOMEM;
	}
	bool is_known = state->pid == sample->thread->process->pid;
	if ((is_known && state->presence == GONE) || sample->thread->tid <= 0) {
		off_cpu->quality->counts[QUALITY_OFF_UNPAIRED] +=
			sample->thread->tid == PID_OUTSIDE;
		*ret = mine;
		ret->weight = 0;
		return 1;
	}
	if (is_known)
		n = off_cpu_see(off_cpu, sample->thread, time_ns, ret);
	if (!is_known || !is_of_last_switch(state, time_ns)) {
		/* While it is off, nothing can be sampled but after a switch-in that was lost. */
		off_cpu->quality->counts[QUALITY_OFF_UNPAIRED] +=
			state->presence == OFF && !has_sample(state);
		n += restart(off_cpu, state, ON, time_ns, ret);
	}
	state->sample = mine;
	int err = pin(off_cpu, state);
	if (err && n)
		sample_deinit(ret);
	return err ? err : n;
}

bool off_cpu_is_silent(const struct off_cpu *off_cpu, const struct thread *thread)
{
	const struct off_cpu_thread *state = thread->off_cpu;

	if (!state)
		return true;
	if (has_sample(state) || state->pid != thread->process->pid)
		return false;
	/* Records of switches begin earlier than samples. */
	return state->presence == UNKNOWN ||
	       (state->presence == OFF && state->since_ns < off_cpu->begin_ns);
}

/* A wait like those that switches begin, since before the recording. */
int off_cpu_hold_silent(struct off_cpu *off_cpu, const struct sample *sample)
{
	struct sample mine = *sample;
	struct off_cpu_thread *state = find_thread(off_cpu, sample->thread);

	if (!state) {
		sample_deinit(&mine);
		return -ENOMEM;
	}
	state->presence = OFF;
	state->is_preempted = false;
	state->has_never_run = true;
	go_off(off_cpu, state, 0);
	state->sample = mine;
	return pin(off_cpu, state);
}

/* The last one counts: before a switch-out it is of the wait only if no other comes after it. */
void off_cpu_wake(struct off_cpu *off_cpu, int32_t tid, uint32_t waker)
{
	const struct thread *thread = processes_find_tid(off_cpu->processes, tid);
	struct off_cpu_thread *state = thread ? thread->off_cpu : NULL;

	if (!state)
		return;
	state->has_waker = true;
	state->waker = waker;
}

static int count_silent(struct thread *thread, void *arg)
{
	struct off_cpu *off_cpu = arg;
	const struct off_cpu_thread *state = thread->off_cpu;
	bool is_silent = !state || state->presence == UNKNOWN || state->presence == NEW;

	if (thread->tid > 0 && thread->is_live && thread->process->is_announced && is_silent)
		off_cpu->quality->counts[QUALITY_SILENT_THREADS]++;
	return 0;
}

int off_cpu_next_at_end(struct off_cpu *off_cpu, uint64_t end_ns, struct sample *ret)
{
	if (!off_cpu->is_at_end) {
		off_cpu->is_at_end = true;
		off_cpu->left = off_cpu->threads;
		processes_each_thread(off_cpu->processes, count_silent, off_cpu);
	}
	while (off_cpu->left) {
		struct off_cpu_thread *state = off_cpu->left;

		off_cpu->left = state->next;
		if (state->presence != OFF && !has_sample(state))
			continue;
		if (off_cpu->ends_with_samples)
			return let_go(off_cpu, state, ret);
		off_cpu->quality->counts[QUALITY_OFF_AT_END]++;
		if (!hand_out(off_cpu, state, end_ns, 0, ret))
			continue;
		ret->is_off_at_end = true;
		ret->is_off_all_time = state->has_never_run;
		return 1;
	}
	return 0;
}
