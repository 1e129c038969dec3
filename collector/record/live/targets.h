/* What is recorded, in the kernel's numbers: CPUs from lists, threads of processes from /proc. */
#ifndef COLLECTOR_RECORD_LIVE_TARGETS_H
#define COLLECTOR_RECORD_LIVE_TARGETS_H

#include <stddef.h>
#include <sys/types.h>

struct int_list {
	int *values; /* heap; ascending, each once */
	size_t n;
};

void int_list_deinit(struct int_list *list);

/* "0-3,8": numbers and ranges. 0; -EINVAL: not such a list; -ENOMEM. */
int int_list_parse(const char *text, struct int_list *list);
/* The CPUs that are online. 0 or -errno. */
int targets_online_cpus(struct int_list *cpus);
/* The threads of processes now. -ESRCH: *@missing_ret does not exist. */
int targets_threads(const struct int_list *pids, struct int_list *tids, pid_t *missing_ret);
/* The processes of threads; the same errors. */
int targets_processes(const struct int_list *tids, struct int_list *pids, pid_t *missing_ret);

#endif
