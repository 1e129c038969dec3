/*
 * Descriptions of a process's code by its run-time system, valid at a moment: where each function
 * is, and how its frames lie on the stack. And the methods that its interpreter executes, by the
 * addresses of the system's own objects, which are never code.
 *
 * A table is a shared value: a sample keeps the one of its moment.
 */
#ifndef UNWIND_RULES_RUNTIME_CODE_H
#define UNWIND_RULES_RUNTIME_CODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A table with more is full: what comes then is not known. */
#define RUNTIME_CODES_MAX           (1u << 16)
#define RUNTIME_CODE_NEVER_COMPLETE UINT32_MAX

/* Words have the architecture's size; the frame pointer is @fp. */
enum runtime_frame {
	RUNTIME_FRAME_SIZED,       /* of @frame_size: return address and caller's @fp at its top */
	RUNTIME_FRAME_INTERPRETED, /* by @fp; caller's stack pointer one word below where it points,
				      the method three words below */
	RUNTIME_FRAME_STUB,        /* by @fp, wherever the code has called */
	RUNTIME_FRAME_METHOD,      /* no code */
};

struct runtime_code {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* of @start in the table's module */
	uint32_t frame_size; /* bytes */
	uint32_t complete;   /* from @start + @complete on the frame is there; or
				RUNTIME_CODE_NEVER_COMPLETE: known only where the code has called */
	uint8_t frame;       /* enum runtime_frame */
};

/* Immutable while anyone but its owner holds a reference. Sorted by start, no overlaps. */
struct runtime_codes {
	atomic_uint n_refs;
	uint32_t module; /* of all of them */
	size_t n, n_allocated;
	struct runtime_code *codes;
};

/* NULL, like the next: out of memory. */
struct runtime_codes *runtime_codes_create(uint32_t module);
struct runtime_codes *runtime_codes_ref(struct runtime_codes *codes); /* NULL: NULL */
void runtime_codes_unref(struct runtime_codes *codes);
/* Adds a piece of code, in place of what overlaps it. *@codes is copied first if it is shared. 0,
 * -ENOMEM or -EINVAL (it is empty, or there is no room): unchanged. */
int runtime_codes_add(struct runtime_codes **codes, const struct runtime_code *added);
/* What is at @addr; NULL: not known. @codes may be NULL. */
const struct runtime_code *runtime_codes_find(const struct runtime_codes *codes, uint64_t addr);

#endif
