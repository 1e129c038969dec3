/*
 * The tables of a pprof profile: strings, mappings, functions and locations. Each entry is written
 * to the file when it is first referred to; the order of entries in the file is free, except that
 * of strings, which are counted.
 */
#ifndef REPORT_PPROF_PPROF_TABLES_H
#define REPORT_PPROF_PPROF_TABLES_H

#include "cct/base/pair_map.h"
#include "cct/model/profile.h"
#include "cct/paths/code_ranges.h"
#include "cct/text/string_ids.h"
#include "report/names/symbolize.h"
#include "report/pprof/gzip_stream.h"
#include "report/pprof/protobuf.h"

/* All zero, but for the first three, is empty. */
struct pprof_tables {
	struct gzip_stream *out; /* borrowed, as are the next two */
	const struct profile *profile;
	struct symbolizer *symbolizer;
	struct string_ids strings;
	struct code_range *mappings; /* by module ID */
	bool *has_function;          /* by the symbolizer's number of the function */
	size_t n_functions;
	struct pair_map locations; /* (offset, module and kind) -> number of the location */
	uint32_t n_locations;
	struct byte_buffer start, text, entry, line; /* reused */
};

/* Writes the mappings. 0 or -errno. */
int pprof_tables_init(struct pprof_tables *tables);
void pprof_tables_deinit(struct pprof_tables *tables);
/* Writes @message as an entry of @field of the profile. 0 or -errno. */
int pprof_tables_write(struct pprof_tables *tables, unsigned field,
		       const struct byte_buffer *message);
/* The number of @text, whose unsafe characters are escaped as for a terminal. 0 or -errno. */
int pprof_tables_string(struct pprof_tables *tables, const char *text, uint64_t *number_ret);
/* The number of the location of a frame. 0 or -errno. */
int pprof_tables_location(struct pprof_tables *tables, const struct frame *frame,
			  uint64_t *number_ret);

#endif
