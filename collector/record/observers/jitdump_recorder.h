/*
 * Records the jitdumps of recorded processes. A runtime that writes one maps a page of it
 * executable, for that to be noticed. The file is opened then, and attached when the process exits
 * or the recording ends, for what was written up to then.
 *
 * It is taken only if it is the very file that was mapped, by its inode, and belongs to the
 * process's user or to root.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_JITDUMP_RECORDER_H
#define COLLECTOR_RECORD_OBSERVERS_JITDUMP_RECORDER_H

#include <stdint.h>

#include "perf/records/record.h"
#include "perf/writer/data_writer.h"

struct jitdump_stats {
	uint64_t n_kept;
	uint64_t n_cut;     /* of these: larger than JITDUMP_SIZE_MAX, the rest was left out */
	uint64_t n_refused; /* another user's, or no regular file */
	uint64_t n_missed;  /* gone, unreadable, or too many processes at a time */
};

/* As a record or /proc/PID/maps says it. */
struct jitdump_mapping {
	int32_t pid;
	uint64_t start, end;
	const char *path;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
};

struct jitdump_recorder;

/* NULL: out of memory. */
struct jitdump_recorder *jitdump_recorder_create(void);
void jitdump_recorder_destroy(struct jitdump_recorder *recorder);

/* An executable mapping of a file whose name is that of a dump. */
void jitdump_recorder_see_mapping(struct jitdump_recorder *recorder,
				  const struct jitdump_mapping *mapping);
/* The same from MMAP2 records; and exits. */
void jitdump_recorder_see_record(struct jitdump_recorder *recorder, const struct record *record);
/* Reads dumps of processes that exited, not too much at once, and attaches those that are done. 0
 * or the writer's -errno. */
int jitdump_recorder_end_round(struct jitdump_recorder *recorder, struct data_writer *writer);
/* Attaches all others. */
int jitdump_recorder_finish(struct jitdump_recorder *recorder, struct data_writer *writer);

const struct jitdump_stats *jitdump_recorder_stats(const struct jitdump_recorder *recorder);

#endif
