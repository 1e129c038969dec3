/*
 * The observers of one recording, from a table. They begin, and see records, in the table's order,
 * and end rounds, finish and advise in the opposite order: observers that complete stacks are last
 * in the table, because they read the stacks of running threads, and have to do so before others
 * compress files.
 */
#ifndef COLLECTOR_RECORD_OBSERVING_RECORDING_OBSERVERS_H
#define COLLECTOR_RECORD_OBSERVING_RECORDING_OBSERVERS_H

#include "collector/record/observing/recording_observer.h"

struct recording_observers;

/* Prepares the @n observers of @table, which is borrowed like @recording. 0 or -errno. */
int recording_observers_create(const struct recording_observer *const *table, size_t n,
			       const struct observed_recording *recording,
			       struct recording_observers **observers_ret);
void recording_observers_destroy(struct recording_observers *observers);

/*
 * Each function calls the hook of its name of all observers. 0 or the first -errno: after that no
 * observer begins or sees more records, but all of them end the round, write, look and finish, so
 * that no data they hold is lost.
 */
int recording_observers_begin(struct recording_observers *observers);
void recording_observers_see_mapping(struct recording_observers *observers,
				     const struct observed_mapping *mapping,
				     struct build_id *build_id);
int recording_observers_see_sideband(struct recording_observers *observers,
				     const struct record *record);
/* false: no observer needs to see samples. */
bool recording_observers_see_samples(const struct recording_observers *observers);
int recording_observers_see_sample(struct recording_observers *observers,
				   const struct record *record);
int recording_observers_begin_round(struct recording_observers *observers,
				    const struct observed_round *round);
int recording_observers_end_round(struct recording_observers *observers,
				  const struct observed_round *round);
int recording_observers_write_waiting(struct recording_observers *observers, size_t max_bytes);
int recording_observers_look(struct recording_observers *observers, bool is_last);
int recording_observers_finish(struct recording_observers *observers);
/* The @index-th descriptor that wakes the recorder up; -1: there are no more. */
int recording_observers_wake_fd(const struct recording_observers *observers, size_t index);
/* The shortest of their intervals. */
uint64_t recording_observers_interval_ns(const struct recording_observers *observers);
/* Adds the advice of all of them, then their descriptions. */
void recording_observers_report(const struct recording_observers *observers, bool is_verbose,
				struct recording_notes *notes);

#endif
