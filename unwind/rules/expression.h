/*
 * DWARF expressions as they occur in CFI, translated once, evaluated by a small stack machine.
 *
 * DWARF 5, section 2.5. Constants have become DW_OP_const8s, registers DW_OP_bregx, and branches
 * name the index of the operation they go to.
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
 * Evaluates to the value on top. @cfa: what DW_OP_call_frame_cfa pushes.
 * false: *@end_ret says why, UNWIND_BAD_CFI or what stack_read() says.
 */
bool expression_evaluate(const struct expression *expression, const struct regs *regs, uint64_t cfa,
			 const struct stack_copy *stack, uint64_t *value_ret,
			 enum unwind_end *end_ret);

#endif
