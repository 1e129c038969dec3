/* Reader thread, workers, merge. */
#include "collector/replay/build_profile.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "collector/paths/sample_path.h"
#include "collector/replay/processes.h"
#include "collector/replay/replay.h"

#define BATCH_SAMPLES      128
#define BATCHES_PER_WORKER 4
#define MAX_WORKERS        16

struct batch {
	struct batch *next;
	size_t n_samples;
	struct sample samples[BATCH_SAMPLES];
};

/* Batches on their way: free ones to the reader, full ones to the workers. */
struct pipeline {
	pthread_mutex_t lock;
	pthread_cond_t has_full, has_free;
	struct batch *free, *full, **full_tail;
	struct batch *batches; /* all of them */
	bool is_over;
};

struct worker {
	struct pipeline *pipeline;
	pthread_t thread;
	bool by_thread;
	struct sample_path *sample_path;
	struct cct *cct;
	struct profile_quality quality;
	/* The last whose path was resolved, and its node; a group's record is one sample for each
	 * of its metrics. NULL: none of this batch. */
	const struct sample *last;
	uint32_t node;
	bool is_running;
	int err;
};

struct build {
	const struct build_options *options;
	struct replay *replay;
	struct profile *profile;
	struct elf_modules *elf_modules;
	struct io_wait io_wait;
	struct pipeline pipeline;
	struct worker workers[MAX_WORKERS];
	unsigned n_workers;
	struct batch *batch; /* being filled */
};

static void count_user_half(struct profile_quality *quality, const struct call_path *path)
{
	switch (path->user_half) {
	case USER_COMPLETE:
		quality->counts[QUALITY_COMPLETE]++;
		break;
	case USER_NONE:
		quality->counts[QUALITY_NO_USER_PART]++;
		break;
	case USER_UNVERIFIED:
		quality->counts[QUALITY_UNVERIFIED]++;
		break;
	case USER_INCOMPLETE:
		quality->incomplete[path->end]++;
		break;
	}
	quality->counts[QUALITY_GUESSED_FRAMES] += path->n_marked[PATH_GUESSED];
}

static void mark_path(struct worker *worker, uint32_t node, const struct call_path *path)
{
	for (int mark = 0; mark < N_PATH_MARKS; mark++) {
		worker->cct->nodes[node].marked[mark] += path->n_marked[mark] > 0;
		worker->quality.counts[quality_of_mark(mark)] += path->n_marked[mark] > 0;
	}
}

static uint32_t insert(const struct worker *worker, const struct sample *sample)
{
	struct frame process = { .kind = FRAME_PROCESS, .offset = sample->process_index };
	struct frame thread = { .kind = FRAME_THREAD, .offset = sample->thread_index };
	uint32_t node = cct_child(worker->cct, CCT_ROOT, &process);

	if (node != CCT_NONE && worker->by_thread)
		node = cct_child(worker->cct, node, &thread);
	return cct_insert_path(worker->cct, node, sample->path.frames, sample->path.n_frames);
}

/* The path of a sample, and its node in the tree. 0 or -ENOMEM. */
static int resolve(struct worker *worker, struct sample *sample)
{
	sample_path_resolve(worker->sample_path, sample);
	worker->node = insert(worker, sample);
	worker->last = sample;
	return worker->node == CCT_NONE ? -ENOMEM : 0;
}

static int process_sample(struct worker *worker, struct sample *sample)
{
	const struct sample *last = worker->last;

	/* A record that tells of several metrics is unwound once. */
	if (last && sample->raw.header && sample->raw.header == last->raw.header) {
		sample->path = last->path;
	} else {
		int err = resolve(worker, sample);
		if (err)
			return err;
	}
	count_user_half(&worker->quality, &sample->path);
	cct_add_cost(worker->cct, worker->node, sample->metric, sample->weight);
	mark_path(worker, worker->node, &sample->path);
	return 0;
}

/* After an error a worker goes on taking batches, or the reader would wait for ever. */
static void process_batch(struct worker *worker, struct batch *batch)
{
	worker->last = NULL;
	for (size_t i = 0; i < batch->n_samples && !worker->err; i++)
		worker->err = process_sample(worker, &batch->samples[i]);
	for (size_t i = 0; i < batch->n_samples; i++)
		sample_deinit(&batch->samples[i]);
	batch->n_samples = 0;
}

