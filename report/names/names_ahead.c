#include "report/names/names_ahead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "cct/base/cleanup.h"

#define THREADS_MAX 4
/* Of a module: more are looked up again for little, since the units that frames are in are few. */
#define FRAMES_MAX 1024

/* A module to open, and frames in it. */
struct opening {
	uint32_t module;
	uint32_t n_frames;    /* at most FRAMES_MAX of them are in the list */
	uint32_t first, last; /* of the list */
};

struct openings {
	const struct profile *profile;
	struct module_names *names;
	const struct active_wanted *wanted;
	struct opening *of; /* first by module, then by the number of frames */
	uint32_t n;
	uint32_t *next; /* by frame; the next in the same module */
	atomic_uint n_taken;
};

/* What is looked up is found again later, so errors are, too. */
static void open_one(const struct openings *openings, const struct opening *opening)
{
	const struct module *module =
		module_table_get(&openings->profile->modules, opening->module);
	struct module_names *names = &openings->names[opening->module];
	const struct frame *frames = openings->profile->cct->frames.frames;
	const uint32_t n = opening->n_frames < FRAMES_MAX ? opening->n_frames : FRAMES_MAX;
	struct active_functions functions;

	for (uint32_t i = 0, frame = opening->first; i < n; i++, frame = openings->next[frame]) {
		if (active_functions_find(names, module, frames[frame].offset, openings->wanted,
					  &functions) ||
		    !names->debug)
			return;
	}
}

static void *open_some(void *arg)
{
	struct openings *openings = arg;

	for (uint32_t i; (i = atomic_fetch_add(&openings->n_taken, 1)) < openings->n;)
		open_one(openings, &openings->of[i]);
	return NULL;
}

static bool is_to_open(const struct openings *openings, const struct frame *frame)
{
	const struct module *module =
		frame->kind == FRAME_USER
			? module_table_get(&openings->profile->modules, frame->module)
			: NULL;

	return module && module->key.kind == MODULE_ELF &&
	       !openings->names[frame->module].is_opened;
}

static void add_frame(struct openings *openings, uint32_t module, uint32_t frame)
{
	struct opening *opening = &openings->of[module];

	if (!opening->n_frames)
		opening->first = frame;
	else if (opening->n_frames < FRAMES_MAX)
		openings->next[opening->last] = frame;
	opening->last = frame;
	opening->module = module;
	opening->n_frames++;
}

/* More frames, more debug information: the longest part begins first. */
static int compare(const void *a, const void *b)
{
	const struct opening *x = a, *y = b;

	if (x->n_frames != y->n_frames)
		return x->n_frames > y->n_frames ? -1 : 1;
	return (x->module > y->module) - (x->module < y->module);
}

static void find_openings(struct openings *openings)
{
	const struct frame_ids *frames = &openings->profile->cct->frames;

	for (uint32_t i = 0; i < frames->n_frames; i++) {
		if (is_to_open(openings, &frames->frames[i]))
			add_frame(openings, frames->frames[i].module, i);
	}
	qsort(openings->of, openings->n, sizeof(*openings->of), compare);
	while (openings->n && !openings->of[openings->n - 1].n_frames)
		openings->n--;
}

/* This thread takes part. */
static void open_all(struct openings *openings, uint32_t n_threads)
{
	pthread_t threads[THREADS_MAX];
	uint32_t n = 0;

	while (n + 1 < n_threads && !pthread_create(&threads[n], NULL, open_some, openings))
		n++;
	open_some(openings);
	while (n)
		pthread_join(threads[--n], NULL);
}

void names_ahead_open(const struct profile *profile, struct module_names *names,
		      const struct active_wanted *wanted)
{
	const long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t n_threads = n_cpus < THREADS_MAX ? (uint32_t)n_cpus : THREADS_MAX;
	const uint32_t n_modules = profile->modules.n_modules;
	_cleanup_free_ struct opening *of = calloc(n_modules, sizeof(*of));
	_cleanup_free_ uint32_t *next = calloc(profile->cct->frames.n_frames + 1ul, sizeof(*next));
	struct openings openings = { profile, names, wanted, of, n_modules, next, 0 };

	if (n_cpus < 2 || !of || !next)
		return;
	find_openings(&openings);
	if (openings.n < n_threads)
		n_threads = openings.n;
	if (n_threads > 1)
		open_all(&openings, n_threads);
}
