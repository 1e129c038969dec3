/* dendro push: sends profiles to a server that keeps those of many machines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/numbers.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/report_options.h"
#include "collector/commands/commands.h"
#include "collector/files/fetched_profile.h"
#include "collector/files/named_profile.h"
#include "collector/files/shown_naming.h"
#include "collector/push/clickhouse/clickhouse_requests.h"
#include "collector/push/clickhouse/symbol_rows.h"
#include "collector/push/known_keys.h"
#include "collector/push/push_requests.h"
#include "collector/push/send_program.h"
#include "collector/sandbox/reader_sandbox.h"
#include "collector/schema/schema.h"

#define SPOOL_DEFAULT ((uint64_t)256 << 20)
#define SPOOL_MIN     ((uint64_t)4 << 20) /* of any request */
#define SPOOL_MAX     ((uint64_t)1 << 50)
#define RETRY_DEFAULT (60 * NSEC_PER_SEC)
#define RETRY_MAX     (86400 * NSEC_PER_SEC)
#define SLICE_DEFAULT (60 * NSEC_PER_SEC)
#define SLICE_MAX     (86400 * NSEC_PER_SEC)

struct push_command {
	struct report_options report;
	struct push_target target; /* ->url NULL: none was given */
	struct push_labels labels;
	struct send_options send;
	struct spool spool;
	uint64_t max_spool, slice_ns;
	bool has_commands, creates_tables, prints_tables, has_symbols;
	bool is_one;  /* the files are added up */
	bool no_send; /* the requests stay in the spool, for another process */
	struct known_keys known;
	bool knows; /* which database it is: ->known is what it has */
	char database_id[SEND_DATABASE_ID_SIZE];
};

#define FIELD(name) offsetof(struct push_command, name)

static int take_target(const struct option_use *use, void *field)
{
	struct push_target *target = field;
	const char *reason;

	push_target_deinit(target);
	*target = (struct push_target){ 0 };
	const int err = push_target_parse(use->value, target, &reason);
	if (err == -ENOMEM)
		return message_error_of_memory(use->command);
	/* It is not shown: it may have a password. */
	return err ? message_wrong_use(use->command, "the URL of %s %s.", use->spelling, reason)
		   : 0;
}

static int complain_of_label(const struct option_use *use, int err, const char *where)
{
	switch (err) {
	case -ENOMEM:
		return message_error_of_memory(use->command);
	case -E2BIG:
		return message_wrong_use(use->command, "%s: there are more than %d labels.", where,
					 PUSH_LABELS_MAX);
	default:
		return message_wrong_use(use->command,
					 "%s: a label is NAME=VALUE, such as region=eu; names have "
					 "letters, digits and underscores, and do not begin with "
					 "two underscores.",
					 where);
	}
}

static int take_label(const struct option_use *use, void *field)
{
	const int err = push_labels_add(field, use->value);

	return err ? complain_of_label(use, err, use->spelling) : 0;
}

static int take_labels(const struct option_use *use, void *field)
{
	char where[64];
	size_t line;
	const int err = push_labels_read(field, use->value, &line);

	if (err && !line)
		return message_error_of_file(use->command, use->value, strerror(-err));
	snprintf(where, sizeof(where), "line %zu of the labels", line);
	return err ? complain_of_label(use, err, where) : 0;
}

static int take_cluster(const struct option_use *use, void *field)
{
	if (!schema_is_name(use->value))
		return option_wrong_value(use, "a name of letters, digits, underscores and "
					       "hyphens");
	*(const char **)field = use->value;
	return 0;
}

static int take_size(const struct option_use *use, void *field)
{
	uint64_t size;

	if (numbers_parse_size(use->value, 1, SPOOL_MAX, &size) || size < SPOOL_MIN)
		return option_wrong_value(use, "a size of 4M or more, such as 256M");
	*(uint64_t *)field = size;
	return 0;
}

static int take_retry(const struct option_use *use, void *field)
{
	if (numbers_parse_time(use->value, NSEC_PER_SEC, RETRY_MAX, field))
		return option_wrong_value(use, "a time of a day at most, such as 60s or 10m");
	return 0;
}

static int take_slice(const struct option_use *use, void *field)
{
	uint64_t ns;

	if (numbers_parse_time(use->value, NSEC_PER_SEC, SLICE_MAX, &ns) || ns < SLICE_DEFAULT ||
	    ns % NSEC_PER_SEC)
		return option_wrong_value(use, "whole seconds, from 60s to 1d, such as 1h");
	*(uint64_t *)field = ns;
	return 0;
}

