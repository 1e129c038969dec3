#include "collector/record/observers/signal_contexts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cct/base/clock.h"
#include "collector/paths/sample_path.h"

/* The number of threads whose contexts are kept, indexed by tid. */
#define N_THREADS 256
/* More contexts than this in a window pause them, because each costs the program as much as a
 * sample. */
#define WINDOW_NS  (100 * NSEC_PER_MSEC)
#define WINDOW_MAX 200
#define PAUSE_NS   NSEC_PER_SEC
#define PAUSE_MAX  (64 * NSEC_PER_SEC)
#define RECORD_MAX 65536
#define MAX_WORDS  (2 + 64)
/* The position of the time in their samples: after pid and tid. */
#define TIME_OFFSET (sizeof(struct perf_event_header) + 8)

struct context {
	struct context *older;
	uint64_t time_ns, sp;
	bool is_written;
	struct stack_record_header header; /* without the offset and part_size of its records */
	uint64_t words[MAX_WORDS];         /* abi, mask, values */
	uint8_t bytes[];
};

/* Within a round a thread may have many contexts, because samples are not in order; between rounds
 * it has few. */
struct context_thread {
	int32_t pid, tid;
	uint64_t gone_ns; /* when it exited or called exec; 0: it did not */
	struct context *newest;
};

struct signal_contexts {
	struct evlist *evlist;
	struct stack_output *output;
	struct signal_contexts_stats stats;
	struct record_layout layout;
	const struct machine *machine;
	struct context_thread threads[N_THREADS];
	uint64_t void_until_ns; /* contexts up to this time are not used */
	/* The times of all samples of this round are in (last_limit_ns, limit_ns]. */
	uint64_t limit_ns, last_limit_ns;
	uint64_t seen_until_ns; /* at the end of the round all samples up to this time are seen */
	uint64_t window_ns, n_in_window;
	uint64_t pause_ns;  /* how long the next one lasts */
	uint64_t resume_ns; /* UINT64_MAX: not paused */
};

struct signal_contexts *signal_contexts_create(struct evlist *evlist, struct stack_output *output)
{
	struct utsname name;
	struct signal_contexts *contexts = calloc(1, sizeof(*contexts));

	if (!contexts)
		return NULL;
	contexts->evlist = evlist;
	contexts->output = output;
	contexts->pause_ns = PAUSE_NS;
	contexts->resume_ns = UINT64_MAX;
	record_layout_init(&contexts->layout, &evlist->contexts.attr);
	contexts->machine = uname(&name) == 0 ? machine_find(name.machine) : NULL;
	return contexts;
}

static void forget_contexts(struct context_thread *thread)
{
	while (thread->newest) {
		struct context *context = thread->newest;

		thread->newest = context->older;
		free(context);
	}
}

void signal_contexts_destroy(struct signal_contexts *contexts)
{
	if (!contexts)
		return;
	for (size_t i = 0; i < N_THREADS; i++)
		forget_contexts(&contexts->threads[i]);
	free(contexts);
}

const struct signal_contexts_stats *signal_contexts_stats(const struct signal_contexts *contexts)
{
	return &contexts->stats;
}

/* Declares all contexts up to @until_ns void, known or missed, for samples from @from_ns on. */
static int declare_void(struct signal_contexts *contexts, uint64_t from_ns, uint64_t until_ns)
{
	const struct stack_record_header header = { .kind = STACK_RECORD_CONTEXTS_LOST,
						    .time_ns = from_ns,
						    .born_ns = until_ns };

	for (size_t i = 0; i < N_THREADS; i++)
		forget_contexts(&contexts->threads[i]);
	contexts->void_until_ns = until_ns;
	return stack_output_write(contexts->output, &header, NULL, NULL);
}

static int pause_events(struct signal_contexts *contexts, uint64_t now_ns)
{
	evlist_control_contexts(contexts->evlist, false);
	contexts->stats.n_pauses++;
	contexts->resume_ns = now_ns + contexts->pause_ns;
	if (contexts->pause_ns < PAUSE_MAX)
		contexts->pause_ns *= 2;
	/* Contexts that are recorded until the events have stopped are void as well. */
	return declare_void(contexts, contexts->last_limit_ns, now_ns + NSEC_PER_MSEC);
}

