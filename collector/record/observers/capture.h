/*
 * Keeps the files behind mappings that the path will not lead to later: deleted, replaced, memfd,
 * or in another mount namespace. While a process lives, /proc/PID/map_files leads to them. The file
 * is opened as soon as the mapping is seen, which keeps it alive, and its bytes go into the
 * recording a little later, so that the rings need not wait.
 *
 * Each file is looked at once, then known by path and build ID or inode. What could not be had
 * is counted.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_CAPTURE_H
#define COLLECTOR_RECORD_OBSERVERS_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/record/observing/recording_observer.h"

enum capture_state {
	CAPTURE_NONE,   /* no file that could hold code */
	CAPTURE_HERE,   /* the path leads to it */
	CAPTURE_DATA,   /* the path does not, but no code of it was seen */
	CAPTURE_KEPT,   /* its bytes go, or went, into the recording */
	CAPTURE_MISSED, /* gone, or too large */
};

struct capture_stats {
	uint64_t n_kept, n_missed;
	uint64_t n_bytes;   /* of what was kept */
	char *first_missed; /* a path, as an example; or NULL */
};

extern const struct recording_observer capture_observer;

struct capture;

/* @max_bytes: of all captured files together. */
struct capture *capture_create(uint64_t max_bytes);
void capture_destroy(struct capture *capture);

/* Looks at a mapping's file, and opens it if it has to be kept, for which it must be code; so is a
 * 32-bit process's vdso.
 * *@build_id_ret (may be NULL): the file's build ID, size 0 where there is none. No memory:
 * CAPTURE_NONE. */
enum capture_state capture_see(struct capture *capture, const struct observed_mapping *mapping,
			       struct build_id *build_id_ret);
/* Looks again at up to @max files that the path led to: was one replaced meanwhile? */
void capture_recheck(struct capture *capture, size_t max);

/* Does anything wait to be written? */
bool capture_is_pending(const struct capture *capture);
/* Attaches what waits, until @max_bytes went out. 0 or the writer's -errno. */
int capture_write(struct capture *capture, struct data_writer *writer, size_t max_bytes);

const struct capture_stats *capture_stats(const struct capture *capture);

#endif
