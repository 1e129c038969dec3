/*
 * What code without CFI says about its callers: its instructions are followed to where they return.
 *
 * Two questions. From an instruction on: where will the return address and the saved registers lie
 * when it returns? From a function's first instruction on: does it lead to this instruction, and
 * where do they lie then? Each path is followed with registers and stack slots as symbols; jumps
 * are taken, conditional ones both ways, calls stepped over. Neither needs any process: code is
 * offsets in a file, and what comes out is a rule for whoever stands at the instruction.
 *
 * A jump by a table in the file is followed to all of its entries where the code tells their
 * number, else to the first: the stack is the same before it, whichever entry is taken.
 *
 * A call that never returns is followed by another function's code, or by padding: paths that go on
 * there, and those that end in a jump to an unknown address, are doubtful.
 */
#ifndef UNWIND_CODE_CODE_SCAN_H
#define UNWIND_CODE_CODE_SCAN_H

#include "unwind/code/code.h"
#include "unwind/code/code_rule.h"

#define CODE_OUTCOMES_MAX 4

/* Memory to work in, and nothing to keep between calls. */
struct code_scan;

/* NULL: out of memory. */
struct code_scan *code_scan_create(void);
void code_scan_destroy(struct code_scan *scan);

struct code_outcomes {
	struct code_rule rules[CODE_OUTCOMES_MAX]; /* none is like another */
	size_t n_rules;
	bool is_complete;  /* every path was followed to its end */
	bool is_ambiguous; /* there were more */
};

/* From @pc on: all ways to return. @is_exact: @pc is no return address. */
void code_scan_returns(struct code_scan *scan, const struct code *code, uint64_t pc, bool is_exact,
		       struct code_outcomes *outcomes_ret);

enum code_way {
	CODE_LEADS,    /* @rule_ret is right if the function was entered there */
	CODE_CAN_LEAD, /* the code does not tell, or not how */
	CODE_CANNOT_LEAD,
};

/*
 * From @entry on to @pc. @is_exact: @pc is no return address. @leaves_ret: the function may jump,
 * with the stack as it was on entry, to where the code does not tell.
 */
enum code_way code_scan_entry(struct code_scan *scan, const struct code *code, uint64_t entry,
			      uint64_t pc, bool is_exact, struct code_rule *rule_ret,
			      bool *leaves_ret);

/* Whether the function at @entry holds the instruction that has a byte at @lookup. */
bool code_scan_holds(struct code_scan *scan, const struct code *code, uint64_t entry,
		     uint64_t lookup);

#endif
