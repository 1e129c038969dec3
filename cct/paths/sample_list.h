/*
 * The samples of a profile in the order of time: what exporters of samples write. They come from
 * the profile's rows; where it has none, all samples of a path and metric are one entry, without a
 * time. Weights of all entries of a path and metric add up to its cost in the tree. Samples that a
 * selection of paths leaves out are not in the list.
 *
 *	struct sample_list list;
 *	int err = sample_list_init(&list, profile);
 *
 *	for (size_t i = 0; !err && i < list.n; i++) {
 *		struct listed_sample sample = sample_list_get(&list, i);
 *		...
 *	}
 *	sample_list_deinit(&list);
 */
#ifndef CCT_PATHS_SAMPLE_LIST_H
#define CCT_PATHS_SAMPLE_LIST_H

#include "cct/model/profile.h"

/* Borrowed from the profile. */
struct listed_sample {
	uint64_t time_ns; /* since the start of the recording, whole microseconds */
	uint64_t weight;
	uint64_t samples; /* that it stands for */
	uint32_t node;    /* where its path ends */
	uint32_t metric;
	uint32_t cpu;             /* UINT32_MAX: not known */
	int32_t pid, tid;         /* -1: not known */
	uint32_t process, thread; /* indices; UINT32_MAX: none, or not known */
	const char *thread_name;  /* NULL: not known; as it was then */
};

struct sample_place {
	uint64_t time; /* microseconds */
	uint64_t at;   /* the row; without rows, the number of the cost */
};

struct sample_list {
	const struct profile *profile;
	struct sample_place *places;
	uint64_t *weights; /* of rows, if any are scaled; else NULL */
	size_t n;
};

/* @profile is borrowed and must not change. 0 or -ENOMEM; it may be deinitialized in any case. */
int sample_list_init(struct sample_list *list, const struct profile *profile);
void sample_list_deinit(struct sample_list *list);
struct listed_sample sample_list_get(const struct sample_list *list, size_t i);

#endif
