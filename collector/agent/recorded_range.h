/* The profiles of a time, in the folder of an agent: what --from and --to mean. */
#ifndef COLLECTOR_AGENT_RECORDED_RANGE_H
#define COLLECTOR_AGENT_RECORDED_RANGE_H

#include <stddef.h>

#include "cct/time/watched_time.h"

#define RECORDED_RANGE_DEFAULT_FOLDER "/var/lib/dendro"
#define RECORDED_RANGE_TITLE_SIZE     64

struct recorded_range {
	struct time_span span; /* nanoseconds since 1970 */
	const char **paths;    /* owned, as each is; by time; none is empty */
	size_t n_paths;
	char title[RECORDED_RANGE_TITLE_SIZE];
	int folder_fd; /* locked, so that nothing is merged while it is read; -1: none */
};

/*
 * What a user wrote, each of which may be NULL: from the beginning, to now. 0, or an exit status
 * after a message. @from_option: its name, for messages.
 */
int recorded_range_parse(const char *command, const char *from_option, const char *from,
			 const char *to, struct time_span *span_ret);
/* "2026-11-27 02:10:00 to 2026-11-27 02:20:00", in local time. */
void recorded_range_write_title(const struct time_span *span,
				char title[static RECORDED_RANGE_TITLE_SIZE]);
/* The profiles in the folder that have a part of it; at least one. 0, or another value after a
 * message. */
int recorded_range_find(const char *command, const char *folder, const struct time_span *span,
			struct recorded_range *range_ret);
/* Notes in which parts of watched->asked nothing was recorded. @what: "before: ", or "". */
void recorded_range_note_missing(const char *command, const char *what,
				 const struct watched_time *watched);
void recorded_range_deinit(struct recorded_range *range);

#endif
