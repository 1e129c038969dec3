#include "collector/record/observing/recording_observers.h"

#include <errno.h>
#include <stdlib.h>

struct running_observer {
	const struct recording_observer *hooks;
	void *state; /* NULL: the observer is not active */
};

struct recording_observers {
	const struct observed_recording *recording;
	size_t n;
	struct running_observer all[];
};

/* The statement is for each @observer that takes part and has the hook, in the table's order. */
#define FOR_EACH_WITH(hook, observers)                                        \
	for (const struct running_observer *observer = (observers)->all,      \
					   *end_ = observer + (observers)->n; \
	     observer < end_; observer++)                                     \
		if (observer->state && observer->hooks->hook)
/* The same in the opposite order. */
#define FOR_EACH_WITH_BACKWARD(hook, observers)                                           \
	for (const struct running_observer *observer = (observers)->all + (observers)->n; \
	     observer > (observers)->all && observer--;)                                  \
		if (observer->state && observer->hooks->hook)

int recording_observers_create(const struct recording_observer *const *table, size_t n,
			       const struct observed_recording *recording,
			       struct recording_observers **observers_ret)
{
	struct recording_observers *observers =
		calloc(1, sizeof(*observers) + n * sizeof(observers->all[0]));
	int err = 0;

	if (!observers)
		return -ENOMEM;
	observers->recording = recording;
	observers->n = n;
	for (size_t i = 0; i < n && !err; i++) {
		observers->all[i].hooks = table[i];
		if (table[i]->prepare)
			err = table[i]->prepare(recording, &observers->all[i].state);
	}
	if (err) {
		recording_observers_destroy(observers);
		return err;
	}
	*observers_ret = observers;
	return 0;
}

void recording_observers_destroy(struct recording_observers *observers)
{
	if (!observers)
		return;
	FOR_EACH_WITH_BACKWARD (destroy, observers)
		observer->hooks->destroy(observer->state);
	free(observers);
}

int recording_observers_begin(struct recording_observers *observers)
{
	for (size_t i = 0; i < observers->n; i++) {
		struct running_observer *observer = &observers->all[i];
		int err = observer->hooks->begin
				  ? observer->hooks->begin(observers->recording, &observer->state)
				  : 0;

		if (err)
			return err;
	}
	return 0;
}

void recording_observers_see_mapping(struct recording_observers *observers,
				     const struct observed_mapping *mapping,
				     struct build_id *build_id)
{
	FOR_EACH_WITH (see_mapping, observers)
		observer->hooks->see_mapping(observer->state, mapping, build_id);
}

int recording_observers_see_sideband(struct recording_observers *observers,
				     const struct record *record)
{
	struct observed_mapping mapping;

	if (observed_mapping_from_record(record, &mapping))
		FOR_EACH_WITH (see_new_mapping, observers)
			observer->hooks->see_new_mapping(observer->state, &mapping);
	FOR_EACH_WITH (see_sideband, observers) {
		int err = observer->hooks->see_sideband(observer->state, record);
		if (err)
			return err;
	}
	return 0;
}

bool recording_observers_see_samples(const struct recording_observers *observers)
{
	FOR_EACH_WITH (see_sample, observers)
		return true;
	return false;
}

int recording_observers_see_sample(struct recording_observers *observers,
				   const struct record *record)
{
	FOR_EACH_WITH (see_sample, observers) {
		int err = observer->hooks->see_sample(observer->state, record);
		if (err)
			return err;
	}
	return 0;
}

int recording_observers_begin_round(struct recording_observers *observers,
				    const struct observed_round *round)
{
	FOR_EACH_WITH (begin_round, observers) {
		int err = observer->hooks->begin_round(observer->state, round);
		if (err)
			return err;
	}
	return 0;
}

int recording_observers_end_round(struct recording_observers *observers,
				  const struct observed_round *round)
{
	int err = 0;

	FOR_EACH_WITH_BACKWARD (end_round, observers) {
		int its_err = observer->hooks->end_round(observer->state, round);
		err = err ? err : its_err;
	}
	return err;
}

int recording_observers_write_waiting(struct recording_observers *observers, size_t max_bytes)
{
	int err = 0;

	FOR_EACH_WITH (write_waiting, observers) {
		int its_err = observer->hooks->write_waiting(observer->state, max_bytes);
		err = err ? err : its_err;
	}
	return err;
}

int recording_observers_look(struct recording_observers *observers, bool is_last)
{
	int err = 0;

	FOR_EACH_WITH_BACKWARD (look, observers) {
		int its_err = observer->hooks->look(observer->state, is_last);
		err = err ? err : its_err;
	}
	return err;
}

int recording_observers_finish(struct recording_observers *observers)
{
	int err = 0;

	FOR_EACH_WITH_BACKWARD (finish, observers) {
		int its_err = observer->hooks->finish(observer->state);
		err = err ? err : its_err;
	}
	return err;
}

int recording_observers_wake_fd(const struct recording_observers *observers, size_t index)
{
	FOR_EACH_WITH (wake_fd, observers) {
		int fd = observer->hooks->wake_fd(observer->state);
		if (fd >= 0 && !index--)
			return fd;
	}
	return -1;
}

uint64_t recording_observers_interval_ns(const struct recording_observers *observers)
{
	uint64_t least = UINT64_MAX;

	FOR_EACH_WITH (interval_ns, observers) {
		uint64_t interval = observer->hooks->interval_ns(observer->state);
		least = interval < least ? interval : least;
	}
	return least;
}

void recording_observers_report(const struct recording_observers *observers, bool is_verbose,
				struct recording_notes *notes)
{
	FOR_EACH_WITH_BACKWARD (advise, observers)
		observer->hooks->advise(observer->state, notes);
	FOR_EACH_WITH (describe, observers)
		observer->hooks->describe(observer->state, is_verbose, notes);
}
