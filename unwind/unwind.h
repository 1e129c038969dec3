/*
 * Walks user stacks offline, from one sample's registers and stack bytes, with DWARF CFI.
 *
 * Algorithm: DWARF 5, section 6.4; x86-64 psABI 3.7 and LSB Core 10.6 for .eh_frame. A row of CFI
 * becomes a compact rule once (unwind/rule.h) and is found again by (epoch, address), then by
 * (module, offset). An unwinder belongs to one thread; elf_modules is shared.
 */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include "cct/frame.h"
#include "unwind/address_space.h"
#include "unwind/elf_module.h"
#include "unwind/regs.h"

enum unwind_end {
	UNWIND_ROOT,               /* the outermost frame was reached */
	UNWIND_STACK_CUT,          /* the copy was full and the next frame lies beyond it */
	UNWIND_NO_MODULE,          /* an address outside every mapping */
	UNWIND_NO_UNWIND_INFO,     /* no CFI for the address */
	UNWIND_BAD_RETURN_ADDRESS, /* an address in memory that is not code */
	UNWIND_NO_PROGRESS,        /* the CFA did not move up */
	UNWIND_TOO_DEEP,           /* @max_frames reached */
	UNWIND_BAD_CFI,            /* CFI that can't be read or evaluated */
	UNWIND_BAD_MEMORY,         /* a rule reads outside a copy that was not full */
	UNWIND_MODULE_UNREADABLE,  /* the file is missing, changed or no ELF file */
	UNWIND_NO_STACK,           /* no stack bytes */
	N_UNWIND_ENDS
};

/* The end as the marker a path carries; only for ends other than UNWIND_ROOT. */
enum marker unwind_end_marker(enum unwind_end end);

struct user_stack {
	const struct arch *arch;
	struct regs regs;
	const uint8_t *bytes; /* from the sampled stack pointer upward */
	size_t size;
	bool is_full; /* the copy is as large as was asked for: the stack may go on beyond it */
};

struct unwind_stats {
	uint64_t n_walks, n_frames;
	uint64_t n_step_hits;   /* found by (epoch, address) */
	uint64_t n_rule_hits;   /* found by (module, offset) */
	uint64_t n_rule_misses; /* asked libdw */
	uint64_t n_expressions; /* frames that needed a DWARF expression */
	uint64_t n_guessed;     /* frames without CFI whose caller was found and verified */
};

struct unwinder;

/* @elf_modules is borrowed for the unwinder's life. */
struct unwinder *unwinder_create(struct elf_modules *elf_modules);
void unwinder_destroy(struct unwinder *unwinder);
const struct unwind_stats *unwinder_stats(const struct unwinder *unwinder);

/**
 * Walks a user stack from one sample's registers and stack bytes.
 *
 * @stack:   borrowed for the call; bytes start at the sampled stack pointer.
 * @frames:  filled leaf first with lookup addresses, at most @max_frames.
 * @addrs:   the same frames as addresses in the process; may be NULL.
 * @end_ret: UNWIND_ROOT, or why the callers above the last frame are missing.
 *
 * Returns the number of frames, at least 1: the sampled instruction itself (module 0 and
 * the address itself as offset, if no mapping holds it).
 */
size_t unwind_user_stack(struct unwinder *unwinder, const struct address_space *space,
			 const struct user_stack *stack, struct frame *frames, uint64_t *addrs,
			 size_t max_frames, enum unwind_end *end_ret);

#endif
