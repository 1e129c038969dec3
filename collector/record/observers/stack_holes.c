#include "collector/record/observers/stack_holes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cct/base/clock.h"
#include "collector/paths/sample_path.h"
#include "collector/record/live/live_process.h"

/* Threads and processes that are known, by their number. */
#define N_THREADS   1024
#define N_PROCESSES 1024
/* Looks at one thread in a second, and at all in a round. */
#define N_LOOKS_PER_SECOND 8
#define N_LOOKS_PER_ROUND  16
/* From the stack pointer upward: more than a copy has, because frames come and go. */
#define TOUCHED_MAX (256u << 10)
/* Downward: what is read at once (a guard may end it), and in all. With less, more is read. */
#define AHEAD_STEP  (64u << 10)
#define AHEAD_MAX   (256u << 10)
#define AHEAD_LEAST (128u << 10)
/* Rounds follow one another this quickly, for so long: after the start and after a look that
 * helped; and after each new thread or program, of which there may be new ones all the time. A
 * sample a millisecond is usual. */
#define LOOK_ROUND_NS  (2 * NSEC_PER_MSEC)
#define AFTER_START_NS NSEC_PER_SEC
#define AFTER_LOOK_NS  (100 * NSEC_PER_MSEC)
#define FORK_ROUND_NS  (4 * NSEC_PER_MSEC)
#define AFTER_FORK_NS  (50 * NSEC_PER_MSEC)
/* Stack pointers of one stack: a thread that is further away has another one. */
#define STACK_REACH (8u << 20)

struct known_thread {
	int32_t tid, pid;
	uint64_t stack_start, stack_end; /* copies that end there are whole; 0: not known */
	uint64_t second_ns;              /* when the present second of looks began */
	unsigned n_looks;                /* in it */
	uint64_t touched_start, touched_end;
	uint64_t ahead_start; /* pages below the stack pointer were read down to here; 0: none */
	uint64_t known_low, known_high; /* stack pointers that nothing needs to be read for */
};

struct known_process {
	int32_t pid;
	uint64_t stack_start, stack_end; /* of the main thread */
};

struct stack_holes {
	struct stack_holes_access access;
	struct stack_holes_stats stats;
	struct utsname names; /* of the machine */
	uint32_t stack_size;  /* that was requested */
	pid_t own_pid;
	struct known_thread threads[N_THREADS];
	struct known_process processes[N_PROCESSES];
	unsigned n_looks_left; /* in this round */
	bool is_behind;
	uint64_t n_entered, n_entered_before; /* looks begun; before this round */
	uint64_t look_until_ns, fork_until_ns;
	struct stack_wakes wakes;
};

static const struct stack_holes_access real_access = {
	.anonymous_find = live_anonymous_find,
	.memory_touch = live_memory_touch,
	.now_ns = now_ns,
};

int stack_holes_create(const struct perf_event_attr *attr, struct stack_watch *watch,
		       const struct stack_holes_access *access, struct stack_holes **holes_ret)
{
	struct utsname names;

	*holes_ret = NULL;
	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER) || uname(&names) ||
	    !arch_find(names.machine, PERF_SAMPLE_REGS_ABI_64))
		return 0;
	struct stack_holes *holes = calloc(1, sizeof(*holes));
	if (!holes)
		return -ENOMEM;
	holes->access = access ? *access : real_access;
	holes->names = names;
	holes->stack_size = attr->sample_stack_user;
	holes->own_pid = getpid();
	holes->look_until_ns = holes->access.now_ns() + AFTER_START_NS;
	stack_wakes_init(&holes->wakes, watch, holes->access.wakes);
	*holes_ret = holes;
	return 0;
}

void stack_holes_destroy(struct stack_holes *holes)
{
	free(holes);
}

const struct stack_holes_stats *stack_holes_stats(const struct stack_holes *holes)
{
	return &holes->stats;
}

static bool is_quiet(const struct stack_holes *holes)
{
	return !holes->is_behind && stack_holes_interval_ns(holes) == UINT64_MAX;
}

void stack_holes_begin_round(struct stack_holes *holes, bool is_behind)
{
	holes->n_looks_left = is_behind ? 0 : N_LOOKS_PER_ROUND;
	holes->is_behind = is_behind;
	holes->n_entered_before = holes->n_entered;
	stack_wakes_begin_round(&holes->wakes, holes->access.now_ns(), is_quiet(holes));
}

void stack_holes_end_round(struct stack_holes *holes)
{
	stack_wakes_end_round(&holes->wakes, holes->access.now_ns(), is_quiet(holes),
			      holes->n_entered != holes->n_entered_before);
}

