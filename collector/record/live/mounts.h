/*
 * The mounts of this process's namespace at one time. A file that is kept open keeps its mount
 * busy, so no file is kept open on later mounts, which somebody may want to unmount.
 */
#ifndef COLLECTOR_RECORD_LIVE_MOUNTS_H
#define COLLECTOR_RECORD_LIVE_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mounts {
	uint64_t *ids;
	size_t n_ids;
};

/* Reads the mounts that exist now. 0, or -errno with an empty list. */
int mounts_init(struct mounts *mounts);
void mounts_deinit(struct mounts *mounts);
/* Is the open file's mount in the list? Also true where the kernel does not tell (before 5.8). */
bool mounts_hold(const struct mounts *mounts, int fd);

#endif
