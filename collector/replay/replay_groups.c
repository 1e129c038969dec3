#include "collector/replay/replay_groups.h"

#include "collector/replay/processes.h"
#include "perf/records/read_values.h"

void replay_groups_deinit(struct replay_groups *groups)
{
	if (groups->sample.raw.block)
		sample_deinit(&groups->sample);
	counter_values_deinit(&groups->values);
}

bool replay_groups_has_counters(const struct data_file_event *event, const struct record *record)
{
	return event->layout.sample_type & PERF_SAMPLE_READ &&
	       event->layout.read_format & PERF_FORMAT_ID && record->sample.n_read_values;
}

void replay_groups_begin(struct replay_groups *groups, const struct sample *sample)
{
	groups->sample = *sample;
	groups->next = 0;
}

/* How far a counter has grown for the sample's thread since it was read last. 0 or -ENOMEM. */
static int read_growth(struct replay_groups *groups, const struct read_value *value,
		       uint64_t *growth_ret)
{
	const struct data_file_event *event = groups->sample.event;
	const struct thread *thread = groups->sample.thread;
	struct counter_key key = { .id = value->id };

	*growth_ret = 0;
	if (!value->id)
		return 0;
	if (event->attr.inherit && event->layout.sample_type & PERF_SAMPLE_TID) {
		key.tid = thread->tid;
		key.generation = thread->generation;
	}
	return counter_values_note(&groups->values, &key, value->value, growth_ret);
}

int replay_groups_next(struct replay_groups *groups, struct sample *ret, uint64_t *id_ret)
{
	const struct sample *from = &groups->sample;

	if (!from->raw.block)
		return 0;
	while (groups->next < from->record.sample.n_read_values) {
		struct read_value value;
		uint64_t growth;

		read_values_of_sample(&from->record.sample, from->event->layout.read_format,
				      groups->next++, &value);
		int err = read_growth(groups, &value, &growth);
		if (err)
			return err;
		if (!growth)
			continue;
		sample_copy(from, ret);
		ret->weight = growth;
		*id_ret = value.id;
		return 1;
	}
	sample_deinit(&groups->sample);
	return 0;
}
