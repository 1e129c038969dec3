#include "collector/command-line/filter_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"

/* Adds the pieces of the value, which is cut, to a list. */
static int add_names(const struct option_use *use, struct name_list *list, const char *separator)
{
	char *rest = use->value;

	for (char *name; (name = strsep(&rest, separator));) {
		if (array_reserve_one(list->names, list->n))
			return message_error_of_memory(use->command);
		list->names[list->n++] = name;
	}
	return 0;
}

static int take_time(const struct option_use *use, void *field)
{
	struct time_option *time = field;
	int err = time_range_parse(use->value, &time->range);

	if (err == -ERANGE)
		return option_wrong_value(use, "a range that begins before it ends");
	if (err)
		return option_wrong_value(use, "one range of the recording's time, such as 1.5-3, "
					       "-200ms, 10%%-20%% or end-2s-");
	time->is_given = true;
	return 0;
}

/* "a,b"; "pmu/a,b/" is one. */
static int take_names(const struct option_use *use, void *field)
{
	return add_names(use, field, strchr(use->value, '/') ? "" : ",");
}

/* "a,b" of names that may have slashes. */
static int take_list(const struct option_use *use, void *field)
{
	return add_names(use, field, ",");
}

static int add_condition(const struct option_use *use, const char *text,
			 struct condition_list *list)
{
	struct value_condition *condition = calloc(1, sizeof(*condition));

	if (!condition || array_reserve_one(list->conditions, list->n)) {
		free(condition);
		return message_error_of_memory(use->command);
	}
	list->conditions[list->n++] = condition;

	const char *wrong = value_condition_parse(condition, text);
	return wrong ? message_wrong_use(use->command, "--where: '%s' %s.", text, wrong) : 0;
}

static int take_condition(const struct option_use *use, void *field)
{
	return add_condition(use, use->value, field);
}

const struct command_option filter_options[] = {
	{ .name = "comm",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .letter = 'c',
	  .argument = "NAME,...",
	  .help = "only samples of these commands; names may be globs (python*)",
	  .take = take_names,
	  .offset = offsetof(struct filter_options, comms) },
	{ .name = "pid",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .letter = 'p',
	  .argument = "PID,...",
	  .help = "only samples of these processes",
	  .take = option_take_ids,
	  .offset = offsetof(struct filter_options, pids) },
	{ .name = "tid",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .letter = 't',
	  .argument = "TID,...",
	  .help = "only samples of these threads",
	  .take = option_take_ids,
	  .offset = offsetof(struct filter_options, tids) },
	{ .name = "cpu",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .letter = 'C',
	  .argument = "CPU,...",
	  .help = "only samples on these CPUs: 0,4-7",
	  .take = option_take_cpus,
	  .offset = offsetof(struct filter_options, cpus) },
	{ .name = "cgroup",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .argument = "NAME,...",
	  .help = "only samples in these cgroups: paths, units of systemd and containers as the "
		  "view cgroups shows them; names may be globs",
	  .take = take_list,
	  .offset = offsetof(struct filter_options, cgroups) },
	{ .name = "event",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .letter = 'e',
	  .argument = "NAME,...",
	  .help = "only samples of these events; names may be globs",
	  .take = take_names,
	  .offset = offsetof(struct filter_options, events) },
	{ .name = "phase",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .argument = "NAME,...",
	  .help = "only samples in these phases of the run, which were marked while it was "
		  "recorded; names may be globs",
	  .take = take_names,
	  .offset = offsetof(struct filter_options, phases) },
	{ .name = "epoch",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .argument = "EPOCH,...",
	  .help = "only samples in these epochs of their process: numbers (2,4-6), or files that "
		  "they began with as the view epochs shows them; names may be globs",
	  .take = take_list,
	  .offset = offsetof(struct filter_options, epochs) },
	{ .name = "time",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .argument = "FROM-TO",
	  .help = "only samples of this part of the recording: in seconds from its beginning "
		  "(1.5-3, -200ms, 2m-), in percent (10%-20%) or from its end (end-2s-)",
	  .take = take_time,
	  .offset = offsetof(struct filter_options, time) },
	{ 0 },
};

#define CONDITION_HELP                                                                     \
	"only samples for which this holds: 'FUNCTION:EXPRESSION > 4096', of a "           \
	"variable at the function's frame; the operators are ==, !=, <, <=, > and >=, on " \
	"the right may be an enumerator or a \"text\"; given again, all must hold"

