/* dendro agent: records the whole machine all the time, in windows, each a profile in a folder. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/numbers.h"
#include "collector/agent/agent.h"
#include "collector/agent/recorded_range.h"
#include "collector/command-line/filter_options.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/commands/commands.h"
#include "collector/files/recording_run.h"
#include "collector/push/push_target.h"
#include "collector/push/send_program.h"

#define DEFAULT_FREQUENCY 49
#define DEFAULT_WINDOW_NS (60 * NSEC_PER_SEC)
#define MIN_WINDOW_NS     NSEC_PER_SEC
#define HOUR_NS           (3600 * NSEC_PER_SEC)
#define DAY_NS            (24 * HOUR_NS)
#define MAX_WINDOW_NS     HOUR_NS
#define MAX_DAYS          10000
#define DEFAULT_KEEP      ((uint64_t)2 << 30)

static int take_window(const struct option_use *use, void *field)
{
	uint64_t *ns = field;

	if (numbers_parse_time(use->value, NSEC_PER_SEC, MAX_WINDOW_NS, ns) || *ns < MIN_WINDOW_NS)
		return option_wrong_value(use, "a time from 1 s to 1 h, such as 60s or 5m");
	return 0;
}

static int take_push_every(const struct option_use *use, void *field)
{
	uint64_t *ns = field;

	if (numbers_parse_time(use->value, NSEC_PER_SEC, MAX_WINDOW_NS, ns) || *ns < MIN_WINDOW_NS)
		return option_wrong_value(use, "a time from 1 s to 1 h, such as 10m or 1h");
	return 0;
}

/* "2G", "30d": both may be given. */
static int take_keep(const struct option_use *use, void *field)
{
	struct agent_options *options = field;
	const size_t size = strlen(use->value);
	const char unit = size ? use->value[size - 1] : 0;
	uint64_t days;

	options->has_keep = true;
	if (unit == 'd') {
		_cleanup_free_ char *number = strndup(use->value, size - 1);

		if (!number)
			return message_error_of_memory(use->command);
		if (!numbers_parse(number, MAX_DAYS, &days) && days) {
			options->ageing.keep_ns = days * DAY_NS;
			return 0;
		}
	} else if (unit == 'h' || unit == 's') {
		if (!numbers_parse_time(use->value, NSEC_PER_SEC, MAX_DAYS * DAY_NS,
					&options->ageing.keep_ns) &&
		    options->ageing.keep_ns)
			return 0;
	} else if (!numbers_parse_size(use->value, 1, INT64_MAX, &options->ageing.keep_bytes) &&
		   options->ageing.keep_bytes) {
		return 0;
	}
	return option_wrong_value(use, "a size like 500M or 2G, or a time like 48h or 30d");
}

/* "1h,24h", "never" */
static int take_merge(const struct option_use *use, void *field)
{
	_cleanup_free_ char *words = strdup(use->value);
	struct ageing *ageing = field;
	char *rest = words;

	ageing->n_periods = 0;
	if (strcmp(use->value, "never") == 0)
		return 0;
	if (!words)
		return message_error_of_memory(use->command);
	for (char *word; (word = strsep(&rest, ","));) {
		uint64_t *period = &ageing->period_ns[ageing->n_periods];

		if (ageing->n_periods == AGEING_PERIODS_MAX ||
		    numbers_parse_time(word, NSEC_PER_SEC, MAX_DAYS * DAY_NS, period) ||
		    *period < MIN_WINDOW_NS || (ageing->n_periods && *period % period[-1]))
			return option_wrong_value(use, "times such as 1h,24h, of which each is a "
						       "multiple of the one before, or never");
		ageing->n_periods++;
	}
	return 0;
}

static int take_max_cpu(const struct option_use *use, void *field)
{
	double *percent = field;

	if (numbers_parse_percent(use->value, percent) || *percent <= 0)
		return option_wrong_value(use, "a percentage of one CPU, such as 0.5");
	return 0;
}

static int take_max_memory(const struct option_use *use, void *field)
{
	uint64_t *bytes = field;

	if (numbers_parse_size(use->value, 1, INT64_MAX, bytes) || !*bytes)
		return option_wrong_value(use, "a size such as 80M");
	return 0;
}

