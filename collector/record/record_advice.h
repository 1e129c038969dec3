/* What the user should know, or do, about the samples of a recording. */
#ifndef COLLECTOR_RECORD_RECORD_ADVICE_H
#define COLLECTOR_RECORD_RECORD_ADVICE_H

#include "collector/record/observing/recording_notes.h"
#include "collector/record/recorder_summary.h"

void record_advice_add(const struct recorder_summary *summary, struct recording_notes *notes);

#endif
