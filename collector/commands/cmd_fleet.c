/* dendro fleet: what many machines' profiles in a database have in common, and what moved. */
#include <stdlib.h>
#include <string.h>

#include "cct/base/numbers.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/report_options.h"
#include "collector/commands/commands.h"
#include "collector/fleet/fleet_top.h"
#include "collector/fleet/from_database.h"

#define DEFAULT_ROWS 30
#define ROWS_MAX     100000
#define DEFAULT_FROM "-7d"

struct fleet_command {
	struct report_options report; /* the database, and times */
	struct fleet_question question;
	enum fleet_format format;
};

static const struct choice view_names[] = {
	{ "functions", FLEET_FUNCTIONS }, { "services", FLEET_SERVICES },
	{ "builds", FLEET_BUILDS },       { "kernels", FLEET_KERNELS },
	{ "moved", FLEET_MOVED },         { NULL, 0 },
};
static const struct choice orders[] = {
	{ "total", false },
	{ "self", true },
	{ NULL, 0 },
};
static const struct choice formats[] = {
	{ "text", FLEET_TEXT },
	{ "json", FLEET_JSON },
	{ NULL, 0 },
};
static const struct choice words[] = {
	{ "top", 0 },
	{ NULL, 0 },
};

static int take_order(const struct option_use *use, void *field)
{
	int order = 0;
	const int status = option_take_choice(use, &order);

	*(bool *)field = order;
	return status;
}

static int take_rows(const struct option_use *use, void *field)
{
	uint64_t n;

	if (numbers_parse(use->value, ROWS_MAX, &n) || !n)
		return option_wrong_value(use, "a number from 1 to %d", ROWS_MAX);
	*(unsigned *)field = (unsigned)n;
	return 0;
}

#define FIELD(name) offsetof(struct fleet_command, name)

static const struct command_option options_of_fleet[] = {
	{ .name = "by",
	  .argument = "VIEW",
	  .help = "what to show. functions: of each service, with what they call (default); "
		  "services, builds, "
		  "kernels: their costs, and those of a host's day; moved: functions that the "
		  "last build of a service has made cheaper or dearer, by more than chance",
	  .take = option_take_choice,
	  .choices = view_names,
	  .offset = FIELD(question.view) },
	{ .name = "event",
	  .letter = 'e',
	  .argument = "NAME",
	  .help = "the costs of this event (default: the one with the most samples)",
	  .take = option_take_text,
	  .offset = FIELD(question.event) },
	{ .name = "per",
	  .argument = "EVENT",
	  .help = "of --by moved: compare costs for each of this event, such as requests, instead "
		  "of shares of the service's cost",
	  .take = option_take_text,
	  .offset = FIELD(question.per) },
	{ .name = "sort",
	  .argument = "KEY",
	  .help = "sort functions by total (default) or self",
	  .take = take_order,
	  .choices = orders,
	  .offset = FIELD(question.by_self) },
	{ .name = "rows",
	  .argument = "N",
	  .help = "show at most N rows (default: 30); of --by moved, all are shown",
	  .take = take_rows,
	  .offset = FIELD(question.n_rows) },
	{ .name = "format",
	  .letter = 'f',
	  .argument = "FORMAT",
	  .help = "text (default) or json",
	  .take = option_take_choice,
	  .choices = formats,
	  .offset = FIELD(format) },
	{ .heading = "The database" },
	{ .shared = db_options, .offset = FIELD(report.files.db) },
	{ .name = "where",
	  .not_a_setting = SETTING_OF_SAMPLES,
	  .argument = "SQL",
	  .help = "the samples for which this holds: service, host, process, build, kernel and "
		  "metric, as in \"service = 'api' and host like 'fra%'\"",
	  .take = option_take_text,
	  .offset = FIELD(report.files.db.where) },
	{ .name = "from",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "TIME",
	  .help = "the days since this local time: '2026-11-27 02:10', -2d (default: -7d)",
	  .take = option_take_text,
	  .offset = FIELD(report.from) },
	{ .name = "to",
	  .not_a_setting = SETTING_OF_A_QUESTION,
	  .argument = "TIME",
	  .help = "likewise, the days up to this time (default: now)",
	  .take = option_take_text,
	  .offset = FIELD(report.to) },
	{ 0 },
};

const struct command_line fleet_line = {
	.command = "fleet",
	.synopsis = "top --from-db URL [OPTIONS]",
	.description = "Shows where the cost of many machines goes, of which dendro push has sent "
		       "the profiles to\n"
		       "a database: the functions, services, builds and kernels that cost most, or "
		       "the functions\n"
		       "that new builds have made cheaper or dearer, by days of hosts.",
	.options = options_of_fleet,
	.operands = words,
};

/* 0, or an exit status after a message. */
static int check(const struct fleet_command *command, const struct parsed_line *parsed)
{
	if (parsed->n_operands != 1 || strcmp(parsed->operands[0], "top") != 0)
		return message_wrong_use("fleet", "say what to do: dendro fleet top.");
	if (!command->report.files.db.url)
		return message_wrong_use("fleet", "name the database with --from-db.");
	if (command->question.per && command->question.view != FLEET_MOVED)
		return message_wrong_use("fleet", "--per needs --by moved.");
	return 0;
}

int cmd_fleet(int argc, char **argv, struct configuration *configuration)
{
	struct fleet_command command = { .question.n_rows = DEFAULT_ROWS };
	struct report_options *report = &command.report;

	report_options_init(report, "fleet");
	struct parsed_line parsed = options_parse(&fleet_line, configuration, argc, argv, &command);
	int status = parsed.status;
	if (!parsed.is_done)
		status = check(&command, &parsed);
	if (!parsed.is_done && !status) {
		report->from = report->from ? report->from : DEFAULT_FROM;
		parsed.n_operands = 0;
		status = from_database_take(report, &parsed);
	}
	if (!parsed.is_done && !status) {
		command.question.selection.where = report->files.db.where;
		command.question.selection.span = report->files.db.span;
		status = fleet_top_show(&report->files.db, &command.question, command.format);
	}
	report_options_deinit(report);
	return status;
}