static int pipeline_init(struct pipeline *pipeline, size_t n_batches)
{
	pthread_mutex_init(&pipeline->lock, NULL);
	pthread_cond_init(&pipeline->has_full, NULL);
	pthread_cond_init(&pipeline->has_free, NULL);
	pipeline->full_tail = &pipeline->full;
	pipeline->batches = calloc(n_batches, sizeof(*pipeline->batches));
	if (!pipeline->batches)
		return -ENOMEM;
	for (size_t i = 0; i < n_batches; i++) {
		pipeline->batches[i].next = pipeline->free;
		pipeline->free = &pipeline->batches[i];
	}
	return 0;
}

static void pipeline_deinit(struct pipeline *pipeline)
{
	pthread_mutex_destroy(&pipeline->lock);
	pthread_cond_destroy(&pipeline->has_full);
	pthread_cond_destroy(&pipeline->has_free);
	free(pipeline->batches);
}

static struct batch *pipeline_take_free(struct pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->lock);
	while (!pipeline->free)
		pthread_cond_wait(&pipeline->has_free, &pipeline->lock);
	struct batch *batch = pipeline->free;
	pipeline->free = batch->next;
	pthread_mutex_unlock(&pipeline->lock);
	return batch;
}

static void pipeline_put_free(struct pipeline *pipeline, struct batch *batch)
{
	pthread_mutex_lock(&pipeline->lock);
	batch->next = pipeline->free;
	pipeline->free = batch;
	pthread_cond_signal(&pipeline->has_free);
	pthread_mutex_unlock(&pipeline->lock);
}

static void pipeline_put_full(struct pipeline *pipeline, struct batch *batch)
{
	pthread_mutex_lock(&pipeline->lock);
	batch->next = NULL;
	*pipeline->full_tail = batch;
	pipeline->full_tail = &batch->next;
	pthread_cond_signal(&pipeline->has_full);
	pthread_mutex_unlock(&pipeline->lock);
}

/* NULL: there will be no more. */
static struct batch *pipeline_take_full(struct pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->lock);
	while (!pipeline->full && !pipeline->is_over)
		pthread_cond_wait(&pipeline->has_full, &pipeline->lock);
	struct batch *batch = pipeline->full;
	if (batch) {
		pipeline->full = batch->next;
		if (!pipeline->full)
			pipeline->full_tail = &pipeline->full;
	}
	pthread_mutex_unlock(&pipeline->lock);
	return batch;
}

static void pipeline_end(struct pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->lock);
	pipeline->is_over = true;
	pthread_cond_broadcast(&pipeline->has_full);
	pthread_mutex_unlock(&pipeline->lock);
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct batch *batch;

	while ((batch = pipeline_take_full(worker->pipeline))) {
		process_batch(worker, batch);
		pipeline_put_free(worker->pipeline, batch);
	}
	return NULL;
}

/* The reader keeps one processor busy; more workers than the others have would only get in its way.
 * 0: the reader does their work. */
static unsigned count_worker_threads(const struct build_options *options)
{
	long n = options->n_threads ? (long)options->n_threads : sysconf(_SC_NPROCESSORS_ONLN);

	return n <= 1 ? 0 : n > MAX_WORKERS ? MAX_WORKERS : (unsigned)n - 1;
}

/* Workers start at the first sample: what they need to know is complete then. */
static int start_workers(struct build *build)
{
	unsigned n_threads = count_worker_threads(build->options);
	unsigned n = n_threads ? n_threads : 1;

	build->elf_modules = elf_modules_create(&build->profile->modules);
	if (!build->elf_modules || replay_find_io_wait(build->replay, &build->io_wait))
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		struct worker *worker = &build->workers[build->n_workers++];

		worker->pipeline = &build->pipeline;
		worker->by_thread = build->options->by_thread;
		worker->sample_path = sample_path_create(build->elf_modules,
							 replay_kernel_symbols(build->replay));
		worker->cct = cct_create(build->profile->n_metrics);
		if (!worker->sample_path || !worker->cct)
			return -ENOMEM;
		sample_path_set_io_wait(worker->sample_path, &build->io_wait);
		worker->is_running =
			n_threads && !pthread_create(&worker->thread, NULL, worker_main, worker);
	}
	return 0;
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

	if (has_running_worker(build)) {
		pipeline_put_full(&build->pipeline, batch);
		return;
	}
	process_batch(&build->workers[0], batch);
	pipeline_put_free(&build->pipeline, batch);
}

