/* Sentences for the user about the changes that were needed to open the events. */
#ifndef PERF_COUNTERS_EVLIST_NOTES_H
#define PERF_COUNTERS_EVLIST_NOTES_H

#include "perf/counters/evlist_types.h"

/* Takes over @sentence. The note is lost if memory is exhausted. */
void evlist_note(struct evlist *evlist, char *sentence);
/* The sampling frequency was lowered to the kernel's limit. */
void evlist_note_rate(struct evlist *evlist, uint64_t asked, uint64_t given);

#endif