static void resume_events(struct signal_contexts *contexts, uint64_t now_ns)
{
	contexts->resume_ns = UINT64_MAX;
	contexts->window_ns = now_ns;
	contexts->n_in_window = 0;
	evlist_control_contexts(contexts->evlist, true);
}

/* Removes the context at *@link, whose handler has returned by @time_ns. If it was recorded, so is
 * its end. */
static int drop(struct signal_contexts *contexts, const struct context_thread *thread,
		struct context **link, uint64_t time_ns)
{
	struct context *context = *link;
	const struct stack_record_header header = { .kind = STACK_RECORD_CONTEXT_OVER,
						    .pid = thread->pid,
						    .tid = thread->tid,
						    .time_ns = time_ns,
						    .born_ns = context->time_ns };
	int err =
		context->is_written ? stack_output_write(contexts->output, &header, NULL, NULL) : 0;

	*link = context->older;
	free(context);
	return err;
}

/* The slot of the record's thread; another thread loses it if need be. */
static int enter_thread(struct signal_contexts *contexts, const struct record *record,
			struct context_thread **thread_ret)
{
	struct context_thread *thread = &contexts->threads[(uint32_t)record->tid % N_THREADS];
	bool is_same = thread->tid == record->tid && thread->pid == record->pid;
	int err = 0;

	while (!err && !is_same && thread->newest)
		err = drop(contexts, thread, &thread->newest, record->time_ns);
	if (!is_same)
		*thread = (struct context_thread){ .pid = record->pid, .tid = record->tid };
	*thread_ret = thread;
	return err;
}

static void insert(struct context_thread *thread, struct context *context)
{
	struct context **link = &thread->newest;

	while (*link && (*link)->time_ns > context->time_ns)
		link = &(*link)->older;
	context->older = *link;
	*link = context;
}

/* Stack pointers of the contexts from the newest to the oldest. The handler of an older context
 * with a stack pointer that occurred before has returned: a newer one interrupted the same stack
 * there. */
struct met {
	uint64_t sps[STACK_CONTEXTS_MAX];
	size_t n;
};

/* false: its handler has returned, or there is no room for more. */
static bool meet(struct met *met, uint64_t sp)
{
	for (size_t i = 0; i < met->n; i++) {
		if (met->sps[i] == sp)
			return false;
	}
	if (met->n == STACK_CONTEXTS_MAX)
		return false;
	met->sps[met->n++] = sp;
	return true;
}

/* NULL: out of memory, or the registers cannot be used. */
static struct context *context_create(const struct signal_contexts *contexts,
				      const struct record *record)
{
	const struct sample_record *sample = &record->sample;
	const struct arch *arch = machine_arch(contexts->machine, sample->user_regs.abi);
	size_t n_regs = (size_t)__builtin_popcountll(sample->user_regs.mask);
	size_t size = sample->user_stack_size;
	struct regs regs;

	if (!arch || n_regs + 2 > MAX_WORDS ||
	    !regs_from_perf(arch, sample->user_regs.mask, sample->user_regs.values, &regs))
		return NULL;
	struct context *context = malloc(sizeof(*context) + size);
	if (!context)
		return NULL;
	bool is_full =
		sample_stack_is_full(sample, contexts->evlist->contexts.attr.sample_stack_user);
	*context = (struct context){ .time_ns = record->time_ns, .sp = regs.values[arch->sp] };
	context->header = (struct stack_record_header){ .kind = STACK_RECORD_CONTEXT,
							.n_words = (uint32_t)n_regs + 2,
							.pid = record->pid,
							.tid = record->tid,
							.born_ns = record->time_ns,
							.start = context->sp,
							.end = context->sp + size + is_full,
							.size = (uint32_t)size };
	context->words[0] = sample->user_regs.abi;
	context->words[1] = sample->user_regs.mask;
	memcpy(&context->words[2], sample->user_regs.values, n_regs * sizeof(uint64_t));
	memcpy(context->bytes, sample->user_stack, size);
	return context;
}

