/* How a recording went. */
#ifndef COLLECTOR_RECORD_RECORDER_SUMMARY_H
#define COLLECTOR_RECORD_RECORDER_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

struct recorder_summary {
	uint64_t duration_ns, end_ns; /* end_ns: CLOCK_MONOTONIC */
	uint64_t n_samples; /* received; with n_kept_samples, those are in the last file */
	uint64_t n_kept_samples;
	bool is_last_part; /* older samples were not kept */
	uint64_t n_bytes;  /* of all parts */
	uint64_t n_parts;  /* files that are whole; 0: the output is one file */
	uint64_t n_removed_parts;
	uint64_t n_lost;
	uint64_t n_lost_sideband;
	uint64_t n_throttled;
	uint64_t n_corrupt_rings;
	int write_error;            /* -errno: the output ends early */
	bool is_output_gone;        /* its file was removed meanwhile */
	int command_error;          /* -errno: exec failed */
	bool has_command_exit_code; /* the command has ended */
	int command_exit_code;      /* as in a shell */
};

#endif
