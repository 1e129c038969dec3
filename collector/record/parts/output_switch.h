/*
 * Names and number of the files of a recording that is written in parts (--switch-output). The part
 * at hand is written to the output; when it is whole it is renamed as perf record does, to
 * OUTPUT.YYYYMMDDHHMMSScc (local time, cc: hundredths of a second). Later parts of the same
 * hundredth have -001, -002, ... after it, also where earlier parts are removed: names are in the
 * order of the parts.
 */
#ifndef COLLECTOR_RECORD_PARTS_OUTPUT_SWITCH_H
#define COLLECTOR_RECORD_PARTS_OUTPUT_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* When a part ends, apart from the end of the recording. */
struct output_switch_choice {
	bool is_given;    /* SIGUSR2 and a word of control always end one */
	uint64_t size;    /* bytes written; 0: any */
	uint64_t time_ns; /* 0: any */
	bool is_aligned;  /* parts end when the time of day, in UTC, is a multiple of time_ns */
	uint64_t n_files; /* of the newest parts that are kept; 0: all */
};

#define OUTPUT_STAMP_MAX 32

struct output_switch {
	char **names; /* of whole parts, oldest first */
	size_t n;
	uint64_t n_parts, n_removed;
	char stamp[OUTPUT_STAMP_MAX]; /* of the newest part */
	unsigned number;              /* of that part among those with its stamp */
};

/* Parses "signal", a size with a unit or a time with a unit. 0 or -EINVAL. */
int output_switch_parse(const char *text, struct output_switch_choice *choice);
void output_switch_deinit(struct output_switch *names);
/* Renames @output, a part that is whole, and removes the oldest where more than choice->n_files
 * would be kept. 0 or -errno. */
int output_switch_keep(struct output_switch *names, const struct output_switch_choice *choice,
		       const char *output);

#endif
