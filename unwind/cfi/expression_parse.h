/* Translates DWARF expressions from the encoding of files to operations of the stack machine. */
#ifndef UNWIND_CFI_EXPRESSION_PARSE_H
#define UNWIND_CFI_EXPRESSION_PARSE_H

#include "unwind/rules/expression.h"

/*
 * Translates @size bytes into at most @max operations; more, operations that are unknown or have no
 * place in CFI, and branches between operations are -EINVAL. 0: *@n_ret is their number.
 */
int expression_parse(const uint8_t *block, size_t size, struct expression_op *ops, size_t max,
		     size_t *n_ret);

#endif