static const struct command_option options_of_push[] = {
	{ .name = "to",
	  .argument = "URL",
	  .help = "the server: clickhouse+https://[USER@]HOST[:PORT]/DATABASE, "
		  "pyroscope+https://[USER@]HOST[:PORT][/PATH], "
		  "otlp+https://..., or one of them with http instead of https",
	  .take = take_target,
	  .offset = FIELD(target) },
	{ .name = "label",
	  .argument = "NAME=VALUE",
	  .help = "add a label to all profiles (may be given several times); service_name is the "
		  "service of all samples, and host the machine's name",
	  .take = take_label,
	  .offset = FIELD(labels) },
	{ .name = "labels",
	  .argument = "FILE",
	  .help = "add the labels of a file, NAME=VALUE on each line",
	  .take = take_labels,
	  .offset = FIELD(labels) },
	{ .name = "with-commands",
	  .help = "send the recording's command line, too, which may have secrets",
	  .take = option_take_flag,
	  .offset = FIELD(has_commands) },
	{ .name = "symbols",
	  .help = "the files are programs or libraries: put their functions into ClickHouse, for "
		  "code that had no names when it was pushed",
	  .take = option_take_flag,
	  .offset = FIELD(has_symbols) },
	{ .name = "slice",
	  .argument = "TIME",
	  .help = "samples of so long a time are one row of ClickHouse (default: 60s); of an hour, "
		  "a tenth as many rows",
	  .take = take_slice,
	  .offset = FIELD(slice_ns) },
	{ .name = "as-one",
	  .not_a_setting = "it is about the files of one run",
	  .help = "add the files up, and send them as one profile: of many windows, fewer and "
		  "larger requests, and each path once",
	  .take = option_take_flag,
	  .offset = FIELD(is_one) },
	{ .name = "fold-once",
	  .not_a_setting = "it is about the files of one run",
	  .help = "with --as-one: paths of which there is one sample end at the deepest caller "
		  "that "
		  "they share with others, as in dendro merge --fold-once",
	  .take = option_take_flag,
	  .offset = FIELD(report.folds_once) },
	{ .name = "join-addresses",
	  .not_a_setting = "it is about the files of one run",
	  .help = "with --as-one: rare addresses of a function become one on each path, as in "
		  "dendro merge --join-addresses",
	  .take = option_take_flag,
	  .offset = FIELD(report.joins_addresses) },
	{ .heading = "Tables of ClickHouse" },
	{ .name = "create-tables",
	  .help = "make the database and dendro's tables in it, or bring them up to date, before "
		  "anything is sent",
	  .take = option_take_flag,
	  .offset = FIELD(creates_tables) },
	{ .name = "print-tables",
	  .help = "print the SQL that makes the tables, and do nothing else",
	  .take = option_take_flag,
	  .offset = FIELD(prints_tables) },
	{ .name = "cluster",
	  .argument = "NAME",
	  .help = "tables on all servers of this cluster: replicated, and sharded by host",
	  .take = take_cluster,
	  .offset = FIELD(send.cluster) },
	{ .heading = "The server" },
	{ .name = "token-file",
	  .argument = "FILE",
	  .help = "send the token in the first line of this file: as a bearer token, or as the "
		  "password of the URL's user",
	  .take = option_take_text,
	  .offset = FIELD(send.token_file) },
	{ .name = "tenant",
	  .argument = "NAME",
	  .help = "send the profiles of this tenant (the header X-Scope-OrgID)",
	  .take = option_take_text,
	  .offset = FIELD(send.tenant) },
	{ .name = "ca-file",
	  .argument = "FILE",
	  .help = "trust the certificates of this file, in PEM, instead of the system's",
	  .take = option_take_text,
	  .offset = FIELD(send.ca_file) },
	{ .name = "retry-for",
	  .argument = "TIME",
	  .help = "try again for so long while the server can't be reached or is busy (default: "
		  "60s); then the requests stay in the spool",
	  .take = take_retry,
	  .offset = FIELD(send.retry_ns) },
	{ .heading = "The spool, where requests wait" },
	{ .name = "spool",
	  .argument = "DIR",
	  .help = "use this folder (default: /var/lib/dendro/spool for root, else "
		  "dendro/spool in $XDG_STATE_HOME or ~/.local/state)",
	  .take = option_take_text,
	  .offset = FIELD(send.spool) },
	{ .name = "max-spool",
	  .argument = "SIZE",
	  .help = "drop the oldest requests where it would be larger (default: 256M)",
	  .take = take_size,
	  .offset = FIELD(max_spool) },
	{ .name = "no-send",
	  .help = "write requests into the spool, and send nothing: dendro push without FILE does",
	  .take = option_take_flag,
	  .offset = FIELD(no_send) },
	{ .heading = "The files" },
	{ .shared = symfs_option, .offset = FIELD(report.files) },
	{ .shared = debuginfod_option, .offset = FIELD(report.files) },
	{ .heading = "Messages" },
	{ .name = "quiet",
	  .letter = 'q',
	  .help = "do not tell what was sent",
	  .take = option_take_flag,
	  .offset = FIELD(send.is_quiet) },
	{ 0 },
};

