#include "collector/session/sample_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/model/profile_filter.h"
#include "cct/text/cgroup_name.h"
#include "cct/text/name_pattern.h"
#include "cct/time/sample_time.h"
#include "collector/replay/processes.h"

static bool has_number(const void *list, size_t n, uint32_t number)
{
	const uint32_t *numbers = list;

	for (size_t i = 0; i < n; i++) {
		if (numbers[i] == number)
			return true;
	}
	return !n;
}

static bool has_comm(const char *const *patterns, size_t n, const char *thread_name,
		     const char *process_name)
{
	for (size_t i = 0; i < n; i++) {
		if (name_pattern_matches_comm(patterns[i], thread_name) ||
		    name_pattern_matches_comm(patterns[i], process_name))
			return true;
	}
	return !n;
}

static bool passes_task(const struct dendro_filter *filter, uint32_t pid, uint32_t tid,
			const char *thread_name, const char *process_name)
{
	return has_number(filter->pids, filter->n_pids, pid) &&
	       has_number(filter->tids, filter->n_tids, tid) &&
	       has_comm(filter->comms, filter->n_comms, thread_name, process_name);
}

static bool passes_cpu(const struct dendro_filter *filter, uint32_t cpu)
{
	return has_number(filter->cpus, filter->n_cpus, cpu);
}

/* @path: NULL: not known. */
static bool passes_cgroup(const struct dendro_filter *filter, const char *path)
{
	for (size_t i = 0; path && i < filter->n_cgroups; i++) {
		if (cgroup_matches(filter->cgroups[i], path))
			return true;
	}
	return !filter->n_cgroups;
}

static bool passes_event(const struct dendro_filter *filter, const char *name)
{
	return !filter->n_events || name_patterns_match(filter->events, filter->n_events, name);
}

bool sample_filter_is_given(const struct dendro_filter *filter)
{
	return filter->n_pids || filter->n_tids || filter->n_cpus || filter->n_comms ||
	       filter->n_cgroups || filter->n_events || filter->n_phases || filter->n_epochs ||
	       filter->has_time || filter->has_dates || filter->n_conditions;
}

static bool passes_phase(const struct dendro_filter *filter, const struct profile *profile,
			 const struct record *record)
{
	const uint64_t start_ns = profile->info.start_ns;

	if (!filter->n_phases)
		return true;
	const uint64_t time_ns = record->has_time ? record->time_ns : 0;
	const uint32_t phase =
		phases_find(&profile->phases, 0, start_ns, sample_time_us(start_ns, time_ns));
	return phase != PHASE_NONE && name_patterns_match(filter->phases, filter->n_phases,
							  profile->phases.phases[phase].name);
}

static bool epoch_passes(const struct dendro_filter *filter, const struct profile *profile,
			 const struct epoch_list *list, uint32_t epoch)
{
	for (size_t i = 0; i < filter->n_epochs; i++) {
		if (epoch_matches(&profile->epochs, list, epoch, filter->epochs[i]))
			return true;
	}
	return !filter->n_epochs;
}

static bool passes_epoch(const struct dendro_filter *filter, const struct profile *profile,
			 const struct sample *sample)
{
	const uint64_t start_ns = profile->info.start_ns;
	const uint64_t time_ns = sample->record.has_time ? sample->record.time_ns : 0;

	if (!filter->n_epochs)
		return true;
	const struct epoch_list *list = processes_epochs(profile, sample);
	return epoch_passes(filter, profile, list,
			    epoch_list_find(list, 0, start_ns, sample_time_us(start_ns, time_ns)));
}

static bool passes_time(const struct dendro_filter *filter, const struct time_span *times,
			const struct record *record)
{
	const uint64_t time_ns = record->has_time ? record->time_ns : 0;

	if (!filter->has_time || !times)
		return true;
	const struct time_window window = time_range_resolve(&filter->time, times);
	return time_window_has(&window, sample_time_us(times->start_ns, time_ns));
}

bool sample_filter_passes(const struct dendro_filter *filter, const struct profile *profile,
			  const struct time_span *times, const struct sample *sample)
{
	const struct record *record = &sample->record;

	return passes_time(filter, times, record) && passes_phase(filter, profile, record) &&
	       passes_epoch(filter, profile, sample) && passes_cpu(filter, sample_cpu(sample)) &&
	       passes_cgroup(filter, sample->cgroup_path) &&
	       passes_event(filter, sample->event->name) &&
	       passes_task(filter, (uint32_t)record->pid, (uint32_t)record->tid,
			   sample->thread->name, sample->thread->process->name);
}

int sample_filter_ask(const struct dendro_filter *filter, struct profile *profile,
		      struct sample_values *values, const struct sample *sample)
{
	enum condition_answer answer;

