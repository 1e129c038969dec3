/*
 * Captures mapped files that a reader could not open by their path: deleted or replaced files,
 * memfds, and files in another mount namespace. While a process lives, /proc/PID/map_files leads to
 * them. The file is opened as soon as the mapping is seen, which keeps it alive, and its bytes are
 * written into the recording a little later, so that the rings need not wait.
 *
 * Each file is examined once, and is then known by path and build ID or inode. Files that could not
 * be captured are counted.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_CAPTURE_H
#define COLLECTOR_RECORD_OBSERVERS_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/record/observing/recording_observer.h"

enum capture_state {
	CAPTURE_NONE,   /* not a file that could contain code */
	CAPTURE_HERE,   /* the path leads to it */
	CAPTURE_DATA,   /* the path does not, but the file is mapped without code so far */
	CAPTURE_KEPT,   /* its bytes are, or will be, in the recording */
	CAPTURE_MISSED, /* it could not be opened, or is too large */
};

struct capture_stats {
	uint64_t n_kept;
	uint64_t n_missed;             /* for any reason */
	uint64_t n_without_descriptor; /* of these, because of the limit of open files */
	uint64_t n_bytes;              /* of all captured files */
};

extern const struct recording_observer capture_observer;

struct capture;

/* @max_bytes: the limit for all captured files together. */
struct capture *capture_create(uint64_t max_bytes);
void capture_destroy(struct capture *capture);

/*
 * Examines a mapping's file, and opens it if it contains code and has to be captured. Captures the
 * vdso of a 32-bit process, too.
 *
 * *@build_id_ret (may be NULL): the file's build ID, size 0 where it has none. Out of memory:
 * CAPTURE_NONE.
 */
enum capture_state capture_see(struct capture *capture, const struct observed_mapping *mapping,
			       struct build_id *build_id_ret);
/* Checks whether the paths of up to @max known files still lead to them. */
void capture_recheck(struct capture *capture, size_t max);

/* Does a file wait to be written? */
bool capture_is_pending(const struct capture *capture);
/* Attaches waiting files until about @max_bytes are written. 0 or the writer's -errno. */
int capture_write(struct capture *capture, struct data_writer *writer, size_t max_bytes);

const struct capture_stats *capture_stats(const struct capture *capture);
/* The path of one missed file, as an example: of one that lacked a descriptor, or of the others;
 * NULL: there is none. */
const char *capture_example(const struct capture *capture, bool lacked_descriptor);

#endif
