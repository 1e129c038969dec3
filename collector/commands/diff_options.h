/* The command line of dendro diff. */
#ifndef COLLECTOR_COMMANDS_DIFF_OPTIONS_H
#define COLLECTOR_COMMANDS_DIFF_OPTIONS_H

#include "collector/agent/recorded_range.h"
#include "collector/command-line/report_options.h"
#include "report/diff/diff.h"

/* Statuses with which dendro diff exits, besides 0 and that of wrong use. */
#define DIFF_EXIT_ROSE  1
#define DIFF_EXIT_ERROR 2

enum diff_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct diff_request {
	struct report_options report;
	struct diff_options options; /* but for the event */
	enum diff_format format;
	bool has_browse;                 /* the comparison is shown on the terminal */
	const char *event;               /* to compare; NULL: the first with samples */
	const char *normalize, *amounts; /* of --normalize and --per; NULL: not given */
	bool has_fail;
	double fail_percent;
	const char *fail_function;   /* NULL: any */
	struct diff_source *sources; /* owned */
	size_t n_sources;
	const char *versus;       /* of --versus; NULL: not given */
	const char *versus_where; /* likewise */
	/* With a database: what the sides are; ->url NULL: files. */
	struct db_options selections[N_DIFF_SIDES];
	/* With --versus, the sides are times of what dendro agent has recorded. */
	bool has_ranges;
	struct recorded_range ranges[N_DIFF_SIDES];
};

extern const struct command_line diff_line;

/*
 * Fills *@request, to be released with diff_request_deinit() in any case. "--" is between the runs
 * before and those after; options may be on both sides. 0, or an exit status after a message;
 * *@is_done_ret: help was printed.
 */
int diff_request_parse(struct diff_request *request, struct configuration *configuration, int argc,
		       char **argv, bool *is_done_ret);
/* Puts @n sources like it into the place of a source: the runs of a merged profile. 0 or -ENOMEM.
 */
int diff_request_split_source(struct diff_request *request, size_t source, size_t n);
void diff_request_deinit(struct diff_request *request);

#endif