static int take_nice(const struct option_use *use, void *field)
{
	uint64_t *nice = field;

	if (numbers_parse(use->value, AGENT_MAX_NICE, nice))
		return option_wrong_value(use, "a number from 0 to 19");
	return 0;
}

static int take_push(const struct option_use *use, void *field)
{
	struct push_target target = { 0 };
	const char *reason = NULL;
	const int err = push_target_parse(use->value, &target, &reason);

	push_target_deinit(&target);
	if (err == -ENOMEM)
		return message_error_of_memory(use->command);
	/* It is not shown: it may have a password. */
	return err ? message_wrong_use(use->command, "the URL of %s %s.", use->spelling, reason)
		   : option_take_text(use, field);
}

#define FIELD(name) offsetof(struct agent_options, name)

static const struct command_option options_of_agent[] = {
	{ .heading = "Where and how long" },
	{ .name = "directory",
	  .argument = "DIR",
	  .help = "keep profiles in this folder (default: /var/lib/dendro), which is made if it is "
		  "not there, and readable for its owner alone",
	  .take = option_take_text,
	  .offset = FIELD(directory) },
	{ .name = "window",
	  .argument = "TIME",
	  .help = "the time of each profile, from 1s to 1h (default: 60s); windows end when the "
		  "time of day is a multiple of it",
	  .take = take_window,
	  .offset = FIELD(window_ns) },
	{ .name = "keep",
	  .argument = "HOW-MUCH",
	  .help = "remove the oldest profiles where all together have more than this size (2G), or "
		  "when they are as old as this (48h, 30d); both may be given (default: 2G)",
	  .take = take_keep },
	{ .name = "merge",
	  .argument = "TIME,...",
	  .help = "make one profile of those of such a time, when it has been over for as long "
		  "(default: 1h,24h); never: keep all windows",
	  .take = take_merge,
	  .offset = FIELD(ageing) },
	{ .name = "keep-details",
	  .help = "keep all addresses, paths, processes and samples in files that are merged an "
		  "hour after their end or later, and all addresses and paths of what is sent as "
		  "one profile",
	  .take = option_take_flag,
	  .offset = FIELD(ageing.keeps_details) },
	{ .heading = "Which samples" },
	{ .name = "event",
	  .letter = 'e',
	  .argument = "EVENT,...",
	  .help = "the events to sample, as in dendro record; the default is cycles, or cpu-clock "
		  "where there are no hardware counters (may be given several times)",
	  .take = record_options_take_events,
	  .offset = FIELD(record) },
	{ .name = "freq",
	  .letter = 'F',
	  .argument = "HZ",
	  .help = "samples per second and CPU (default: 49); their periods vary randomly",
	  .take = record_options_take_frequency,
	  .offset = FIELD(record.options.frequency) },
	{ .name = "max-cpu",
	  .argument = "PCT",
	  .help = "take fewer samples before dendro itself takes more of one CPU than this, and "
		  "more again when there is room; reports show what it took, and for how long the "
		  "rate was lower",
	  .take = take_max_cpu,
	  .offset = FIELD(limits.cpu_percent) },
	{ .name = "max-memory",
	  .argument = "SIZE",
	  .help = "the same before all its processes have more memory than this (80M)",
	  .take = take_max_memory,
	  .offset = FIELD(limits.memory) },
	{ .name = "nice",
	  .argument = "N",
	  .help = "the nice value, from 0 to 19, of processes that build a profile when its time "
		  "is over (default: 10); processes that merge and send profiles have twice as "
		  "much, 19 at most",
	  .take = take_nice,
	  .offset = FIELD(nice) },
	{ .heading = "Where else" },
	{ .name = "push",
	  .argument = "URL",
	  .help = "send each window to this server, too, as dendro push --to URL does, by way of "
		  "the folder spool in DIR",
	  .take = take_push,
	  .offset = FIELD(push.url) },
	{ .name = "push-every",
	  .argument = "TIME",
	  .help = "with --push: let windows wait for this time, from 1s to 1h, and send them as "
		  "one profile",
	  .take = take_push_every,
	  .offset = FIELD(push.every_ns) },
	{ .name = "no-send",
	  .help = "with --push: leave the requests in the spool, for another process to send",
	  .take = option_take_flag,
	  .offset = FIELD(push.no_send) },
	{ .heading = "Rights" },
	{ .name = "no-sandbox",
	  .help = "processes that read program files keep the rights of the agent, instead of none",
	  .take = option_take_flag,
	  .offset = FIELD(record.no_sandbox) },
	{ .heading = "Messages" },
	{ .name = "metrics",
	  .argument = "FILE",
	  .help = "write numbers about the agent to this file after each window, for "
		  "node_exporter's "
		  "textfile collector; its name should end in .prom",
	  .take = option_take_text,
	  .offset = FIELD(metrics) },
	{ .name = "quiet",
	  .opposite = "verbose",
	  .letter = 'q',
	  .help = "print no notes, only errors",
	  .take = option_take_flag,
	  .offset = FIELD(record.is_quiet) },
	{ .name = "verbose",
	  .opposite = "quiet",
	  .letter = 'v',
	  .help = "print details of how is recorded, too",
	  .take = option_take_flag,
	  .offset = FIELD(record.is_verbose) },
	{ 0 },
};