	if (!filter->n_conditions)
		return 1;
	if (!values || sample_values_ask(values, sample, &answer))
		return -ENOMEM;
	if (answer == CONDITION_HOLDS || answer == CONDITION_FAILS)
		profile->quality.counts[QUALITY_CONDITION_LATER] +=
			sample_values_used_later(values);
	if (answer == CONDITION_HOLDS)
		return 1;
	profile->quality.counts[QUALITY_FILTERED]++;
	profile->quality.counts[QUALITY_CONDITION_UNKNOWN] += answer != CONDITION_FAILS;
	return 0;
}

static bool *find_tasks(const struct dendro_filter *filter, const struct sample_rows *rows)
{
	bool *passes = calloc((size_t)rows->n_tasks + 1, sizeof(*passes));

	for (uint32_t i = 0; passes && i < rows->n_tasks; i++) {
		const struct row_task *task = &rows->tasks[i];

		passes[i] = passes_task(filter, (uint32_t)task->pid, (uint32_t)task->tid,
					rows->names.strings[task->thread_name],
					rows->names.strings[task->process_name]);
	}
	return passes;
}

/* By number, 0 for those that are not known. */
static bool *find_cgroups(const struct dendro_filter *filter, const struct profile *profile)
{
	const struct string_ids *paths = &profile->cgroups;
	bool *passes = calloc((size_t)paths->n_strings + 1, sizeof(*passes));

	for (uint32_t i = 0; passes && i <= paths->n_strings; i++)
		passes[i] = passes_cgroup(filter, i ? paths->strings[i - 1] : NULL);
	return passes;
}

static bool *find_metrics(const struct dendro_filter *filter, const struct profile *profile)
{
	bool *passes = calloc((size_t)profile->n_metrics + 1, sizeof(*passes));

	for (uint32_t i = 0; passes && i < profile->n_metrics; i++)
		passes[i] = passes_event(filter, profile->metrics[i].name);
	return passes;
}

/* [phase]; the last is that of rows in none. */
static bool *find_phases(const struct dendro_filter *filter, const struct profile *profile)
{
	const struct phases *phases = &profile->phases;
	bool *passes = calloc((size_t)phases->n + 1, sizeof(*passes));

	for (uint32_t i = 0; passes && i < phases->n; i++)
		passes[i] =
			!filter->n_phases || name_patterns_match(filter->phases, filter->n_phases,
								 phases->phases[i].name);
	if (passes)
		passes[phases->n] = !filter->n_phases;
	return passes;
}

static uint32_t phase_of(const struct profile *profile, const struct sample_row *row)
{
	const uint32_t phase = profile_phase_of(profile, row);

	return phase == PHASE_NONE ? profile->phases.n : phase;
}

/* Whether the epochs of processes pass. */
struct epoch_passes {
	uint64_t *first; /* [process]: of its epochs in ->passes, after which comes one for samples
			    of which no epoch is known */
	bool *passes;
};

static void epoch_passes_deinit(struct epoch_passes *epochs)
{
	free(epochs->first);
	free(epochs->passes);
}

#define _cleanup_epochs_ __attribute__((cleanup(epoch_passes_deinit)))

static int find_epochs(const struct dendro_filter *filter, const struct profile *profile,
		       struct epoch_passes *ret)
{
	uint64_t n = 0;

	*ret = (struct epoch_passes){
		.first = calloc((size_t)profile->n_processes + 1, sizeof(*ret->first)),
		.passes = calloc((size_t)profile->n_processes + profile->epochs.n + 1,
				 sizeof(*ret->passes)),
	};
	if (!ret->first || !ret->passes)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->n_processes; i++) {
		const struct epoch_list *list = &profile->processes[i].epochs;

		ret->first[i] = n;
		for (uint32_t epoch = 0; epoch <= list->n; epoch++)
			ret->passes[n++] = epoch_passes(filter, profile, list, epoch);
	}
	return 0;
}

static bool row_passes_epoch(const struct epoch_passes *epochs, const struct profile *profile,
			     const struct sample_row *row)
{
	uint32_t process;
	const uint32_t epoch = profile_epoch_of(profile, row, &process);

	return epochs->passes[epochs->first[process] + epoch];
}

/* Of a run whose first sample was at @start_ns since 1970. */
static void choose_dates(const struct time_span *dates, uint64_t start_ns,
			 struct time_window *window)
{
	const uint64_t to_us =
		dates->end_ns > start_ns ? (dates->end_ns - start_ns - 1) / NSEC_PER_USEC + 1 : 0;
	const uint64_t from_us = dates->start_ns > start_ns
					 ? (dates->start_ns - start_ns - 1) / NSEC_PER_USEC + 1
					 : 0;

