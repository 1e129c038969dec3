/* Writes stack records into a recording. */
#ifndef COLLECTOR_RECORD_STACKS_STACK_OUTPUT_H
#define COLLECTOR_RECORD_STACKS_STACK_OUTPUT_H

#include "collector/attached/stack_misses.h"
#include "perf/records/stack_record.h"
#include "perf/writer/data_writer.h"

struct stack_output {
	struct data_writer *writer; /* borrowed */
	uint64_t newest_ns;         /* the newest time written */
	struct stack_misses misses; /* those known so far */
};

/* Writes @header->size bytes, in as many records as they need; @header's offset and part_size are
 * filled in. 0 or the writer's -errno. */
int stack_output_write(struct stack_output *output, const struct stack_record_header *header,
		       const uint64_t *words, const void *bytes);
/* Writes why memory beyond the copies was not recorded (@output->misses); nothing if all of it was.
 * 0 or the writer's -errno. */
int stack_output_write_misses(struct stack_output *output, uint64_t time_ns);

#endif
