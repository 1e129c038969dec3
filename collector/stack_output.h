/* Stack records on their way into a recording. */
#ifndef COLLECTOR_STACK_OUTPUT_H
#define COLLECTOR_STACK_OUTPUT_H

#include "collector/stack_misses.h"
#include "perf/data_writer.h"
#include "perf/stack_record.h"

struct stack_output {
	struct data_writer *writer; /* borrowed */
	uint64_t newest_ns;         /* the newest time written */
};

/* Writes @header->size bytes, in as many records as they need; @header's offset and part_size are
 * filled in. 0 or the writer's -errno. */
int stack_output_write(struct stack_output *output, const struct stack_record_header *header,
		       const uint64_t *words, const void *bytes);
/* Writes why memory beyond the copies was not recorded; nothing if all of it was. 0 or the writer's
 * -errno. */
int stack_output_write_misses(struct stack_output *output, const struct stack_misses *misses,
			      uint64_t time_ns);

#endif