const struct command_line agent_line = {
	.command = "agent",
	.synopsis = "[OPTIONS]",
	.description = "Records the whole machine all the time, at a low rate. Each window of a "
		       "minute becomes a\n"
		       "profile in a folder. To end it: SIGTERM or ^C, after which the window at "
		       "hand is written.",
	.options = options_of_agent,
	.refused = refused_values,
	.notes = "The exit status is 0 after SIGTERM or ^C; 1: it cannot record, or write; 129: "
		 "wrong use.",
};

/* Options, and what they borrow: the words of the command line, copied, and settings. */
struct agent_command {
	struct agent_options options;
	char **words; /* owned, as each is; ends with NULL */
	int n_words;
	struct configuration reread; /* empty: the settings are the process's */
};

static int add_word(struct agent_command *command, char *word)
{
	int err = word ? 0 : -ENOMEM;

	if (!err && !command->words)
		err = array_reserve_one(command->words, (size_t)0);
	if (!err)
		err = array_reserve_one(command->words, (size_t)command->n_words + 1);
	if (err) {
		free(word);
		return message_error_of_memory("agent");
	}
	command->words[command->n_words++] = word;
	command->words[command->n_words] = NULL;
	return 0;
}

static void init(struct agent_command *command, const struct recorder_signals *signals, char **argv)
{
	*command = (struct agent_command){
		.options = {
			.directory = RECORDED_RANGE_DEFAULT_FOLDER,
			.window_ns = DEFAULT_WINDOW_NS,
			.nice = AGENT_DEFAULT_NICE,
			.ageing = { .period_ns = { HOUR_NS, DAY_NS }, .n_periods = 2 },
		},
	};
	record_arguments_init(&command->options.record, "agent", argv);
	command->options.record.signals = *signals;
	command->options.record.options.frequency = DEFAULT_FREQUENCY;
}

static void deinit(struct agent_command *command)
{
	/* They are the process's. */
	recorder_signals_init(&command->options.record.signals);
	record_arguments_deinit(&command->options.record);
	for (int i = 0; i < command->n_words; i++)
		free(command->words[i]);
	free(command->words);
	configuration_deinit(&command->reread);
}

static int check_push(const struct push_runs_options *push)
{
	_cleanup_free_ char *program = push->url && !push->no_send ? send_program_find() : NULL;

	return push->url && !push->no_send && !program
		       ? message_error("agent", "--push needs dendro-send, which is not installed "
						"beside this program: it is built where libcurl "
						"is, and is in the package dendro-agent.")
		       : 0;
}

