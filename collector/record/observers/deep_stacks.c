#include "collector/record/observers/deep_stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "collector/paths/sample_path.h"
#include "collector/record/live/live_process.h"
#include "collector/record/stacks/guarded_rest.h"

/* The number of known threads, by tid, and of threads with guards. */
#define N_THREADS     512
#define N_WATCHED_MAX 64
/* One part in so many of the time may go into this, and so much of it at once. */
#define TIME_SHARE   20
#define TIME_AT_ONCE (int64_t)(20 * NSEC_PER_MSEC)
/* The time between rounds while there are deep stacks, and while a stack waits to be read, whose
 * frames may return at any moment. */
#define ABOUT_INTERVAL_NS  (10 * NSEC_PER_MSEC)
#define URGENT_INTERVAL_NS (2 * NSEC_PER_MSEC)
/* How long after the last such stack, or after the start, these times apply. */
#define ABOUT_NS  NSEC_PER_SEC
#define URGENT_NS (100 * NSEC_PER_MSEC)
/* A stack that can't be walked, or is not the thread's own, is not looked at again for so long, and
 * twice as long the next time. */
#define RETRY_MIN_NS (10 * NSEC_PER_MSEC)
#define RETRY_MAX_NS NSEC_PER_SEC
/* Guards that last no longer than this help no sample. */
#define SHORT_LIFE_NS (5 * NSEC_PER_MSEC)
/* Of memory that is kept in order to write down changes only. */
#define KEPT_MAX (64u << 20)

/* A stack copy that is to be looked at when the round is over. */
struct pending {
	int32_t pid, tid;
	struct user_stack stack;
	uint8_t bytes[UINT16_MAX];
};

struct deep_thread {
	int32_t tid; /* 0: an empty place */
	int32_t pid;
	uint64_t root_sp;                /* where a walk reached the root; 0: none did */
	uint64_t stack_start, stack_end; /* of its own stack; 0: not known */
	uint64_t retry_ns, retry_after_ns;
	uint64_t seen_ns;
	struct guarded_rest rest;
	struct pending *pending; /* NULL: none */
};

struct deep_stacks {
	struct stack_output *output;
	struct stack_access access;
	struct deep_stacks_stats stats;
	uint32_t stack_size; /* the requested one */
	pid_t own_pid;
	const struct machine *machine;
	struct live_processes *processes;
	struct unwinder *unwinder;
	struct deep_thread threads[N_THREADS];
	struct deep_thread *watched[N_WATCHED_MAX];
	struct deep_thread *waiting[N_WATCHED_MAX]; /* with a pending copy */
	size_t n_watched, n_waiting;
	size_t n_kept;     /* bytes of all rests */
	int epoll_fd;      /* of the watches */
	int64_t credit_ns; /* time that may be spent; below 0: it was more than that */
	uint64_t credited_ns;
	uint64_t about_until_ns, urgent_until_ns;
	int err;
};

static const struct stack_access real_access = {
	.watch_open = word_watch_open,
	.watch_close = word_watch_close,
	.watch_fd = word_watch_fd,
	.watch_set = word_watch_set,
	.watch_touched = word_watch_touched,
	.memory_read = live_memory_read,
	.stack_find = live_stack_find,
	.now_ns = now_ns,
};

static bool can_watch(const struct perf_event_attr *attr, const struct machine *machine)
{
	const struct arch *arch = machine_arch(machine, PERF_SAMPLE_REGS_ABI_64);

	/* Return addresses must be on the stack, and times must have the clock of the watches. */
	return arch && !(arch->callee_saved >> arch->ra & 1) && attr->use_clockid &&
	       attr->clockid == CLOCK_MONOTONIC && attr->sample_type & PERF_SAMPLE_STACK_USER;
}

