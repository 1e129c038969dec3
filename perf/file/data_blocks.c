#include "perf/file/data_blocks.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cct/system/huge_pages.h"

/* More than one block can hold records. */
#define WINDOW_REFS (1u << 30)
static_assert(FRAME_BLOCK_SIZE / sizeof(struct perf_event_header) < WINDOW_REFS, "references");

/* Large blocks hold whole huge pages, for they are filled. */
enum { BLOCK_ALIGNMENT = 64, LARGE_BLOCK_ALIGNMENT = 2 << 20 };

static struct data_block *block_create(struct block_pool *pool)
{
	const size_t head =
		(sizeof(struct data_block) + BLOCK_ALIGNMENT - 1) & ~(size_t)(BLOCK_ALIGNMENT - 1);
	const size_t size = head + pool->block_size;
	void *memory;

	if (posix_memalign(&memory,
			   pool->block_size >= LARGE_BLOCK_ALIGNMENT ? LARGE_BLOCK_ALIGNMENT
								     : BLOCK_ALIGNMENT,
			   size))
		return NULL;
	huge_pages_allow(memory, size);
	struct data_block *block = memory;
	*block = (struct data_block){
		.size = pool->block_size,
		.pool = pool,
		.bytes = (uint8_t *)memory + head,
	};
	return block;
}

struct data_block *block_pool_take(struct block_pool *pool)
{
	if (!pool->free)
		pool->free = atomic_exchange_explicit(&pool->returned, NULL, memory_order_acquire);
	struct data_block *block = pool->free;
	if (!block)
		return block_create(pool);
	pool->free = block->next_free;
	return block;
}

void block_pool_return(struct block_pool *pool, struct data_block *block)
{
	block->next_free = atomic_load_explicit(&pool->returned, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&pool->returned, &block->next_free, block,
						      memory_order_release, memory_order_relaxed))
		;
}

static void blocks_free(struct data_block *block)
{
	while (block) {
		struct data_block *next = block->next_free;
		free(block);
		block = next;
	}
}

void block_pool_trim(struct block_pool *pool)
{
	blocks_free(pool->free);
	blocks_free(atomic_exchange(&pool->returned, NULL));
	pool->free = NULL;
}

struct data_block *data_block_map(int fd, uint64_t offset, uint32_t size)
{
	struct data_block *block = calloc(1, sizeof(*block));
	void *bytes =
		block ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, (off_t)offset) : MAP_FAILED;

	if (bytes == MAP_FAILED) {
		free(block);
		return NULL;
	}
	*block = (struct data_block){ .size = size, .is_mapped = true, .bytes = bytes };
	return block;
}

static void block_drop(struct data_block *block, uint32_t n_refs)
{
	if (atomic_fetch_sub_explicit(&block->n_refs, n_refs, memory_order_acq_rel) != n_refs)
		return;
	if (block->pool) {
		block_pool_return(block->pool, block);
		return;
	}
	if (block->is_mapped)
		munmap(block->bytes, block->size);
	free(block);
}

void data_block_unref(struct data_block *block)
{
	if (block)
		block_drop(block, 1);
}

int raw_record_detach(struct raw_record *record)
{
	uint32_t size = record->header->size;
	struct data_block *block = malloc(sizeof(*block) + size);

	if (!block)
		return -ENOMEM;
	*block = (struct data_block){ .size = size, .bytes = (uint8_t *)(block + 1) };
	atomic_init(&block->n_refs, 1);
	memcpy(block->bytes, record->header, size);
	data_block_unref(record->block);
	record->block = block;
	record->header = (const struct perf_event_header *)(const void *)block->bytes;
	return 0;
}

void block_window_close(struct block_window *window)
{
	if (window->block)
		block_drop(window->block, WINDOW_REFS - window->n_given);
	*window = (struct block_window){ 0 };
}

int block_window_renew(struct block_window *window, struct block_pool *pool)
{
	struct data_block *block = block_pool_take(pool);
	uint32_t left = window->fill - window->pos;

	if (!block)
		return -ENOMEM;
	atomic_store_explicit(&block->n_refs, WINDOW_REFS, memory_order_relaxed);
	if (left)
		memcpy(block->bytes, window->block->bytes + window->pos, left);
	block_window_close(window);
	*window = (struct block_window){ .block = block, .fill = left };
	return 0;
}

void block_window_adopt(struct block_window *window, struct data_block *block, uint32_t size)
{
	atomic_store_explicit(&block->n_refs, WINDOW_REFS, memory_order_relaxed);
	block->size = size;
	block_window_close(window);
	*window = (struct block_window){ .block = block, .fill = size };
}
