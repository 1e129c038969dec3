/*
 * Samples that read counters (PERF_SAMPLE_READ, ":S"). Each is one record, and one sample for each
 * counter that grew since it was read last, with the growth as its weight.
 */
#ifndef COLLECTOR_REPLAY_REPLAY_GROUPS_H
#define COLLECTOR_REPLAY_REPLAY_GROUPS_H

#include "collector/paths/sample.h"
#include "collector/replay/counter_values.h"

/* All zeros: no counter was read, no sample is held. */
struct replay_groups {
	struct sample sample; /* whose counters are handed out; no block: none */
	size_t next;          /* the index of the next counter */
	struct counter_values values;
};

void replay_groups_deinit(struct replay_groups *groups);
/* Whether the samples of an event contain counters, identified by their ids, and this one does. */
bool replay_groups_has_counters(const struct data_file_event *event, const struct record *record);
/* Takes over a sample whose counters are to be handed out, after those of the previous one.
 * @sample->event is set. */
void replay_groups_begin(struct replay_groups *groups, const struct sample *sample);
/*
 * The next counter of the sample that grew. 1: @ret is a copy of the sample, its weight is the
 * growth, and *@id_ret the counter's id; 0: no more, and the sample is dropped; -ENOMEM.
 */
int replay_groups_next(struct replay_groups *groups, struct sample *ret, uint64_t *id_ret);

#endif
