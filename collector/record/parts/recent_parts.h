/*
 * The last part of a recording, in memory (--overwrite): finished recordings in files without a
 * name, each of a fraction of the time that is kept, which go on in one another. The oldest are
 * dropped while those after it are enough. What is written is all of them, joined.
 */
#ifndef COLLECTOR_RECORD_PARTS_RECENT_PARTS_H
#define COLLECTOR_RECORD_PARTS_RECENT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/writer/data_join.h"

#define RECENT_DEFAULT_NS   30000000000u
#define RECENT_DEFAULT_SIZE (256u << 20)
#define RECENT_MIN_NS       1000000000u
#define RECENT_MIN_SIZE     (32u << 20)

/* How much is kept. */
struct recent_choice {
	bool is_given;
	uint64_t last_ns;  /* at least this time is, and a quarter more at most, */
	uint64_t max_size; /* but no more bytes than this */
};

struct recent_part {
	int fd;
	uint64_t begin_ns, end_ns, size, n_samples;
};

struct recent_parts {
	struct recent_part *parts; /* oldest first */
	size_t n;
	uint64_t n_bytes, n_samples; /* of them */
	uint64_t n_dropped;
};

struct recent_join; /* being written */

/* A part ends when it has this time or this size. */
uint64_t recent_part_ns(const struct recent_choice *choice);
uint64_t recent_part_size(const struct recent_choice *choice);
/* A file in memory for the next part; -errno. */
int recent_parts_open(void);
/* Takes over part->fd, also when it fails, and drops what is too old at part->end_ns. 0 or -ENOMEM.
 */
int recent_parts_add(struct recent_parts *parts, const struct recent_choice *choice,
		     const struct recent_part *part);
void recent_parts_deinit(struct recent_parts *parts);

/*
 * Writes all parts to @out_fd, an empty file, which stay as they are. @has_windows: with records of
 * when sampling began and ended. The parts and the descriptor are borrowed until the end, and no
 * part may be added. 0 or -errno.
 */
int recent_join_begin(const struct recent_parts *parts, bool has_windows, int out_fd,
		      struct recent_join **join_ret);
void recent_join_destroy(struct recent_join *join);
/* As data_join_step(), some megabytes. */
int recent_join_step(struct recent_join *join);
uint64_t recent_join_n_bytes(const struct recent_join *join);

#endif
