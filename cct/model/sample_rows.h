/*
 * The samples of a profile, one row each: what the tree adds up, so that a part of the samples can
 * be chosen later (cct/model/profile_filter.h), or seen in the order of time.
 *
 * A merged profile has the rows of several runs. Where these are too many, a row is the sum of the
 * samples of a run, thread, CPU and node in a slice of time (cct/model/row_slices.h).
 *
 * Workers collect rows, each into its own list; the reader of the samples numbers them, and knows
 * their tasks. sample_rows_finish() makes one sorted list of all.
 */
#ifndef CCT_MODEL_SAMPLE_ROWS_H
#define CCT_MODEL_SAMPLE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/model/cct.h"
#include "cct/model/quality.h"
#include "cct/text/string_ids.h"

#define SAMPLE_ROWS_MAX (1u << 26) /* in a profile */

/* What became of the user part. The order is part of the format of stored profiles. */
enum row_end {
	ROW_COMPLETE,
	ROW_JOINED,
	ROW_NO_USER_PART,
	ROW_UNVERIFIED,
	ROW_LBR,
	ROW_FLAT,
	ROW_INCOMPLETE, /* plus the enum marker that ends the path */
	N_ROW_ENDS = ROW_INCOMPLETE + N_MARKERS
};

/* A thread as it was when samples were taken: one that gets another name is a second task. */
struct row_task {
	uint32_t thread;                    /* index: the profile has it */
	int32_t pid, tid;                   /* as in the samples */
	uint32_t thread_name, process_name; /* in sample_rows.names */
};

struct sample_row {
	/* Microseconds since its run's start; before sample_rows_finish() nanoseconds of the
	 * recording's clock. 0: the sample has no time. Of a slice, its start. */
	uint64_t time;
	uint64_t weight; /* as it was received: profile_scale() has not multiplied it */
	union {
		uint32_t number; /* before sample_rows_finish(): its place among the samples */
		uint32_t run;    /* 0 where the rows have no runs */
	};
	uint32_t node; /* where its path ends */
	uint32_t task;
	uint32_t cgroup;    /* in profile->cgroups, plus 1; 0: not known */
	uint32_t cpu;       /* UINT32_MAX: not known */
	uint32_t n_guessed; /* frames; UINT32_MAX: that many or more */
	uint16_t metric;
	uint8_t end;   /* enum row_end */
	uint8_t marks; /* 1 << enum path_mark */
};

/* What a row has beyond a struct sample_row if it is a sum of samples. */
struct row_sum {
	unsigned __int128 squares; /* of the weights; the largest number if they are more */
	uint64_t samples;
	uint64_t longest; /* the largest weight */
};

/* For which time an event was enabled in a run, and for which it had a counter. */
struct run_times {
	uint64_t enabled_ns, running_ns;
};

/* A recording of which rows are. Strings owned, NULL if unknown. */
struct sample_run {
	char *command_line;
	char *hostname;
	uint64_t start_ns, end_ns; /* as in struct profile_info */
	bool has_date;
	uint64_t unix_offset_ns;
	struct run_times *times; /* [metric]; owned */
};

/* The rows of a run in few bytes, as cct/encoding/packed_rows.h has them. All zero has none. */
struct packed_run {
	uint8_t *bytes; /* owned */
	size_t size, n_allocated;
	struct sample_row last;
	uint32_t n_rows;
	bool has_sums;
	unsigned slice_shift; /* as of the list */
};

/* All zero is an empty list. */
struct sample_rows {
	/* Finished: by run, metric, CPU, and place among the samples. With several runs, or sums,
	 * by time and all else after the CPU. */
	struct sample_row *rows;
	struct row_sum *sums; /* [row]; NULL: each row is a sample */
	unsigned slice_shift; /* slices have 2^slice_shift microseconds; 0: rows are samples */
	uint32_t n_rows, n_rows_allocated;
	struct sample_run *runs;
	uint32_t n_runs; /* 0: all rows are of the one run that the profile describes */
	/* [run]; owned. NULL: not packed. Else ->rows and ->sums are NULL, and who wants to see the
	 * rows must unpack them. */
	struct packed_run *packed;
	uint32_t n_packed;
	struct row_task *tasks;
	uint32_t n_tasks;
	struct string_ids names;
	uint32_t *last_tasks; /* [thread]: plus 1; 0: none yet */
	uint32_t n_last_tasks;
};

void sample_run_deinit(struct sample_run *run);
void sample_rows_deinit(struct sample_rows *rows);
/* NULL is fine. */
void sample_rows_destroy(struct sample_rows *rows);

/* The task whose names, which are copied, and numbers are these. 0 or -ENOMEM. */
int sample_rows_enter_task(struct sample_rows *rows, const struct row_task *task,
			   const char *thread_name, const char *process_name, uint32_t *task_ret);
/* 0 or -ENOMEM. */
int sample_rows_add(struct sample_rows *rows, const struct sample_row *row);
/* Makes the rows of another list, which is empty then, those of an empty one. */
void sample_rows_take(struct sample_rows *rows, struct sample_rows *from);
/* Adds the rows of another list, whose nodes are those of @node_map now. 0 or -ENOMEM. */
int sample_rows_add_all(struct sample_rows *rows, const struct sample_rows *from,
			const uint32_t *node_map);
/* All rows are there: sorts them, and makes their times relative to @start_ns. */
void sample_rows_finish(struct sample_rows *rows, uint64_t start_ns);

/*
 * Before sample_rows_finish(): copies the tree that the rows belong to into an empty one, whose
 * nodes are numbered in the order in which the samples lead to them, and makes the rows those of
 * the copy. So the numbers do not depend on who made the tree. 0, or -ENOMEM with the copy half
 * made.
 */
int sample_rows_order_nodes(struct sample_rows *rows, const struct cct *cct, struct cct *copy);

/* Whether the rows are those of a tree: 0; -EINVAL: some node has other numbers of samples; or
 * -ENOMEM. */
int sample_rows_check(const struct sample_rows *rows, const struct cct *cct);

/* What a row stands for, as a sum. */
static inline struct row_sum sample_rows_sum_of(const struct sample_rows *rows, uint32_t row)
{
	const uint64_t weight = rows->rows[row].weight;

	return rows->sums ? rows->sums[row]
			  : (struct row_sum){ (unsigned __int128)weight * weight, 1, weight };
}
static inline uint64_t sample_rows_samples_of(const struct sample_rows *rows, uint32_t row)
{
	return rows->sums ? rows->sums[row].samples : 1;
}

/* Adds a sample to its node and to the counters of quality that are about single paths. 0 or
 * -ENOMEM. */
int sample_row_count(const struct sample_row *row, struct cct *cct,
		     struct profile_quality *quality);
/* Likewise all samples of a row of the list. */
int sample_rows_count(const struct sample_rows *rows, uint32_t row, struct cct *cct,
		      struct profile_quality *quality);
/* Makes the tree keep the squares of its samples' weights, which are those of the rows. 0 or
 * -ENOMEM. */
int sample_rows_square(const struct sample_rows *rows, struct cct *cct);
/* Takes all samples out of the tree and of these counters. */
void sample_rows_uncount(struct cct *cct, struct profile_quality *quality);

#endif
