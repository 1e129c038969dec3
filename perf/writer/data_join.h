/*
 * Joins finished recordings of the same events, each of which goes on where the one before ends, to
 * one file: their records as they are, one after the other, with records of the caller before and
 * after. What is not of records (attrs, ids, features) is that of the last recording, which knows
 * most; its lists of build IDs and attachments become those of all.
 *
 * The recordings are the caller's own, written by data_writer; sizes that contradict each other are
 * -EINVAL all the same.
 */
#ifndef PERF_WRITER_DATA_JOIN_H
#define PERF_WRITER_DATA_JOIN_H

#include <stddef.h>
#include <stdint.h>

struct data_join;

struct data_join_options {
	const int *fds; /* of the recordings, oldest first; borrowed; at least one */
	size_t n_fds;
	int out_fd; /* an empty file, borrowed */
	/* Whole records that become the first and the last; borrowed until the end. */
	const void *first, *last;
	size_t first_size, last_size;
};

/* Writes the beginning. 0 or -errno. */
int data_join_create(const struct data_join_options *options, struct data_join **join_ret);
void data_join_destroy(struct data_join *join);
/* Copies about @max_bytes more. 1: there is more; 0: the file is complete; -errno: it stays what it
 * is, readable up to there. */
int data_join_step(struct data_join *join, size_t max_bytes);
/* Of the file until now. */
uint64_t data_join_n_bytes(const struct data_join *join);

#endif
