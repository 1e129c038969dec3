/* The observers of a recording. */
#ifndef COLLECTOR_RECORD_OBSERVERS_OBSERVER_TABLE_H
#define COLLECTOR_RECORD_OBSERVERS_OBSERVER_TABLE_H

#include "collector/record/observing/recording_observer.h"

#define N_OBSERVERS 14
/* recording_observers.h describes the meaning of their order. */
extern const struct recording_observer *const observer_table[N_OBSERVERS];

#endif
