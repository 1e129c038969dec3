/*
 * Keeps the names of code made at run time: the perf-PID.map files that compilers write (V8,
 * HotSpot, .NET, ...), as long lists of "START SIZE NAME". They are looked for while the process
 * lives, under its own root and by the pid it has there, and read when it exits or the recording
 * ends.
 *
 * A file is taken only if it belongs to the process's user or to root, and no symbolic link leads
 * to it: anybody may write to /tmp.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_JIT_MAPS_H
#define COLLECTOR_RECORD_OBSERVERS_JIT_MAPS_H

#include <stdint.h>

#include "perf/records/record.h"
#include "perf/writer/data_writer.h"

struct jit_maps_stats {
	uint64_t n_kept;
	uint64_t n_refused; /* another user's, or no regular file */
	uint64_t n_missed;  /* too large, unreadable, or too many processes at a time */
};

struct jit_maps;

/* NULL: out of memory. */
struct jit_maps *jit_maps_create(void);
void jit_maps_destroy(struct jit_maps *maps);

/* The process has executable memory that no file holds. */
void jit_maps_see_process(struct jit_maps *maps, int32_t pid);
/* The same from MMAP2 records; and exits. */
void jit_maps_see_record(struct jit_maps *maps, const struct record *record);
/* Looks for files, not too often, and attaches those of processes that exited. 0 or the writer's
 * -errno. */
int jit_maps_end_round(struct jit_maps *maps, struct data_writer *writer);
/* Attaches all others. */
int jit_maps_finish(struct jit_maps *maps, struct data_writer *writer);

const struct jit_maps_stats *jit_maps_stats(const struct jit_maps *maps);

#endif
