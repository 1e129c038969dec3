/* The functions of a program file, as rows of dendro's tables in ClickHouse: for code of this build
 * ID that had no names where it was recorded. */
#ifndef COLLECTOR_PUSH_CLICKHOUSE_SYMBOL_ROWS_H
#define COLLECTOR_PUSH_CLICKHOUSE_SYMBOL_ROWS_H

#include "collector/push/push_requests.h"

/*
 * Writes the requests to the spool, of the symbols in the file or in its separate debug file.
 * *@n_ret: functions. 0; -ENOEXEC with *@problem_ret, static text: it has none that can be told
 * from those of other files; or -errno.
 */
int symbol_rows_add(struct push_requests *requests, const char *path, unsigned *n_ret,
		    const char **problem_ret);

#endif
