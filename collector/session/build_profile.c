/* Reader thread, workers, merge. */
#include "collector/session/build_profile.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/hash.h"
#include "cct/model/profile_filter.h"
#include "cct/model/row_slices.h"
#include "cct/paths/last_path.h"
#include "collector/replay/processes.h"
#include "collector/session/call_log.h"
#include "collector/session/path_resolver.h"
#include "collector/session/pipeline.h"
#include "collector/session/sample_filter.h"
#include "collector/session/walk_log.h"
#include "collector/values/fetched_values.h"
#include "perf/file/read_gate.h"

#define BATCHES_PER_WORKER 4
#define MAX_WORKERS        PEEK_TREES_MAX
#define RECENT_MAX         (1u << 20) /* rows of a worker: 48 MiB */
#define LAST_PATH_BITS     7          /* paths that are kept, of as many threads at once */

struct worker {
	struct pipeline *pipeline;
	struct replay *replay; /* to help with its reading, only */
	pthread_t thread;
	bool by_thread;
	struct sample_path *sample_path;
	struct sample_values *values; /* the build's: to join paths with values */
	struct cct *cct;
	struct sample_rows rows; /* if they are kept */
	bool keeps_rows;
	struct sample_rows recent; /* those of the last recent_ns, and some before */
	uint64_t recent_ns;        /* 0: they are not kept */
	uint64_t recent_from_ns;   /* they are all there since; 0: since the start */
	struct sample_rows slices; /* what the rows became; see bound_rows() */
	const struct batch *batch; /* in work */
	struct last_path last_paths[1u << LAST_PATH_BITS]; /* by their thread's address */
	struct profile_quality quality;
	/* The last whose path was resolved, and its node; a group's record is one sample for each
	 * of its metrics. NULL: none of this batch. */
	const struct sample *last;
	uint32_t node;
	struct walk_log log;        /* of the batch */
	bool is_put_off;            /* @last, until paths of the batch may be joined */
	struct path_joins *joins;   /* all workers', each at its turn */
	struct call_log calls;      /* of the batch */
	struct seen_stacks *stacks; /* as ->joins; NULL: calls are not counted */
	bool is_running;
	int err;
};

struct build {
	const struct dendro_options *options;
	struct replay *replay;
	struct profile *profile;
	struct path_resolver resolver;
	struct seen_stacks *stacks; /* NULL: calls are not counted */
	struct pipeline pipeline;
	struct worker workers[MAX_WORKERS];
	unsigned n_workers;           /* that were started */
	unsigned n_threads;           /* that workers may have; 0: the reader is the only worker */
	struct sample_values *values; /* NULL: not needed yet */
	struct fetched_values *fetched;
	struct batch *batch; /* being filled */
	uint64_t n_samples;  /* that passed the filter */
	size_t n_batches;
	struct batch *taken[MAX_WORKERS * BATCHES_PER_WORKER]; /* while no worker is at work */
	size_t n_taken;
	uint64_t n_sums; /* rows of all workers that are sums */
	uint64_t n_rows; /* those that came since */
	bool has_sums;
	bool is_over;
};

static uint8_t row_end(const struct call_path *path)
{
	switch (path->user_half) {
	case USER_COMPLETE:
		return ROW_COMPLETE;
	case USER_JOINED:
		return ROW_JOINED;
	case USER_NONE:
		return ROW_NO_USER_PART;
	case USER_UNVERIFIED:
		return ROW_UNVERIFIED;
	case USER_BRANCHES:
		return ROW_LBR;
	case USER_FLAT:
		return ROW_FLAT;
	case USER_INCOMPLETE:
		return (uint8_t)(ROW_INCOMPLETE + path->end);
	}
	return ROW_FLAT;
}

static struct sample_row make_row(const struct worker *worker, const struct sample *sample)
{
	const struct call_path *path = &sample->path;
	struct sample_row row = {
		.weight = sample->weight,
		.node = worker->node,
		.n_guessed = path->n_marked[PATH_GUESSED],
		.metric = (uint16_t)sample->metric,
		.end = row_end(path),
	};

	for (int mark = 0; mark < N_PATH_MARKS; mark++)
		row.marks |= (uint8_t)((path->n_marked[mark] > 0) << mark);
	return row;
}

