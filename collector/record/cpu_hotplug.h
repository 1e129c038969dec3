/*
 * Records CPUs again that were offline while the whole system is recorded, and CPUs that
 * were offline at its start once they are online. The kernel announces by a uevent that a CPU has
 * gone offline, and that it is back. Its counters are opened then; and because it ran before they
 * counted, the processes of /proc are described again, as at the start.
 *
 * Where tasks are recorded, only the output of second stacks is the CPU's, and is opened again.
 */
#ifndef COLLECTOR_RECORD_CPU_HOTPLUG_H
#define COLLECTOR_RECORD_CPU_HOTPLUG_H

#include <stdbool.h>
#include <stddef.h>

#include "cct/base/int_list.h"
#include "collector/record/drain.h"
#include "collector/record/observing/recording_notes.h"
#include "collector/record/start/synthesize.h"

enum cpu_presence {
	CPU_RECORDED,
	CPU_OFFLINE,
	CPU_BACK, /* online, but its counters are still to be opened */
};

struct watched_cpu {
	int cpu;
	bool has_samples; /* or only its sideband is recorded */
	enum cpu_presence presence;
};

/* All zeros: no CPU is watched. */
struct cpu_hotplug {
	struct drain *drain;           /* borrowed, as are the next two */
	struct recording_notes *notes; /* a CPU that can't be recorded again */
	const struct synthesize_options *synthesize;
	bool counts_tasks;
	int uevents_fd; /* a socket, if CPUs are watched; -1: the kernel has no uevents here */
	struct watched_cpu *cpus;
	size_t n_cpus;
	struct synthesizer *synthesizer; /* describes processes again; NULL: not at the moment */
};

/* Begins to watch all CPUs whose sideband is recorded, and @absent ones, which the evlist has
 * without counters; events are open. @synthesize: NULL where tasks are recorded. 0 or -ENOMEM. */
int cpu_hotplug_init(struct cpu_hotplug *hotplug, struct drain *drain,
		     const struct int_list *absent, struct recording_notes *notes,
		     const struct synthesize_options *synthesize);
void cpu_hotplug_deinit(struct cpu_hotplug *hotplug);
/* Does what is due, between two rounds of the drain. 0 or the writer's -errno. */
int cpu_hotplug_run(struct cpu_hotplug *hotplug);
/* Takes what the kernel announces, as text that ends with a zero; cpu_hotplug_run() receives it. 0
 * or the writer's -errno. */
int cpu_hotplug_take_uevent(const struct cpu_hotplug *hotplug, const char *uevent);
/* Whether there is more to do, so that the next round should not wait. */
bool cpu_hotplug_is_busy(const struct cpu_hotplug *hotplug);

#endif