int deep_stacks_create(struct stack_output *output, const struct perf_event_attr *attr,
		       const struct stack_access *access, struct deep_stacks **stacks_ret)
{
	struct utsname name;

	*stacks_ret = NULL;
	const struct machine *machine = uname(&name) == 0 ? machine_find(name.machine) : NULL;
	if (!can_watch(attr, machine))
		return 0;
	struct deep_stacks *stacks = calloc(1, sizeof(*stacks));
	if (!stacks)
		return -ENOMEM;
	stacks->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (stacks->epoll_fd < 0) {
		free(stacks);
		return -errno;
	}
	stacks->output = output;
	stacks->access = *access;
	stacks->stack_size = attr->sample_stack_user;
	stacks->own_pid = getpid();
	stacks->machine = machine;
	stacks->credited_ns = stacks->access.now_ns();
	stacks->credit_ns = TIME_AT_ONCE;
	stacks->about_until_ns = stacks->credited_ns + ABOUT_NS;
	*stacks_ret = stacks;
	return 0;
}

static void forget_rest(struct deep_stacks *stacks, struct deep_thread *thread)
{
	stacks->n_kept -= thread->rest.size;
	guarded_rest_keep(&thread->rest, 0, NULL, 0);
}

static void remove_from(struct deep_thread **list, size_t *n, const struct deep_thread *thread)
{
	for (size_t i = 0; i < *n; i++) {
		if (list[i] == thread)
			list[i--] = list[--*n];
	}
}

static void close_watch(struct deep_stacks *stacks, struct deep_thread *thread)
{
	if (!thread->rest.watch)
		return;
	guarded_rest_unwatch(&thread->rest);
	remove_from(stacks->watched, &stacks->n_watched, thread);
}

static void drop_pending(struct deep_stacks *stacks, struct deep_thread *thread)
{
	free(steal_ptr(thread->pending));
	remove_from(stacks->waiting, &stacks->n_waiting, thread);
}

static void forget_thread(struct deep_stacks *stacks, struct deep_thread *thread)
{
	close_watch(stacks, thread);
	drop_pending(stacks, thread);
	forget_rest(stacks, thread);
	*thread = (struct deep_thread){ .tid = 0 };
}

void deep_stacks_destroy(struct deep_stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < N_THREADS; i++)
		forget_thread(stacks, &stacks->threads[i]);
	close(stacks->epoll_fd);
	unwinder_destroy(stacks->unwinder);
	live_processes_destroy(stacks->processes);
	free(stacks);
}

const struct deep_stacks_stats *deep_stacks_stats(const struct deep_stacks *stacks)
{
	return &stacks->stats;
}

/* The next time it is looked at later, and twice as late each time. */
static void defer(struct deep_thread *thread, uint64_t now_ns)
{
	thread->retry_after_ns = thread->retry_after_ns ? 2 * thread->retry_after_ns : RETRY_MIN_NS;
	if (thread->retry_after_ns > RETRY_MAX_NS)
		thread->retry_after_ns = RETRY_MAX_NS;
	thread->retry_ns = now_ns + thread->retry_after_ns;
}

/* All are touched. A thread that goes up and down its stack all the time is left alone. */
static void lose_guards(struct deep_stacks *stacks, struct deep_thread *thread, uint64_t time_ns)
{
	if (time_ns - thread->rest.guarded_ns < SHORT_LIFE_NS) {
		stacks->stats.n_missed[REST_MOVED_ON]++;
		defer(thread, time_ns);
		return;
	}
	thread->retry_after_ns = 0;
	stacks->urgent_until_ns = time_ns + URGENT_NS;
}

/* Writes down which guards were touched up to @end_ns. */
static int note_touched(struct deep_stacks *stacks, struct deep_thread *thread, uint64_t end_ns)
{
	uint64_t lost_ns;
	int err = guarded_rest_note_touched(&thread->rest, stacks->output, end_ns, &lost_ns);

	if (lost_ns)
		lose_guards(stacks, thread, lost_ns);
	return err;
}

