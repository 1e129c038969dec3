/*
 * What threads wait for, by the kernel functions in which they wait. A table has the names of these
 * functions of kernels 4.19 to 6.18; what the compiler appends to a name (.isra.0) does not matter.
 */
#ifndef KERNEL_MERGE_WAIT_REASONS_H
#define KERNEL_MERGE_WAIT_REASONS_H

#include <stddef.h>

#include "cct/model/frame.h"
#include "cct/model/module.h"

/* Of one kernel: where its functions of the table are. Zeros: none, nothing to deinit. */
struct wait_reasons {
	struct wait_function {
		uint64_t start, end;
		uint32_t module;
		enum marker reason;
	} * functions; /* sorted by module, then start */
	size_t n_functions, n_allocated;
};

/*
 * Finds the functions by their names, so the kernel's modules must have their symbols. Without
 * symbols none are found. 0 or -ENOMEM, with nothing to deinit.
 */
int wait_reasons_init(struct wait_reasons *reasons, const struct module_table *modules);
void wait_reasons_deinit(struct wait_reasons *reasons);
/*
 * What a thread with these kernel frames, leaf first, waits for: by the innermost function of the
 * table. Waiting for I/O precedes: /proc, too, counts all time in io_schedule() as such.
 * MARKER_BLOCKED: none of the functions is in the table.
 */
enum marker wait_reasons_of(const struct wait_reasons *reasons, const struct frame *frames,
			    size_t n_frames);

#endif
