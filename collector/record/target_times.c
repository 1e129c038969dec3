#include "collector/record/target_times.h"

#include <stdio.h>
#include <unistd.h>

#include "cct/base/clock.h"

/* A target that runs for a smaller part of the time is idle. */
#define IDLE_PART 100

static uint64_t threads_time(const struct target_times *times)
{
	uint64_t total = 0, ns;

	for (size_t i = 0; i < times->tids->n; i++) {
		if (process_table_thread_time(times->proc, times->tids->values[i], &ns) == 0)
			total += ns;
	}
	return total;
}

void target_times_begin(struct target_times *times, const char *proc, const struct int_list *pids,
			const struct int_list *tids, bool can_have_trees)
{
	target_times_deinit(times);
	times->proc = proc;
	times->pids = pids;
	times->tids = tids;
	times->can_have_trees = can_have_trees;
	if (process_table_read(proc, &times->before))
		return;
	times->threads_before_ns = threads_time(times);
}

void target_times_deinit(struct target_times *times)
{
	process_table_deinit(&times->before);
	process_table_deinit(&times->after);
	*times = (struct target_times){ 0 };
}

void target_times_end(struct target_times *times, uint64_t duration_ns)
{
	if (!times->before.n || process_table_read(times->proc, &times->after))
		return;
	times->threads_after_ns = threads_time(times);
	times->duration_ns = duration_ns;
}

struct used_time {
	size_t n_alive;
	uint64_t ns;
};

static void add_process(const struct target_times *times, pid_t pid, struct used_time *used)
{
	const struct process_entry *before = process_table_find(&times->before, pid);
	const struct process_entry *after = process_table_find(&times->after, pid);

	if (!before || !after)
		return;
	used->n_alive++;
	if (after->cpu_ns > before->cpu_ns)
		used->ns += after->cpu_ns - before->cpu_ns;
}

static struct used_time targets_used(const struct target_times *times)
{
	struct used_time used = { 0 };

	if (times->tids->n) {
		used.n_alive = times->tids->n;
		if (times->threads_after_ns > times->threads_before_ns)
			used.ns = times->threads_after_ns - times->threads_before_ns;
		return used;
	}
	for (size_t i = 0; i < times->pids->n; i++)
		add_process(times, times->pids->values[i], &used);
	return used;
}

/* Of the processes that targets had started before the recording. */
static struct used_time descendants_used(const struct target_times *times)
{
	struct used_time used = { 0 };
	struct int_list all = { 0 };
	size_t target = 0;
	int err = 0;

	for (size_t i = 0; i < times->pids->n && !err; i++)
		err = int_list_insert(&all, times->pids->values[i]);
	if (!err)
		err = process_table_add_descendants(&times->before, getpid(), &all);
	for (size_t i = 0; i < all.n && !err; i++) {
		if (target < times->pids->n && times->pids->values[target] == all.values[i])
			target++;
		else
			add_process(times, all.values[i], &used);
	}
	int_list_deinit(&all);
	return used;
}

static void note_targets(const struct target_times *times, const struct used_time *used,
			 struct recording_notes *notes)
{
	const struct int_list *list = times->tids->n ? times->tids : times->pids;
	const char *kind = times->tids->n ? "thread" : "process";
	double used_s = (double)used->ns / 1e9, duration_s = (double)times->duration_ns / 1e9;
	bool is_one = list->n == 1, is_idle = used->ns < times->duration_ns / IDLE_PART;
	char who[64];

	if (is_one)
		snprintf(who, sizeof(who), "%s %d", kind, list->values[0]);
	else
		snprintf(who, sizeof(who), "%zu %s", used->n_alive,
			 times->tids->n ? "threads" : "processes");
	if (is_idle)
		recording_notes_add(notes, false,
				    "no samples: %s %s idle (%.2f s of CPU time in %.1f s).", who,
				    is_one ? "was" : "were", used_s, duration_s);
	else
		recording_notes_add(notes, false,
				    "no samples: %s used %.2f s of CPU time in %.1f s, in which no "
				    "event took place that is sampled.",
				    who, used_s, duration_s);
}

static void note_descendants(const struct target_times *times, const struct used_time *used,
			     struct recording_notes *notes)
{
	bool is_one = used->n_alive == 1, has_one_target = times->pids->n == 1;
	char time[64] = "", remedy[64] = "a plus after a number or name of -p";

	if (used->ns >= NSEC_PER_SEC / 100)
		snprintf(time, sizeof(time), ", which used %.2f s of CPU time,",
			 (double)used->ns / 1e9);
	if (has_one_target)
		snprintf(remedy, sizeof(remedy), "-p %d+", times->pids->values[0]);
	recording_notes_add(notes, false,
			    "%zu %s that %s had started before%s %s not recorded: %s records %s, "
			    "too.",
			    used->n_alive, is_one ? "process" : "processes",
			    has_one_target ? "it" : "they", time, is_one ? "is" : "are", remedy,
			    is_one ? "it" : "them");
}

void target_times_explain(const struct target_times *times, struct recording_notes *notes)
{
	if (!times->after.n)
		return;
	struct used_time targets = targets_used(times), others = descendants_used(times);

	if (!targets.n_alive)
		return;
	note_targets(times, &targets, notes);
	if (others.n_alive && times->can_have_trees)
		note_descendants(times, &others, notes);
}