/* Leaves out those before, without changing the order. */
static void drop_before(struct sample_rows *rows, uint64_t time_ns)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < rows->n_rows; i++) {
		if (rows->rows[i].time >= time_ns)
			rows->rows[n++] = rows->rows[i];
	}
	rows->n_rows = n;
}

/* When there is no more room: in most cases half of them are too old. */
static void make_room(struct worker *worker, uint64_t now_ns)
{
	struct sample_rows *recent = &worker->recent;

	if (now_ns > worker->recent_ns)
		drop_before(recent, now_ns - worker->recent_ns);
	if (recent->n_rows < RECENT_MAX)
		return;
	worker->recent_from_ns = recent->rows[recent->n_rows / 2].time;
	drop_before(recent, worker->recent_from_ns);
}

static int keep_recent(struct worker *worker, const struct sample_row *row)
{
	struct sample_rows *recent = &worker->recent;

	if (!worker->recent_ns)
		return 0;
	if (recent->n_rows == recent->n_rows_allocated || recent->n_rows >= RECENT_MAX)
		make_room(worker, row->time);
	return sample_rows_add(recent, row);
}

/* 0 or -ENOMEM. */
static int keep_row(struct worker *worker, const struct sample *sample, struct sample_row *row)
{
	const size_t i = (size_t)(sample - worker->batch->samples);

	row->number = (uint32_t)(worker->batch->first_number + i);
	row->time = sample->record.has_time ? sample->record.time_ns : 0;
	row->cpu = sample_cpu(sample);
	row->cgroup = sample->cgroup;
	row->task = worker->batch->tasks[i];
	int err = keep_recent(worker, row);
	return err ? err : sample_rows_add(&worker->rows, row);
}

static uint32_t insert(struct worker *worker, const struct sample *sample)
{
	const struct frame process = { .kind = FRAME_PROCESS, .offset = sample->process_index };
	const struct frame thread = { .kind = FRAME_THREAD, .offset = sample->thread_index };
	struct last_path *last =
		&worker->last_paths[hash_to_bits((uintptr_t)sample->thread, LAST_PATH_BITS)];

	last_path_begin(last);
	uint32_t node = last_path_enter(last, worker->cct, &process, 1);
	if (node != CCT_NONE && worker->by_thread)
		node = last_path_enter(last, worker->cct, &thread, 1);
	if (node == CCT_NONE)
		return CCT_NONE;
	return last_path_enter(last, worker->cct, sample->path.frames, sample->path.n_frames);
}

static bool is_same_record(const struct sample *a, const struct sample *b)
{
	return a->raw.header && a->raw.header == b->raw.header;
}

/* Adds a sample to the node of its path. 0 or -ENOMEM. */
static int count_sample(struct worker *worker, const struct sample *sample)
{
	struct sample_row row = make_row(worker, sample);

	if (sample->value.is_there) {
		worker->quality.counts[QUALITY_SPLIT_UNKNOWN] += sample->is_value_unknown;
		worker->quality.counts[QUALITY_SPLIT_LATER] += sample->is_value_later;
	} else {
		worker->quality.counts[QUALITY_SPLIT_OPEN] += sample->is_value_open;
	}
	if (sample_row_count(&row, worker->cct, &worker->quality))
		return -ENOMEM;
	return worker->keeps_rows ? keep_row(worker, sample, &row) : 0;
}

/* Adds a sample whose path is resolved. 0 or -ENOMEM. */
static int enter_sample(struct worker *worker, const struct sample *sample)
{
	worker->node = insert(worker, sample);
	if (worker->node == CCT_NONE)
		return -ENOMEM;
	return count_sample(worker, sample);
}

static int process_sample(struct worker *worker, struct batch *batch, size_t i)
{
	struct sample *sample = &batch->samples[i];

	/* A record with several metrics is unwound once. */
	if (worker->last && is_same_record(sample, worker->last)) {
		if (worker->is_put_off)
			return 0;
		sample->path = worker->last->path;
		return count_sample(worker, sample);
	}
	sample_path_resolve(worker->sample_path, sample);
	worker->last = sample;
	int got = walk_log_note(&worker->log, i, sample);
	worker->is_put_off = got > 0;
	if (got)
		return got < 0 ? got : 0;
	int err = enter_sample(worker, sample);
	return err || !worker->stacks ? err : call_log_note(&worker->calls, sample, worker->node);
}

