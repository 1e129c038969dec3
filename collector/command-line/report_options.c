#include "collector/command-line/report_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/printable.h"
#include "cct/model/profile_filter.h"
#include "cct/text/name_pattern.h"
#include "collector/command-line/filter_findings.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "report/fold/view_traits.h"

#define DEFAULT_MIN_PERCENT 0.5
#define DEFAULT_THRESHOLD   1 /* percent; of the paper: report/views/view_hot.h */

const struct command_option raw_names_option[] = {
	{ .name = "raw-names",
	  .help = "show names as in the file, mangled",
	  .take = option_take_constant,
	  .constant = NAMES_RAW },
	{ 0 },
};

const struct command_option db_time_options[] = {
	{ .name = "from",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "TIME",
	  .help = "of --from-db, what is recorded since this local time: 02:10, "
		  "'2026-11-27 02:10', -2h (default: -1h)",
	  .take = option_take_text,
	  .offset = offsetof(struct report_options, from) },
	{ .name = "to",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "TIME",
	  .help = "likewise, what is recorded before this time (default: now)",
	  .take = option_take_text,
	  .offset = offsetof(struct report_options, to) },
	{ 0 },
};

const struct choice kernel_choices[] = {
	{ "merged", KERNEL_MERGED },
	{ "only", KERNEL_ONLY },
	{ "none", KERNEL_NONE },
	{ NULL, 0 },
};

const struct choice view_choices[] = {
	{ "tree", VIEW_TREE },
	{ "callers", VIEW_CALLERS },
	{ "callgraph", VIEW_CALLGRAPH },
	{ "paths", VIEW_PATHS },
	{ "functions", VIEW_FUNCTIONS },
	{ "lines", VIEW_LINES },
	{ "modules", VIEW_MODULES },
	{ "processes", VIEW_PROCESSES },
	{ "syscalls", VIEW_SYSCALLS },
	{ "hot", VIEW_HOT },
	{ "stats", VIEW_STATS },
	{ "threads", VIEW_THREADS },
	{ "cpus", VIEW_CPUS },
	{ "cgroups", VIEW_CGROUPS },
	{ "phases", VIEW_PHASES },
	{ "epochs", VIEW_EPOCHS },
	{ NULL, 0 },
};
const struct choice direction_choices[] = {
	{ "down", PATHS_DOWN },
	{ "up", PATHS_UP },
	{ NULL, 0 },
};

void report_options_init(struct report_options *options, const char *command)
{
	*options = (struct report_options){
		.command = command,
		.path = file_options_default,
		.export.min_percent = DEFAULT_MIN_PERCENT,
		.view.threshold_percent = DEFAULT_THRESHOLD,
		.format = export_format_find("text"),
	};
	file_options_init(&options->files);
}

void report_options_choose_view(struct report_options *options, enum view_kind kind)
{
	options->view.kind = kind;
	options->has_view = true;
	options->view.each_task &= options->has_each;
	options->view.each_cpu &= options->has_each;
}

void report_options_take_operands(struct report_options *options, const struct parsed_line *parsed)
{
	options->n_paths = 1;
	options->paths = &options->path;
	if (parsed->n_operands > 1) {
		options->n_paths = parsed->n_operands;
		options->paths = (const char *const *)parsed->operands;
		options->path = options->paths[0];
		return;
	}
	file_options_take_operand(options->command, parsed, 0, &options->path);
}

/* Rows of processes are separate, too. */
static enum sample_grouping grouping_by_cpu(const struct view_options *view)
{
	return view->each_task || view_traits(view->kind)->subject == ROWS_PROCESSES
		       ? GROUPED_BY_CPU_AND_TASK
		       : GROUPED_BY_CPU;
}

void report_options_finish(struct report_options *options)
{
	options->symbolizer.lines = options->view.kind == VIEW_LINES;
	if (options->view.kind == VIEW_THREADS)
		options->view.grouping = GROUP_THREAD;
	options->build.by_thread = options->view.grouping == GROUP_THREAD;
	if (options->view.kind == VIEW_CPUS)
		options->build.grouping = GROUPED_BY_CPU;
	if (options->view.each_cpu)
		options->build.grouping = grouping_by_cpu(&options->view);
	if (options->view.kind == VIEW_CGROUPS)
		options->build.grouping = GROUPED_BY_CGROUP;
	if (options->view.kind == VIEW_PHASES)
		options->build.grouping = GROUPED_BY_PHASE;
	if (options->view.kind == VIEW_EPOCHS)
		options->build.grouping = GROUPED_BY_EPOCH;
	options->build.keeps_rows |= options->build.grouping != GROUPED_BY_TASK;
	options->build.filter = filter_options_filter(&options->filter);
	options->build.split = options->filter.split;
	options->selection.uncounted_kinds = options->view.kernel == KERNEL_ONLY ? 1u << FRAME_USER
					     : options->view.kernel == KERNEL_NONE
						     ? 1u << FRAME_KERNEL
						     : 0;
}

