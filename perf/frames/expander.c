#include "perf/frames/expander.h"

void expander_init(struct expander *expander)
{
	*expander = (struct expander){ .first = NULL };
	expander->last = &expander->first;
	pthread_mutex_init(&expander->lock, NULL);
	pthread_cond_init(&expander->is_done, NULL);
}

void expander_deinit(struct expander *expander)
{
	for (size_t i = 0; i < expander->n_idle; i++)
		ZSTD_freeDCtx(expander->idle[i]);
	pthread_mutex_destroy(&expander->lock);
	pthread_cond_destroy(&expander->is_done);
}

bool expander_is_frame(const void *bytes, size_t size)
{
	return ZSTD_findFrameCompressedSize(bytes, size) == size;
}

void expander_add(struct expander *expander, struct expansion *expansion)
{
	expansion->state = EXPANSION_WAITS;
	expansion->next = NULL;
	pthread_mutex_lock(&expander->lock);
	*expander->last = expansion;
	expander->last = &expansion->next;
	pthread_mutex_unlock(&expander->lock);
}

static ssize_t expand(ZSTD_DCtx *context, const struct expansion *expansion)
{
	if (!context)
		return -1;
	size_t size = ZSTD_decompressDCtx(context, expansion->bytes, expansion->capacity,
					  expansion->frame, expansion->frame_size);
	return ZSTD_isError(size) ? -1 : (ssize_t)size;
}

/* Takes @*at out of the list and expands it; the lock is held before and after. */
static void run(struct expander *expander, struct expansion **at)
{
	struct expansion *expansion = *at;
	ZSTD_DCtx *context = expander->n_idle ? expander->idle[--expander->n_idle] : NULL;

	*at = expansion->next;
	if (!expansion->next)
		expander->last = at;
	expansion->state = EXPANSION_RUNS;
	pthread_mutex_unlock(&expander->lock);
	if (!context)
		context = ZSTD_createDCtx();
	ssize_t size = expand(context, expansion);
	pthread_mutex_lock(&expander->lock);
	expansion->size = size;
	expansion->state = EXPANSION_IS_DONE;
	if (context && expander->n_idle < EXPANDER_CONTEXTS)
		expander->idle[expander->n_idle++] = context;
	else
		ZSTD_freeDCtx(context);
	pthread_cond_broadcast(&expander->is_done);
}

static struct expansion **find_waiting(struct expander *expander, const struct expansion *expansion)
{
	struct expansion **at = &expander->first;

	if (expansion->state != EXPANSION_WAITS)
		return at;
	while (*at != expansion)
		at = &(*at)->next;
	return at;
}

void expander_finish(struct expander *expander, struct expansion *expansion)
{
	pthread_mutex_lock(&expander->lock);
	while (expansion->state != EXPANSION_IS_DONE) {
		struct expansion **at = find_waiting(expander, expansion);

		if (*at)
			run(expander, at);
		else
			pthread_cond_wait(&expander->is_done, &expander->lock);
	}
	pthread_mutex_unlock(&expander->lock);
}

bool expander_help(struct expander *expander)
{
	pthread_mutex_lock(&expander->lock);
	bool has_one = expander->first;
	if (has_one)
		run(expander, &expander->first);
	pthread_mutex_unlock(&expander->lock);
	return has_one;
}