/* The thread's guards are no longer watched from now on. */
static int retire(struct deep_stacks *stacks, struct deep_thread *thread)
{
	uint64_t now = stacks->access.now_ns();

	if (!thread->rest.watch)
		return 0;
	int err = note_touched(stacks, thread, now);
	if (!err)
		err = guarded_rest_give_up(&thread->rest, stacks->output, now);
	close_watch(stacks, thread);
	return err;
}

int deep_stacks_begin_round(struct deep_stacks *stacks, uint64_t end_ns)
{
	struct epoll_event ready[16];
	int err = 0;

	/* What is ready is looked at below, with all others. */
	while (epoll_wait(stacks->epoll_fd, ready, 16, 0) == 16)
		continue;

	for (size_t i = 0; i < stacks->n_watched && !err; i++)
		err = note_touched(stacks, stacks->watched[i], end_ns);
	return err;
}

static struct deep_thread *find_thread(struct deep_stacks *stacks, int32_t tid)
{
	struct deep_thread *thread = &stacks->threads[(uint32_t)tid % N_THREADS];

	return thread->tid == tid ? thread : NULL;
}

/* The thread's place, if no other thread that is still busy holds it. */
static struct deep_thread *enter_thread(struct deep_stacks *stacks, const struct record *record)
{
	struct deep_thread *thread = &stacks->threads[(uint32_t)record->tid % N_THREADS];

	if (thread->tid == record->tid && thread->pid == record->pid)
		return thread;
	if (thread->tid && thread->tid != record->tid &&
	    record->time_ns < thread->seen_ns + ABOUT_NS)
		return NULL;
	if (thread->tid && !stacks->err)
		stacks->err = retire(stacks, thread);
	forget_thread(stacks, thread);
	thread->tid = record->tid;
	thread->pid = record->pid;
	return thread;
}

static void see_sample(struct deep_stacks *stacks, const struct record *record)
{
	const struct sample_record *sample = &record->sample;
	size_t size = sample->user_stack_size;
	struct user_stack stack = { .arch = machine_arch(stacks->machine, sample->user_regs.abi) };

	if (!sample_stack_is_full(sample, stacks->stack_size) || record->pid == stacks->own_pid ||
	    record->tid <= 0 || !stack.arch ||
	    !regs_from_perf(stack.arch, sample->user_regs.mask, sample->user_regs.values,
			    &stack.regs))
		return;
	struct deep_thread *thread = enter_thread(stacks, record);
	if (!thread) {
		stacks->stats.n_missed[REST_NO_TIME]++;
		return;
	}
	thread->seen_ns = record->time_ns;
	uint64_t sp = stack.regs.values[stack.arch->sp];
	if (thread->root_sp - sp <= size)
		return;
	if (thread->rest.live)
		stacks->about_until_ns = record->time_ns + ABOUT_NS;
	if (guarded_rest_covers(&thread->rest, sp, size) || record->time_ns < thread->retry_ns)
		return;
	if (thread->stack_end)
		stacks->urgent_until_ns = record->time_ns + URGENT_NS;
	if (!thread->pending && stacks->n_waiting < N_WATCHED_MAX) {
		thread->pending = malloc(sizeof(*thread->pending));
		if (thread->pending)
			stacks->waiting[stacks->n_waiting++] = thread;
	}
	if (!thread->pending) {
		stacks->stats.n_missed[REST_NO_TIME]++;
		return;
	}
	/* The latest is the one that most likely still stands. */
	struct pending *pending = thread->pending;
	pending->pid = record->pid;
	pending->tid = record->tid;
	pending->stack = stack;
	pending->stack.bytes = pending->bytes;
	pending->stack.size = size;
	pending->stack.is_full = true;
	memcpy(pending->bytes, sample->user_stack, size);
}