static void look_again_soon(struct stack_holes *holes)
{
	uint64_t until_ns = holes->access.now_ns() + AFTER_LOOK_NS;

	if (until_ns > holes->look_until_ns)
		holes->look_until_ns = until_ns;
}

static void expect_new_stack(struct stack_holes *holes)
{
	holes->fork_until_ns = holes->access.now_ns() + AFTER_FORK_NS;
}

static struct known_process *process_slot(struct stack_holes *holes, int32_t pid)
{
	return &holes->processes[(uint32_t)pid % N_PROCESSES];
}

void stack_holes_see_stack(struct stack_holes *holes, pid_t pid, uint64_t start, uint64_t end)
{
	*process_slot(holes, pid) = (struct known_process){ pid, start, end };
}

/* A child has its parent's stack until it executes a program. */
static void see_fork(struct stack_holes *holes, const struct record *record)
{
	const struct known_process *parent = process_slot(holes, record->task.ppid);

	if (record->task.pid != record->task.ppid && parent->pid == record->task.ppid)
		stack_holes_see_stack(holes, record->task.pid, parent->stack_start,
				      parent->stack_end);
	expect_new_stack(holes);
}

static void forget_thread(struct stack_holes *holes, int32_t tid)
{
	struct known_thread *thread = &holes->threads[(uint32_t)tid % N_THREADS];

	if (thread->tid == tid)
		*thread = (struct known_thread){ .tid = 0 };
	stack_wakes_forget(&holes->wakes, tid);
}

void stack_holes_see_sideband(struct stack_holes *holes, const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP2:
		if (record->mmap.is_data && !strcmp(record->mmap.filename, "[stack]"))
			stack_holes_see_stack(holes, record->mmap.pid, record->mmap.addr,
					      record->mmap.addr + record->mmap.len);
		return;
	case PERF_RECORD_FORK:
		see_fork(holes, record);
		return;
	case PERF_RECORD_COMM:
		if (!record->comm.is_exec)
			return;
		forget_thread(holes, record->comm.tid);
		expect_new_stack(holes);
		return;
	case PERF_RECORD_EXIT:
		forget_thread(holes, record->task.tid);
		return;
	}
}

/* The sample's stack pointer; false: it has none. */
static bool find_stack(const struct stack_holes *holes, const struct record *record,
		       uint64_t *sp_ret)
{
	const struct sample_record *sample = &record->sample;
	struct regs regs;

	if (record->pid <= 0 || record->tid <= 0)
		return false;
	const struct arch *arch = arch_find(holes->names.machine, sample->user_regs.abi);
	if (!arch || !regs_from_perf(arch, sample->user_regs.mask, sample->user_regs.values, &regs))
		return false;
	*sp_ret = regs.values[arch->sp];
	return true;
}

/* The sample's copy ends early, at *@end_ret. */
static bool is_cut(const struct stack_holes *holes, const struct record *record, uint64_t sp,
		   uint64_t *end_ret)
{
	size_t size = record->sample.user_stack_size;

	if (!size || sample_stack_is_full(&record->sample, holes->stack_size))
		return false;
	*end_ret = sp + size;
	return *end_ret > sp && *end_ret % SAMPLE_STACK_PAGE == 0;
}

/* A thread that goes deeper meets one untouched page after another; one that is cut where pages
 * were touched will be so again. */
static bool may_look_at(struct known_thread *thread, uint64_t cut, uint64_t now)
{
	if (now - thread->second_ns >= NSEC_PER_SEC) {
		thread->second_ns = now;
		thread->n_looks = 0;
		thread->touched_start = thread->touched_end = 0;
	}
	return thread->n_looks < N_LOOKS_PER_SECOND &&
	       !(cut >= thread->touched_start && cut < thread->touched_end);
}

/* NULL: not to be looked at now. */
static struct known_thread *enter_thread(struct stack_holes *holes, const struct record *record,
					 uint64_t cut)
{
	struct known_thread *thread = &holes->threads[(uint32_t)record->tid % N_THREADS];
	uint64_t now = holes->access.now_ns();

	if (thread->tid != record->tid || thread->pid != record->pid) {
		if (thread->tid && now - thread->second_ns < NSEC_PER_SEC) {
			holes->stats.n_looks[STACK_HOLE_NO_TIME]++;
			return NULL;
		}
		*thread = (struct known_thread){ .tid = record->tid,
						 .pid = record->pid,
						 .second_ns = now };
	}
	if (!may_look_at(thread, cut, now))
		return NULL;
	if (!holes->n_looks_left) {
		holes->stats.n_looks[STACK_HOLE_NO_TIME]++;
		look_again_soon(holes);
		return NULL;
	}
	holes->n_looks_left--;
	holes->n_entered++;
	thread->n_looks++;
	return thread;
}

