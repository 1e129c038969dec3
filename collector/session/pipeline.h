/*
 * Passes batches of samples between threads: free batches to the reader, which fills them, and full
 * ones to the workers, which empty them. Samples are filled and used in place. Batches are
 * allocated once.
 */
#ifndef COLLECTOR_SESSION_PIPELINE_H
#define COLLECTOR_SESSION_PIPELINE_H

#include <pthread.h>

#include "collector/paths/sample.h"

#define BATCH_SAMPLES 128

struct batch {
	struct batch *next;
	uint64_t turn; /* of the batches that take turns, from 1 on; 0: it does not */
	size_t n_samples;
	struct sample samples[BATCH_SAMPLES];
	/* Where the profile keeps a row of each sample: */
	uint64_t first_number;         /* of the first sample, among all */
	uint32_t tasks[BATCH_SAMPLES]; /* as in cct/model/sample_rows.h */
};

/* Any thread may call its functions. */
struct pipeline {
	pthread_mutex_t lock;
	pthread_cond_t has_full, has_free, has_turn;
	struct batch *free, *full, **full_tail;
	struct batch *batches; /* all of them */
	uint64_t n_turns, n_turns_over;
	bool is_over;
};

/* 0 or -ENOMEM. */
int pipeline_init(struct pipeline *pipeline, size_t n_batches);
void pipeline_deinit(struct pipeline *pipeline);
/* Waits for one. */
struct batch *pipeline_take_free(struct pipeline *pipeline);
/* Whether pipeline_take_free(), or pipeline_take_full(), would wait now. */
bool pipeline_lacks_free(struct pipeline *pipeline);
bool pipeline_lacks_full(struct pipeline *pipeline);
void pipeline_put_free(struct pipeline *pipeline, struct batch *batch);
void pipeline_put_full(struct pipeline *pipeline, struct batch *batch);
/* Gives a batch its turn, after those of all batches before; by the reader, before others get it.
 */
void pipeline_give_turn(struct pipeline *pipeline, struct batch *batch);
/* Waits until the turns before @batch's are over. Batches are taken in their order, so each of them
 * is in work. */
void pipeline_await_turn(struct pipeline *pipeline, const struct batch *batch);
void pipeline_end_turn(struct pipeline *pipeline);
/* Waits for one. NULL: there will be no more. */
struct batch *pipeline_take_full(struct pipeline *pipeline);
/* No more batches will be filled. */
void pipeline_end(struct pipeline *pipeline);

#endif
