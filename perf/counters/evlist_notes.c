#include "perf/counters/evlist_notes.h"

#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/sentence.h"

void evlist_note(struct evlist *evlist, char *sentence)
{
	if (!sentence)
		return;
	if (array_reserve_one(evlist->notes, evlist->n_notes)) {
		free(sentence);
		return;
	}
	evlist->notes[evlist->n_notes++] = sentence;
}

void evlist_note_rate(struct evlist *evlist, uint64_t asked, uint64_t given)
{
	evlist_note(evlist, sentence("The frequency was lowered from %llu to %llu Hz, which is "
				     "kernel.perf_event_max_sample_rate.",
				     (unsigned long long)asked, (unsigned long long)given));
}
