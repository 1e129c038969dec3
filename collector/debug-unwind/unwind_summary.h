/* The results and the cost of unwinding a whole recording. */
#ifndef COLLECTOR_DEBUG_UNWIND_UNWIND_SUMMARY_H
#define COLLECTOR_DEBUG_UNWIND_UNWIND_SUMMARY_H

#include <stdio.h>

#include "collector/paths/sample_path.h"

/* The numbers of samples to look at are part of what a summary says. */
#define SUMMARY_EXAMPLES 5

enum frame_kind_of_rule {
	FRAMES_BY_REGISTER,
	FRAMES_BY_MEMORY,
	FRAMES_BY_EXPRESSION,
	FRAMES_BY_SIGNAL_FRAME,
	FRAMES_DESCRIBED,
	FRAMES_BY_GUESS,
	FRAMES_STITCHED,
	N_FRAME_KINDS,
};

struct summary_count {
	uint64_t n;
	uint64_t examples[SUMMARY_EXAMPLES];
};

/* Of the walks of one pass. */
struct walk_times {
	uint64_t n_walks, n_frames, ns;
	struct elf_modules_stats files;
};

/* Walks that repeat what they can of their threads' last ones, each beside a whole walk. */
struct repeated_walks {
	uint64_t n_walks, n_repeating; /* those that repeat frames */
	uint64_t n_new, n_repeated;    /* frames */
	uint64_t ns, whole_ns;         /* of both ways, for all of them */
	struct summary_count differ;   /* always none */
};

/* The result of a walk. Each array has SAMPLE_PATH_MAX_USER elements. */
struct walked_stack {
	struct frame *frames;
	uint64_t *addrs, *sps;
	size_t n_frames;
	struct unwind_result result;
};

struct unwind_summary {
	uint64_t n_samples;
	struct summary_count complete, none, unverified;
	struct summary_count ends[N_MARKERS];
	struct summary_count frames[N_FRAME_KINDS]; /* callers found, by what led to them */
	/* Reading a clock takes longer than many look-ups, so they are timed in a separate pass. */
	struct walk_times times, with_lookups;
	struct repeated_walks repeated;
	struct unwind_stats stats; /* of the timed walks */
	uint64_t memory; /* heap of the unwinder and the files' unwind information, bytes */
};

/* Counts the result of one sample, whose path is resolved. @unwinder: used for nothing else. */
void unwind_summary_count(struct unwind_summary *summary, uint64_t number,
			  struct unwinder *unwinder, const struct sample *sample);
/* Walks the sample and adds the time that took. @frames: SAMPLE_PATH_MAX_USER of them. */
void unwind_summary_time(struct walk_times *times, struct unwinder *unwinder,
			 const struct sample *sample, struct frame *frames);
/* Walks the sample in both ways, times and compares them. @walked: two to be filled. */
void unwind_summary_repeat(struct repeated_walks *repeated, uint64_t number,
			   struct unwinder *unwinder, const struct sample *sample,
			   struct walked_stack walked[static 2]);
void unwind_summary_print(FILE *out, const struct unwind_summary *summary);

#endif