	if (from_us > window->from_us)
		window->from_us = from_us;
	if (to_us < window->to_us)
		window->to_us = to_us;
}

static void choose_dates_of_run(const struct dendro_filter *filter, const struct profile *profile,
				uint32_t run, struct time_window *window)
{
	const struct sample_rows *rows = profile->rows;
	const bool has_date = rows->n_runs ? rows->runs[run].has_date : profile->info.has_date;
	const uint64_t offset_ns =
		rows->n_runs ? rows->runs[run].unix_offset_ns : profile->info.unix_offset_ns;

	if (!has_date)
		window->to_us = 0;
	else
		choose_dates(&filter->dates, profile_run_span(profile, run).start_ns + offset_ns,
			     window);
	/* Slices must not make a part of nothing. */
	if (window->to_us < window->from_us)
		window->to_us = window->from_us;
}

/* [run], and one more. Rows that are sums are in a window if a part of their slice is. */
static struct time_window *find_windows(const struct dendro_filter *filter,
					const struct profile *profile)
{
	const struct sample_rows *rows = profile->rows;
	struct time_window *windows = calloc((size_t)rows->n_runs + 1, sizeof(*windows));

	for (uint32_t run = 0; windows && (!run || run < rows->n_runs); run++) {
		const struct time_span span = profile_run_span(profile, run);

		windows[run] = time_range_resolve(&filter->time, &span);
		if (filter->has_dates)
			choose_dates_of_run(filter, profile, run, &windows[run]);
		if (windows[run].from_us < windows[run].to_us)
			time_window_widen(&windows[run], rows->slice_shift);
	}
	return windows;
}

/* Whether each row passes; the caller's. NULL: no memory. */
static bool *find_rows(const struct dendro_filter *filter, const struct profile *profile)
{
	const struct sample_rows *rows = profile->rows;
	_cleanup_free_ bool *tasks = find_tasks(filter, rows);
	_cleanup_free_ bool *metrics = find_metrics(filter, profile);
	_cleanup_free_ bool *cgroups = find_cgroups(filter, profile);
	_cleanup_free_ bool *phases = find_phases(filter, profile);
	_cleanup_free_ struct time_window *windows = find_windows(filter, profile);
	_cleanup_epochs_ struct epoch_passes epochs = { .first = NULL };
	bool *passes = calloc((size_t)rows->n_rows + 1, sizeof(*passes));

	if (!tasks || !metrics || !cgroups || !phases || !windows || !passes ||
	    find_epochs(filter, profile, &epochs)) {
		free(passes);
		return NULL;
	}
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const struct sample_row *row = &rows->rows[i];

		passes[i] = tasks[row->task] && metrics[row->metric] && cgroups[row->cgroup] &&
			    passes_cpu(filter, row->cpu) && phases[phase_of(profile, row)] &&
			    row_passes_epoch(&epochs, profile, row) &&
			    time_window_has(&windows[row->run], row->time);
	}
	return passes;
}

bool sample_filter_passes_any(const struct dendro_filter *filter, const struct profile *profile)
{
	_cleanup_free_ bool *passes = find_rows(filter, profile);

	for (size_t i = 0; passes && i < profile->rows->n_rows; i++)
		if (passes[i])
			return true;
	return false;
}

/* Of two windows, one after the other, what both have. */
static void note_window(struct profile_info *info, const struct time_window *window)
{
	const struct time_window last = info->window;

	if (!info->has_window || window->from_us > last.from_us)
		info->window.from_us = window->from_us;
	if (!info->has_window || window->to_us < last.to_us)
		info->window.to_us = window->to_us;
	info->has_window = true;
}

/* Runs of other durations may have other windows, of which the description says only that they
 * differ. 0 or -ENOMEM. */
static int note_windows(const struct dendro_filter *filter, struct profile *profile)
{
	_cleanup_free_ struct time_window *windows = find_windows(filter, profile);
	bool are_one = true;

	if (!windows)
		return -ENOMEM;
	for (uint32_t run = 1; run < profile->rows->n_runs; run++)
		are_one &= windows[run].from_us == windows[0].from_us &&
			   windows[run].to_us == windows[0].to_us;
	if (are_one)
		note_window(&profile->info, &windows[0]);
	else
		profile->info.has_windows = true;
	return 0;
}

int sample_filter_apply(const struct dendro_filter *filter, struct profile *profile)
{
	_cleanup_free_ bool *passes = find_rows(filter, profile);

	if (filter->has_time && profile->rows->n_rows && !profile->rows->n_runs &&
	    !profile->info.end_ns)
		return -ENODATA;
	if (!passes || (filter->has_time && note_windows(filter, profile)))
		return -ENOMEM;
	return profile_keep_rows(profile, passes);
}
