/* What dendro top records, and how it shows it. */
#ifndef COLLECTOR_WATCH_TOP_OPTIONS_H
#define COLLECTOR_WATCH_TOP_OPTIONS_H

#include "collector/command-line/record_options.h"
#include "collector/command-line/report_options.h"

#define TOP_LAST_NS (10 * UINT64_C(1000000000)) /* what the key shows, without --last */

struct top_options {
	struct record_arguments record;
	struct report_options report;
	uint64_t last_ns;      /* of which samples are shown; 0: since the start */
	uint64_t interval_ns;  /* between refreshes */
	bool is_text;          /* no screen, on a terminal, too */
	uint64_t n_iterations; /* text: ends after so many; 0: no limit */
	uint64_t n_rows;       /* text: at most */
};

#endif
