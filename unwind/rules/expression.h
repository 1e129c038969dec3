/*
 * DWARF expressions as they occur in CFI, translated once, evaluated by a small stack machine.
 *
 * DWARF 5, section 2.5. All constants are DW_OP_const8s, all registers DW_OP_bregx, and a branch
 * contains the index of its target operation.
 */
#ifndef UNWIND_RULES_EXPRESSION_H
#define UNWIND_RULES_EXPRESSION_H

#include <stddef.h>

#include "unwind/rules/regs.h"
#include "unwind/rules/stack_copy.h"

struct expression_op {
	uint8_t atom; /* DW_OP_* */
	uint8_t reg;
	int64_t value;
};

struct expression {
	const struct expression_op *ops; /* borrowed */
	size_t n_ops;
};

/*
 * Evaluates to the value on top. @cfa: the value that DW_OP_call_frame_cfa pushes. false: *@end_ret
 * is the reason, UNWIND_BAD_CFI or the end from stack_read().
 */
bool expression_evaluate(const struct expression *expression, const struct regs *regs, uint64_t cfa,
			 const struct stack_copy *stack, uint64_t *value_ret,
			 enum unwind_end *end_ret);

#endif
