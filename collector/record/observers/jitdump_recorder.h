/*
 * Records the jitdumps of recorded processes. A runtime that writes one maps a page of it
 * executable, so that profilers notice it. The file is opened then. When the process exits or the
 * recording ends, the part that was written up to then is attached.
 *
 * The file is used only if it is the one that was mapped, by its inode, and belongs to the
 * process's user or to root.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_JITDUMP_RECORDER_H
#define COLLECTOR_RECORD_OBSERVERS_JITDUMP_RECORDER_H

#include "collector/record/observing/recording_observer.h"

extern const struct recording_observer jitdump_observer;

#endif
