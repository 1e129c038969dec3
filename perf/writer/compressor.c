#include "perf/writer/compressor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "perf/writer/writer_thread.h"

enum block_state { BLOCK_IS_FREE, BLOCK_WAITS, BLOCK_RUNS, BLOCK_IS_DONE };

/* One for each thread, and one for the caller. */
struct helper {
	struct compressor *compressor;
	struct frame_maker maker;
	struct compressor_block *block; /* in work */
	struct writer_thread thread;
};

struct compressor {
	struct compressor_options options;
	struct helper *helpers; /* the caller's first */
	struct compressor_block *blocks;
	size_t n_blocks;

	pthread_mutex_t lock;
	pthread_cond_t changed;                 /* anything below */
	struct compressor_block *free;          /* the last one used first */
	struct compressor_block *first, **last; /* handed over, in their order */
	unsigned n_threads, n_idle;             /* threads that run; of them, that wait */
	size_t n_waiting;                       /* blocks no thread has begun */
	bool is_passing_on;                     /* a thread passes on the first ones */
	bool stop;
	int error;
};

static int add_bytes(void *to, const void *bytes, size_t size)
{
	struct compressor_block *block = ((struct helper *)to)->block;

	if (array_reserve(block->bytes, block->n_bytes, block->n_allocated, size))
		return -ENOMEM;
	memcpy(block->bytes + block->n_bytes, bytes, size);
	block->n_bytes += size;
	return 0;
}

static int compress_block(struct helper *helper, struct compressor_block *block)
{
	struct frame_maker *maker = &helper->maker;

	block->n_bytes = 0;
	block->n_expanded = block->n_compressed = 0;
	helper->block = block;
	if (block->is_plain)
		return add_bytes(helper, block->records, block->size);
	maker->n_expanded = maker->n_compressed = 0;
	int err = frame_maker_add(maker, block->records, block->size);
	if (!err)
		err = frame_maker_end(maker);
	block->n_expanded = maker->n_expanded;
	block->n_compressed = maker->n_compressed;
	return err;
}

static void keep_error(struct compressor *compressor, int err)
{
	if (!compressor->error)
		compressor->error = err;
}

/* Passes on the first blocks, as far as they are done, unless another thread does. The lock is
 * held, except while a block is passed on. */
static void pass_on(struct compressor *compressor)
{
	struct compressor_block *block;

	if (compressor->is_passing_on)
		return;
	compressor->is_passing_on = true;
	while ((block = compressor->first) && block->state == BLOCK_IS_DONE) {
		if (!compressor->error) {
			pthread_mutex_unlock(&compressor->lock);
			int err = compressor->options.pass_on(compressor->options.to, block);
			pthread_mutex_lock(&compressor->lock);
			keep_error(compressor, err);
		}
		compressor->first = block->next;
		if (!compressor->first)
			compressor->last = &compressor->first;
		block->state = BLOCK_IS_FREE;
		block->next = compressor->free;
		compressor->free = block;
		pthread_cond_broadcast(&compressor->changed);
	}
	compressor->is_passing_on = false;
}

/* Compresses the first block that waits, if one does. The lock is held, except meanwhile. */
static bool help(struct compressor *compressor, struct helper *helper)
{
	struct compressor_block *block = compressor->first;

	while (block && block->state != BLOCK_WAITS)
		block = block->next;
	if (!block)
		return false;
	block->state = BLOCK_RUNS;
	compressor->n_waiting--;
	if (!compressor->error) {
		pthread_mutex_unlock(&compressor->lock);
		int err = compress_block(helper, block);
		pthread_mutex_lock(&compressor->lock);
		keep_error(compressor, err);
	}
	block->state = BLOCK_IS_DONE;
	pass_on(compressor);
	return true;
}

static void *helper_main(void *arg)
{
	struct helper *helper = arg;
	struct compressor *compressor = helper->compressor;

	writer_thread_begin(&helper->thread);
	pthread_mutex_lock(&compressor->lock);
	while (!compressor->stop) {
		if (help(compressor, helper))
			continue;
		compressor->n_idle++;
		pthread_cond_wait(&compressor->changed, &compressor->lock);
		compressor->n_idle--;
	}
	pthread_mutex_unlock(&compressor->lock);
	return NULL;
}

static int init_helper(struct compressor *compressor, struct helper *helper)
{
	helper->compressor = compressor;
	return frame_maker_init(&helper->maker, compressor->options.level, add_bytes, helper);
}

