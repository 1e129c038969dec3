/*
 * Processes of which an observer records something when they exit, or when the recording ends.
 * Observers put a struct listed_process first in a struct that holds the rest.
 */
#ifndef COLLECTOR_RECORD_OBSERVING_PROCESS_LIST_H
#define COLLECTOR_RECORD_OBSERVING_PROCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/records/record.h"

#define PROCESS_LIST_MAX 256

struct listed_process {
	int32_t pid;
	bool has_exited;
};

/* All zero: empty. A process may be listed more than once. */
struct process_list {
	struct listed_process *processes[PROCESS_LIST_MAX];
	size_t n;
	bool has_exited; /* one of them, and it was not removed since */
};

/* false: the list is full. */
bool process_list_add(struct process_list *list, struct listed_process *process);
/* The first entry of a process that has not exited; NULL: not listed. */
struct listed_process *process_list_find(const struct process_list *list, int32_t pid);
/* Marks the process if the record is its exit. */
void process_list_see_record(struct process_list *list, const struct record *record);
/*
 * Calls @leave for each process that has exited, or for all of them (@is_end). true: it is done,
 * has freed the process if that is on the heap, and the process is removed.
 */
void process_list_leave(struct process_list *list, bool is_end,
			bool (*leave)(void *owner, struct listed_process *process), void *owner);

#endif
