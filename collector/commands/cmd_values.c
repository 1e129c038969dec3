/* dendro values: shows what the variables of a function were when samples were taken. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/numbers.h"
#include "collector/command-line/filter_findings.h"
#include "collector/command-line/filter_options.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/report_options.h"
#include "collector/commands/commands.h"
#include "collector/files/stored_profile.h"
#include "collector/sandbox/reader_sandbox.h"
#include "collector/session/dendro.h"
#include "collector/values/value_frames.h"
#include "perf/kinds/probe_argument.h"
#include "report/values/values_output.h"

#define DEFAULT_VALUES 10
#define MAX_VALUES     65536

struct values_command {
	struct value_request request;
	struct value_expression *expressions;
	struct values_options output;
	const char *path;
	struct filter_options filter;
	struct file_options files;
	enum symbol_names names;
	enum text_or_json format;
};

static int take_top(const struct option_use *use, void *field)
{
	uint32_t *n_values = field;
	uint64_t n;

	if (numbers_parse(use->value, MAX_VALUES, &n))
		return option_wrong_value(use, "a number of values");
	*n_values = (uint32_t)n;
	return 0;
}

#define FIELD(name) offsetof(struct values_command, name)

static const struct command_option options_of_values[] = {
	{ .shared = input_option, .offset = FIELD(path) },
	{ .name = "locals",
	  .help = "show local variables, too; those that are never known in one last line",
	  .take = option_take_flag,
	  .offset = FIELD(request.locals) },
	{ .name = "by-context",
	  .help = "show the values in each calling context of the function, too",
	  .take = option_take_flag,
	  .offset = FIELD(request.by_context) },
	{ .name = "together",
	  .help = "show what all expressions were at the same samples, too: one against the others",
	  .take = option_take_flag,
	  .offset = FIELD(request.together) },
	{ .name = "top",
	  .argument = "N",
	  .help = "text only: show the N commonest values of each variable (default: 10)",
	  .take = take_top,
	  .offset = FIELD(output.n_values) },
	{ .shared = text_or_json_option, .offset = FIELD(format) },
	{ .shared = filter_options, .offset = FIELD(filter) },
	{ .shared = where_option, .offset = FIELD(filter) },
	{ .shared = symfs_option, .offset = FIELD(files) },
	{ .shared = raw_names_option, .offset = FIELD(names) },
	{ 0 },
};

const struct command_line values_line = {
	.command = "values",
	.synopsis = "[OPTIONS] FUNCTION [EXPRESSION...] [FILE]",
	.description =
		"Shows what the parameters of a function, or the expressions, were when samples "
		"were taken\n"
		"in it or in what it called: the commonest values with their shares, and of "
		"numbers the\n"
		"mean, quantiles and a histogram. What is not known is counted by its "
		"reason.\n\n"
		"An expression is a variable, or what it leads to: p->field, this->member, "
		"a[3], *p,\n"
		"(*p).a.b[2].\n\n"
		"The last operand is the recording if a file has its name.",
	.options = options_of_values,
	.refused = refused_split,
};

/* 0, or an exit status after a message. */
static int take_expressions(struct values_command *command, char **texts, size_t n)
{
	command->expressions = calloc(n + 1, sizeof(*command->expressions));
	if (!command->expressions)
		return message_error("values", "%s.", strerror(ENOMEM));
	for (size_t i = 0; i < n; i++) {
		const char *wrong = value_expression_parse(&command->expressions[i], texts[i]);
		struct probe_argument argument;

		/* What the kernel fetched at a probe may have this name. */
		if (wrong && !probe_argument_parse(texts[i], &argument))
			return message_wrong_use("values", "'%s' %s.", texts[i], wrong);
	}
	command->request.expressions = command->expressions;
	command->request.n_expressions = n;
	command->output.is_asked = n > 0;
	command->output.by_context = command->request.by_context;
	if (command->request.together && n < 2)
		return message_wrong_use("values", "--together needs two or more expressions.");
	return 0;
}

/* 0, or an exit status after a message. */
static int take_operands(struct values_command *command, const struct parsed_line *parsed)
{
	size_t n = parsed->n_operands;

	if (!n)
		return message_wrong_use("values", "name a function.");
	command->request.function = command->output.function = parsed->operands[0];
	if (n > 1 && access(parsed->operands[n - 1], F_OK) == 0)
		n--;
	int status = take_expressions(command, parsed->operands + 1, n - 1);
	return status ? status : file_options_take_operand("values", parsed, n, &command->path);
}

/* Reads all samples. 0 or -errno. */
static int read_samples(const struct values_command *command, struct dendro *session,
			struct value_table *table)
{
	const struct symbolizer_options names = { .names = command->names };
	struct symbolizer *symbolizer = NULL;
	struct value_frames *frames = NULL;
	const struct sample *sample;
	int got, err = 0;