void deep_stacks_see(struct deep_stacks *stacks, const struct record *record)
{
	struct deep_thread *thread = NULL;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		see_sample(stacks, record);
		return;
	case PERF_RECORD_MMAP2:
		if (stacks->processes)
			live_process_forget(stacks->processes, record->mmap.pid);
		return;
	case PERF_RECORD_COMM:
		if (!record->comm.is_exec)
			return;
		if (stacks->processes)
			live_process_forget(stacks->processes, record->comm.pid);
		thread = find_thread(stacks, record->comm.tid);
		break;
	case PERF_RECORD_EXIT:
		thread = find_thread(stacks, record->task.tid);
		break;
	}
	/* A reader drops the memory of such a thread, too. */
	if (thread)
		forget_thread(stacks, thread);
}

static int prepare(struct deep_stacks *stacks)
{
	if (!stacks->processes)
		stacks->processes = live_processes_create(NULL);
	if (stacks->processes && !stacks->unwinder)
		stacks->unwinder = unwinder_create(live_processes_modules(stacks->processes));
	return stacks->unwinder ? 0 : -ENOMEM;
}

static int walk_copy(struct deep_stacks *stacks, const struct pending *pending,
		     struct guarded_walk *ret)
{
	const struct address_space *space = live_process_space(stacks->processes, pending->pid);

	if (!space)
		return -ESRCH;
	guarded_walk(stacks->unwinder, space, &pending->stack, ret);
	return 0;
}

static enum unread_rest miss_of(int err)
{
	switch (err) {
	case -ENOSPC:
		return REST_NO_REGISTER;
	case -EPERM:
	case -EACCES:
		return REST_FORBIDDEN;
	case -ENOENT:
		return REST_NOT_OWN;
	case -ENOTSUP:
		return REST_UNSAFE;
	case -ENODEV:
		return REST_UNSEEN;
	default:
		return REST_FAILED;
	}
}

static void drop(struct deep_stacks *stacks, struct deep_thread *thread, enum unread_rest why)
{
	stacks->stats.n_missed[why]++;
	defer(thread, stacks->access.now_ns());
}

/* Leaves the guards whose words are still as sampled. */
static int drop_stale_guards(const struct deep_stacks *stacks, pid_t pid, size_t size,
			     struct guarded_walk *walk)
{
	size_t n = 0;

	for (size_t i = 0; i < walk->n_guards; i++) {
		uint64_t value = 0;
		int err = stacks->access.memory_read(pid, walk->guards[i].addr, &value, size);

		if (err)
			return err;
		if (value == walk->guards[i].value)
			walk->guards[n++] = walk->guards[i];
	}
	walk->n_guards = n;
	return 0;
}

static int watch_guards(struct deep_stacks *stacks, struct deep_thread *thread, size_t size,
			const struct guarded_walk *walk)
{
	int err = guarded_rest_watch(&thread->rest, &stacks->access, thread->pid, thread->tid, size,
				     walk);
	if (err)
		return err;
	stacks->watched[stacks->n_watched++] = thread;
	/* Without it the touch is noticed a little later. */
	epoll_ctl(stacks->epoll_fd, EPOLL_CTL_ADD, stacks->access.watch_fd(thread->rest.watch),
		  &(struct epoll_event){ .events = EPOLLIN | EPOLLET });
	return 0;
}

/* Takes over @bytes. */
static void keep_rest(struct deep_stacks *stacks, struct deep_thread *thread, uint64_t start,
		      uint8_t *bytes, size_t size)
{
	forget_rest(stacks, thread);
	if (stacks->n_kept + size > KEPT_MAX) {
		free(bytes);
		return;
	}
	guarded_rest_keep(&thread->rest, start, bytes, size);
	stacks->n_kept += size;
}

