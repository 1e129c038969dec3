/*
 * Records the names of JIT code: the perf-PID.map files, long lists of "START SIZE NAME" that JIT
 * compilers write (V8, HotSpot, .NET, ...). The recorder searches for them while the process lives,
 * below its root and by its pid there, and reads them when it exits or the recording ends.
 *
 * A file is used only if it belongs to the process's user or to root, and no symbolic link leads to
 * it: anybody may write to /tmp.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_JIT_MAPS_H
#define COLLECTOR_RECORD_OBSERVERS_JIT_MAPS_H

#include "collector/record/observing/recording_observer.h"

extern const struct recording_observer jit_maps_observer;

#endif
