/*
 * /proc/kallsyms, read and compressed by a thread of its own: that takes tens of milliseconds,
 * which pass while events are opened and processes synthesized.
 */
#ifndef COLLECTOR_RECORD_START_KERNEL_SNAPSHOT_H
#define COLLECTOR_RECORD_START_KERNEL_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/attached/kernel_code.h"

struct kernel_snapshot_result {
	/* One zstd frame; owned by the snapshot. If is_hidden, of the first line only. */
	uint8_t *compressed;
	size_t compressed_size;
	uint64_t text_start, text_end;   /* 0: not found */
	uint64_t entry_start, entry_end; /* where interrupts and exceptions enter; 0: not found */
	const char *text_symbol;         /* what stands at text_start: "_text" or "_stext" */
	struct kernel_code_list code;    /* that comes and goes; owned by the snapshot */
	bool is_hidden; /* all addresses are zero: kptr_restrict, or no privilege */
	int error;      /* -errno; nothing else is valid then */
};

struct kernel_snapshot;

/* @path: "/proc/kallsyms", but in tests. 0 or -errno. */
int kernel_snapshot_start(const char *path, struct kernel_snapshot **snapshot_ret);
/* Waits for the thread. Valid until kernel_snapshot_destroy(). */
const struct kernel_snapshot_result *kernel_snapshot_wait(struct kernel_snapshot *snapshot);
void kernel_snapshot_destroy(struct kernel_snapshot *snapshot);

#endif