/* A sample that was put off: the arrays of its path have been used for others since. */
static int process_put_off(struct worker *worker, struct batch *batch,
			   const struct noted_walk *walk)
{
	struct sample *sample = &batch->samples[walk->sample];

	const struct placed_frame *outer = walk_log_outer(&worker->log, walk);

	sample_path_resolve(worker->sample_path, sample);
	if (worker->values)
		sample_values_join(worker->values, sample, outer, walk->n_outer);
	sample_path_join(worker->sample_path, sample, outer, walk->n_outer);
	int err = enter_sample(worker, sample);
	for (size_t i = walk->sample + 1; !err && i < batch->n_samples; i++) {
		if (!is_same_record(&batch->samples[i], sample))
			break;
		batch->samples[i].path = sample->path;
		batch->samples[i].value = sample->value;
		err = count_sample(worker, &batch->samples[i]);
	}
	return err;
}

static void process_put_offs(struct worker *worker, struct batch *batch)
{
	const struct walk_log *log = &worker->log;

	for (size_t i = 0; i < log->n_walks && !worker->err; i++) {
		if (log->walks[i].is_cut)
			worker->err = process_put_off(worker, batch, &log->walks[i]);
	}
}

/* What depends on the samples of all batches before. */
static void take_turn(struct worker *worker, const struct batch *batch)
{
	pipeline_await_turn(worker->pipeline, batch);
	if (!worker->err)
		worker->err = walk_log_join(&worker->log, worker->joins);
	if (!worker->err && worker->stacks)
		worker->err = call_log_enter(&worker->calls, worker->stacks);
	pipeline_end_turn(worker->pipeline);
}

#define CACHE_LINE  64
#define STACK_AHEAD 512 /* of a stack, the innermost frames */

static void fetch_lines(const void *bytes, size_t size)
{
	for (size_t at = 0; at < size; at += CACHE_LINE)
		__builtin_prefetch((const char *)bytes + at);
}

/* Asks for what is looked at first in a sample's record: no cache of this processor has it, for
 * another one may have expanded it, or long ago. */
static void fetch_ahead(const struct sample *sample)
{
	const struct sample_record *record = &sample->record.sample;

	if (!sample->raw.header || !record->has_user_regs)
		return;
	fetch_lines(record->user_regs.values,
		    (size_t)__builtin_popcountll(record->user_regs.mask) * sizeof(uint64_t));
	fetch_lines(record->user_stack,
		    record->user_stack_size < STACK_AHEAD ? record->user_stack_size : STACK_AHEAD);
}

/* After an error a worker continues to accept batches, or the reader and others would wait for
 * ever. */
static void process_batch(struct worker *worker, struct batch *batch)
{
	worker->last = NULL;
	worker->batch = batch;
	walk_log_clear(&worker->log);
	call_log_clear(&worker->calls);
	for (size_t i = 0; i < batch->n_samples && !worker->err; i++) {
		if (i + 1 < batch->n_samples)
			fetch_ahead(&batch->samples[i + 1]);
		worker->err = process_sample(worker, batch, i);
	}
	if (batch->turn)
		take_turn(worker, batch);
	process_put_offs(worker, batch);
	call_log_count(&worker->calls, worker->cct);
	for (size_t i = 0; i < batch->n_samples; i++)
		sample_deinit(&batch->samples[i]);
	batch->n_samples = 0;
	batch->turn = 0;
}

/* A thread that would wait for the other's work takes a part of the reading. */
static struct batch *take_full(struct worker *worker)
{
	while (pipeline_lacks_full(worker->pipeline) && replay_help(worker->replay))
		;
	return pipeline_take_full(worker->pipeline);
}

static struct batch *take_free(struct build *build)
{
	while (pipeline_lacks_free(&build->pipeline) && replay_help(build->replay))
		;
	return pipeline_take_free(&build->pipeline);
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct batch *batch;

	while ((batch = take_full(worker))) {
		process_batch(worker, batch);
		pipeline_put_free(worker->pipeline, batch);
	}
	return NULL;
}

/* The reader uses one CPU. More workers than remaining CPUs would compete with it. 0: the reader
 * does the work of workers. */
