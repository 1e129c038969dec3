/*
 * When the last part of a recording is written without being asked for (--when): conditions, of
 * which any one is enough. A condition is an event of the recording, which holds at each of its
 * samples; a time off the CPU, which holds when a thread has been away for longer; or a level of
 * the machine, which holds while it is above a bound.
 *
 * What is written has the time before it. So after that, nothing is written by a condition until
 * the time that is kept has passed: an event meanwhile is counted, a level that is still above its
 * bound then is written.
 */
#ifndef COLLECTOR_RECORD_CONTROL_DUMP_CONDITIONS_H
#define COLLECTOR_RECORD_CONTROL_DUMP_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/record/control/thread_waits.h"
#include "collector/record/observing/recording_notes.h"
#include "perf/events/event.h"
#include "perf/records/record.h"

enum dump_condition_kind {
	DUMP_ON_EVENT,    /* a sample of it */
	DUMP_ON_OFF_CPU,  /* a thread's time off the CPU */
	DUMP_ON_LOADAVG,  /* the mean number of tasks that run or wait, of a minute */
	DUMP_ON_PRESSURE, /* percent of the last second in which a task waited for it */
};

/* What is wrong with a condition. */
enum dump_condition_error {
	DUMP_CONDITION_OK,
	DUMP_CONDITION_NO_BOUND,  /* a level needs one */
	DUMP_CONDITION_BAD_BOUND, /* it is not a number, or not such a number */
	DUMP_CONDITION_NO_EVENT,  /* the recording has no such event */
	DUMP_CONDITION_NO_OFF_CPU /* the recording does not have the event off-cpu */
};

struct dump_condition {
	const char *text; /* as the user wrote it; borrowed */
	enum dump_condition_kind kind;
	const char *file;   /* of a level, below proc */
	double level;       /* its bound */
	uint64_t time_ns;   /* the bound of a time off the CPU */
	uint64_t stall_us;  /* of pressure: the total at the last look */
	uint64_t stall_ns;  /* when that was; 0: there was none */
	bool is_above;      /* of a level: at the last look */
	bool holds;         /* and is not written yet */
	uint64_t n_held;    /* how often it began to hold */
	uint64_t n_written; /* how often the last part was written for it */
};

struct dump_conditions {
	struct dump_condition *conditions;
	size_t n;
	const char *proc;                  /* of the files of levels; borrowed */
	struct dump_condition **of_events; /* for each event of the recording; NULL: none */
	bool has_events;                   /* samples are looked at */
	bool has_times;                    /* off the CPU */
	struct thread_waits waits;
	int32_t own_pid;   /* its threads' times off the CPU do not count */
	uint64_t look_ns;  /* of the levels, the next */
	uint64_t quiet_ns; /* until then nothing is written */
};

/* What the user wrote, as it came; borrowed. */
struct dump_condition_list {
	const char **texts;
	size_t n;
};

void dump_conditions_deinit(struct dump_conditions *conditions);
/*
 * All zero -> the conditions of @list in a recording of these events, with levels from @proc.
 * *@wrong_ret: of the text that is wrong, when one is. 0, -EINVAL with *@error_ret, or -ENOMEM.
 */
int dump_conditions_parse(struct dump_conditions *conditions,
			  const struct dump_condition_list *list, const struct event *events,
			  size_t n_events, const char *proc, const char **wrong_ret,
			  enum dump_condition_error *error_ret);
/* Are the levels known here? 0, or -errno: the reason is in @notes. */
int dump_conditions_check_levels(const struct dump_conditions *conditions,
				 struct recording_notes *notes);

/* A sample of the event with this index was read. */
static inline void dump_conditions_see_sample(struct dump_conditions *conditions, size_t event)
{
	struct dump_condition *condition = conditions->of_events[event];

	if (!condition)
		return;
	condition->n_held++;
	condition->holds = true;
}

/* A switch, or the end of a thread, was read. */
void dump_conditions_see_thread(struct dump_conditions *conditions, const struct record *record);
/* Looks at the levels once a second. */
void dump_conditions_look(struct dump_conditions *conditions, uint64_t now_ns);
/*
 * Is the last part to be written now? If so, it is as good as written, and nothing is for the next
 * @kept_ns.
 */
bool dump_conditions_take(struct dump_conditions *conditions, uint64_t now_ns, uint64_t kept_ns);
/* Notes how often each held, and how often that was written. */
void dump_conditions_describe(const struct dump_conditions *conditions,
			      struct recording_notes *notes);

#endif
