/* Modules in chunks that are never moved; their costs and problems are added up. */
#include "unwind/modules/elf_modules.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Modules by their ids: read without a lock, and never moved. */
#define CHUNK_BITS 10
#define N_CHUNKS   (MODULES_MAX >> CHUNK_BITS)
struct chunk {
	struct elf_module *_Atomic modules[1 << CHUNK_BITS]; /* NULL: not requested yet */
};

struct elf_modules {
	const struct module_table *table; /* borrowed */
	pthread_mutex_t lock;             /* of what adds to @chunks */
	struct chunk *_Atomic chunks[N_CHUNKS];
	bool is_timed;
	struct elf_access_log *log; /* NULL: nobody asks; borrowed */
	struct kept_modules *kept;  /* NULL: each is opened again; borrowed */
};

struct elf_modules *elf_modules_create(const struct module_table *modules)
{
	struct elf_modules *elf_modules = calloc(1, sizeof(*elf_modules));
	if (!elf_modules)
		return NULL;
	elf_modules->table = modules;
	pthread_mutex_init(&elf_modules->lock, NULL);
	return elf_modules;
}

/* NULL: not requested yet. */
static struct elf_module *get_known(const struct elf_modules *elf_modules, uint32_t id)
{
	const struct chunk *chunk =
		id < MODULES_MAX ? atomic_load_explicit(&elf_modules->chunks[id >> CHUNK_BITS],
							memory_order_acquire)
				 : NULL;

	return chunk ? atomic_load_explicit(&chunk->modules[id % (1 << CHUNK_BITS)],
					    memory_order_acquire)
		     : NULL;
}

/* The modules go on in ->kept, if they can. @first: the id of the first one. */
static void chunk_destroy(const struct elf_modules *elf_modules, struct chunk *chunk,
			  uint32_t first)
{
	if (!chunk)
		return;
	for (uint32_t i = 0; i < 1 << CHUNK_BITS; i++) {
		if (elf_modules->kept && chunk->modules[i])
			kept_modules_put(elf_modules->kept, elf_modules->table->modules[first + i],
					 chunk->modules[i]);
		else
			elf_module_destroy(chunk->modules[i]);
	}
	free(chunk);
}

void elf_modules_destroy(struct elf_modules *elf_modules)
{
	if (!elf_modules)
		return;
	for (uint32_t i = 0; i < N_CHUNKS; i++)
		chunk_destroy(elf_modules, elf_modules->chunks[i], i << CHUNK_BITS);
	pthread_mutex_destroy(&elf_modules->lock);
	free(elf_modules);
}

/* NULL: out of memory. */
static struct elf_module *take_or_create(struct elf_modules *elf_modules,
					 const struct module *module)
{
	struct kept_modules *kept = elf_modules->kept;
	struct elf_module *elf_module = kept ? kept_modules_take(kept, module) : NULL;

	if (elf_module)
		return elf_module;
	elf_module = elf_module_create(module, elf_modules->log, elf_modules->is_timed);
	if (elf_module && kept)
		kept_modules_watch(kept, module, elf_module);
	return elf_module;
}

/* With the lock held. NULL: no such module, or out of memory. */
static struct elf_module *add_module(struct elf_modules *elf_modules, uint32_t id)
{
	const struct module *module = module_table_get(elf_modules->table, id);
	struct chunk *_Atomic *chunk = &elf_modules->chunks[id >> CHUNK_BITS];

	if (!module)
		return NULL;
	if (!*chunk)
		atomic_store_explicit(chunk, calloc(1, sizeof(**chunk)), memory_order_release);
	if (!*chunk)
		return NULL;
	struct elf_module *elf_module = take_or_create(elf_modules, module);
	atomic_store_explicit(&(*chunk)->modules[id % (1 << CHUNK_BITS)], elf_module,
			      memory_order_release);
	return elf_module;
}

struct elf_module *elf_modules_get(struct elf_modules *elf_modules, uint32_t id)
{
	struct elf_module *elf_module = get_known(elf_modules, id);

	if (elf_module || id >= MODULES_MAX)
		return elf_module;
	pthread_mutex_lock(&elf_modules->lock);
	elf_module = get_known(elf_modules, id);
	if (!elf_module)
		elf_module = add_module(elf_modules, id);
	pthread_mutex_unlock(&elf_modules->lock);
	return elf_module;
}

void elf_modules_keep(struct elf_modules *elf_modules, struct kept_modules *kept)
{
	elf_modules->kept = kept;
}

void elf_modules_log(struct elf_modules *elf_modules, struct elf_access_log *log)
{
	elf_modules->log = log;
}

void elf_modules_time(struct elf_modules *elf_modules)
{
	elf_modules->is_timed = true;
}

size_t elf_modules_problems(const struct elf_modules *elf_modules,
			    struct elf_module_problem *problems, size_t max_problems)
{
	size_t n_problems = 0;

	for (uint32_t id = 0; id < elf_modules->table->n_modules; id++) {
		const struct elf_module *module = get_known(elf_modules, id);
		const char *text = module ? elf_module_problem(module) : NULL;

		if (!text)
			continue;
		if (n_problems < max_problems)
			problems[n_problems] =
				(struct elf_module_problem){ .module = id, .text = text };
		n_problems++;
	}
	return n_problems;
}

void elf_modules_stats(const struct elf_modules *elf_modules, struct elf_modules_stats *stats_ret)
{
	struct elf_modules_stats stats = { .n_opened = 0 };

	for (uint32_t id = 0; id < elf_modules->table->n_modules; id++) {
		const struct elf_module *module = get_known(elf_modules, id);
		struct elf_module_cost cost;

		if (!module || !elf_module_cost(module, &cost))
			continue;
		stats.n_opened++;
		stats.total.text_size += cost.text_size;
		stats.total.n_lookups += cost.n_lookups;
		stats.total.open_ns += cost.open_ns;
		stats.total.lookup_ns += cost.lookup_ns;
		if (cost.max_lookup_ns > stats.total.max_lookup_ns)
			stats.total.max_lookup_ns = cost.max_lookup_ns;
	}
	*stats_ret = stats;
}