void report_options_deinit(struct report_options *options)
{
	if (options->files.db.close)
		options->files.db.close(&options->files.db);
	free(options->files.db.title);
	filter_options_deinit(&options->filter);
	path_selection_deinit(&options->selection);
}

static void list_events(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		fputs("  ", stderr);
		printable_put(stderr, profile->metrics[i].name);
		putc('\n', stderr);
	}
}

static int complain_of_event(const struct report_options *options, const struct profile *profile,
			     const char *name)
{
	message_error(options->command, "the recording has no event '%s'. Its events are:", name);
	list_events(profile);
	return 1;
}

static const struct metric *find_metric(const struct report_options *options,
					const struct profile *profile, const char *name)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (strcmp(profile->metrics[i].name, name) == 0)
			return &profile->metrics[i];
	}
	complain_of_event(options, profile, name);
	return NULL;
}

static bool has_matching_metric(const struct profile *profile, const char *pattern)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (name_pattern_matches(pattern, profile->metrics[i].name))
			return true;
	}
	return false;
}

/* Whether the rows of the user's value are anywhere. */
static bool has_values(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->cct->n_nodes; i++) {
		if (cct_frame(profile->cct, i)->kind == FRAME_VALUE)
			return true;
	}
	return false;
}

static void note_split(const struct report_options *options, const struct profile *profile)
{
	const struct value_subject *split = options->build.split;

	if (split && quality_n_used(&profile->quality) && !has_values(profile))
		message_note(options->command,
			     "--split: no call path has the function '%s': --view functions has "
			     "the names.",
			     split->function);
}

int report_options_check_events(const struct report_options *options, const struct profile *profile)
{
	for (size_t i = 0; i < options->build.filter.n_events; i++) {
		const char *pattern = options->build.filter.events[i];

		if (!has_matching_metric(profile, pattern))
			return complain_of_event(options, profile, pattern);
	}
	return 0;
}

/* For messages about one file of several. */
static const char *named_file(const struct report_options *options)
{
	return options->compares_files ? options->path : NULL;
}

int report_options_check_filters(const struct report_options *options,
				 const struct profile *profile)
{
	const struct dendro_filter *filter = &options->build.filter;
	int err = report_options_check_events(options, profile);

	if (!err)
		err = filter_findings_check_phases(options->command, named_file(options), profile,
						   filter);
	return err ? err
		   : filter_findings_check_epochs(options->command, named_file(options), profile,
						  filter);
}

int report_options_check_root(const struct report_options *options)
{
	bool is_paths = options->view.kind == VIEW_PATHS;

	if (is_paths && !options->view.root)
		return message_wrong_use(options->command,
					 "--view paths needs --root FUNCTION; --view functions "
					 "--sort total lists what costs most.");
	if (!is_paths && (options->view.root || options->view.direction != PATHS_DOWN))
		return message_wrong_use(options->command,
					 "--root and --direction need --view paths.");
	return 0;
}

static int check_phases(const struct report_options *options, const struct profile *profile)
{
	static const char *const any[] = { "*" };
	const struct dendro_filter filter = { .phases = any, .n_phases = 1 };

	if (options->view.kind != VIEW_PHASES)
		return 0;
	return filter_findings_check_phases(options->command, named_file(options), profile,
					    &filter);
}

static int check_epochs(const struct report_options *options, const struct profile *profile)
{
	static const char *const any[] = { "1" };
	const struct dendro_filter filter = { .epochs = any, .n_epochs = 1 };

	if (options->view.kind != VIEW_EPOCHS)
		return 0;
	if (filter_findings_check_epochs(options->command, named_file(options), profile, &filter))
		return 1;
	if (profile->epochs.n_left_out)
		message_note(options->command,
			     "processes loaded files more often than %u epochs can be kept: the "
			     "last %" PRIu64 " are parts of others.",
			     EPOCHS_MAX, profile->epochs.n_left_out);
	return 0;
}

int report_options_check_intervals(const struct report_options *options,
				   const struct profile *profile)
{
	int err = check_phases(options, profile);

	return err ? err : check_epochs(options, profile);
}

