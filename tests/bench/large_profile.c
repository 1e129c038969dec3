#include "tests/bench/large_profile.h"

#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS 20000
#define MODULES   40
#define THREADS   64

static uint64_t seed;

static uint32_t draw(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

static const char *const words[] = {
	"parse", "read", "write", "update", "node", "tree", "buffer",  "string", "map",   "vector",
	"find",  "hash", "table", "stream", "json", "http", "request", "lock",   "queue", "value",
	"index", "sort", "merge", "flush",  "open", "type", "check",   "visit",  "emit",  "block",
};
#define N_WORDS (sizeof(words) / sizeof(words[0]))

/* @module: of FUNCTIONS / MODULES functions. */
static void add_names(struct module *module)
{
	char name[256];

	module->symbols = symbol_table_create();
	for (uint32_t i = 0; i < FUNCTIONS / MODULES; i++) {
		int size =
			snprintf(name, sizeof(name), "%s::%s_%s<%s, %s>::%s(%s const&, int)",
				 words[draw(N_WORDS)], words[draw(N_WORDS)], words[draw(N_WORDS)],
				 words[draw(N_WORDS)], words[draw(N_WORDS)], words[draw(N_WORDS)],
				 words[draw(N_WORDS)]);

		symbol_table_add(module->symbols, (uint64_t)i * 16, 16, name, (uint64_t)size);
	}
	symbol_table_sort(module->symbols);
}

static uint32_t *add_modules(struct profile *profile)
{
	uint32_t *ids = calloc(MODULES, sizeof(*ids));
	char path[64];

	for (uint32_t i = 0; i < MODULES; i++) {
		struct module_key key = { .kind = MODULE_ELF, .path = path };

		snprintf(path, sizeof(path), "/usr/lib/lib%s%u.so.1", words[i % N_WORDS], i);
		ids[i] = module_table_add(&profile->modules, &key);
		add_names(module_table_get(&profile->modules, ids[i]));
	}
	return ids;
}

/* Below @node; most are far below it, and calls go to few functions often. @n: nodes of the profile
 * then. */
static void add_nodes(struct profile *profile, const uint32_t *modules, uint32_t node, uint32_t n)
{
	uint32_t depth = 0;

	while (profile->cct->n_nodes < n) {
		const uint32_t function = draw(8) ? draw(draw(FUNCTIONS) + 1) : draw(200);
		struct frame frame = { .kind = FRAME_USER,
				       .module = modules[function % MODULES],
				       .offset = (uint64_t)(function / MODULES) * 16 };

		if (depth > 40 || (depth > 8 && !draw(4))) {
			for (uint32_t up = 1 + draw(depth - 2); up; up--, depth--)
				node = profile->cct->nodes[node].parent;
		}
		node = cct_child(profile->cct, node, &frame);
		depth++;
	}
}

static void add_threads(struct profile *profile, const uint32_t *modules, uint32_t n_nodes)
{
	const struct frame server = { .kind = FRAME_PROCESS,
				      .offset = profile_add_process(profile, 1000, "server") };
	const uint32_t process = cct_child(profile->cct, CCT_ROOT, &server);
	char name[32];

	for (uint32_t i = 0; i < THREADS; i++) {
		struct frame thread = { .kind = FRAME_THREAD };

		snprintf(name, sizeof(name), "worker-%u", i);
		thread.offset = profile_add_thread(profile, (int32_t)(1000 + i),
						   (uint32_t)server.offset, name);
		add_nodes(profile, modules, cct_child(profile->cct, process, &thread),
			  (uint32_t)((uint64_t)n_nodes * (i + 1) / THREADS));
	}
}

/* By node; of the process and what is above it that of the first one. */
static uint32_t *find_threads(const struct cct *cct)
{
	uint32_t *threads = calloc(cct->n_nodes, sizeof(*threads));

	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		const struct frame *frame = cct_frame(cct, i);

		threads[i] = frame->kind == FRAME_THREAD ? (uint32_t)frame->offset
							 : threads[cct->nodes[i].parent];
	}
	return threads;
}

static void add_samples(struct profile *profile, uint32_t n)
{
	struct metric *metric = &profile->metrics[0];
	struct sample_rows *rows = profile->rows = calloc(1, sizeof(*rows));
	uint32_t *threads = find_threads(profile->cct), task;

	for (uint32_t i = 0; i < THREADS; i++) {
		const struct profile_thread *thread = &profile->threads[i];
		const struct row_task is = { .thread = i, .pid = 1000, .tid = thread->tid };

		sample_rows_enter_task(rows, &is, thread->name, "server", &task);
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t weight = 1000000 + draw(4000);
		struct sample_row row = { .time = 1 + (uint64_t)draw(10000) * 1000000,
					  .weight = weight,
					  .number = i,
					  .node = 3 + draw(profile->cct->n_nodes - 3),
					  .cpu = draw(8) };

		row.task = threads[row.node];
		cct_add_cost(profile->cct, row.node, 0, weight);
		metric->samples++;
		metric->total += weight;
		sample_rows_add(rows, &row);
	}
	sample_rows_finish(rows, 0);
	free(threads);
}

struct profile *large_profile_create(uint32_t n_nodes, uint64_t run)
{
	struct profile *profile = profile_create();

	seed = 1; /* so that those of one size are equal */
	profile_add_metric(profile, "cpu-clock", "ns");
	profile->cct = cct_create(1);
	uint32_t *modules = add_modules(profile);
	add_threads(profile, modules, n_nodes);
	seed += run;
	add_samples(profile, n_nodes);
	free(modules);
	return profile;
}
