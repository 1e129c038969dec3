#include "collector/session/sample_filter.h"

#include "cct/text/name_pattern.h"
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

static bool has_comm(const char *const *patterns, size_t n, const struct thread *thread)
{
	for (size_t i = 0; i < n; i++) {
		if (name_pattern_matches_comm(patterns[i], thread->name) ||
		    name_pattern_matches_comm(patterns[i], thread->process->name))
			return true;
	}
	return !n;
}

bool sample_filter_passes(const struct dendro_filter *filter, const struct sample *sample)
{
	const struct record *record = &sample->record;

	return has_number(filter->pids, filter->n_pids, (uint32_t)record->pid) &&
	       has_number(filter->tids, filter->n_tids, (uint32_t)record->tid) &&
	       has_number(filter->cpus, filter->n_cpus, record->cpu) &&
	       (!filter->n_events ||
		name_patterns_match(filter->events, filter->n_events, sample->event->name)) &&
	       has_comm(filter->comms, filter->n_comms, sample->thread);
}
