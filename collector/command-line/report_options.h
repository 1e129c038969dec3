/* Options of the commands that show a profile: dendro report and dendro annotate. */
#ifndef COLLECTOR_COMMAND_LINE_REPORT_OPTIONS_H
#define COLLECTOR_COMMAND_LINE_REPORT_OPTIONS_H

#include "collector/command-line/file_options.h"
#include "collector/command-line/filter_options.h"
#include "collector/command-line/pager.h"
#include "collector/command-line/selection_options.h"
#include "collector/command-line/terminal.h"
#include "collector/session/dendro.h"
#include "report/export/export.h"

struct known_names; /* cct/model/known_names.h */

#define REPORT_MAX_RATIOS 4

/* Of perf's --children and --no-children: the cost that a table is sorted by. */
enum report_children { CHILDREN_DEFAULT, CHILDREN_SELF, CHILDREN_TOTAL };

/* The requests of the command line. The memory of lists is owned, the strings belong to argv. */
struct report_options {
	const char *command; /* "report", for messages */
	const char *path;
	const char *const *paths; /* of commands that take several files; borrowed */
	size_t n_paths;
	bool compares_files; /* messages about one of them, ->path, name it */
	bool by_name;        /* several files: functions are the same if their names are */
	/* Several files: what their sum leaves out (cct/merge/profile_merge.h). */
	bool joins_processes, by_minute, joins_addresses, folds_once;
	const char *source; /* of several files, for the header; NULL: the path */
	/* A time of what dendro agent has recorded, as the user wrote it; NULL: not given. */
	const char *from, *to;
	struct time_span asked; /* what it is, since 1970; end_ns 0: none */
	struct filter_options filter;
	struct path_selection selection;
	struct dendro_options build;
	struct file_options files;
	struct view_options view;
	struct symbolizer_options symbolizer;
	/* Of a process that makes one profile after the other: names that were found before; NULL:
	 * none. Borrowed. */
	struct known_names *known_names;
	struct export_options export;
	const struct export_format *format;
	const char *html; /* the file of the page, or "-"; NULL: not given */
	bool has_code;    /* the page has code of the hottest functions */
	enum color_use color;
	bool has_view;   /* a view was given; otherwise it is the tree */
	bool has_each;   /* what rows are separate for was given, not chosen by perf's columns */
	bool has_format; /* likewise text */
	enum report_children children;
	bool has_sort;           /* an order was given; otherwise the view has its default */
	const char *compared[2]; /* two functions instead of a view; NULL: not given */
	const char *per_event;   /* VIEW_HOT; NULL: not given */
	const char *sort_event;  /* NULL: the first with samples */
	bool no_pager;
	struct pager pager; /* of text on a terminal, where it has to be prepared */
	bool follows;       /* a recording that is still written is shown while it grows */
	const char *ratio_texts[REPORT_MAX_RATIOS];
	uint32_t n_ratio_texts;
	struct ratio ratios[REPORT_MAX_RATIOS];
};

/* For a struct report_options: --from and --to of commands that have them for a database only. */
extern const struct command_option db_time_options[];
/* For an enum symbol_names. */
extern const struct command_option raw_names_option[];
/* The words that --kernel, --view and --direction take. */
extern const struct choice kernel_choices[];
extern const struct choice view_choices[];
extern const struct choice direction_choices[];

void report_options_init(struct report_options *options, const char *command);
/* A view was given: columns of perf's that chose another one before do not count. */
void report_options_choose_view(struct report_options *options, enum view_kind kind);
/* Takes the paths of all operands; where there is none, the one path there is. */
void report_options_take_operands(struct report_options *options, const struct parsed_line *parsed);
/* Whether --root and --direction go with the view. 0, or an exit status after a message. */
int report_options_check_root(const struct report_options *options);
/* Called after the options are parsed. */
void report_options_finish(struct report_options *options);
void report_options_deinit(struct report_options *options);
/*
 * The functions below need the profile. The first one checks that it has the events of --event,
 * the second also the phases of --phase and the epochs of --epoch. All return 0, or another value
 * after a message.
 */
int report_options_check_events(const struct report_options *options,
				const struct profile *profile);
int report_options_check_filters(const struct report_options *options,
				 const struct profile *profile);
/* Checks that --view phases and --view epochs can be shown, and notes epochs that are left out. */
int report_options_check_intervals(const struct report_options *options,
				   const struct profile *profile);
/* Checks that --view cgroups can be shown. */
int report_options_check_cgroups(const struct report_options *options,
				 const struct profile *profile);
/* Prints a note if samples were recorded, and none passes the filters, or cannot pass --cgroup. */
void report_options_explain_emptiness(const struct report_options *options,
				      const struct profile *profile);
/* Checks that --vmlinux is the kernel that was recorded. */
int report_options_check_vmlinux(const struct report_options *options,
				 const struct profile *profile);
int report_options_choose_sort(struct report_options *options, const struct profile *profile);
/* After the sort: the event that --per names, and another one that is compared with it. */
int report_options_choose_per(struct report_options *options, const struct profile *profile);
int report_options_choose_ratios(struct report_options *options, const struct profile *profile);
/* Removes events from the profile that were left out and so have no samples. */
int report_options_drop_events(const struct report_options *options, struct profile *profile);

#endif
