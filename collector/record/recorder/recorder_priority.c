/* The priority of the thread that opens the events and empties the rings. */
#include <sched.h>
#include <sys/resource.h>

#include "collector/record/recorder/recorder_private.h"

#define HIGHEST_NICE (-20)

/* Not a real-time priority, which would stop others for as long as it takes to describe a machine
 * of many processes. */
void recorder_hurry(struct recorder *recorder)
{
	recorder->usual_nice = getpriority(PRIO_PROCESS, 0);
	setpriority(PRIO_PROCESS, 0, HIGHEST_NICE);
}

void recorder_hurry_alone(const struct recorder *recorder)
{
	const struct sched_param param = { 0 };

	if (sched_getscheduler(0) != SCHED_OTHER ||
	    sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &param))
		setpriority(PRIO_PROCESS, 0, recorder->usual_nice);
}

void recorder_raise_priority(struct recorder *recorder)
{
	const struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0)
		recording_notes_add(
			&recorder->notes, true,
			"the rings are emptied with real-time priority (SCHED_FIFO 1).");
	else if (setpriority(PRIO_PROCESS, 0, HIGHEST_NICE) == 0)
		recording_notes_add(&recorder->notes, true,
				    "the rings are emptied with nice value -20.");
	else
		recording_notes_add(
			&recorder->notes, true,
			"the rings are emptied with normal priority: samples may be lost on a busy "
			"machine.");
}

void recorder_lower_priority(const struct recorder *recorder)
{
	const struct sched_param param = { 0 };

	sched_setscheduler(0, SCHED_OTHER, &param);
	setpriority(PRIO_PROCESS, 0, recorder->usual_nice);
}