static unsigned count_worker_threads(const struct dendro_options *options)
{
	long n = options->n_threads ? (long)options->n_threads : sysconf(_SC_NPROCESSORS_ONLN);

	return n <= 1 ? 0 : n > MAX_WORKERS ? MAX_WORKERS : (unsigned)n - 1;
}

/* Workers start at the first sample: what they need to know is complete then. */
static struct cct *create_cct(const struct build *build)
{
	struct cct *cct = cct_create(build->profile->n_metrics);
	uint32_t waits = profile_waits_metric(build->profile);

	if (cct && ((waits != UINT32_MAX && cct_keep_longest(cct, waits)) ||
		    (build->options->keeps_squares && cct_keep_squares(cct)) ||
		    (build->options->counts_calls && cct_keep_activations(cct)))) {
		cct_destroy(cct);
		return NULL;
	}
	return cct;
}

/* 0 or -ENOMEM. */
static int start_rows(struct build *build)
{
	struct profile *profile = build->profile;

	if (!build->options->keeps_rows || profile->rows || profile->n_metrics > UINT16_MAX)
		return 0;
	profile->rows = calloc(1, sizeof(*profile->rows));
	return profile->rows ? 0 : -ENOMEM;
}

static int start_worker(struct build *build)
{
	struct worker *worker = &build->workers[build->n_workers++];

	worker->pipeline = &build->pipeline;
	worker->replay = build->replay;
	worker->by_thread = build->options->by_thread;
	worker->keeps_rows = build->profile->rows;
	worker->joins = build->resolver.joins;
	worker->values = build->options->split ? build->values : NULL;
	worker->sample_path = path_resolver_open(&build->resolver);
	worker->stacks = build->stacks;
	worker->recent_ns = build->options->recent_ns;
	worker->cct = create_cct(build);
	if (!worker->sample_path || !worker->cct)
		return -ENOMEM;
	worker->is_running =
		build->n_threads && !pthread_create(&worker->thread, NULL, worker_main, worker);
	return 0;
}

/* At the first sample: all of them, or the first one. */
static int start_workers(struct build *build)
{
	const unsigned n = build->n_threads && !build->options->adds_threads ? build->n_threads : 1;
	int err = 0;

	if (build->options->counts_calls)
		build->stacks = seen_stacks_create();
	if ((build->options->counts_calls && !build->stacks) ||
	    path_resolver_init(&build->resolver, build->replay, build->options->kept_modules) ||
	    start_rows(build))
		return -ENOMEM;
	while (!err && build->n_workers < n)
		err = start_worker(build);
	return err;
}

/* When the reader would wait for those that are there. 0 or -ENOMEM. */
static int add_worker_if_late(struct build *build)
{
	return build->n_workers && build->n_workers < build->n_threads &&
			       pipeline_lacks_free(&build->pipeline)
		       ? start_worker(build)
		       : 0;
}

static bool has_running_worker(const struct build *build)
{
	for (unsigned i = 0; i < build->n_workers; i++) {
		if (build->workers[i].is_running)
			return true;
	}
	return false;
}

static void send_batch(struct build *build)
{
	struct batch *batch = steal_ptr(build->batch);

	if (build->options->work)
		work_done_set(build->options->work, replay_position(build->replay));
	if (has_running_worker(build)) {
		pipeline_put_full(&build->pipeline, batch);
		return;
	}
	process_batch(&build->workers[0], batch);
	pipeline_put_free(&build->pipeline, batch);
}

static uint32_t n_rows_max(const struct build *build)
{
	return build->options->n_rows_max ? build->options->n_rows_max : SAMPLE_ROWS_MAX;
}

/* Half of the rows that may be there are sums, the others wait for it. No worker is at work. 0 or
 * -ENOMEM. */
static int add_rows_up(struct build *build)
{
	const struct profile *profile = build->profile;
	const uint32_t n_max = n_rows_max(build) / 2 / build->n_workers;
	int err = 0;

	build->has_sums = true;
	build->n_sums = build->n_rows = 0;
	for (unsigned i = 0; !err && i < build->n_workers; i++) {
		struct worker *worker = &build->workers[i];

		sample_rows_finish(&worker->rows, profile->info.start_ns);
		err = row_slices_add(&worker->slices, profile, &worker->rows, n_max);
		build->n_sums += worker->slices.n_rows;
	}
	return err;
}

