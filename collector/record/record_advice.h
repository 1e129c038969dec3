/* Notes for the user about samples that a recording lost, and how to lose fewer. */
#ifndef COLLECTOR_RECORD_RECORD_ADVICE_H
#define COLLECTOR_RECORD_RECORD_ADVICE_H

#include "collector/record/observing/recording_notes.h"
#include "collector/record/recorder_summary.h"

void record_advice_add(const struct recorder_summary *summary, struct recording_notes *notes);

#endif