static int take_context(struct signal_contexts *contexts, const struct perf_event_header *header)
{
	struct record record;
	struct context_thread *thread;

	if (record_decode(&contexts->layout, header, &record) != RECORD_OK)
		return 0;
	contexts->stats.n_seen++;
	contexts->n_in_window++;
	if (record.time_ns <= contexts->void_until_ns)
		return 0;
	struct context *context = context_create(contexts, &record);
	if (!context)
		return declare_void(contexts, record.time_ns, record.time_ns);
	int err = enter_thread(contexts, &record, &thread);
	insert(thread, context);
	return err;
}

static uint64_t next_time(const struct ring *ring)
{
	struct perf_event_header header;
	uint64_t time_ns;

	ring_peek(ring, 0, &header, sizeof(header));
	if (header.type != PERF_RECORD_SAMPLE || header.size < TIME_OFFSET + sizeof(time_ns))
		return 0;
	ring_peek(ring, TIME_OFFSET, &time_ns, sizeof(time_ns));
	return time_ns;
}

/* *@is_lossy_ret is set where contexts may be missing. */
static int read_ring(struct signal_contexts *contexts, struct ring *ring, uint64_t end_ns,
		     bool *is_lossy_ret)
{
	int err = 0;

	/* There was always room for one more, or one may have been refused. */
	if (ring_begin(ring) + RECORD_MAX > ring->size)
		*is_lossy_ret = true;
	while (!err && ring->tail != ring->head && next_time(ring) <= end_ns) {
		const struct perf_event_header *header = ring_next(ring);

		if (!header)
			ring->tail = ring->head;
		if (header && header->type == PERF_RECORD_SAMPLE)
			err = take_context(contexts, header);
		else
			*is_lossy_ret = true;
	}
	ring_end(ring);
	return err;
}

static bool are_too_many(struct signal_contexts *contexts, uint64_t now_ns)
{
	uint64_t elapsed_ns = now_ns - contexts->window_ns;
	/* A round may have been late, so the limit grows with the time since the window began. */
	bool are_many = contexts->n_in_window > WINDOW_MAX * (elapsed_ns / WINDOW_NS) + WINDOW_MAX;

	if (elapsed_ns >= WINDOW_NS) {
		contexts->window_ns = now_ns;
		contexts->n_in_window = 0;
	}
	return are_many;
}

int signal_contexts_begin_round(struct signal_contexts *contexts, uint64_t now_ns, uint64_t end_ns)
{
	struct evlist *evlist = contexts->evlist;
	bool is_lossy = evlist->has_lost_contexts;
	int err = 0;

	evlist->has_lost_contexts = false;
	contexts->last_limit_ns = contexts->limit_ns;
	contexts->limit_ns = now_ns < end_ns ? now_ns : end_ns;
	contexts->seen_until_ns =
		now_ns - RING_DISORDER_NS < end_ns ? now_ns - RING_DISORDER_NS : end_ns;
	if (contexts->seen_until_ns < contexts->last_limit_ns)
		contexts->seen_until_ns = contexts->last_limit_ns;
	for (size_t i = 0; i < evlist->n_sample_rings && !err; i++)
		err = read_ring(contexts, &evlist->context_rings[i], end_ns, &is_lossy);
	if (!err && (is_lossy || are_too_many(contexts, now_ns)) &&
	    contexts->resume_ns == UINT64_MAX)
		err = pause_events(contexts, now_ns);
	else if (now_ns >= contexts->resume_ns)
		resume_events(contexts, now_ns);
	return err;
}

static bool has_word(const uint8_t *bytes, size_t size, uint64_t value, size_t word)
{
	for (size_t at = 0; at + word <= size; at += word) {
		if (memcmp(bytes + at, &value, word) == 0)
			return true;
	}
	return false;
}

/* Whether the sample's stack may contain the signal frame, and not the interrupted code's stack. */
static bool is_needed(const struct context *context, const struct record *record, uint64_t sp,
		      size_t word)
{
	const struct sample_record *sample = &record->sample;

	return !context->is_written && context->time_ns < record->time_ns &&
	       context->sp - sp >= sample->user_stack_size &&
	       has_word(sample->user_stack, sample->user_stack_size, context->sp, word);
}

static struct context_thread *find_thread(struct signal_contexts *contexts, int32_t tid)
{
	struct context_thread *thread = &contexts->threads[(uint32_t)tid % N_THREADS];

