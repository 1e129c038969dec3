/*
 * Keeps the names of code made at run time: the perf-PID.map files that compilers write (V8,
 * HotSpot, .NET, ...), as long lists of "START SIZE NAME". They are looked for while the process
 * lives, under its own root and by the pid it has there, and read when it exits or the recording
 * ends.
 *
 * A file is taken only if it belongs to the process's user or to root, and no symbolic link leads
 * to it: anybody may write to /tmp.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_JIT_MAPS_H
#define COLLECTOR_RECORD_OBSERVERS_JIT_MAPS_H

#include "collector/record/observing/recording_observer.h"

extern const struct recording_observer jit_maps_observer;

#endif