/* The begin of a stack whose copies end at @end because it does; false: not known. */
static bool find_known_stack(struct stack_holes *holes, const struct record *record, uint64_t end,
			     uint64_t *start_ret)
{
	const struct known_thread *thread = &holes->threads[(uint32_t)record->tid % N_THREADS];
	const struct known_process *process = process_slot(holes, record->pid);

	if (process->pid == record->pid && process->stack_end == end) {
		*start_ret = process->stack_start;
		return true;
	}
	*start_ret = thread->stack_start;
	return thread->tid == record->tid && thread->pid == record->pid && thread->stack_end == end;
}

static enum stack_hole_look outcome_of(int err)
{
	switch (err) {
	case 0:
		return STACK_HOLE_TOUCHED;
	case -EPERM:
	case -EACCES:
		return STACK_HOLE_FORBIDDEN;
	case -ENOENT:
		return STACK_HOLE_SHARED;
	default:
		return STACK_HOLE_FAILED;
	}
}

static void note_touched(struct known_thread *thread, uint64_t start, uint64_t end)
{
	bool joins = start <= thread->touched_end && end >= thread->touched_start;

	if (joins && thread->touched_start < start)
		start = thread->touched_start;
	if (joins && thread->touched_end > end)
		end = thread->touched_end;
	thread->touched_start = start;
	thread->touched_end = end;
}

static uint64_t page_of(uint64_t addr)
{
	return addr & ~(uint64_t)(SAMPLE_STACK_PAGE - 1);
}

/* The page at @distance below the stack pointer, or the first one of the mapping at @start. */
static uint64_t page_below(uint64_t sp, uint64_t start, uint64_t distance)
{
	return sp - start > distance ? page_of(sp - distance) : start;
}

/* Whether too few pages below the stack pointer were read, of a mapping that begins at @start. */
static bool has_little_ahead(const struct stack_holes *holes, const struct record *record,
			     uint64_t start, uint64_t sp)
{
	const struct known_thread *thread = &holes->threads[(uint32_t)record->tid % N_THREADS];
	bool is_known = thread->tid == record->tid && thread->pid == record->pid;

	return start < sp && (!is_known || !thread->ahead_start ||
			      page_below(sp, start, AHEAD_LEAST) < thread->ahead_start);
}

/* Reads the pages below the stack pointer, the next ones first. */
static void look_ahead(struct stack_holes *holes, struct known_thread *thread, uint64_t start,
		       uint64_t sp)
{
	uint64_t end = page_of(sp), first = page_below(sp, start, AHEAD_MAX);
	int err = 0;

	thread->ahead_start = first;
	thread->known_low = first > start ? first + AHEAD_LEAST : first;
	thread->known_high = sp + STACK_REACH;
	while (!err && end > first) {
		uint64_t next = end - first > AHEAD_STEP ? end - AHEAD_STEP : first;

		err = holes->access.memory_touch(thread->pid, next, end);
		end = next;
	}
}

/* The stack pointer is @sp, and the copy ends at @cut. */
static enum stack_hole_look look_at(struct stack_holes *holes, struct known_thread *thread,
				    uint64_t sp, uint64_t cut)
{
	uint64_t start, end;
	int err = holes->access.anonymous_find(thread->pid, cut - 1, &start, &end);

	if (err)
		return outcome_of(err);
	if (end <= cut) {
		thread->stack_start = start;
		thread->stack_end = cut;
		look_ahead(holes, thread, start, sp);
		return STACK_HOLE_WHOLE;
	}
	if (end - sp > TOUCHED_MAX)
		end = page_of(sp + TOUCHED_MAX);
	note_touched(thread, cut, end);
	err = holes->access.memory_touch(thread->pid, cut, end);
	if (!err)
		look_ahead(holes, thread, start, sp);
	return outcome_of(err);
}

static void see_cut(struct stack_holes *holes, const struct record *record, uint64_t sp,
		    uint64_t cut)
{
	uint64_t start;
	bool is_whole = find_known_stack(holes, record, cut, &start);
	if (is_whole && !has_little_ahead(holes, record, start, sp))
		return;
	struct known_thread *thread = enter_thread(holes, record, cut);
	if (!thread)
		return;
	if (is_whole) {
		look_ahead(holes, thread, start, sp);
		return;
	}
	enum stack_hole_look outcome = look_at(holes, thread, sp, cut);
	holes->stats.n_looks[outcome]++;
	if (outcome == STACK_HOLE_TOUCHED)
		look_again_soon(holes);
}

