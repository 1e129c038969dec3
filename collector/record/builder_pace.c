#include "collector/record/builder_pace.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>

#include "perf/writer/data_writer.h"

/* The process hurries from here on, until nothing waits. */
#define LATE_SIZE (4u << 20)
/* From here on stacks are left out, which leaves room for a round of the rings and for what
 * observers write meanwhile. */
#define TOO_LATE_SIZE (DATA_WRITER_QUEUE_SIZE / 2)
/* And until here. */
#define IN_TIME_SIZE (DATA_WRITER_QUEUE_SIZE / 4)

static bool choose_policy(pid_t pid, int policy)
{
	const struct sched_param param = { 0 };

	return sched_setscheduler(pid, policy, &param) == 0;
}

/* Without a privilege a thread may not leave idle priority again, so this one ends. */
static void *try_return(void *may_return)
{
	*(bool *)may_return = choose_policy(0, SCHED_IDLE) && choose_policy(0, SCHED_OTHER);
	return NULL;
}

void builder_pace_init(struct builder_pace *pace, pid_t pid)
{
	pthread_t thread;

	*pace = (struct builder_pace){ .pid = pid };
	if (!pid || pthread_create(&thread, NULL, try_return, &pace->may_idle))
		return;
	pthread_join(thread, NULL);
	pace->is_idle = pace->may_idle && choose_policy(pid, SCHED_IDLE);
}

void builder_pace_follow(struct builder_pace *pace, pid_t pid)
{
	const uint64_t n_hurries = pace->n_hurries;

	builder_pace_init(pace, pid);
	pace->n_hurries = n_hurries;
}

static void set_idle(struct builder_pace *pace, bool is_idle)
{
	if (!pace->may_idle || pace->is_idle == is_idle ||
	    !choose_policy(pace->pid, is_idle ? SCHED_IDLE : SCHED_OTHER))
		return;
	pace->is_idle = is_idle;
}

void builder_pace_keep(struct builder_pace *pace, size_t n_waiting)
{
	if (n_waiting >= LATE_SIZE) {
		pace->n_hurries += pace->is_idle;
		set_idle(pace, false);
	} else if (!n_waiting) {
		set_idle(pace, true);
	}
	if (n_waiting >= TOO_LATE_SIZE)
		pace->leaves_stacks = true;
	else if (n_waiting <= IN_TIME_SIZE)
		pace->leaves_stacks = false;
}

void builder_pace_end(struct builder_pace *pace)
{
	set_idle(pace, false);
	pace->may_idle = false;
}

void builder_pace_describe(const struct builder_pace *pace, uint64_t n_left_out,
			   struct recording_notes *notes)
{
	if (n_left_out)
		recording_notes_add(
			notes, false,
			"%" PRIu64 " samples have no callers in user code, because they "
			"could not be unwound in time: lower the rate (-F), or record to "
			"a file and use dendro build.",
			n_left_out);
	if (pace->n_hurries)
		recording_notes_add(notes, true,
				    "the profile was built at idle priority, but %" PRIu64
				    " times it fell behind and had a usual one for a while.",
				    pace->n_hurries);
}
