/*
 * /proc/kallsyms, read and compressed by a thread of its own: that takes tens of milliseconds,
 * which pass while events are opened and processes synthesized.
 */
#ifndef COLLECTOR_KERNEL_SNAPSHOT_H
#define COLLECTOR_KERNEL_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_snapshot_result {
	uint8_t *compressed; /* one zstd frame; owned by the snapshot */
	size_t compressed_size;
	uint64_t text_start, text_end; /* 0: not found */
	const char *text_symbol;       /* what stands at text_start: "_text" or "_stext" */
	bool is_hidden;                /* all addresses are zero: kptr_restrict, or no privilege */
	int error;                     /* -errno; nothing else is valid then */
};

struct kernel_snapshot;

/* @path: "/proc/kallsyms", but in tests. 0 or -errno. */
int kernel_snapshot_start(const char *path, struct kernel_snapshot **snapshot_ret);
/* Waits for the thread. Valid until kernel_snapshot_destroy(). */
const struct kernel_snapshot_result *kernel_snapshot_wait(struct kernel_snapshot *snapshot);
void kernel_snapshot_destroy(struct kernel_snapshot *snapshot);

#endif
