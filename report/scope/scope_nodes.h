/* Which nodes of a whole profile's fold are in a scope. */
#ifndef REPORT_SCOPE_SCOPE_NODES_H
#define REPORT_SCOPE_SCOPE_NODES_H

#include "report/scope/browse_scope.h"

/* By node of the base. */
struct scope_nodes {
	bool *is_selected; /* the conditions take its samples, and it is inside; NULL: all are */
	bool *is_inside;   /* of the row that is shown alone, or below it; NULL: all are */
	bool has_conditions;
};

/* 0; -ENOENT: no sample is in scope; or -ENOMEM. scope_nodes_deinit() follows in any case. */
int scope_nodes_init(struct scope_nodes *nodes, const struct browse_scope *scope,
		     struct refold_base *base);
void scope_nodes_deinit(struct scope_nodes *nodes);

static inline bool scope_nodes_select(const struct scope_nodes *nodes, uint32_t node)
{
	return !nodes->is_selected || nodes->is_selected[node];
}

#endif