const struct command_option where_option[] = {
	{ .name = "where",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .argument = "CONDITION",
	  .help = CONDITION_HELP,
	  .take = take_condition,
	  .offset = offsetof(struct filter_options, conditions) },
	{ 0 },
};

/* What it is depends on what is read, which another option may say later. */
static int take_where(const struct option_use *use, void *field)
{
	struct name_list *list = field;

	if (array_reserve_one(list->names, list->n))
		return message_error_of_memory(use->command);
	list->names[list->n++] = use->value;
	return 0;
}

const struct command_option where_or_sql_option[] = {
	{ .name = "where",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .argument = "CONDITION",
	  .help = CONDITION_HELP "; of --from-db, it is SQL on service, host, process, build, "
				 "kernel, metric and labels: \"service = 'api' and host like "
				 "'fra%'\"",
	  .take = take_where,
	  .offset = offsetof(struct filter_options, where) },
	{ 0 },
};

int filter_options_take_where(const char *command, struct filter_options *options)
{
	const struct option_use use = { .command = command };
	int status = 0;

	for (size_t i = 0; i < options->where.n && !status; i++)
		status = add_condition(&use, options->where.names[i], &options->conditions);
	return status;
}

static int take_split(const struct option_use *use, void *field)
{
	struct value_subject **split = field;
	struct value_subject *subject = calloc(1, sizeof(*subject));

	if (!subject)
		return message_error_of_memory(use->command);
	free(*split);
	*split = subject;

	const char *wrong = value_subject_parse(subject, use->value);
	return wrong ? message_wrong_use(use->command, "--split: '%s' %s.", use->value, wrong) : 0;
}

const struct command_option split_option[] = {
	{ .name = "split",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "FUNCTION:EXPRESSION",
	  .help = "divide the paths of a function by the value of a variable at its frame: each "
		  "value is a row below the function, [kind = STRING]",
	  .take = take_split,
	  .offset = offsetof(struct filter_options, split) },
	{ 0 },
};

const struct command_option refused_split[] = {
	{ .name = "split",
	  .argument = "FUNCTION:EXPRESSION",
	  .take = option_refuse,
	  .help = "it divides the call paths of report, view, browse, diff, export and build; "
		  "--where 'FUNCTION:EXPRESSION == VALUE' takes the samples of one value here" },
	{ 0 },
};

const struct command_option refused_values[] = {
	{ .name = "where",
	  .argument = "CONDITION",
	  .take = option_refuse,
	  .help = "values of variables are found when a recording is read: record first, then "
		  "'dendro report --where CONDITION'" },
	{ .name = "split",
	  .argument = "FUNCTION:EXPRESSION",
	  .take = option_refuse,
	  .help = "values of variables are found when a recording is read: record first, then "
		  "'dendro report --split FUNCTION:EXPRESSION'" },
	{ 0 },
};

void filter_options_deinit(struct filter_options *options)
{
	free(options->comms.names);
	free(options->cgroups.names);
	free(options->events.names);
	free(options->phases.names);
	free(options->epochs.names);
	free(options->where.names);
	for (size_t i = 0; i < options->conditions.n; i++)
		free(options->conditions.conditions[i]);
	free(options->conditions.conditions);
	free(options->split);
	int_list_deinit(&options->pids);
	int_list_deinit(&options->tids);
	int_list_deinit(&options->cpus);
}

struct dendro_filter filter_options_filter(const struct filter_options *options)
{
	return (struct dendro_filter){
		.pids = options->pids.values,
		.n_pids = options->pids.n,
		.tids = options->tids.values,
		.n_tids = options->tids.n,
		.cpus = (const uint32_t *)options->cpus.values,
		.n_cpus = options->cpus.n,
		.comms = options->comms.names,
		.n_comms = options->comms.n,
		.cgroups = options->cgroups.names,
		.n_cgroups = options->cgroups.n,
		.events = options->events.names,
		.n_events = options->events.n,
		.phases = options->phases.names,
		.n_phases = options->phases.n,
		.epochs = options->epochs.names,
		.n_epochs = options->epochs.n,
		.has_time = options->time.is_given,
		.time = options->time.range,
		.conditions = (const struct value_condition *const *)options->conditions.conditions,
		.n_conditions = options->conditions.n,
	};
}