static bool has_too_many_rows(const struct build *build)
{
	const uint32_t max = n_rows_max(build);

	return build->profile->rows && build->n_rows >= max / 2 &&
	       build->n_rows + build->n_sums >= max;
}

/* Takes all batches from the workers but the one that is being filled: no worker is at work then.
 */
static void stop_work(struct build *build)
{
	while (build->n_taken + 1 < build->n_batches)
		build->taken[build->n_taken++] = take_free(build);
}

static void go_on(struct build *build)
{
	while (build->n_taken)
		pipeline_put_free(&build->pipeline, build->taken[--build->n_taken]);
}

/* Phases and epochs, by which rows are apart, change while workers are at work. 0 or -ENOMEM. */
static int bound_rows(struct build *build)
{
	stop_work(build);
	int err = add_rows_up(build);
	go_on(build);
	return err;
}

/* Numbers a sample of the batch that is being filled, and finds its task. 0 or -ENOMEM. */
static int prepare_row(struct build *build, const struct sample *sample)
{
	struct batch *batch = build->batch;
	const struct row_task task = {
		.thread = sample->thread_index,
		.pid = (int32_t)sample->record.pid,
		.tid = (int32_t)sample->record.tid,
	};

	if (!batch->n_samples)
		batch->first_number = build->n_samples;
	build->n_samples++;
	build->n_rows++;
	return sample_rows_enter_task(build->profile->rows, &task, sample->thread->name,
				      sample->thread->process->name,
				      &batch->tasks[batch->n_samples]);
}

/* Somebody who looked at the build has emptied the batch meanwhile. */
static void move_sample(struct build *build, struct sample **sample)
{
	struct sample *next = &build->batch->samples[build->batch->n_samples];

	if (next != *sample)
		*next = **sample;
	*sample = next;
}

/* When the first sample has come. 0 or -ENOMEM. */
static int start_values(struct build *build)
{
	const struct dendro_options *options = build->options;
	const struct value_questions questions = { options->filter.conditions,
						   options->filter.n_conditions, options->split };
	char text[VALUE_SUBJECT_MAX + 1];
	uint32_t id;
	bool is_new;

	if (build->values || (!questions.n_conditions && !questions.split))
		return 0;
	build->values = sample_values_create(&questions, build->profile);
	if (!build->values)
		return -ENOMEM;
	if (!options->split)
		return 0;
	value_subject_write(options->split, text);
	return string_ids_add(&build->profile->splits, text, &id, &is_new);
}

/* 1, 0, or -ENOMEM. */
static int pass_filter(struct build *build, const struct sample *sample)
{
	const struct dendro_filter *filter = &build->options->filter;
	struct profile *profile = build->profile;

	if (sample_filter_passes(filter, profile, NULL, sample))
		return sample_filter_ask(filter, profile, build->values, sample);
	profile->quality.counts[QUALITY_FILTERED]++;
	return 0;
}

/* By the value that the user has asked for, else by that of its event. 0 or -ENOMEM. */
static int split_path(struct build *build, struct sample *sample)
{
	int err = build->options->split ? sample_values_split(build->values, sample, build->profile)
					: 0;

	return err ? err : fetched_values_split(build->fetched, sample, build->profile);
}

/* Takes over the sample, in the place of the batch that is being filled where the next one was when
 * it was read. */
static int add_sample(struct build *build, struct sample *sample)
{
	struct metric *metric = &build->profile->metrics[sample->metric];

	move_sample(build, &sample);

	int got = start_values(build);
	if (!got)
		got = pass_filter(build, sample);
	if (got > 0)
		got = split_path(build, sample) ? -ENOMEM : 1;
	if (got <= 0) {
		sample_deinit(sample);
		return got;
	}
	int err = build->n_workers ? 0 : start_workers(build);
	if (!err && has_too_many_rows(build))
		err = bound_rows(build);
	if (!err)
		err = replay_enter(build->replay, sample);
	if (!err && build->profile->rows)
		err = prepare_row(build, sample);
	if (err) {
		sample_deinit(sample);
		return err;
	}
	metric->samples++;
	metric->total += sample->weight;
	if ((sample->may_join || build->stacks) && !build->batch->turn)
		pipeline_give_turn(&build->pipeline, build->batch);
	if (++build->batch->n_samples == BATCH_SAMPLES)
		send_batch(build);
	return 0;
}