static int compressor_init(struct compressor *compressor)
{
	const unsigned n_threads = compressor->options.n_threads;

	writer_lock_init(&compressor->lock);
	pthread_cond_init(&compressor->changed, NULL);
	compressor->last = &compressor->first;
	compressor->helpers = calloc(n_threads + 1, sizeof(*compressor->helpers));
	compressor->blocks = calloc(COMPRESSOR_BLOCKS(n_threads), sizeof(*compressor->blocks));
	return compressor->helpers && compressor->blocks
		       ? init_helper(compressor, &compressor->helpers[0])
		       : -ENOMEM;
}

int compressor_create(const struct compressor_options *options, struct compressor **compressor_ret)
{
	struct compressor *compressor = calloc(1, sizeof(*compressor));

	if (!compressor)
		return -ENOMEM;
	compressor->options = *options;
	int err = compressor_init(compressor);
	if (err) {
		compressor_destroy(compressor);
		return err;
	}
	*compressor_ret = compressor;
	return 0;
}

void compressor_destroy(struct compressor *compressor)
{
	if (!compressor)
		return;
	pthread_mutex_lock(&compressor->lock);
	compressor->stop = true;
	pthread_cond_broadcast(&compressor->changed);
	pthread_mutex_unlock(&compressor->lock);
	for (unsigned i = 0; i < compressor->n_threads; i++)
		pthread_join(compressor->helpers[i + 1].thread.thread, NULL);
	for (unsigned i = 0; compressor->helpers && i <= compressor->options.n_threads; i++)
		frame_maker_deinit(&compressor->helpers[i].maker);
	for (size_t i = 0; i < compressor->n_blocks; i++) {
		free(compressor->blocks[i].records);
		free(compressor->blocks[i].bytes);
	}
	pthread_cond_destroy(&compressor->changed);
	pthread_mutex_destroy(&compressor->lock);
	free(compressor->blocks);
	free(compressor->helpers);
	free(compressor);
}

/* NULL: the limit is reached, or there is no memory for one more than those that are there. */
static struct compressor_block *make_block(struct compressor *compressor)
{
	if (compressor->n_blocks == COMPRESSOR_BLOCKS(compressor->options.n_threads))
		return NULL;
	struct compressor_block *block = &compressor->blocks[compressor->n_blocks];
	block->records = aligned_alloc(64, COMPRESSOR_BLOCK_SIZE);
	if (!block->records)
		return NULL;
	compressor->n_blocks++;
	return block;
}

int compressor_take(struct compressor *compressor, struct compressor_block **block_ret)
{
	struct compressor_block *block = NULL;

	pthread_mutex_lock(&compressor->lock);
	while (!compressor->error && !block) {
		block = compressor->free;
		if (block)
			compressor->free = block->next;
		else
			block = make_block(compressor);
		if (block)
			break;
		if (help(compressor, &compressor->helpers[0]))
			continue;
		if (compressor->first)
			pthread_cond_wait(&compressor->changed, &compressor->lock);
		else
			keep_error(compressor, -ENOMEM);
	}
	int err = compressor->error;
	pthread_mutex_unlock(&compressor->lock);
	if (err)
		return err;
	block->size = 0;
	block->is_plain = false;
	*block_ret = block;
	return 0;
}

static void share_priority(struct compressor *compressor)
{
	for (unsigned i = 1; i <= compressor->n_threads; i++)
		writer_thread_share_priority(&compressor->helpers[i].thread);
}

/* One that cannot be started is not missed: the caller compresses what no thread does. */
static void start_thread(struct compressor *compressor)
{
	struct helper *helper = &compressor->helpers[compressor->n_threads + 1];

	if (init_helper(compressor, helper) ||
	    writer_thread_start(&helper->thread, helper_main, helper)) {
		frame_maker_deinit(&helper->maker);
		helper->maker = (struct frame_maker){ .to = NULL };
		return;
	}
	compressor->n_threads++;
}

void compressor_put(struct compressor *compressor, struct compressor_block *block)
{
	pthread_mutex_lock(&compressor->lock);
	block->state = BLOCK_WAITS;
	block->next = NULL;
	*compressor->last = block;
	compressor->last = &block->next;
	compressor->n_waiting++;
	if (compressor->n_waiting > compressor->n_idle &&
	    compressor->n_threads < compressor->options.n_threads)
		start_thread(compressor);
	share_priority(compressor);
	pthread_cond_broadcast(&compressor->changed);
	pthread_mutex_unlock(&compressor->lock);
}

int compressor_drain(struct compressor *compressor)
{
	pthread_mutex_lock(&compressor->lock);
	while (compressor->first) {
		if (!help(compressor, &compressor->helpers[0]))
			pthread_cond_wait(&compressor->changed, &compressor->lock);
	}
	int err = compressor->error;
	pthread_mutex_unlock(&compressor->lock);
	return err;
}
