/* The processes that run at a moment, as /proc lists them: who started whom, names, CPU time. */
#ifndef COLLECTOR_RECORD_LIVE_PROCESS_TABLE_H
#define COLLECTOR_RECORD_LIVE_PROCESS_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cct/base/int_list.h"

#define PROCESS_COMM_SIZE 16 /* with the zero, as in samples */

struct process_entry {
	pid_t pid, parent; /* parent 0: none in this pid namespace */
	uid_t uid;         /* who owns its folder: its effective user, or root if it hides */
	char comm[PROCESS_COMM_SIZE];
	uint64_t cpu_ns; /* of all its threads, those that have exited included */
};

struct process_table {
	struct process_entry *entries; /* heap; ascending by pid */
	size_t n;
};

/*
 * Reads what @proc ("/proc", but in tests) lists. A process that exits meanwhile may be missing, as
 * may one that starts meanwhile. 0 or -errno.
 */
int process_table_read(const char *proc, struct process_table *table_ret);
void process_table_deinit(struct process_table *table);
/* NULL: not listed. Borrowed from the table. */
const struct process_entry *process_table_find(const struct process_table *table, pid_t pid);
/*
 * Adds to @pids the processes that descend from one of them, children of children included, but
 * neither @except nor what descends from it by way of @except. A process whose parent has exited is
 * the child of whoever took it over. 0 or -ENOMEM.
 */
int process_table_add_descendants(const struct process_table *table, pid_t except,
				  struct int_list *pids);
/* The CPU time of a thread so far, and 0 or -errno. */
int process_table_thread_time(const char *proc, pid_t tid, uint64_t *cpu_ns_ret);

#endif
