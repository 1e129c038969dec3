/* Operations lie one after the other, whatever they are for. */
#include "unwind/rules/made_rule.h"

#include <stdlib.h>

struct made_rule *made_rule_create(void)
{
	return calloc(1, sizeof(struct made_rule));
}

void made_rule_op(struct made_rule *made, struct expression_op op)
{
	assert(made->n_ops < MADE_OPS_MAX);
	made->ops[made->n_ops++] = op;
}

struct expression made_rule_since(const struct made_rule *made, size_t from)
{
	return (struct expression){ made->ops + from, made->n_ops - from };
}
