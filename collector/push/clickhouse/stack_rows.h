/* The rows of dendro's tables in ClickHouse that are the same for all times: paths, the modules in
 * them, and what their code is called. What the database is known to have is left out. */
#ifndef COLLECTOR_PUSH_CLICKHOUSE_STACK_ROWS_H
#define COLLECTOR_PUSH_CLICKHOUSE_STACK_ROWS_H

#include "collector/push/clickhouse/stack_ids.h"
#include "collector/push/push_requests.h"
#include "report/names/symbolize.h"

/* @day: of the window, since 1970. 0 or -errno. */
int stack_rows_add(struct push_requests *requests, struct stack_ids *stacks,
		   struct symbolizer *symbolizer, uint16_t day);

#endif
