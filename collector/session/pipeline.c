#include "collector/session/pipeline.h"

#include <errno.h>
#include <stdlib.h>

int pipeline_init(struct pipeline *pipeline, size_t n_batches)
{
	pthread_mutex_init(&pipeline->lock, NULL);
	pthread_cond_init(&pipeline->has_full, NULL);
	pthread_cond_init(&pipeline->has_free, NULL);
	pthread_cond_init(&pipeline->has_turn, NULL);
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

void pipeline_deinit(struct pipeline *pipeline)
{
	pthread_mutex_destroy(&pipeline->lock);
	pthread_cond_destroy(&pipeline->has_full);
	pthread_cond_destroy(&pipeline->has_free);
	pthread_cond_destroy(&pipeline->has_turn);
	free(pipeline->batches);
}

struct batch *pipeline_take_free(struct pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->lock);
	while (!pipeline->free)
		pthread_cond_wait(&pipeline->has_free, &pipeline->lock);
	struct batch *batch = pipeline->free;
	pipeline->free = batch->next;
	pthread_mutex_unlock(&pipeline->lock);
	return batch;
}

bool pipeline_lacks_free(struct pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->lock);
	bool lacks = !pipeline->free;
	pthread_mutex_unlock(&pipeline->lock);
	return lacks;
}

bool pipeline_lacks_full(struct pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->lock);
	bool lacks = !pipeline->full && !pipeline->is_over;
	pthread_mutex_unlock(&pipeline->lock);
	return lacks;
}

void pipeline_put_free(struct pipeline *pipeline, struct batch *batch)
{
	pthread_mutex_lock(&pipeline->lock);
	batch->next = pipeline->free;
	pipeline->free = batch;
	pthread_cond_signal(&pipeline->has_free);
	pthread_mutex_unlock(&pipeline->lock);
}

void pipeline_put_full(struct pipeline *pipeline, struct batch *batch)
{
	pthread_mutex_lock(&pipeline->lock);
	batch->next = NULL;
	*pipeline->full_tail = batch;
	pipeline->full_tail = &batch->next;
	pthread_cond_signal(&pipeline->has_full);
	pthread_mutex_unlock(&pipeline->lock);
}

void pipeline_give_turn(struct pipeline *pipeline, struct batch *batch)
{
	batch->turn = ++pipeline->n_turns;
}

void pipeline_await_turn(struct pipeline *pipeline, const struct batch *batch)
{
	pthread_mutex_lock(&pipeline->lock);
	while (pipeline->n_turns_over + 1 < batch->turn)
		pthread_cond_wait(&pipeline->has_turn, &pipeline->lock);
	pthread_mutex_unlock(&pipeline->lock);
}

void pipeline_end_turn(struct pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->lock);
	pipeline->n_turns_over++;
	pthread_cond_broadcast(&pipeline->has_turn);
	pthread_mutex_unlock(&pipeline->lock);
}

struct batch *pipeline_take_full(struct pipeline *pipeline)
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

void pipeline_end(struct pipeline *pipeline)
{
	pthread_mutex_lock(&pipeline->lock);
	pipeline->is_over = true;
	pthread_cond_broadcast(&pipeline->has_full);
	pthread_mutex_unlock(&pipeline->lock);
}
