/*
 * The command line of dendro report: words -> a filter, a view and a format. What other commands
 * that read recordings share with it is parsed option by option.
 */
#ifndef COLLECTOR_COMMAND_LINE_REPORT_OPTIONS_H
#define COLLECTOR_COMMAND_LINE_REPORT_OPTIONS_H

#include "collector/files/file_options.h"
#include "collector/replay/build_profile.h"
#include "report/export/export.h"

#define REPORT_MAX_RATIOS 4

enum report_color { REPORT_COLOR_AUTO, REPORT_COLOR_ALWAYS, REPORT_COLOR_NEVER };

/* What the command line asks for. The lists' memory is owned, the strings are argv's. */
struct report_options {
	const char *path;
	struct build_options build;
	struct file_options files;
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

/* Codes of options without a letter. */
enum report_option {
	REPORT_OPTION_VIEW = 256,
	REPORT_OPTION_BY,
	REPORT_OPTION_KERNEL,
	REPORT_OPTION_MIN,
	REPORT_OPTION_DEPTH,
	REPORT_OPTION_SORT,
	REPORT_OPTION_RATIO,
	REPORT_OPTION_COLOR,
	REPORT_OPTION_SYMFS,
	REPORT_OPTION_DEBUGINFOD,
	REPORT_OPTION_NO_INLINE,
	REPORT_OPTION_VMLINUX,
	REPORT_OPTION_MERGE_COPIES,
	REPORT_OPTION_RAW_NAMES,
	REPORT_OPTION_FULL_NAMES,
	REPORT_OPTION_NO_PAGER,
	REPORT_OPTION_END, /* those of other commands begin here */
};
/* The parts of report_options_init(), for a command with a table of its own. */
void report_options_set_defaults(struct report_options *options);
/* A letter or an enum report_option. 0 or -EINVAL after a message. */
int report_options_parse(struct report_options *options, int option, char *argument);
void report_options_finish(struct report_options *options);
void report_options_deinit(struct report_options *options);
/* What needs the recording: that it has the events asked for; by which to sort; of
 * which ratios are. 0 or -EINVAL after
 * a message. */
int report_options_check_events(const struct report_options *options,
				const struct profile *profile);
/* Whether --vmlinux is the kernel that was recorded. */
int report_options_check_vmlinux(const struct report_options *options,
				 const struct profile *profile);
int report_options_choose_sort(struct report_options *options, const struct profile *profile);
int report_options_choose_ratios(struct report_options *options, const struct profile *profile);
/* Events that were left out have no samples: they go from the profile altogether.
 * 0, or -EINVAL after a message: out of memory. */
int report_options_drop_events(const struct report_options *options, struct profile *profile);
bool report_options_want_color(const struct report_options *options, bool is_terminal);
/* Prints a message about a recording, which it may name already. Returns -EINVAL. */
int report_complain_of_file(const char *path, const char *message);
/* Prints a message. Returns -EINVAL. */
__attribute__((format(printf, 1, 2))) int report_complain(const char *format, ...);

#endif