static int stop_workers(struct build *build)
{
	int err = 0;

	if (build->batch && build->batch->n_samples)
		send_batch(build);
	if (build->n_workers)
		pipeline_end(&build->pipeline);
	for (unsigned i = 0; i < build->n_workers; i++) {
		struct worker *worker = &build->workers[i];

		if (worker->is_running)
			pthread_join(worker->thread, NULL);
		if (worker->err)
			err = worker->err;
	}
	return err;
}

/* Moves a worker's sums to the first worker's. @map: of nodes. 0 or -ENOMEM. */
static int merge_slices(struct build *build, struct sample_rows *from, const uint32_t *map)
{
	struct sample_rows *into = &build->workers[0].slices;

	for (uint32_t i = 0; i < from->n_rows; i++)
		from->rows[i].node = map[from->rows[i].node];
	int err = row_slices_make(into, build->profile, from->slice_shift);
	return err ? err : row_slices_add(into, build->profile, from, n_rows_max(build) / 2);
}

/* Adds the tree of a worker, and its rows, which go with it. 0 or -ENOMEM. */
static int merge_worker(struct build *build, struct worker *worker)
{
	struct profile *profile = build->profile;
	_cleanup_free_ uint32_t *map = calloc(worker->cct->n_nodes, sizeof(*map));

	if (!map || cct_merge_mapped(profile->cct, worker->cct, map))
		return -ENOMEM;
	if (!profile->rows)
		return 0;
	return build->has_sums ? merge_slices(build, &worker->slices, map)
			       : sample_rows_add_all(profile->rows, &worker->rows, map);
}

/* The first worker's tree and rows become the profile's. 0 or -ENOMEM. */
static int take_first(struct build *build)
{
	struct profile *profile = build->profile;
	struct worker *first = &build->workers[0];

	/* Without samples no worker was started. */
	profile->cct = build->n_workers ? steal_ptr(first->cct) : create_cct(build);
	if (!profile->cct || start_rows(build))
		return -ENOMEM;
	if (profile->rows)
		sample_rows_take(profile->rows, &first->rows);
	return 0;
}

static void take_slices(struct sample_rows *rows, struct sample_rows *slices)
{
	free(rows->rows);
	sample_rows_take(rows, slices);
	rows->sums = steal_ptr(slices->sums);
	rows->slice_shift = slices->slice_shift;
}

/* In the order of samples, whichever worker met a path first. 0 or -ENOMEM. */
static int order_nodes(struct build *build)
{
	struct profile *profile = build->profile;
	struct cct *ordered = create_cct(build);

	if (!ordered || sample_rows_order_nodes(profile->rows, profile->cct, ordered)) {
		cct_destroy(ordered);
		return -ENOMEM;
	}
	cct_destroy(profile->cct);
	profile->cct = ordered;
	return 0;
}

/* There may be too many, even as sums: of too many paths. 0 or -ENOMEM. */
static int finish_rows(struct build *build)
{
	struct profile *profile = build->profile;
	int err = 0;

	if (profile->rows && build->has_sums) {
		take_slices(profile->rows, &build->workers[0].slices);
	} else if (profile->rows) {
		err = build->n_threads > 1 ? order_nodes(build) : 0;
		sample_rows_finish(profile->rows, profile->info.start_ns);
	}
	if (profile->rows && profile->rows->n_rows > SAMPLE_ROWS_MAX)
		sample_rows_destroy(steal_ptr(profile->rows));
	return err;
}

static int merge_workers(struct build *build)
{
	struct profile *profile = build->profile;
	int err = build->has_sums ? add_rows_up(build) : 0;

	if (!err)
		err = take_first(build);
	for (unsigned i = 0; !err && i < build->n_workers; i++) {
		if (i)
			err = merge_worker(build, &build->workers[i]);
		cct_destroy(steal_ptr(build->workers[i].cct));
		sample_rows_deinit(&build->workers[i].rows);
		quality_merge(&profile->quality, &build->workers[i].quality);
	}
	if (err)
		return err;
	err = finish_rows(build);
	if (err)
		return err;
	cct_drop_index(profile->cct);
	/* Total cost in equals total cost out, or we have a bug. */
	assert(profile_check_conservation(profile) < 0);
	profile_scale(profile);
	return 0;
}

