/*
 * The samples of a profile in the order of time, of all or group by group: what exporters of
 * samples write. They come from the profile's rows; where it has none, all samples of a path and
 *metric are one entry, without a time. Weights of all entries of a path and metric add up to its
 *cost in the tree. Samples that a selection of paths leaves out are not in the list.
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

struct sample_list {
	const struct profile *profile;
	/* Of a profile with rows; else NULL. */
	uint32_t *rows;    /* their indices, by group, then time, then as in the profile */
	uint32_t *first;   /* by group, and an end: in ->rows */
	uint64_t *weights; /* by index of the row; NULL: as in the rows */
	uint64_t *costs;   /* of one without: indices in cct->costs */
	size_t n;          /* samples */
};

/* One group of all. @profile is borrowed and must not change. 0 or -ENOMEM; it may be deinitialized
 * in any case. */
int sample_list_init(struct sample_list *list, const struct profile *profile);
/* Of a profile with rows. @group_of: by node; UINT32_MAX: its samples are not in the list. */
int sample_list_init_groups(struct sample_list *list, const struct profile *profile,
			    const uint32_t *group_of, uint32_t n_groups);
void sample_list_deinit(struct sample_list *list);
struct listed_sample sample_list_get(const struct sample_list *list, size_t i);
static inline uint64_t sample_list_weight(const struct sample_list *list, uint32_t row)
{
	return list->weights ? list->weights[row] : list->profile->rows->rows[row].weight;
}

#endif
