/*
 * Has memory read for samples (--follow): sends each sample to the process that evaluates what was
 * asked for, and writes what it has read into the recording, in the sample's round.
 */
#ifndef COLLECTOR_RECORD_FOLLOW_FOLLOWER_H
#define COLLECTOR_RECORD_FOLLOW_FOLLOWER_H

#include "collector/record/observing/recording_observer.h"

extern const struct recording_observer follower_observer;

#endif
