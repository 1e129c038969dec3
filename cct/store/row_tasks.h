/*
 * The tasks of rows of samples: their list, and a column that tells each row's. Few tasks take
 * turns on a CPU, so a task is told by its place among those that its stream had last, the newest
 * first.
 */
#ifndef CCT_STORE_ROW_TASKS_H
#define CCT_STORE_ROW_TASKS_H

#include "cct/encoding/byte_buffer.h"
#include "cct/model/profile.h"
#include "cct/object/dwarf_reader.h"

void row_tasks_write(struct byte_buffer *body, const struct profile *profile);
/* Into profile->rows. 0, -ENOMEM, or -EINVAL: they are malformed. */
int row_tasks_read(struct dwarf_reader *body, const struct profile *profile);
/* As versions 1 and 2 of the format have them. */
int row_tasks_read_before_3(struct dwarf_reader *body, const struct profile *profile);

#define RECENT_TASKS_MAX 32

/* Those that a stream had last. All zero is the begin of a stream. */
struct recent_tasks {
	uint32_t tasks[RECENT_TASKS_MAX];
	unsigned n;
	uint32_t last_other; /* the last one that was not among them */
};

/* The place of a task, or RECENT_TASKS_MAX and the difference to the last such task in @others. */
uint8_t recent_tasks_write(struct recent_tasks *recent, uint32_t task, struct byte_buffer *others);
/* The task at a place. -1: there is none. */
int64_t recent_tasks_read(struct recent_tasks *recent, uint8_t place, struct dwarf_reader *others,
			  uint32_t n_tasks);

#endif
