/*
 * Expands zstd frames, each in one call, in whichever thread has time. The reader adds frames in
 * the order in which it needs them; a thread that would wait expands the next one instead.
 */
#ifndef PERF_FRAMES_EXPANDER_H
#define PERF_FRAMES_EXPANDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <zstd.h>

#define EXPANDER_CONTEXTS 8 /* decoders that are kept for the next frames */

enum expansion_state { EXPANSION_WAITS, EXPANSION_RUNS, EXPANSION_IS_DONE };

/* One frame. The caller's, who fills in the first four; both memories stay until it is done. */
struct expansion {
	const void *frame;
	size_t frame_size;
	void *bytes; /* for what the frame expands to */
	size_t capacity;
	ssize_t size; /* once it is done: of what is in @bytes; -1: it can't be expanded whole */
	enum expansion_state state;
	struct expansion *next;
};

/* Any thread may call its functions between init and deinit. */
struct expander {
	pthread_mutex_t lock;
	pthread_cond_t is_done;
	struct expansion *first, **last; /* the list of expansions that wait for a thread */
	ZSTD_DCtx *idle[EXPANDER_CONTEXTS];
	size_t n_idle;
};

void expander_init(struct expander *expander);
/* All expansions must be done. */
void expander_deinit(struct expander *expander);
/* Whether @bytes are exactly one frame, as far as the sizes of its blocks show. */
bool expander_is_frame(const void *bytes, size_t size);
void expander_add(struct expander *expander, struct expansion *expansion);
/* Returns when an expansion that was added is done. If no thread has begun it, this one expands it;
 * while another does so, this one expands what follows. */
void expander_finish(struct expander *expander, struct expansion *expansion);
/* Expands the next frame that waits for a thread. false: no frame waits. */
bool expander_help(struct expander *expander);

#endif
