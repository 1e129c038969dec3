/*
 * Epochs of processes: intervals of time that begin when a process, between two execs, has loaded
 * programs or shared objects. Its first epoch begins with the process, and each later one with its
 * first sample that has files loaded which the one before did not have (docs/decisions/0031). They
 * follow one another: each lasts up to the next.
 *
 * A recording has one run, 0. In merged profiles, a process may have epochs of several runs, each
 * with times of its own clock, and of several images in a run, of which exec begins each.
 */
#ifndef CCT_TIME_EPOCHS_H
#define CCT_TIME_EPOCHS_H

#include "cct/text/file_names.h"
#include "cct/text/string_ids.h"

#define EPOCHS_MAX (1u << 20) /* of all processes; what is loaded later begins none */

struct epoch {
	uint64_t first_ns;  /* of its first sample; later than that of the epoch before */
	uint64_t loaded_ns; /* when the first of its files was mapped, at most first_ns; of a first
			       epoch, first_ns */
	uint32_t files;     /* a number in the table of texts (cct/text/file_names.h) */
	uint32_t n_files;   /* that it began with; a first epoch: that were loaded then */
	uint32_t number;    /* from 1 on, which is a first epoch */
	uint32_t run;
	uint64_t end_ns; /* of the process's last sample; matters in the last epoch alone */
};

/* Those of a process. All zero is an empty list. */
struct epoch_list {
	struct epoch *epochs; /* owned; by run and time */
	uint32_t n;
};

/* What the epochs of all processes have in common. */
struct epochs {
	struct string_ids at_start; /* texts of first epochs */
	struct string_ids later;    /* texts of those that are not a process's first */
	uint32_t n;                 /* that have begun, also of processes without rows */
	uint32_t n_most;            /* the highest number of one */
	uint64_t n_left_out;        /* because of EPOCHS_MAX */
};

void epoch_list_deinit(struct epoch_list *list);
void epochs_deinit(struct epochs *epochs);
/*
 * Begins an epoch of a recording's process, whose ->files is set from @text, and ->number, at the
 * end of a list. 0; -ENOMEM; -EINVAL, and nothing changes: its times are not in order.
 */
int epochs_begin(struct epochs *epochs, struct epoch_list *list, const struct epoch *epoch,
		 const char *text);
/* Adds an epoch, whose ->files is set from @text, to those of several runs, of any order until they
 * are sorted. 0 or -ENOMEM. */
int epochs_add(struct epochs *epochs, struct epoch_list *list, const struct epoch *epoch,
	       const char *text);
/* Takes the epochs of a process out, which become none. */
void epochs_forget(struct epochs *epochs, struct epoch_list *list);
/* Sorts them; of those that are equal but for the end, the one with the last end stays. */
void epochs_sort(struct epochs *epochs, struct epoch_list *list);
/* The order of two in a list; 0: they are equal but for the end. */
int epochs_compare(const struct epochs *epochs, const struct epoch *a, const struct epoch *b);
/* Replaces what is known to be loaded in the first epoch of a list. 0 or -ENOMEM. */
int epochs_describe_first(struct epochs *epochs, struct epoch_list *list,
			  const struct file_names *files);

/* The index of the epoch of a sample of a run that was taken so many microseconds after @start_ns,
 * where those of the samples (cct/time/sample_time.h) count from. list->n: none of the run is
 * known.
 */
uint32_t epoch_list_find(const struct epoch_list *list, uint32_t run, uint64_t start_ns,
			 uint64_t microseconds);
/* The first microsecond since which that sample's process has been in the same epoch. */
uint64_t epoch_list_since(const struct epoch_list *list, uint32_t run, uint64_t start_ns,
			  uint64_t microseconds);
/* The number of an epoch in its process; 1 where the list has no such epoch. */
uint32_t epoch_number(const struct epoch_list *list, uint32_t index);
/* Whether no other one of its image follows. */
bool epoch_is_last(const struct epoch_list *list, uint32_t index);
/* When an epoch is over: when the next begins to load, or with the process's last sample. */
uint64_t epoch_end_ns(const struct epoch_list *list, uint32_t index);
/* The text of the files of an epoch; "" where the list has no such epoch. */
const char *epoch_files(const struct epochs *epochs, const struct epoch_list *list, uint32_t index);

/* What a user selects epochs by: the numbers of epochs in their process, from 1 on ("2", "1-3"), or
 * files that they began to load with. */
bool epoch_pattern_numbers(const char *pattern, uint32_t *first_ret, uint32_t *last_ret);
bool epoch_matches(const struct epochs *epochs, const struct epoch_list *list, uint32_t index,
		   const char *pattern);

#endif
