/* Recordings that tests put together, and what reading them finds. */
#ifndef TESTS_UNIT_BUILT_RECORDING_H
#define TESTS_UNIT_BUILT_RECORDING_H

#include <zstd.h>

#include "perf/file/data_file.h"
#include "tests/unit/record_builder.h"

#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_PERIOD)

enum {
	FILE_HEADER_SIZE = 104,
	ATTR_SIZE = sizeof(struct perf_event_attr),
	MAX_EVENTS = 8,
	MAX_COUNTERS = 256,
	HOSTNAME = 3,
	NRCPUS = 7,
	CMDLINE = 11,
	EVENT_DESC = 12,
	CLOCK_DATA = 29,
};

struct feature {
	unsigned number;
	struct builder content;
};

struct counts {
	size_t n_records, n_undecodable, n_unknown;
	size_t n_samples[MAX_EVENTS];
	uint64_t n_group[MAX_EVENTS]; /* members of counter groups that grew */
	uint64_t periods[MAX_EVENTS];
	struct {
		uint64_t id, value;
	} counters[MAX_COUNTERS];
	size_t n_counters;
	int end;
};

struct perf_event_attr cycles_attr(void);
void put_sample(struct builder *b, uint64_t id, uint64_t ip);
void put_pipe_start(struct builder *b);
void put_attr_record(struct builder *b, const struct perf_event_attr *attr, const uint64_t *ids,
		     size_t n_ids);
/* A pipe with the events cycles:u (ids 1 and 2) and cpu-clock (id 3). */
struct builder two_events_in_a_pipe(void);
/* A file with the same events; @features in the order of their numbers; takes @data over. */
struct builder two_events_in_a_file(struct builder *data, struct feature *features,
				    size_t n_features);
void put_feature_string(struct builder *b, const char *string);
struct feature string_feature(unsigned number, const char *string);
struct feature event_desc_feature(void);
int memory_file(const void *bytes, size_t size);
int try_open(const void *bytes, size_t size, struct data_file **file, char **error);
/* Takes @b over. */
struct data_file *open_built(struct builder *b);
struct counts count_all(struct data_file *file);
void check_two_events(struct data_file *file, size_t n_first, size_t n_second);
void check_error(const char *error, const char *part);
/* Packs @inner, @step bytes at a time, into compressed records of one stream or a frame each. */
void put_compressed(struct builder *b, const struct builder *inner, size_t step, uint32_t type,
		    ZSTD_EndDirective directive);
void put_payload(struct builder *b, uint32_t type, const void *payload, size_t size);
void check_corrupt(struct builder *b, size_t n_before, const char *what, size_t offset);

#endif