static const char no_cgroups[] =
	"the samples do not have their cgroups: record with -a, --cgroup, --unit or --all-cgroups.";

int report_options_check_cgroups(const struct report_options *options,
				 const struct profile *profile)
{
	if (options->view.kind != VIEW_CGROUPS || profile->cgroups.n_strings)
		return 0;
	return options->compares_files
		       ? message_error_of_file(options->command, options->path, no_cgroups)
		       : message_error(options->command, "%s", no_cgroups);
}

void report_options_explain_emptiness(const struct report_options *options,
				      const struct profile *profile)
{
	if (options->build.filter.n_cgroups && !profile->cgroups.n_strings) {
		message_note(options->command, "%s%s%s",
			     options->compares_files ? options->path : "",
			     options->compares_files ? ": " : "", no_cgroups);
		return;
	}
	note_split(options, profile);
	if (profile->quality.counts[QUALITY_FILTERED] && !quality_n_used(&profile->quality))
		filter_findings_print(options->command,
				      options->n_paths > 1 ? options->paths : &options->path,
				      options->n_paths > 1 ? options->n_paths : 1, &options->files,
				      &options->build.filter);
}

int report_options_check_vmlinux(const struct report_options *options,
				 const struct profile *profile)
{
	const char *vmlinux = options->symbolizer.vmlinux;
	const char *why = vmlinux ? symbolizer_refuses_vmlinux(profile, vmlinux) : NULL;

	if (vmlinux && profile->names)
		why = "names were found when the profile was built; give --vmlinux to dendro build";
	return why ? message_error(options->command, "--vmlinux %s: %s.", vmlinux, why) : 0;
}

/* By default tables of code are sorted by self cost, and all other views by total, of the first
 * event with samples. */
static void choose_default_sort(struct report_options *options, const struct profile *profile)
{
	if (!options->has_sort)
		options->view.sort = view_traits(options->view.kind)->sort;
	while (options->view.sort_metric + 1 < profile->n_metrics &&
	       !profile->metrics[options->view.sort_metric].samples)
		options->view.sort_metric++;
	if (profile->n_metrics && !profile->metrics[options->view.sort_metric].samples)
		options->view.sort_metric = 0;
}

int report_options_choose_sort(struct report_options *options, const struct profile *profile)
{
	const struct metric *metric;

	choose_default_sort(options, profile);
	if (!options->sort_event)
		return 0;
	metric = find_metric(options, profile, options->sort_event);
	if (!metric)
		return 1;
	options->view.sort_metric = (uint32_t)(metric - profile->metrics);
	return 0;
}

/* The first event with samples but @per; UINT32_MAX: there is none. */
static uint32_t find_other_metric(const struct profile *profile, uint32_t per)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (i != per && profile->metrics[i].samples)
			return i;
	}
	return UINT32_MAX;
}

int report_options_choose_per(struct report_options *options, const struct profile *profile)
{
	const struct metric *per;

	if (options->view.kind != VIEW_HOT)
		return 0;
	per = find_metric(options, profile, options->per_event);
	if (!per)
		return 1;
	options->view.per_metric = (uint32_t)(per - profile->metrics);
	if (options->view.sort_metric == options->view.per_metric && !options->sort_event)
		options->view.sort_metric = find_other_metric(profile, options->view.per_metric);
	if (!per->total || options->view.sort_metric == UINT32_MAX ||
	    options->view.sort_metric == options->view.per_metric)
		return message_error(options->command,
				     "--view hot compares two events that have samples; record "
				     "both: -e %s,OTHER.",
				     per->name);
	return 0;
}

int report_options_choose_ratios(struct report_options *options, const struct profile *profile)
{
	for (uint32_t i = 0; i < options->n_ratio_texts; i++) {
		if (ratio_parse(options->ratio_texts[i], profile, &options->ratios[i]))
			continue;
		message_error(
			options->command,
			"--ratio takes EVENT/EVENT or EVENT/EVENT*NUMBER, not '%s'. The events "
			"are:",
			options->ratio_texts[i]);
		list_events(profile);
		return 1;
	}
	options->export.ratios = options->ratios;
	options->export.n_ratios = options->n_ratio_texts;
	return 0;
}

int report_options_drop_events(const struct report_options *options, struct profile *profile)
{
	const struct dendro_filter *filter = &options->build.filter;

	if (profile_keep_metrics(profile, filter->events, filter->n_events))
		return message_error_of_memory(options->command);
	return 0;
}
