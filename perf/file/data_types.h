/* The description of a recording in itself: its events, the machine, build IDs and attachments. */
#ifndef PERF_FILE_DATA_TYPES_H
#define PERF_FILE_DATA_TYPES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/events/event.h"
#include "perf/records/attachment.h"
#include "perf/records/record.h"

struct data_file_event {
	struct perf_event_attr attr; /* zero beyond the file's attr size */
	struct record_layout layout;
	char *name;    /* "cycles:u": EVENT_DESC's or EVENT_UPDATE's, else made from the attr */
	uint64_t *ids; /* of its counters */
	size_t n_ids;
	struct event_weight weight; /* periods, unless an attachment says more */
	struct event_value value;   /* which divides the paths of its samples */
	const char *unit;           /* a static string */
};

/* Strings are NULL and numbers 0 where the file does not say. */
struct data_file_info {
	char *hostname, *os_release, *perf_version, *arch, *cpu_desc, *cpuid;
	char *command_line; /* arguments joined by blanks, quoted where needed */
	uint32_t n_cpus_online, n_cpus_available;
	uint64_t total_mem; /* kB */
	uint32_t clock_id;  /* the clock that clock_ns is of, which shows the time wall_ns */
	uint64_t clock_ns;
	uint64_t wall_ns; /* since 1970, UTC */
	int64_t modified; /* when the file was written, in seconds since 1970; 0: it is a pipe */
	bool is_pipe, is_compressed, is_dendro, is_simpleperf;
	bool traces_off_cpu; /* by simpleperf record --trace-offcpu */
	bool is_cut;         /* the recorder never finished the file */
};

/* One build ID the recorder noted for a file (HEADER_BUILD_ID and type 67 records). */
struct data_file_build_id {
	char *path;
	uint8_t size;
	uint8_t bytes[20];
};

/* A whole attachment, its bytes in an unlinked temporary file. */
struct data_file_attachment {
	enum attachment_kind kind;
	char *key;
	int fd; /* owned by the data_file; dup() to keep */
	uint64_t size;
	bool is_complete;
};

#endif
