#include "collector/record/observing/process_list.h"

bool process_list_add(struct process_list *list, struct listed_process *process)
{
	if (list->n == PROCESS_LIST_MAX)
		return false;
	list->processes[list->n++] = process;
	return true;
}

struct listed_process *process_list_find(const struct process_list *list, int32_t pid)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->processes[i]->pid == pid && !list->processes[i]->has_exited)
			return list->processes[i];
	}
	return NULL;
}

void process_list_see_record(struct process_list *list, const struct record *record)
{
	if (record->type != PERF_RECORD_EXIT || record->task.pid != record->task.tid)
		return;
	for (size_t i = 0; i < list->n; i++) {
		if (list->processes[i]->pid == record->task.pid)
			list->processes[i]->has_exited = list->has_exited = true;
	}
}

void process_list_leave(struct process_list *list, bool is_end,
			bool (*leave)(void *owner, struct listed_process *process), void *owner)
{
	const size_t n = list->n;

	list->n = 0;
	list->has_exited = false;
	for (size_t i = 0; i < n; i++) {
		struct listed_process *process = list->processes[i];
		const bool has_exited = process->has_exited;

		if ((is_end || has_exited) && leave(owner, process))
			continue;
		list->has_exited |= has_exited;
		list->processes[list->n++] = process;
	}
}
