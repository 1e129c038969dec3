/*
 * Samples that the recorder writes itself, in the layout of an event's samples: what
 * record_decode() reads.
 */
#ifndef PERF_WRITER_SAMPLE_BUILD_H
#define PERF_WRITER_SAMPLE_BUILD_H

#include <stddef.h>

#include "perf/records/record_fields.h"

/* Everything is borrowed; fields that the layout lacks are not written. */
struct sample_parts {
	uint64_t id, ip, time_ns, period;
	int32_t pid, tid;
	uint32_t cpu;
	const uint64_t *callchain; /* with the kernel's marks of contexts */
	size_t n_callchain;
	const void *raw;
	uint32_t raw_size;
	uint64_t abi;         /* PERF_SAMPLE_REGS_ABI_*; NONE: without registers and stack */
	const uint64_t *regs; /* as many as layout->regs_user_mask has bits */
	const void *stack;
	size_t stack_size; /* a multiple of 8 */
};

/* How large a stack a sample of these parts can have at most; a multiple of 8. */
size_t sample_build_stack_max(const struct record_layout *layout, const struct sample_parts *parts);
/*
 * A sample in the kernel, into @room. Returns its size; 0: it does not fit, or the layout has
 * fields that the parts do not fill.
 */
size_t sample_build(const struct record_layout *layout, const struct sample_parts *parts,
		    void *room, size_t room_size);

#endif