	while (!err && (got = dendro_next(session, &sample)) > 0) {
		if (!sample->raw.header)
			continue; /* time off the CPU without a sample */
		if (!symbolizer)
			symbolizer = symbolizer_create(dendro_recording(session), &names);
		if (symbolizer && !frames)
			frames = value_frames_create(&command->request, dendro_recording(session),
						     symbolizer);
		err = frames ? value_frames_add(frames, sample, table) : -ENOMEM;
	}
	value_frames_destroy(frames);
	symbolizer_destroy(symbolizer);
	return err ? err : got;
}

static int complain_of_name(const struct values_command *command)
{
	return message_error(
		"values",
		"%s: no stack has a frame of '%s': 'dendro report --view functions' has "
		"the names of functions.",
		command->path, command->request.function);
}

static const struct value_row *find_row(const struct value_table *table, const char *name)
{
	for (uint32_t row = 0; row < table->n_rows; row++)
		if (strcmp(table->rows[row].name, name) == 0)
			return &table->rows[row];
	return NULL;
}

/* Expressions that no frame of the function can have a value for. */
static bool lacks_value(const struct values_command *command, const struct value_table *table)
{
	const char *path = command->path, *function = command->request.function;
	bool is_lacking = false;

	for (size_t i = 0; i < command->request.n_expressions; i++) {
		const struct value_expression *expression = &command->expressions[i];
		const struct value_row *row = find_row(table, expression->text);
		const uint64_t n_wrong = row ? row->n_missing[DEBUG_NO_SUCH_PART] : 0;

		if (!row && table->n_without)
			continue;
		if (!row)
			message_error("values", "%s: '%s' has no variable '%s' at any sample.",
				      path, function, expression->variable);
		else if (n_wrong && n_wrong == value_row_n(row))
			message_error("values",
				      "%s: '%s' does not fit its types: there is no such member, "
				      "or it is no pointer or array.",
				      path, expression->text);
		else
			continue;
		is_lacking = true;
	}
	return is_lacking;
}

/* 0, or 1 after a message. */
static int conclude(const struct values_command *command, struct dendro *session,
		    struct value_table *table)
{
	if (!table->n_found)
		return complain_of_name(command);
	if (lacks_value(command, table))
		return 1;
	value_table_finish(table);
	if (command->format == AS_JSON)
		values_write_json(stdout, table, &command->output);
	else
		values_write_text(stdout, table, &command->output);
	if (fflush(stdout) && errno != EPIPE)
		return message_error("values", "cannot write: %s.", strerror(errno));
	const char *wrong = dendro_error(session);
	return wrong ? message_error_of_file("values", command->path, wrong) : 0;
}

static int run_session(const struct values_command *command, struct dendro *session,
		       const struct dendro_filter *filter)
{
	struct value_table table = { 0 };
	int err = read_samples(command, session, &table);

	if (err)
		err = message_error_of_file("values", command->path, strerror(-err));
	else if (filter_findings_check_phases("values", NULL, dendro_recording(session), filter) ||
		 filter_findings_check_epochs("values", NULL, dendro_recording(session), filter))
		err = 1;
	else
		err = conclude(command, session, &table);
	value_table_deinit(&table);
	return err;
}

/* Returns 0, or 1 after a message. */
static int run(struct values_command *command)
{
	const struct dendro_source source = { .path = command->path };
	struct dendro_options options = { .no_paths = true,
					  .filter = filter_options_filter(&command->filter) };
	_cleanup_free_ char *error = NULL;
	struct dendro *session = NULL;
	const struct reader_needs needs = { .inputs = &command->path, .n_inputs = 1 };

	if (stored_profile_refused(command->path, "values"))
		return 1;
	reader_sandbox_enter("values", &command->files, &needs);
	if (file_options_open(&command->files, "values", &options.files))
		return 1;
	int err = options.filter.has_time ? dendro_read_times(&source, &options.times, &error) : 0;
	if (!err)
		err = dendro_open(&source, &options, &session, &error);
	if (err)
		message_error_of_file("values", command->path, error ? error : strerror(-err));
	else
		err = run_session(command, session, &options.filter);
	dendro_close(session);
	file_search_destroy(options.files);
	return err ? 1 : 0;
}

int cmd_values(int argc, char **argv, struct configuration *configuration)
{
	struct values_command command = { .path = file_options_default,
					  .names = NAMES_WITHOUT_PARAMETERS,
					  .output.n_values = DEFAULT_VALUES };
	struct parsed_line parsed =
		options_parse(&values_line, configuration, argc, argv, &command);
	int status = parsed.status;

	if (!parsed.is_done)
		status = take_operands(&command, &parsed);
	if (!parsed.is_done && !status)
		status = run(&command);
	filter_options_deinit(&command.filter);
	free(command.expressions);
	return status;
}
