/*
 * Records, for whoever reads the recording, why memory beyond the copies of samples is not there
 * (stack_output.misses): at the start as far as it is known then, and at the end. Its row in the
 * table precedes the observers that complete stacks, so that it finishes after them.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_STACK_GAPS_H
#define COLLECTOR_RECORD_OBSERVERS_STACK_GAPS_H

#include "collector/record/observing/recording_observer.h"

extern const struct recording_observer stack_gaps_observer;

#endif
