/*
 * The kernel's names, from /proc/kallsyms, compressed. A separate thread reads them, during which
 * events are opened and records synthesized.
 *
 * All of them take tens of milliseconds, so the permanent ones are kept from recording to recording
 * (collector/record/start/names_cache.h). Code that comes and goes is read each time, unless the
 * caller has that of an earlier snapshot, and knows that nothing has changed it.
 */
#ifndef COLLECTOR_RECORD_START_KERNEL_SNAPSHOT_H
#define COLLECTOR_RECORD_START_KERNEL_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/text/file_text.h"
#include "collector/attached/kernel_code.h"
#include "collector/record/start/names_key.h"

struct kernel_snapshot_result {
	/* The permanent names: one zstd frame, owned by the snapshot. If is_hidden, it contains
	 * only the first line. */
	uint8_t *compressed;
	size_t compressed_size;
	uint64_t text_start, text_end; /* 0: not found */
	uint64_t entry_start,
		entry_end;       /* the code that interrupts and exceptions enter; 0: not found */
	const char *text_symbol; /* the symbol at text_start: "_text" or "_stext" */
	struct kernel_code_list code; /* code that is not permanent; owned by the snapshot */
	bool is_cached;               /* names were not read, but kept from an earlier time */
	bool is_hidden;               /* all addresses are zero: kptr_restrict, or no privilege */
	int error;                    /* -errno: no other field is valid; 0: success */
};

struct kernel_snapshot;

struct kernel_snapshot_options {
	struct names_key_paths paths; /* "/proc/kallsyms", "/proc" and "/sys", but in tests */
	const char *cache;            /* folder; NULL: none */
};

/* Code that is not permanent, as it was at an earlier snapshot. */
struct kernel_code_text {
	struct names_key key; /* of the names in between which the code is */
	struct file_text text;
	struct kernel_code_list code; /* in @text */
};
void kernel_code_text_deinit(struct kernel_code_text *former);

/*
 * @options are borrowed until the snapshot is destroyed. @former: code that nothing has changed
 * since, so it is not read again where the permanent names are the same; becomes the snapshot's,
 * and empty; without .code.codes and .text.bytes it has to be read. 0 or -errno.
 */
int kernel_snapshot_start(const struct kernel_snapshot_options *options,
			  struct kernel_code_text *former, struct kernel_snapshot **snapshot_ret);
/* Waits for the result, which is valid until kernel_snapshot_destroy(). Names that were read may
 * still be stored for later recordings then. */
const struct kernel_snapshot_result *kernel_snapshot_wait(struct kernel_snapshot *snapshot);
/* Waits for the thread. The result's code, for the next snapshot; the result has none any more.
 * Empty if it can't be used for that, as all names had to be read. */
struct kernel_code_text kernel_snapshot_take_code(struct kernel_snapshot *snapshot);
/* Waits for the thread, unless @snapshot is NULL. */
void kernel_snapshot_destroy(struct kernel_snapshot *snapshot);

#endif
