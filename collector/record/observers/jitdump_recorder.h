/*
 * Records the jitdumps of recorded processes. A runtime that writes one maps a page of it
 * executable, for that to be noticed. The file is opened then, and attached when the process exits
 * or the recording ends, for what was written up to then.
 *
 * It is taken only if it is the very file that was mapped, by its inode, and belongs to the
 * process's user or to root.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_JITDUMP_RECORDER_H
#define COLLECTOR_RECORD_OBSERVERS_JITDUMP_RECORDER_H

#include "collector/record/observing/recording_observer.h"

extern const struct recording_observer jitdump_observer;

#endif
