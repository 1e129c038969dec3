#include "collector/session/sample_filter.h"

#include <string.h>

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

static bool has_name(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return !n;
}

bool sample_filter_passes(const struct dendro_filter *filter, const struct sample *sample)
{
	const struct record *record = &sample->record;
	const struct thread *thread = sample->thread;

	return has_number(filter->pids, filter->n_pids, (uint32_t)record->pid) &&
	       has_number(filter->tids, filter->n_tids, (uint32_t)record->tid) &&
	       has_number(filter->cpus, filter->n_cpus, record->cpu) &&
	       has_name(filter->events, filter->n_events, sample->event->name) &&
	       (has_name(filter->comms, filter->n_comms, thread->name) ||
		has_name(filter->comms, filter->n_comms, thread->process->name));
}