static int check(struct agent_options *options)
{
	struct record_arguments *record = &options->record;

	if (record->is_quiet && record->is_verbose)
		return message_wrong_use("agent", "-q and -v contradict each other.");
	if (!options->has_keep)
		options->ageing.keep_bytes = DEFAULT_KEEP;
	int status = check_push(&options->push);
	if (status)
		return status;
	record->options.has_rate = true;
	record->options.jitter = JITTER_ALL_ALIKE;
	return recording_run_choose_events(record);
}

/* Copies the words, and parses them after the settings. */
static int parse(struct agent_command *command, char **argv, struct configuration *configuration,
		 bool *is_done_ret)
{
	int status = 0;

	for (size_t i = 0; !status && argv[i]; i++)
		status = add_word(command, strdup(argv[i]));
	if (status)
		return status;
	/* Parsing puts operands before options, in a list that is not the one that owns the words.
	 */
	const size_t size = ((size_t)command->n_words + 1) * sizeof(*command->words);
	_cleanup_free_ char **words = malloc(size);
	if (!words)
		return message_error_of_memory("agent");
	memcpy(words, command->words, size);
	struct parsed_line parsed = options_parse(&agent_line, configuration, command->n_words,
						  words, &command->options);
	*is_done_ret = parsed.is_done;
	if (parsed.is_done)
		return parsed.status;
	return parsed.n_operands ? message_wrong_use("agent",
						     "'%s': it records the whole machine, and "
						     "takes options only.",
						     parsed.operands[0])
				 : 0;
}

/* Takes settings and options over. *@command is to be released if the status is 0 and it is not
 * done. */
static int read_options(struct agent_command *command, const struct recorder_signals *signals,
			char **argv, struct configuration *configuration, bool *is_done_ret)
{
	init(command, signals, argv);
	int status = parse(command, argv, configuration, is_done_ret);
	command->options.push.config = configuration->files[CONFIGURATION_OF_OPTION].path;
	command->options.push.nice = agent_later_nice(&command->options);
	command->options.push.keeps_all_paths = command->options.ageing.keeps_details;
	if (!status && !*is_done_ret)
		status = check(&command->options);
	if (status || *is_done_ret)
		deinit(command);
	return status;
}

/* Reads the files of settings again. As read_options(). */
static int reread_options(struct agent_command *command, const struct recorder_signals *signals,
			  char **argv, const char *option_path, bool *is_done_ret)
{
	struct configuration configuration;
	int status = commands_read_settings(&configuration, option_path);

	if (configuration.wrong)
		message_error("agent", "%s", configuration.wrong);
	if (!status)
		status = read_options(command, signals, argv, &configuration, is_done_ret);
	if (!status && !*is_done_ret)
		command->reread = configuration;
	else
		configuration_deinit(&configuration);
	return status;
}

/* Options that are wrong do not end what runs. */
static void reload(struct agent *agent, struct agent_command *command,
		   const struct recorder_signals *signals, char **argv, const char *option_path)
{
	struct agent_command changed;
	bool is_done = false;

	if (reread_options(&changed, signals, argv, option_path, &is_done) || is_done) {
		message_note("agent", "the options stay as they were.");
		return;
	}
	deinit(command);
	*command = changed;
	agent_change(agent, &command->options);
	if (!command->options.record.is_quiet)
		message_note("agent", "the options were read again.");
}

static int run(struct agent_command *command, const struct recorder_signals *signals, char **argv,
	       const char *option_path)
{
	struct agent *agent = NULL;
	int status = agent_create(&command->options, &agent);

	if (status)
		return status;
	while ((status = agent_run(agent)) == AGENT_RELOAD)
		reload(agent, command, signals, argv, option_path);
	agent_destroy(agent);
	return status;
}

int cmd_agent(int argc, char **argv, struct configuration *configuration)
{
	struct recorder_signals signals;
	struct agent_command command;
	bool is_done = false;

	(void)argc;
	recorder_signals_init(&signals);
	recorder_signals_block(&signals);
	recorder_signals_leave_parts(&signals);
	int status = read_options(&command, &signals, argv, configuration, &is_done);
	if (!status && !is_done) {
		status = run(&command, &signals, argv,
			     configuration->files[CONFIGURATION_OF_OPTION].path);
		deinit(&command);
	}
	recorder_signals_deinit(&signals);
	return status;
}