/* Reads what lies above the lowest guard, now that they are watched. */
static int read_rest(struct deep_stacks *stacks, struct deep_thread *thread, size_t word)
{
	uint64_t time_ns = stacks->access.now_ns();
	uint64_t start = thread->rest.guards[__builtin_ctz(thread->rest.live)].addr;
	uint64_t size = thread->stack_end - start;

	if (size > STACK_RECORD_SIZE_MAX)
		size = STACK_RECORD_SIZE_MAX;
	uint8_t *bytes = malloc(size);
	int err = bytes ? stacks->access.memory_read(thread->pid, start, bytes, size) : -ENOMEM;
	if (!err)
		guarded_rest_check(&thread->rest, start, bytes, word);
	if (err || !thread->rest.live) {
		free(bytes);
		close_watch(stacks, thread);
		if (err)
			return err;
		stacks->stats.n_missed[REST_MOVED_ON]++;
		return 0;
	}
	size_t n_changed;
	stacks->err = guarded_rest_write(&thread->rest, stacks->output, time_ns, start, bytes, size,
					 &n_changed);
	stacks->stats.n_read++;
	stacks->stats.n_bytes += n_changed;
	stacks->urgent_until_ns = 0;
	keep_rest(stacks, thread, start, bytes, size);
	return 0;
}

static int find_stack(struct deep_stacks *stacks, struct deep_thread *thread, uint64_t sp)
{
	/* Threads keep their stack, and its end. */
	if (sp >= thread->stack_start && sp < thread->stack_end)
		return 0;
	return stacks->access.stack_find(thread->pid, thread->tid, sp, &thread->stack_start,
					 &thread->stack_end);
}

/* -errno: why the rest of the stack can't be read. */
static int guard_and_read(struct deep_stacks *stacks, struct deep_thread *thread,
			  const struct pending *pending, struct guarded_walk *walk)
{
	size_t word = pending->stack.arch->pointer_size;

	if (stacks->access.watch_err)
		return stacks->access.watch_err;
	int err = find_stack(stacks, thread, walk->first_sp);

	if (!err)
		err = drop_stale_guards(stacks, thread->pid, word, walk);
	if (!err && !walk->n_guards) {
		stacks->stats.n_missed[REST_MOVED_ON]++;
		return 0;
	}
	if (!err)
		stacks->err = retire(stacks, thread);
	if (!err && stacks->n_watched == N_WATCHED_MAX)
		err = -ENOSPC;
	if (!err)
		err = watch_guards(stacks, thread, word, walk);
	return err ? err : read_rest(stacks, thread, word);
}

static void look_at(struct deep_stacks *stacks, struct deep_thread *thread)
{
	const struct pending *pending = thread->pending;
	struct guarded_walk walk;
	int err = prepare(stacks);

	if (!err)
		err = walk_copy(stacks, pending, &walk);
	if (!err && walk.is_elsewhere)
		return;
	if (!err && walk.end == UNWIND_ROOT) {
		thread->root_sp = walk.last_sp;
		return;
	}
	if (!err && (walk.end != UNWIND_STACK_CUT || !walk.n_guards)) {
		/* Its mappings may be others by now. */
		live_process_forget(stacks->processes, thread->pid);
		drop(stacks, thread, REST_NO_WALK);
		return;
	}
	if (!err) {
		stacks->about_until_ns = stacks->access.now_ns() + ABOUT_NS;
		err = guard_and_read(stacks, thread, pending, &walk);
	}
	if (err)
		drop(stacks, thread, miss_of(err));
}

static void earn_time(struct deep_stacks *stacks)
{
	uint64_t now = stacks->access.now_ns();

	stacks->credit_ns += (int64_t)((now - stacks->credited_ns) / TIME_SHARE);
	if (stacks->credit_ns > TIME_AT_ONCE)
		stacks->credit_ns = TIME_AT_ONCE;
	stacks->credited_ns = now;
}

static void spend_time(struct deep_stacks *stacks)
{
	uint64_t now = stacks->access.now_ns();

	stacks->credit_ns -= (int64_t)(now - stacks->credited_ns);
	stacks->credited_ns = now;
}

int deep_stacks_end_round(struct deep_stacks *stacks, bool is_behind)
{
	earn_time(stacks);
	while (stacks->n_waiting) {
		struct deep_thread *thread = stacks->waiting[stacks->n_waiting - 1];

		if (is_behind || stacks->credit_ns <= 0 || stacks->err) {
			stacks->stats.n_missed[REST_NO_TIME]++;
		} else {
			look_at(stacks, thread);
			spend_time(stacks);
		}
		drop_pending(stacks, thread);
	}
	return stacks->err;
}

