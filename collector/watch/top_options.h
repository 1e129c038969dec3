/* What dendro top records, and how it shows it. */
#ifndef COLLECTOR_WATCH_TOP_OPTIONS_H
#define COLLECTOR_WATCH_TOP_OPTIONS_H

#include "collector/command-line/record_options.h"
#include "collector/command-line/report_options.h"

struct top_options {
	struct record_arguments record;
	struct report_options report;
	uint64_t interval_ns;  /* between refreshes */
	bool is_text;          /* no screen, on a terminal, too */
	uint64_t n_iterations; /* text: ends after so many; 0: no limit */
	uint64_t n_rows;       /* text: at most */
};

#endif
