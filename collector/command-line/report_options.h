/* Options of the commands that show a profile: dendro report and dendro annotate. */
#ifndef COLLECTOR_COMMAND_LINE_REPORT_OPTIONS_H
#define COLLECTOR_COMMAND_LINE_REPORT_OPTIONS_H

#include "collector/command-line/file_options.h"
#include "collector/command-line/filter_options.h"
#include "collector/command-line/terminal.h"
#include "collector/session/dendro.h"
#include "report/export/export.h"

#define REPORT_MAX_RATIOS 4

/* What the command line requests. The lists' memory is owned, the strings are argv's. */
struct report_options {
	const char *command; /* "report", for messages */
	const char *path;
	struct filter_options filter;
	struct dendro_options build;
	struct file_options files;
	struct view_options view;
	struct symbolizer_options symbolizer;
	struct export_options export;
	const struct export_format *format;
	enum color_use color;
	bool has_sort;          /* given; otherwise the view's own order */
	const char *sort_event; /* NULL: the first with samples */
	bool no_pager;
	const char *ratio_texts[REPORT_MAX_RATIOS];
	uint32_t n_ratio_texts;
	struct ratio ratios[REPORT_MAX_RATIOS];
};

/* Of an enum symbol_names. */
extern const struct command_option raw_names_option[];

void report_options_init(struct report_options *options, const char *command);
/* After the options are parsed. */
void report_options_finish(struct report_options *options);
void report_options_deinit(struct report_options *options);
/*
 * What needs the recording: whether it has the events that are named, which one sorts, and the
 * events of ratios. 0, or not after a message.
 */
int report_options_check_events(const struct report_options *options,
				const struct profile *profile);
/* Whether --vmlinux is the kernel that was recorded. */
int report_options_check_vmlinux(const struct report_options *options,
				 const struct profile *profile);
int report_options_choose_sort(struct report_options *options, const struct profile *profile);
int report_options_choose_ratios(struct report_options *options, const struct profile *profile);
/* Events that were left out have no samples: they go from the profile altogether. */
int report_options_drop_events(const struct report_options *options, struct profile *profile);

#endif