const struct command_line push_line = {
	.command = "push",
	.synopsis = "--to URL [OPTIONS] [FILE...]",
	.description = "Sends recordings or profiles to a server that keeps the profiles of many "
		       "machines:\n"
		       "ClickHouse, Grafana Pyroscope, or one that takes profiles of "
		       "OpenTelemetry's protocol (OTLP).\n"
		       "Without FILE, what waits in the spool is sent.",
	.options = options_of_push,
};

/* 0, or another value after a message. */
static int add_profile(struct push_command *command, struct profile *profile)
{
	struct report_options *report = &command->report;
	struct push_requests requests = { .target = &command->target,
					  .labels = &command->labels,
					  .spool = &command->spool,
					  .max_spool = command->max_spool,
					  .has_commands = command->has_commands,
					  .slice_ns = command->slice_ns,
					  .known = command->knows ? &command->known : NULL };
	int err = command->target.database && !profile->names ? named_profile_name(report, profile)
							      : 0;
	if (err)
		return err;
	struct symbolizer *symbolizer = symbolizer_create(profile, &report->symbolizer);
	struct shown_naming naming;

	if (!symbolizer)
		return message_error_of_memory("push");
	shown_naming_start(&naming, "push", symbolizer, NULL);
	err = command->target.database ? clickhouse_requests_add(&requests, profile, symbolizer)
				       : push_requests_add(&requests, profile, symbolizer);
	shown_naming_stop(&naming);
	symbolizer_destroy(symbolizer);
	if (requests.n_too_large)
		message_note("push",
			     "%u paths of '%s' are left out: each is larger than servers take.",
			     requests.n_too_large, report->path);
	if (!requests.n_services && !err)
		message_note("push", "'%s' has no samples.", report->path);
	if (err == -ENODATA)
		return message_error_of_file("push", report->path,
					     "it does not say when it was recorded, so it can't "
					     "go into a database.");
	return err ? message_error("push", "cannot write into '%s': %s.", command->spool.path,
				   strerror(-err))
		   : 0;
}

/* Likewise. What precedes damage is sent. */
static int add_file(struct push_command *command, const char *path)
{
	struct report_options *report = &command->report;
	_cleanup_free_ char *error = NULL;
	struct profile *profile = NULL;

	report->path = path;
	int err = file_options_open(&report->files, "push", &report->build.files);
	if (err)
		return err;
	err = fetched_profile_build(path, &report->build, &report->files, "push", &profile, &error);
	if (err)
		message_error_of_file("push", path, error ? error : strerror(-err));
	else
		err = add_profile(command, profile);
	if (!err && error)
		err = message_error_of_file("push", path, error);
	profile_destroy(profile);
	file_search_destroy(report->build.files);
	return err;
}

/* Likewise, of all files together; one that can't be read keeps the others back. */
static int add_sum(struct push_command *command, const struct parsed_line *parsed)
{
	struct report_options *report = &command->report;
	struct profile *profile = NULL;
	bool is_damaged = false;

	report_options_take_operands(report, parsed);
	int err = named_profile_merge(report, &profile, &is_damaged);
	if (!err)
		err = add_profile(command, profile);
	profile_destroy(profile);
	return err || is_damaged;
}

/* What is parsed may be anybody's. */
static void give_up_rights(struct push_command *command, const struct parsed_line *parsed)
{
	const struct reader_needs needs = {
		.inputs = (const char *const *)parsed->operands,
		.n_inputs = parsed->n_operands,
		.written = command->send.spool,
	};

	reader_sandbox_enter("push", &command->report.files, &needs);
}

/* Likewise. */
static int add_symbols(struct push_command *command, const char *path)
{
	struct push_requests requests = { .target = &command->target,
					  .spool = &command->spool,
					  .max_spool = command->max_spool };
	const char *problem = NULL;
	unsigned n;
	const int err = symbol_rows_add(&requests, path, &n, &problem);

	if (err)
		return message_error_of_file("push", path, problem ? problem : strerror(-err));
	message_note("push", "'%s' has %u functions.", path, n);
	return 0;
}