void build_destroy(struct build *build)
{
	if (!build)
		return;
	for (unsigned i = 0; i < build->n_workers; i++) {
		sample_path_destroy(build->workers[i].sample_path);
		cct_destroy(build->workers[i].cct);
		sample_rows_deinit(&build->workers[i].rows);
		sample_rows_deinit(&build->workers[i].slices);
		sample_rows_deinit(&build->workers[i].recent);
		walk_log_deinit(&build->workers[i].log);
		call_log_deinit(&build->workers[i].calls);
		for (size_t slot = 0; slot < 1u << LAST_PATH_BITS; slot++)
			last_path_deinit(&build->workers[i].last_paths[slot]);
	}
	path_resolver_deinit(&build->resolver);
	sample_values_destroy(build->values);
	fetched_values_destroy(build->fetched);
	seen_stacks_destroy(build->stacks);
	if (build->pipeline.batches)
		pipeline_deinit(&build->pipeline);
	free(build);
}

/* Samples are read into the batch that workers get. */
static int read_samples(struct build *build)
{
	for (;;) {
		if (!build->batch) {
			int worker_err = add_worker_if_late(build);
			if (worker_err)
				return worker_err;
			build->batch = take_free(build);
		}
		struct sample *sample = &build->batch->samples[build->batch->n_samples];
		int got = replay_next(build->replay, sample);
		int err = got > 0 ? add_sample(build, sample) : got;

		if (got <= 0 || err)
			return err;
	}
}

static int read_and_merge(struct build *build)
{
	int err = read_samples(build);
	int worker_err = stop_workers(build);

	if (err || worker_err)
		return err ? err : worker_err;
	return merge_workers(build);
}

int build_run(struct build *build)
{
	struct read_gate *gate = build->options->gate;

	build->n_threads = count_worker_threads(build->options);
	build->n_batches = (size_t)(build->n_threads + !build->n_threads) * BATCHES_PER_WORKER;
	int err = pipeline_init(&build->pipeline, build->n_batches);
	if (err)
		return err;
	if (build->options->work)
		work_done_expect(build->options->work, replay_size(build->replay));
	replay_set_gate(build->replay, gate);
	if (build->options->names_kernel_late)
		replay_name_kernel_late(build->replay);
	if (gate)
		read_gate_enter(gate);
	err = read_and_merge(build);
	build->is_over = true;
	if (gate)
		read_gate_leave(gate);
	return err;
}

struct build *build_create(struct replay *replay, const struct dendro_options *options)
{
	/* Not on the stack: with 16 workers it is larger than what profilers copy of a stack. */
	struct build *build = calloc(1, sizeof(*build));

	if (!build)
		return NULL;
	build->fetched = fetched_values_create();
	if (!build->fetched) {
		free(build);
		return NULL;
	}
	build->options = options;
	build->replay = replay;
	build->profile = replay_profile(replay);
	return build;
}

/* A part of a batch, which is filled from its start again. */
static int finish_samples(struct build *build)
{
	struct worker *worker = &build->workers[0];

	if (build->batch && build->batch->n_samples)
		process_batch(worker, build->batch);
	return worker->err ? worker->err : replay_name_kernel(build->replay);
}

int build_pause(struct build *build, struct profile_peek *peek_ret)
{
	*peek_ret = (struct profile_peek){ .n_trees = 0 };
	if (!build->n_workers || build->is_over)
		return -EAGAIN;
	stop_work(build);
	int err = finish_samples(build);
	peek_ret->profile = *build->profile;
	peek_ret->profile.rows = NULL;
	for (unsigned i = 0; i < build->n_workers; i++) {
		const struct worker *worker = &build->workers[i];

		peek_ret->trees[peek_ret->n_trees++] = worker->cct;
		quality_merge(&peek_ret->profile.quality, &worker->quality);
		err = err ? err : worker->err;
	}
	peek_ret->profile.quality.counts[QUALITY_LOST] = replay_n_lost(build->replay);
	if (err)
		go_on(build);
	return err;
}

