/*
 * Finds the caller's registers for code without CFI, by following its instructions.
 *
 * There are two questions. From an instruction on: where are the return address and the saved
 * registers when the function returns? From a function's first instruction on: does it lead to this
 * instruction, and where are they then? Each path is followed with registers and stack slots as
 * symbols: jumps are followed, conditional ones both ways, and calls are stepped over. A process is
 * not needed: the code is a range of bytes of a file or of JIT code, addressed by offsets, and the
 * result is a rule for every frame at the instruction.
 *
 * A jump by a table is followed to all of its entries if the code before it bounds their number,
 * else to the first few (unwind/code/jump_table.h): the stack is the same, whichever entry is
 * taken.
 *
 * After a call that never returns come another function's code, or padding. Paths that continue
 * there, and paths that end in a jump to an unknown address, are doubtful.
 */
#ifndef UNWIND_CODE_CODE_SCAN_H
#define UNWIND_CODE_CODE_SCAN_H

#include "unwind/code/code.h"
#include "unwind/code/code_rule.h"

#define CODE_OUTCOMES_MAX 4

/* Working memory; it keeps nothing between calls. */
struct code_scan;

/* NULL: out of memory. */
struct code_scan *code_scan_create(void);
void code_scan_destroy(struct code_scan *scan);

struct code_outcomes {
	struct code_rule rules[CODE_OUTCOMES_MAX]; /* all different */
	size_t n_rules;
	bool is_complete;  /* every path was followed to its end */
	bool is_ambiguous; /* there were more rules than CODE_OUTCOMES_MAX */
};

/* From @pc on: all ways to return. @is_exact: @pc is not a return address. */
void code_scan_returns(struct code_scan *scan, const struct code *code, uint64_t pc, bool is_exact,
		       struct code_outcomes *outcomes_ret);

enum code_way {
	CODE_LEADS,    /* @rule_ret is right if the function was entered there */
	CODE_CAN_LEAD, /* it is not known whether, or how, the code leads there */
	CODE_CANNOT_LEAD,
};

/*
 * From @entry on to @pc. @is_exact: @pc is not a return address. @leaves_ret: the function may
 * jump to an unknown address, with the stack as it was on entry.
 */
enum code_way code_scan_entry(struct code_scan *scan, const struct code *code, uint64_t entry,
			      uint64_t pc, bool is_exact, struct code_rule *rule_ret,
			      bool *leaves_ret);

/* Whether the function at @entry contains the instruction with the byte at @lookup. */
bool code_scan_holds(struct code_scan *scan, const struct code *code, uint64_t entry,
		     uint64_t lookup);

enum code_reach {
	CODE_ENDS_BEFORE,
	CODE_REACHES,
	CODE_REACHES_ANY, /* it goes on to where the code does not tell, or it is long */
};

/* Whether the code from @entry on, with the jumps it takes, holds the instruction at @pc. */
enum code_reach code_scan_reach(struct code_scan *scan, const struct code *code, uint64_t entry,
				uint64_t pc);
/* Whether a jump or branch among the first instructions of the @size bytes at @from leads into the
 * @to_size bytes at @to. They are decoded one after the other, and not followed. */
bool code_scan_jumps_to(const struct code *code, uint64_t from, uint64_t size, uint64_t to,
			uint64_t to_size);

#endif
