/* A general rule that depends on operands of the code it is for, with all of its expressions. */
#ifndef UNWIND_RULES_MADE_RULE_H
#define UNWIND_RULES_MADE_RULE_H

#include "unwind/rules/rule.h"

#define MADE_OPS_MAX 128

struct made_rule {
	struct made_rule *next; /* of its owner */
	uint64_t offset;        /* of the instruction, for its owner */
	struct general_rule rule;
	size_t n_ops;
	struct expression_op ops[MADE_OPS_MAX];
};

/* NULL: out of memory. Freed with free(). */
struct made_rule *made_rule_create(void);

/* Adds an operation to @made. */
void made_rule_op(struct made_rule *made, struct expression_op op);

/* The operations that made_rule_op() has added since @made->n_ops was @from. */
struct expression made_rule_since(const struct made_rule *made, size_t from);

#endif