void build_go_on(struct build *build)
{
	go_on(build);
}

/* The tree of all workers. NULL without memory. */
static struct cct *merge_trees(const struct build *build)
{
	struct cct *cct = create_cct(build);

	for (unsigned i = 0; cct && i < build->n_workers; i++) {
		if (cct_merge(cct, build->workers[i].cct)) {
			cct_destroy(cct);
			return NULL;
		}
	}
	return cct;
}

/* Since when the samples of the last @recent_ns are there. */
static uint64_t recent_from(const struct build *build, uint64_t recent_ns)
{
	const struct profile_info *info = &build->profile->info;
	uint64_t from_ns = info->start_ns;

	if (info->end_ns - info->start_ns > recent_ns)
		from_ns = info->end_ns - recent_ns;
	for (unsigned i = 0; i < build->n_workers; i++) {
		if (build->workers[i].recent_from_ns > from_ns)
			from_ns = build->workers[i].recent_from_ns;
	}
	return from_ns;
}

/* Those of a worker since @from_ns, of the merged tree. */
static int add_recent(const struct worker *worker, uint64_t from_ns, const struct cct *merged,
		      struct sample_rows *rows)
{
	struct cct *into = (struct cct *)merged; /* which has all of these nodes */
	_cleanup_free_ uint32_t *map = calloc(worker->cct->n_nodes, sizeof(*map));

	if (!map)
		return -ENOMEM;
	for (uint32_t i = 1; i < worker->cct->n_nodes; i++) {
		map[i] = cct_child(into, map[worker->cct->nodes[i].parent],
				   cct_frame(worker->cct, i));
		if (map[i] == CCT_NONE)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < worker->recent.n_rows; i++) {
		struct sample_row row = worker->recent.rows[i];

		if (row.time < from_ns)
			continue;
		row.node = map[row.node];
		if (sample_rows_add(rows, &row))
			return -ENOMEM;
	}
	return 0;
}

/* Lets the profile be that of the recent samples. */
static int count_recent(const struct build *build, struct profile_peek *peek, uint64_t recent_ns)
{
	const uint64_t from_ns = recent_from(build, recent_ns);
	struct profile *profile = &peek->profile;

	peek->rows = calloc(1, sizeof(*peek->rows));
	if (!peek->rows)
		return -ENOMEM;
	*peek->rows = *build->profile->rows; /* tasks and their names */
	peek->rows->rows = NULL;
	peek->rows->n_rows = peek->rows->n_rows_allocated = 0;
	for (unsigned i = 0; i < build->n_workers; i++) {
		if (add_recent(&build->workers[i], from_ns, peek->merged, peek->rows))
			return -ENOMEM;
	}
	sample_rows_finish(peek->rows, profile->info.start_ns);
	profile->rows = peek->rows;
	profile->info.has_window = true;
	profile->info.window.from_us = (from_ns - profile->info.start_ns) / NSEC_PER_USEC;
	profile->info.window.to_us = UINT64_MAX;
	_cleanup_free_ bool *is_kept = malloc((size_t)peek->rows->n_rows + 1);
	if (!is_kept)
		return -ENOMEM;
	memset(is_kept, true, peek->rows->n_rows);
	int err = profile_keep_rows(profile, is_kept);
	peek->merged = profile->cct;
	return err;
}

int build_finish_peek(const struct build *build, struct profile_peek *peek, uint64_t recent_ns)
{
	struct profile *profile = &peek->profile;
	const size_t size = profile->n_metrics * sizeof(*peek->metrics);

	peek->merged = merge_trees(build);
	peek->metrics = malloc(size + 1);
	if (!peek->merged || !peek->metrics) {
		profile_peek_deinit(peek);
		return -ENOMEM;
	}
	memcpy(peek->metrics, profile->metrics, size);
	profile->metrics = peek->metrics;
	profile->cct = peek->merged;
	if (recent_ns && build->profile->rows)
		return count_recent(build, peek, recent_ns);
	profile_scale(profile);
	return 0;
}

void profile_peek_deinit(struct profile_peek *peek)
{
	cct_destroy(peek->merged);
	free(peek->metrics);
	if (peek->rows)
		free(peek->rows->rows);
	free(peek->rows);
	*peek = (struct profile_peek){ .n_trees = 0 };
}
