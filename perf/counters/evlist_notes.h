/* Sentences for the user about what was changed so that the events could be opened. */
#ifndef PERF_COUNTERS_EVLIST_NOTES_H
#define PERF_COUNTERS_EVLIST_NOTES_H

#include "perf/counters/evlist_types.h"

/* Takes over @sentence. Without memory the note is lost. */
void evlist_note(struct evlist *evlist, char *sentence);
/* The sampling frequency was lowered to the kernel's limit. */
void evlist_note_rate(struct evlist *evlist, uint64_t asked, uint64_t given);

#endif
