/* The command line of dendro report: words -> a filter, a view and a format. */
#ifndef COLLECTOR_REPORT_OPTIONS_H
#define COLLECTOR_REPORT_OPTIONS_H

#include "collector/build_profile.h"
#include "report/export.h"

#define REPORT_MAX_RATIOS 4

enum report_color { REPORT_COLOR_AUTO, REPORT_COLOR_ALWAYS, REPORT_COLOR_NEVER };

/* What the command line asks for. The lists' memory is owned, the strings are argv's. */
struct report_options {
	const char *path;
	struct build_options build;
	struct view_options view;
	struct symbolizer_options symbolizer;
	struct export_options export;
	const struct export_format *format;
	enum report_color color;
	bool has_sort;          /* asked for; else the view's own order */
	const char *sort_event; /* NULL: the first with samples */
	bool no_pager;
	const char *ratio_texts[REPORT_MAX_RATIOS];
	uint32_t n_ratio_texts;
	struct ratio ratios[REPORT_MAX_RATIOS];
	int32_t *pids, *tids;
	uint32_t *cpus;
	const char **comms, **events;
};

/*
 * 0, 1 if the help was asked for and printed, or -EINVAL after a message. In any case to be
 * deinitialized.
 */
int report_options_init(struct report_options *options, int argc, char **argv);
void report_options_deinit(struct report_options *options);
/* What needs the recording: that it has the events asked for; by which to sort; of
 * which ratios are. 0 or -EINVAL after
 * a message. */
int report_options_check_events(const struct report_options *options,
				const struct profile *profile);
int report_options_choose_sort(struct report_options *options, const struct profile *profile);
int report_options_choose_ratios(struct report_options *options, const struct profile *profile);
/* Prints a message. Returns -EINVAL. */
__attribute__((format(printf, 1, 2))) int report_complain(const char *format, ...);

#endif