static bool has_number(const void *list, size_t n, uint32_t number)
{
	const uint32_t *numbers = list;

	for (size_t i = 0; i < n; i++) {
		if (numbers[i] == number)
			return true;
	}
	return !n;
}

static bool has_name(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return !n;
}

static bool is_wanted(const struct build_filter *filter, const struct sample *sample)
{
	const struct record *record = &sample->record;
	const struct thread *thread = sample->thread;

	return has_number(filter->pids, filter->n_pids, (uint32_t)record->pid) &&
	       has_number(filter->tids, filter->n_tids, (uint32_t)record->tid) &&
	       has_number(filter->cpus, filter->n_cpus, record->cpu) &&
	       has_name(filter->events, filter->n_events, sample->event->name) &&
	       (has_name(filter->comms, filter->n_comms, thread->name) ||
		has_name(filter->comms, filter->n_comms, thread->process->name));
}

/* Takes over the sample, which is the next one of the batch that is being filled. */
static int add_sample(struct build *build, struct sample *sample)
{
	struct metric *metric = &build->profile->metrics[sample->metric];

	if (!is_wanted(&build->options->filter, sample)) {
		build->profile->quality.counts[QUALITY_FILTERED]++;
		sample_deinit(sample);
		return 0;
	}
	int err = build->n_workers ? 0 : start_workers(build);
	if (!err)
		err = replay_enter(build->replay, sample);
	if (err) {
		sample_deinit(sample);
		return err;
	}
	metric->samples++;
	metric->total += sample->weight;
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

static int merge_workers(struct build *build)
{
	struct profile *profile = build->profile;

	profile->cct = build->n_workers ? steal_ptr(build->workers[0].cct)
					: cct_create(profile->n_metrics);
	if (!profile->cct)
		return -ENOMEM;
	for (unsigned i = 0; i < build->n_workers; i++) {
		if (i && cct_merge(profile->cct, build->workers[i].cct))
			return -ENOMEM;
		quality_merge(&profile->quality, &build->workers[i].quality);
	}
	/* Total cost in equals total cost out, or we have a bug. */
	assert(profile_check_conservation(profile) < 0);
	profile_scale(profile);
	return 0;
}

static void build_deinit(struct build *build)
{
	for (unsigned i = 0; i < build->n_workers; i++) {
		sample_path_destroy(build->workers[i].sample_path);
		cct_destroy(build->workers[i].cct);
	}
	elf_modules_destroy(build->elf_modules);
	if (build->pipeline.batches)
		pipeline_deinit(&build->pipeline);
	replay_close(build->replay);
}

/* Samples are read into the batch that workers get. */
static int read_samples(struct build *build)
{
	for (;;) {
		if (!build->batch)
			build->batch = pipeline_take_free(&build->pipeline);
		struct sample *sample = &build->batch->samples[build->batch->n_samples];
		int got = replay_next(build->replay, sample);
		int err = got > 0 ? add_sample(build, sample) : got;

		if (got <= 0 || err)
			return err;
	}
}

static int build_run(struct build *build)
{
	unsigned n_workers = count_worker_threads(build->options);
	int err = pipeline_init(&build->pipeline, (n_workers + !n_workers) * BATCHES_PER_WORKER);

	if (err)
		return err;
	err = read_samples(build);
	int worker_err = stop_workers(build);
	if (err || worker_err)
		return err ? err : worker_err;
	return merge_workers(build);
}

int build_profile(const char *path, const struct build_options *options,
		  struct profile **profile_ret, char **error_ret)
{
	struct build build = { .options = options };

	*error_ret = NULL;
	int err = replay_open(path, options->files, &build.replay, error_ret);
	if (err)
		return err;
	build.profile = replay_profile(build.replay);
	err = build_run(&build);
	if (err)
		*error_ret = strdup(strerror(-err));
	else if (replay_error(build.replay))
		*error_ret = strdup(replay_error(build.replay));
	if (!err)
		*profile_ret = replay_take_profile(build.replay);
	build_deinit(&build);
	return err;
}