	return thread->newest && thread->tid == tid ? thread : NULL;
}

static int write_context(struct signal_contexts *contexts, struct context *context)
{
	/* Written before all samples of this round that may need it. */
	context->header.time_ns = context->time_ns > contexts->last_limit_ns
					  ? context->time_ns
					  : contexts->last_limit_ns;
	context->is_written = true;
	contexts->stats.n_written++;
	return stack_output_write(contexts->output, &context->header, context->words,
				  context->bytes);
}

static int see_sample(struct signal_contexts *contexts, const struct record *record)
{
	const struct sample_record *sample = &record->sample;
	struct context_thread *thread = find_thread(contexts, record->tid);
	struct met met = { .n = 0 };
	struct regs regs;
	int err = 0;

	if (!thread)
		return 0;
	const struct arch *arch = machine_arch(contexts->machine, sample->user_regs.abi);
	if (!arch || !regs_from_perf(arch, sample->user_regs.mask, sample->user_regs.values, &regs))
		return 0;
	for (struct context *context = thread->newest; context && !err; context = context->older) {
		if (context->time_ns < record->time_ns && meet(&met, context->sp) &&
		    is_needed(context, record, regs.values[arch->sp], arch->pointer_size))
			err = write_context(contexts, context);
	}
	return err;
}

int signal_contexts_see(struct signal_contexts *contexts, const struct record *record)
{
	struct context_thread *thread = NULL;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		return see_sample(contexts, record);
	case PERF_RECORD_COMM:
		thread = record->comm.is_exec ? find_thread(contexts, record->comm.tid) : NULL;
		break;
	case PERF_RECORD_EXIT:
		thread = find_thread(contexts, record->task.tid);
		break;
	}
	if (thread)
		thread->gone_ns = record->time_ns;
	return 0;
}

/* Keeps the contexts that the next round may need. */
static int tidy(struct signal_contexts *contexts, struct context_thread *thread)
{
	struct context **link = &thread->newest;
	struct met met = { .n = 0 };
	int err = 0;

	while (*link && !err) {
		const struct context *context = *link;
		/* Samples that precede these may still come. */
		bool is_ahead = context->time_ns > contexts->seen_until_ns;
		bool is_gone = context->time_ns <= thread->gone_ns;

		if (is_ahead || (!is_gone && meet(&met, context->sp)))
			link = &(*link)->older;
		else
			err = drop(contexts, thread, link, contexts->seen_until_ns);
	}
	thread->gone_ns = 0;
	return err;
}

int signal_contexts_end_round(struct signal_contexts *contexts)
{
	int err = 0;

	for (size_t i = 0; i < N_THREADS && !err; i++) {
		if (contexts->threads[i].newest)
			err = tidy(contexts, &contexts->threads[i]);
	}
	return err;
}

static int begin(const struct observed_recording *recording, void **state)
{
	if (!recording->completes_stacks || !recording->evlist->contexts.n_ids)
		return 0;
	*state = signal_contexts_create(recording->evlist, recording->stack_output);
	return *state ? 0 : -ENOMEM;
}

static void destroy(void *state)
{
	signal_contexts_destroy(state);
}

static int see_record(void *state, const struct record *record)
{
	return signal_contexts_see(state, record);
}

static int begin_round(void *state, const struct observed_round *round)
{
	return signal_contexts_begin_round(state, round->began_ns, round->end_ns);
}

static int end_round(void *state, const struct observed_round *round)
{
	(void)round;
	return signal_contexts_end_round(state);
}

static void describe(const void *state, bool is_verbose, struct recording_notes *notes)
{
	const struct signal_contexts_stats *stats = signal_contexts_stats(state);

	if (is_verbose && stats->n_seen)
		recording_notes_add(notes, true,
				    "signals were handled on an alternate stack: %" PRIu64
				    " seen, %" PRIu64 " recorded, %" PRIu64
				    " pauses because there were too many.",
				    stats->n_seen, stats->n_written, stats->n_pauses);
}

const struct recording_observer signal_contexts_observer = {
	.name = "what signals interrupt",
	.begin = begin,
	.destroy = destroy,
	.see_sideband = see_record,
	.see_sample = see_record,
	.begin_round = begin_round,
	.end_round = end_round,
	.describe = describe,
};