int deep_stacks_fd(const struct deep_stacks *stacks)
{
	return stacks->epoll_fd;
}

uint64_t deep_stacks_interval_ns(const struct deep_stacks *stacks)
{
	uint64_t now = stacks->access.now_ns();

	if (now < stacks->urgent_until_ns)
		return URGENT_INTERVAL_NS;
	return now < stacks->about_until_ns ? ABOUT_INTERVAL_NS : UINT64_MAX;
}

static int begin(const struct observed_recording *recording, void **state)
{
	struct stack_access access = real_access;
	struct deep_stacks *stacks = NULL;

	access.watch_err = recording->watch_err;
	int err = recording->completes_stacks
			  ? deep_stacks_create(recording->stack_output,
					       &recording->evlist->events[0].attr, &access, &stacks)
			  : 0;

	*state = stacks;
	return err;
}

static void destroy(void *state)
{
	deep_stacks_destroy(state);
}

static int see_record(void *state, const struct record *record)
{
	deep_stacks_see(state, record);
	return 0;
}

static int begin_round(void *state, const struct observed_round *round)
{
	return deep_stacks_begin_round(state, round->end_ns);
}

static int end_round(void *state, const struct observed_round *round)
{
	return deep_stacks_end_round(state, round->is_behind);
}

static int finish(void *state)
{
	struct deep_stacks *stacks = state;
	struct stack_misses *misses = &stacks->output->misses;

	memcpy(misses->deep, stacks->stats.n_missed, sizeof(misses->deep));
	return 0;
}

static int wake_fd(const void *state)
{
	return deep_stacks_fd(state);
}

static uint64_t interval_ns(const void *state)
{
	return deep_stacks_interval_ns(state);
}

/* @label and "12 found no free debug register, 3 had gone with their thread". NULL: out of memory.
 */
static char *misses_text(const char *label, const uint64_t n_missed[N_UNREAD_RESTS])
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	quality_print_rests(out, label, n_missed);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* What a user can do something about. */
static void describe_forbidden(const struct deep_stacks_stats *stats, struct recording_notes *notes)
{
	uint64_t n_missed[N_UNREAD_RESTS] = { 0 };

	n_missed[REST_NO_REGISTER] = stats->n_missed[REST_NO_REGISTER];
	n_missed[REST_FORBIDDEN] = stats->n_missed[REST_FORBIDDEN];
	n_missed[REST_UNSAFE] = stats->n_missed[REST_UNSAFE];
	n_missed[REST_UNSEEN] = stats->n_missed[REST_UNSEEN];
	_cleanup_free_ char *text =
		misses_text("stacks deeper than the copies stay cut: ", n_missed);
	if (text && *text)
		recording_notes_add(notes, false, "%s", text);
}

static void describe(const void *state, bool is_verbose, struct recording_notes *notes)
{
	const struct deep_stacks_stats *stats = deep_stacks_stats(state);
	char size[SIZE_TEXT_MAX];

	if (!is_verbose) {
		describe_forbidden(stats, notes);
		return;
	}
	_cleanup_free_ char *text = misses_text(", ", stats->n_missed);
	recording_notes_add(
		notes, true, "stacks deeper than the copies: read %" PRIu64 " times (%s)%s.",
		stats->n_read, recording_notes_size(stats->n_bytes, size), text ? text : "");
}

const struct recording_observer deep_stacks_observer = {
	.name = "deep stacks",
	.begin = begin,
	.destroy = destroy,
	.see_sideband = see_record,
	.see_sample = see_record,
	.begin_round = begin_round,
	.end_round = end_round,
	.finish = finish,
	.wake_fd = wake_fd,
	.interval_ns = interval_ns,
	.describe = describe,
};