/* Writes the requests of all files: one that can't be read does not keep the others back. */
static int fill_spool(struct push_command *command, const struct parsed_line *parsed)
{
	struct spool *spool = &command->spool;
	_cleanup_free_ char *error = NULL;
	int err = spool_open(spool, command->send.spool, SPOOL_WRITE, &error);

	if (err)
		err = message_error("push", "%s", error ? error : strerror(-err));
	else if (command->knows &&
		 known_keys_read(&command->known, spool->fd, command->database_id))
		err = message_error_of_memory("push");
	else
		give_up_rights(command, parsed);
	const bool can_fill = !err;
	if (can_fill && command->is_one)
		err = add_sum(command, parsed);
	for (size_t i = 0; i < parsed->n_operands && can_fill && !command->is_one; i++)
		err |= command->has_symbols ? add_symbols(command, parsed->operands[i])
					    : add_file(command, parsed->operands[i]);
	if (spool->n_dropped)
		message_note("push",
			     "the %u oldest requests, %.1f MiB, were dropped: the spool has at "
			     "most %.1f MiB (--max-spool).",
			     spool->n_dropped, (double)spool->n_dropped_bytes / (1 << 20),
			     (double)command->max_spool / (1 << 20));
	spool_close(spool);
	return err;
}

/* In a process of its own: the one that sends keeps what it needs for that. Likewise. */
static int fill_in_process(struct push_command *command, const struct parsed_line *parsed)
{
	int status;

	fflush(NULL);
	const pid_t pid = fork();
	if (pid == 0)
		_exit(fill_spool(command, parsed) ? 1 : 0);
	if (pid < 0)
		return message_error("push", "cannot start a process: %s.", strerror(errno));
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return message_error("push", "lost a process: %s.", strerror(errno));
	}
	if (WIFSIGNALED(status))
		return message_error("push",
				     "the process that reads profiles was ended by signal %d (%s).",
				     WTERMSIG(status), strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status);
}

/* What a database has need not be sent, if it says now which one it is. 0, or another value after a
 * message: it is no place for profiles. */
static int look_at_database(struct push_command *command, const char *program)
{
	int err = command->creates_tables ? send_program_create_tables(program, &command->send) : 0;

	if (!err)
		err = send_program_check(program, &command->send, command->database_id);
	command->knows = !err;
	return err == SEND_EXIT_AGAIN ? 0 : err;
}

static int push(struct push_command *command, const struct parsed_line *parsed)
{
	_cleanup_free_ char *program = send_program_find(), *spool = spool_default_path();

	const bool speaks = !command->no_send || command->creates_tables;
	if (!program && speaks)
		return message_error("push",
				     "what sends is another program, dendro-send, which is not "
				     "installed beside this one: it is built where libcurl is, "
				     "and is in the package dendro-agent.");
	if (!command->send.spool)
		command->send.spool = spool;
	if (!command->send.spool)
		return message_error("push", "HOME is not set: name a folder for requests with "
					     "--spool.");
	command->send.url = command->target.url;
	command->send.user = command->target.user;
	report_options_finish(&command->report);
	command->report.build.by_thread = true;
	command->report.build.keeps_rows = true;
	command->report.symbolizer.lines = true;
	command->send.database = command->target.database;
	int err = 0;
	if (command->target.database && speaks)
		err = look_at_database(command, program);
	if (err)
		return err;
	if (parsed->n_operands)
		err = fill_in_process(command, parsed);
	if (command->no_send)
		return err;
	const int status = send_program_run(program, &command->send);
	return err && !status ? 1 : status;
}

int cmd_push(int argc, char **argv, struct configuration *configuration)
{
	struct push_command command = { .max_spool = SPOOL_DEFAULT,
					.slice_ns = SLICE_DEFAULT,
					.send.retry_ns = RETRY_DEFAULT };

	report_options_init(&command.report, "push");
	struct parsed_line parsed = options_parse(&push_line, configuration, argc, argv, &command);
	int status = parsed.status;
	if (!parsed.is_done && command.prints_tables && command.send.cluster &&
	    !command.target.database)
		status = message_wrong_use("push", "--cluster needs --to clickhouse+https://HOST/"
						   "DATABASE.");
	else if (!parsed.is_done && command.prints_tables)
		schema_write(stdout, 0, command.send.cluster, command.target.database);
	else if (!parsed.is_done && !command.target.database &&
		 (command.creates_tables || command.has_symbols))
		status = message_wrong_use("push",
					   "%s needs --to clickhouse+https://HOST/"
					   "DATABASE.",
					   command.has_symbols ? "--symbols" : "--create-tables");
	else if (!parsed.is_done && command.has_symbols && command.is_one)
		status = message_wrong_use("push", "--symbols and --as-one contradict each other.");
	else if (!parsed.is_done && command.report.folds_once && !command.is_one)
		status = message_wrong_use("push", "--fold-once needs --as-one.");
	else if (!parsed.is_done && command.report.joins_addresses && !command.is_one)
		status = message_wrong_use("push", "--join-addresses needs --as-one.");
	else if (!parsed.is_done && !command.target.url)
		status = message_wrong_use("push", "name the server with --to URL.");
	else if (!parsed.is_done)
		status = push(&command, &parsed);
	report_options_deinit(&command.report);
	push_target_deinit(&command.target);
	push_labels_deinit(&command.labels);
	known_keys_deinit(&command.known);
	return status;
}