/* Other samples of the thread with the same stack do not wake. Where nothing was read below it, it
 * is another one as soon as it is deeper. */
static void note_known(struct stack_holes *holes, const struct record *record, uint64_t sp)
{
	const struct known_thread *thread = &holes->threads[(uint32_t)record->tid % N_THREADS];
	uint64_t low = page_of(sp), high = sp + STACK_REACH;

	if (thread->tid == record->tid && thread->pid == record->pid && sp >= thread->known_low &&
	    sp < thread->known_high) {
		low = thread->known_low;
		high = thread->known_high;
	}
	stack_wakes_know(&holes->wakes, record->tid, low, high);
}

void stack_holes_see_sample(struct stack_holes *holes, const struct record *record)
{
	uint64_t sp, cut;

	if (record->pid == holes->own_pid) {
		stack_wakes_know(&holes->wakes, record->tid, 0, UINT64_MAX);
		return;
	}
	if (!find_stack(holes, record, &sp))
		return;
	if (is_cut(holes, record, sp, &cut))
		see_cut(holes, record, sp, cut);
	note_known(holes, record, sp);
}

uint64_t stack_holes_interval_ns(const struct stack_holes *holes)
{
	uint64_t now = holes->access.now_ns();

	if (now < holes->look_until_ns)
		return LOOK_ROUND_NS;
	return now < holes->fork_until_ns ? FORK_ROUND_NS : UINT64_MAX;
}

static int begin(const struct observed_recording *recording, void **state)
{
	struct stack_holes *holes = NULL;
	int err = recording->completes_stacks
			  ? stack_holes_create(&recording->evlist->events[0].attr,
					       recording->evlist->stack_watch, NULL, &holes)
			  : 0;

	*state = holes;
	return err;
}

static void destroy(void *state)
{
	stack_holes_destroy(state);
}

static void see_mapping(void *state, const struct observed_mapping *mapping,
			struct build_id *build_id)
{
	(void)build_id;
	if (!strcmp(mapping->path, "[stack]"))
		stack_holes_see_stack(state, mapping->pid, mapping->start, mapping->end);
}

static int see_sideband(void *state, const struct record *record)
{
	stack_holes_see_sideband(state, record);
	return 0;
}

static int see_sample(void *state, const struct record *record)
{
	stack_holes_see_sample(state, record);
	return 0;
}

static int begin_round(void *state, const struct observed_round *round)
{
	stack_holes_begin_round(state, round->is_behind);
	return 0;
}

static int end_round(void *state, const struct observed_round *round)
{
	(void)round;
	stack_holes_end_round(state);
	return 0;
}

static int wake_fd(const void *state)
{
	const struct stack_holes *holes = state;

	return holes->wakes.watch ? stack_watch_fd(holes->wakes.watch) : -1;
}

static uint64_t interval_ns(const void *state)
{
	return stack_holes_interval_ns(state);
}

static void describe(const void *state, bool is_verbose, struct recording_notes *notes)
{
	const struct stack_holes *holes = state;
	const uint64_t *n = holes->stats.n_looks;

	if (n[STACK_HOLE_FORBIDDEN])
		recording_notes_add(notes, false,
				    "stacks with pages that are not in memory stay cut: %" PRIu64
				    " could not be read, for want of permission",
				    n[STACK_HOLE_FORBIDDEN]);
	if (is_verbose)
		recording_notes_add(notes, true,
				    "stacks cut at a page that was not in memory: read %" PRIu64
				    " times; %" PRIu64 " were whole, %" PRIu64
				    " more than a round has time for, %" PRIu64
				    " in memory that is shared or of a file, %" PRIu64
				    " of processes that had ended; samples woke the recorder "
				    "%" PRIu64 " times",
				    n[STACK_HOLE_TOUCHED], n[STACK_HOLE_WHOLE],
				    n[STACK_HOLE_NO_TIME], n[STACK_HOLE_SHARED],
				    n[STACK_HOLE_FAILED], holes->wakes.n_woken);
}

const struct recording_observer stack_holes_observer = {
	.name = "untouched pages in stacks",
	.begin = begin,
	.destroy = destroy,
	.see_mapping = see_mapping,
	.see_sideband = see_sideband,
	.see_sample = see_sample,
	.begin_round = begin_round,
	.end_round = end_round,
	.wake_fd = wake_fd,
	.interval_ns = interval_ns,
	.describe = describe,
};
