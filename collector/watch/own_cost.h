/* The CPU time that dendro itself uses while it shows what it records. */
#ifndef COLLECTOR_WATCH_OWN_COST_H
#define COLLECTOR_WATCH_OWN_COST_H

#include <stdint.h>
#include <sys/types.h>

struct own_cost {
	pid_t recorder, builder; /* beside this process; 0: there is none */
	uint64_t cpu_ns, now_ns; /* when it was looked at last */
};

void own_cost_init(struct own_cost *cost, pid_t recorder, pid_t builder);
/* The share of one CPU, in percent, that these processes have used since the last call, or since
 * the start. A recorder that is gone has used none. */
double own_cost_percent(struct own_cost *cost);
/* CPU time of the calling thread. */
uint64_t own_cost_of_thread_ns(void);

#endif
