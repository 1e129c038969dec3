/* Computes the weight of a sample: its period, multiplied by the value that its event's weight
 * reads from it. */
#ifndef COLLECTOR_REPLAY_SAMPLE_WEIGHT_H
#define COLLECTOR_REPLAY_SAMPLE_WEIGHT_H

#include "perf/file/data_file.h"
#include "unwind/rules/regs.h"

/* The string of the raw data whose place is in the 4 bytes at @at. false: the kernel could not read
 * it, or the data are too short. @size_ret: with the zero at its end; at least 1. */
bool sample_raw_string(const struct sample_record *sample, uint16_t at, const uint8_t **bytes_ret,
		       size_t *size_ret);
/*
 * @machine: the recording's. false: the sample lacks what the weight is read from (raw
 * data too short, no registers), or the product has no place in 64 bits. The weight of
 * WEIGHT_OFF_CPU is in no single sample: false.
 */
bool sample_weight(const struct record *record, const struct data_file_event *event,
		   const struct machine *machine, uint64_t *weight_ret);

#endif
