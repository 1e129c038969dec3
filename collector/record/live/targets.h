/* Finds the targets of a recording: CPUs that are online, and threads of processes. */
#ifndef COLLECTOR_RECORD_LIVE_TARGETS_H
#define COLLECTOR_RECORD_LIVE_TARGETS_H

#include <sys/types.h>

#include "cct/base/int_list.h"

#define TARGET_PID_MAX (1 << 22) /* the kernel's PID_MAX_LIMIT */

/* The CPUs that are online. 0 or -errno. */
int targets_online_cpus(struct int_list *cpus);
/* The CPUs that are in the machine and not among @online. 0 or -errno. */
int targets_absent_cpus(const struct int_list *online, struct int_list *cpus);
/* The threads that the processes have now. -ESRCH: the process *@missing_ret does not exist. */
int targets_threads(const struct int_list *pids, struct int_list *tids, pid_t *missing_ret);
/* Adds the threads that the processes have now; processes that have exited have none. 0 or -errno.
 */
int targets_add_threads(const struct int_list *pids, struct int_list *tids);
/* The processes of threads; the errors of targets_threads(). */
int targets_processes(const struct int_list *tids, struct int_list *pids, pid_t *missing_ret);

#endif
