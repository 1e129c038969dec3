/* Whether functions that are called return, as far as their code shows. */
#ifndef UNWIND_CODE_CALLEES_H
#define UNWIND_CODE_CALLEES_H

#include "unwind/code/code.h"

#define CALLEES_BITS 10

struct callee {
	const uint8_t *code; /* NULL: empty */
	bool may_return;
};

/* A cache of answers. All zero is an empty one. */
struct callees {
	struct callee slots[1u << CALLEES_BITS]; /* direct-mapped */
};

/* false: every way from @pc, which is followed for a while, ends without a return. */
bool callees_may_return(struct callees *callees, const struct code *code, uint64_t pc);

#endif
