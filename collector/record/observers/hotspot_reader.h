/*
 * Reads from living Java processes (HotSpot) what their virtual machine knows of its code: the
 * frames and names of compiled methods and stubs that samples are in, or that words on their
 * stacks may lead to, and the names of methods that its interpreter executes. At the end of the
 * round of the rings in which a sample was seen, what is new or has changed is written as runtime
 * records (perf/records/runtime_record.h).
 *
 * Only processes that have mapped a libjvm.so are looked into. On x86-64 only.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_HOTSPOT_READER_H
#define COLLECTOR_RECORD_OBSERVERS_HOTSPOT_READER_H

#include "collector/record/observing/recording_observer.h"

/* Needs the clock of the records to be known. */
extern const struct recording_observer hotspot_reader_observer;

#endif
