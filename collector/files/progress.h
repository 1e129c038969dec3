/*
 * Shows how far a long work has come, by a line on standard error that is drawn again and again and
 * erased at the end: only on a terminal, and only once the work has taken half a second.
 */
#ifndef COLLECTOR_FILES_PROGRESS_H
#define COLLECTOR_FILES_PROGRESS_H

#include <stddef.h>

#include "cct/base/work_done.h"

struct progress;

/* What is shown. */
struct progress_title {
	const char *command; /* "report" */
	const char *what;    /* "reading" */
	const char *things;  /* "files"; NULL: the work is counted in bytes */
	const char *then;    /* what follows that is not counted: "adding up"; NULL: nothing */
};

/*
 * From now on, until progress_stop(). @title's strings and @work are borrowed until then; @work is
 * NULL for work that is not counted, whose time is shown. Returns NULL if there is no terminal, or
 * no thread could be started: the work goes on without.
 */
struct progress *progress_start(const struct progress_title *title, const struct work_done *work);
/*
 * Once the second work has begun, it is shown in the place of the first one. @title's strings and
 * @work are borrowed like those of the first. NULL is fine.
 */
void progress_follow(struct progress *progress, const struct progress_title *title,
		     const struct work_done *work);
/* Erases the line. NULL is fine. */
void progress_stop(struct progress *progress);

/* The line after @ms milliseconds, at most @width columns: of @all, @done is done. Returns @text.
 */
char *progress_text(const struct progress_title *title, uint64_t done, uint64_t all, uint64_t ms,
		    unsigned width, char *text, size_t size);
/* Likewise, of work that is not counted. */
char *progress_time_text(const char *command, const char *what, uint64_t ms, unsigned width,
			 char *text, size_t size);

#endif
