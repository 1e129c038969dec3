/*
 * Reads feature sections: the recorder's notes about itself and the machine. They are in one of
 * three places: the table after the data, records in pipe mode, or attachments of cut files. The
 * first occurrence of a feature counts; a malformed one is ignored.
 */
#ifndef PERF_FILE_DATA_FEATURES_H
#define PERF_FILE_DATA_FEATURES_H

#include "perf/file/data_events.h"
#include "perf/file/data_types.h"
#include "perf/records/simpleperf_files.h"

/* HEADER_* of tools/perf/util/header.h, and simpleperf's record_file_format.h. */
enum data_feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_SIMPLEPERF_FIRST = 128,
	FEATURE_SIMPLEPERF_FILE = 128,
	FEATURE_SIMPLEPERF_META_INFO = 129,
	FEATURE_SIMPLEPERF_FILE2 = 132,
	FEATURE_SIMPLEPERF_LAST = 132,
	FEATURE_ATTACHMENTS = ATTACHMENT_FEATURE_NUMBER,
	N_FEATURES = 256, /* bits in the file header */
};

/* A name for an event, until the events are known. */
struct data_event_name {
	char *name;
	uint32_t type;
	uint64_t config;
	uint64_t id; /* one of its ids, if it has any */
	bool has_id;
	bool has_index; /* else any event of this type and config */
};

struct data_features {
	struct data_file_info info;
	uint64_t seen[N_FEATURES / 64];
	struct data_file_build_id *build_ids;
	size_t n_build_ids, n_build_ids_allocated;
	struct data_event_name *names;
	size_t n_names, n_names_allocated;
	struct attachment_range *ranges; /* of attachments to take first */
	size_t n_ranges;
	uint8_t *tracing_data; /* the section, for tracing_formats.h */
	size_t tracing_data_size;
	struct simpleperf_section simpleperf_files; /* ->bytes owned */
};

void data_features_deinit(struct data_features *features);

bool data_feature_is_read(unsigned number);
/* 0 or -ENOMEM. */
int data_features_take(struct data_features *features, unsigned number, const uint8_t *bytes,
		       size_t size);
/* A build ID record: in the section of that feature, or of type 67. */
int data_features_take_build_id(struct data_features *features, const uint8_t *record, size_t size);
/* Gives the names collected so far to the events, once. */
int data_features_name_events(struct data_features *features, struct data_events *events);

#endif
