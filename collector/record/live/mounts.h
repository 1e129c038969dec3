/*
 * The mounts of this process's namespace at one time. A file that is kept open keeps its mount
 * busy; on one that came later, whoever mounted it will want to unmount it.
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

/* As they are now. 0 or -errno: then there are none. */
int mounts_init(struct mounts *mounts);
void mounts_deinit(struct mounts *mounts);
/* Was the open file's mount there? Yes, where the kernel does not tell (it does since 5.8). */
bool mounts_hold(const struct mounts *mounts, int fd);

#endif
