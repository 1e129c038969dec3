#include "collector/record/builder_pace.h"

#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* The process hurries from here on, until nothing waits. */
#define LATE_SIZE ((size_t)4 << 20)
/* It is favoured from here on, until nothing waits. */
#define FAVOURED_SIZE (2 * LATE_SIZE)
#define FAVOURED_NICE (-10)
/* From here on stacks are left out, which leaves room for a round of the rings and for what
 * observers write meanwhile. */
#define TOO_LATE_SIZE(queue_size) ((queue_size) / 2)
/* And until here. */
#define IN_TIME_SIZE(queue_size) ((queue_size) / 4)

static bool choose_policy(pid_t tid, int policy)
{
	const struct sched_param param = { 0 };

	return sched_setscheduler(tid, policy, &param) == 0;
}

/* Of all threads: the first one first, so that those that it starts meanwhile get it from there.
 * Whether it was permitted. */
static bool choose_priority(pid_t pid, int policy, int nice)
{
	const struct dirent *entry;
	char path[64];

	if (!choose_policy(pid, policy))
		return false;
	setpriority(PRIO_PROCESS, (id_t)pid, nice);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || tid == pid)
			continue;
		choose_policy(tid, policy);
		setpriority(PRIO_PROCESS, (id_t)tid, nice);
	}
	if (tasks)
		closedir(tasks);
	return true;
}

/* Without a privilege a thread may not leave idle priority again, so this one ends. */
static void *try_return(void *may_return)
{
	*(bool *)may_return = choose_policy(0, SCHED_IDLE) && choose_policy(0, SCHED_OTHER);
	return NULL;
}

void builder_pace_init(struct builder_pace *pace, pid_t pid, size_t queue_size, bool is_watched)
{
	pthread_t thread;

	*pace = (struct builder_pace){ .pid = pid,
				       .queue_size = queue_size,
				       .late_size = LATE_SIZE,
				       .usual_nice = getpriority(PRIO_PROCESS, (id_t)pid) };
	if (!pid || is_watched || pthread_create(&thread, NULL, try_return, &pace->may_idle))
		return;
	pthread_join(thread, NULL);
	pace->is_idle = pace->may_idle && choose_policy(pid, SCHED_IDLE);
}

void builder_pace_follow(struct builder_pace *pace, pid_t pid)
{
	const uint64_t n_hurries = pace->n_hurries;

	builder_pace_init(pace, pid, pace->queue_size, false);
	pace->n_hurries = n_hurries;
}

/* Whenever twice as much waits, all threads get the priority: some may be new. */
static void hurry(struct builder_pace *pace, size_t n_waiting)
{
	const bool is_favoured = n_waiting >= FAVOURED_SIZE && pace->usual_nice > FAVOURED_NICE;

	pace->n_hurries += pace->is_idle;
	if (choose_priority(pace->pid, SCHED_OTHER, is_favoured ? FAVOURED_NICE : pace->usual_nice))
		pace->is_idle = false;
	while (pace->late_size <= n_waiting)
		pace->late_size *= 2;
}

/* Where it may not have idle priority, the usual one. */
static void take_time(struct builder_pace *pace)
{
	if (choose_priority(pace->pid, pace->may_idle ? SCHED_IDLE : SCHED_OTHER, pace->usual_nice))
		pace->is_idle = pace->may_idle;
	pace->late_size = LATE_SIZE;
}

void builder_pace_keep(struct builder_pace *pace, size_t n_waiting)
{
	if (pace->pid && n_waiting >= pace->late_size)
		hurry(pace, n_waiting);
	else if (pace->pid && !n_waiting && pace->late_size != LATE_SIZE)
		take_time(pace);
	if (n_waiting >= TOO_LATE_SIZE(pace->queue_size))
		pace->leaves_stacks = true;
	else if (n_waiting <= IN_TIME_SIZE(pace->queue_size))
		pace->leaves_stacks = false;
}

void builder_pace_end(struct builder_pace *pace)
{
	pace->may_idle = false;
	if (pace->pid)
		take_time(pace);
}

void builder_pace_describe(const struct builder_pace *pace, uint64_t n_left_out,
			   struct recording_notes *notes)
{
	if (n_left_out)
		recording_notes_add_counted(
			notes, false, n_left_out,
			"{sample has|samples have} no callers in user code, because {it|they} "
			"could not be unwound in time: lower the rate (-F), or record to a file "
			"and use dendro build.");
	if (pace->n_hurries)
		recording_notes_add(notes, true,
				    "the profile was built at idle priority, but %" PRIu64
				    " times it fell behind and had a usual one for a while.",
				    pace->n_hurries);
}
