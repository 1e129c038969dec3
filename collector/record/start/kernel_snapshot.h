/*
 * Reads and compresses /proc/kallsyms in a separate thread. That takes tens of milliseconds, during
 * which events are opened and records synthesized.
 */
#ifndef COLLECTOR_RECORD_START_KERNEL_SNAPSHOT_H
#define COLLECTOR_RECORD_START_KERNEL_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/attached/kernel_code.h"

struct kernel_snapshot_result {
	/* One zstd frame, owned by the snapshot. If is_hidden, it contains only the first line. */
	uint8_t *compressed;
	size_t compressed_size;
	uint64_t text_start, text_end; /* 0: not found */
	uint64_t entry_start,
		entry_end;       /* the code that interrupts and exceptions enter; 0: not found */
	const char *text_symbol; /* the symbol at text_start: "_text" or "_stext" */
	struct kernel_code_list code; /* code that is not permanent; owned by the snapshot */
	bool is_hidden;               /* all addresses are zero: kptr_restrict, or no privilege */
	int error;                    /* -errno: no other field is valid; 0: success */
};

struct kernel_snapshot;

/* @path: "/proc/kallsyms", but in tests. 0 or -errno. */
int kernel_snapshot_start(const char *path, struct kernel_snapshot **snapshot_ret);
/* Waits for the thread. The result is valid until kernel_snapshot_destroy(). */
const struct kernel_snapshot_result *kernel_snapshot_wait(struct kernel_snapshot *snapshot);
void kernel_snapshot_destroy(struct kernel_snapshot *snapshot);

#endif
