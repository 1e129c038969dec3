/*
 * The samples of a profile as rows of dendro's table in ClickHouse: their sums by slice of time,
 * service, process, program, event and path.
 */
#ifndef COLLECTOR_PUSH_CLICKHOUSE_SLICE_ROWS_H
#define COLLECTOR_PUSH_CLICKHOUSE_SLICE_ROWS_H

#include "collector/push/clickhouse/stack_ids.h"

/* Who ran samples. */
struct slice_task {
	uint32_t service, process; /* in ->texts */
	uint32_t program;          /* id of a module; 0: not known */
};

struct slice_row {
	uint32_t start_s; /* of the slice, since 1970 */
	uint32_t task, metric;
	uint32_t stack; /* index in the stack_ids */
	uint64_t samples, weight;
	double squares; /* finished: rounded */
};

struct slice_rows {
	struct stack_ids *stacks; /* borrowed */
	struct string_ids texts;
	struct slice_task *tasks;
	uint32_t n_tasks, n_tasks_allocated;
	struct slice_row *rows; /* finished: by day, service, event, path, process, time */
	uint32_t n_rows, n_allocated;
	uint64_t start_ns, end_ns; /* of the window, since 1970 */
	uint64_t slice_ns;
	/* While rows are made: */
	uint32_t *programs; /* by process: id of a module */
	struct pair_map by_process, by_names, by_key;
};

/*
 * @slice_ns: whole seconds. @only: the service of all samples; NULL: as
 * collector/push/service_profiles.h has it. 0; -ENODATA: the profile does not say when it was
 * recorded; or -ENOMEM. It may be deinitialized in any case.
 */
int slice_rows_init(struct slice_rows *rows, struct stack_ids *stacks, const char *only,
		    uint64_t slice_ns);
void slice_rows_deinit(struct slice_rows *rows);
/* A sum of squares, to the nearest with 4 bits of its fraction, of two that are as near to the even
 * one: 3 % from what it was at most, 1.5 % of an error. */
double slice_rows_round(double squares);

#endif
