#include "collector/command-line/options.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/text/near_names.h"
#include "collector/command-line/messages.h"
#include "collector/configuration/option_settings.h"

#define HELP_WIDTH      90
#define HELP_COLUMN_MAX 30

/* An option of the command line, before it is taken over. */
struct given_option {
	struct option_use use; /* its spelling is set when it is taken */
	size_t offset;
	char spelling[OPTION_SPELLING_SIZE];
	bool is_negated; /* nothing is taken over, of a file neither */
};

struct parsing {
	const struct command_line *line;
	char **argv;
	int argc, at; /* the next word */
	struct given_option *given;
	size_t n_given;
};

static int complain_of_unknown(const struct command_line *line, const char *name, size_t length)
{
	char wanted[NEAR_NAME_SIZE];
	const bool is_config = length == strlen("config") && strncmp(name, "config", length) == 0;
	struct option_walk walk = { .row = line->options };
	const struct command_option *option;
	struct near_names near;
	size_t offset;

	if (is_config)
		return message_wrong_use(line->command,
					 "--config stands before the command: dendro --config FILE "
					 "%s.",
					 line->command);
	snprintf(wanted, sizeof(wanted), "%.*s", (int)(length < sizeof(wanted) ? length : 0), name);
	near_names_init(&near, wanted, strlen(wanted));
	while ((option = option_walk_next(&walk, &offset)))
		if (option->name)
			near_names_offer(&near, option->name);
	if (!near.n_kept)
		return message_wrong_use(line->command, "unknown option '--%.*s'.", (int)length,
					 name);
	return message_wrong_use(line->command, "unknown option '--%.*s'; did you mean '--%s'?",
				 (int)length, name, near.kept[0].name);
}

static int complain_of_ambiguous(const struct command_line *line, const char *name, size_t length)
{
	char names[256] = "";
	struct option_walk walk = { .row = line->options };
	const struct command_option *option;
	size_t offset, size = 0;

	while ((option = option_walk_next(&walk, &offset))) {
		if (option_is_spelled(option, name, length) && size < sizeof(names))
			size += (size_t)snprintf(names + size, sizeof(names) - size, "%s '--%s'",
						 size ? "," : "", option->name);
	}
	return message_wrong_use(line->command, "'--%.*s' is ambiguous: it may be any of%s.",
				 (int)length, name, names);
}

int option_wrong_use(const struct option_use *use, const char *format, ...)
{
	const struct command_option *of_perf = use->of_perf;
	va_list args;

	va_start(args, format);
	_cleanup_free_ char *wrong = sentence_v(format, args);
	va_end(args);
	if (!wrong)
		return message_error_of_memory(use->command);
	if (!of_perf)
		return message_wrong_use(use->command, "%s.", wrong);
	message_error(use->command, "%s; perf's %s (--%s) %s%s.", wrong, use->spelling,
		      of_perf->name, of_perf->help ? "is not supported: " : "is not needed",
		      of_perf->help ? of_perf->help : "");
	return EXIT_WRONG_USE;
}

/* Adds an option. Another one may stand for it. */
static int add(struct parsing *parsing, struct given_option given, char *value)
{
	const struct command_option *option = given.use.option;
	size_t n;

	given.use.command = parsing->line->command;
	given.use.value = value;
	if (option->same_as) {
		struct found_option ours = option_find_ours(parsing->line, option->same_as,
							    strlen(option->same_as), &n);

		given.use.value = option->given ? option->given : value;
		given.use.option = ours.option;
		given.offset = ours.offset;
	}
	assert(given.use.option && given.use.option->take);
	if (array_reserve_one(parsing->given, parsing->n_given))
		return message_error_of_memory(parsing->line->command);
	parsing->given[parsing->n_given++] = given;
	return 0;
}

/* The option takes a value, which did not follow in the same word. */
static int add_with_rest(struct parsing *parsing, struct given_option given)
{
	const struct command_option *option = given.use.option;
	bool is_missing = parsing->at == parsing->argc || parsing->argv[parsing->at][0] == '-';

	if (option->is_value_optional || (option->is_value_loose && is_missing))
		return add(parsing, given, NULL);
	given.use.command = parsing->line->command;
	given.use.spelling = given.spelling;
	if (parsing->at == parsing->argc)
		return option_wrong_use(&given.use, "%s requires a value: %s %s", given.spelling,
					given.spelling, option->argument);
	return add(parsing, given, parsing->argv[parsing->at++]);
}

/* The option that "no-NAME" takes back; "NAME" where the option is called no-NAME. */
static struct found_option find_negated(const struct command_line *line, const char *word)
{
	char name[OPTION_SPELLING_SIZE];
	struct found_option found;

	if (strncmp(word, "no-", 3) == 0)
		found = option_find_setting(line, word + 3);
	else if (snprintf(name, sizeof(name), "no-%s", word) < (int)sizeof(name))
		found = option_find_setting(line, name);
	else
		return (struct found_option){ 0 };
	return found.option && !found.option->not_a_setting ? found : (struct found_option){ 0 };
}

/* "name", "name=value" */
static int parse_long(struct parsing *parsing, char *word, bool *is_help_ret)
{
	const struct command_line *line = parsing->line;
	size_t length = strcspn(word, "="), n;
	char *value = word[length] ? word + length + 1 : NULL;
	struct found_option found = option_find_long(line, word, length, &n);
	struct given_option given = { 0 };

	if (!n && length && !value) {
		found = find_negated(line, word);
		given.is_negated = found.option != NULL;
		n = given.is_negated;
	}
	if (!n || !length)
		return complain_of_unknown(line, word, length);
	if (n > 1)
		return complain_of_ambiguous(line, word, length);
	given.use.option = found.option;
	given.offset = found.offset;
	snprintf(given.spelling, sizeof(given.spelling), "--%s", found.option->name);
	if (value && !found.option->argument)
		return message_wrong_use(line->command, "%s takes no value.", given.spelling);
	*is_help_ret = found.option == &option_of_help;
	if (*is_help_ret)
		return 0;
	if (!value && found.option->argument && !given.is_negated)
		return add_with_rest(parsing, given);
	return add(parsing, given, value);
}

/* "qv", "oFILE" */
static int parse_letters(struct parsing *parsing, char *word, bool *is_help_ret)
{
	const struct command_line *line = parsing->line;
	int status = 0;

	for (; *word && !status && !*is_help_ret; word++) {
		struct found_option found = option_find_letter(line, *word);
		const struct found_option of_perf = option_find_of_perf(line, NULL, 0, *word);
		struct given_option given = { 0 };

		if (found.option)
			given.use.of_perf = of_perf.option;
		else
			found = of_perf;
		given.use.option = found.option;
		given.offset = found.offset;

		if (!found.option)
			return message_wrong_use(line->command, "unknown option '-%c'.", *word);
		snprintf(given.spelling, sizeof(given.spelling), "-%c", *word);
		*is_help_ret = found.option == &option_of_help;
		if (*is_help_ret)
			break;
		if (found.option->argument && !found.option->is_value_optional)
			return word[1] ? add(parsing, given, word + 1)
				       : add_with_rest(parsing, given);
		status = add(parsing, given, NULL);
	}
	return status;
}

/* Adds all options; help is printed. Operands that stand between them are moved to the front. */
static int parse_words(struct parsing *parsing, size_t *n_operands, bool *is_help)
{
	const struct command_line *line = parsing->line;
	int status = 0;

	while (!status && !*is_help && parsing->at < parsing->argc) {
		char *word = parsing->argv[parsing->at];
		bool is_operand = word[0] != '-' || !word[1];

		if (is_operand && line->is_ended_by_operand)
			break;
		parsing->at++;
		if (strcmp(word, "--") == 0)
			break;
		if (is_operand)
			parsing->argv[1 + (*n_operands)++] = word;
		else if (word[1] == '-')
			status = parse_long(parsing, word + 2, is_help);
		else
			status = parse_letters(parsing, word + 1, is_help);
	}
	if (*is_help)
		options_print_help(stdout, line);
	return status;
}

static int take_settings(const struct parsing *parsing, struct configuration *configuration,
			 void *target)
{
	_cleanup_free_ struct given_name *names = calloc(parsing->n_given + 1, sizeof(*names));
	const struct given_options given = { names, parsing->n_given };

	if (!names)
		return message_error_of_memory(parsing->line->command);
	for (size_t i = 0; i < given.n; i++)
		names[i] = (struct given_name){ parsing->given[i].use.option,
						parsing->given[i].is_negated };
	_cleanup_free_ char *wrong = NULL;
	int status = option_settings_take(parsing->line, configuration, &given, target, &wrong);
	if (wrong)
		return message_wrong_use(parsing->line->command, "%s", wrong);
	return status == -ENOMEM ? message_error_of_memory(parsing->line->command) : status;
}

static int take_given(const struct parsing *parsing, char *target)
{
	int status = 0;

	for (size_t i = 0; !status && i < parsing->n_given; i++) {
		struct given_option *given = &parsing->given[i];

		given->use.spelling = given->spelling;
		if (!given->is_negated)
			status = given->use.option->take(&given->use, target + given->offset);
	}
	return status;
}

/* The remaining words are the operands. They are moved only if options were between them. */
static struct parsed_line conclude(const struct parsing *parsing, size_t n_operands)
{
	char **argv = parsing->argv;
	int at = parsing->at;

	if (!n_operands)
		return (struct parsed_line){ .operands = argv + at,
					     .n_operands = (size_t)(parsing->argc - at) };
	while (at < parsing->argc)
		argv[1 + n_operands++] = argv[at++];
	argv[1 + n_operands] = NULL;
	return (struct parsed_line){ .operands = argv + 1, .n_operands = n_operands };
}

struct parsed_line options_parse(const struct command_line *line,
				 struct configuration *configuration, int argc, char **argv,
				 void *target)
{
	struct parsing parsing = { .line = line, .argv = argv, .argc = argc, .at = 1 };
	size_t n_operands = 0;
	bool is_help = false;
	int status = parse_words(&parsing, &n_operands, &is_help);

	if (!status && !is_help && configuration)
		status = take_settings(&parsing, configuration, target);
	if (!status && !is_help)
		status = take_given(&parsing, target);
	free(parsing.given);
	if (is_help || status)
		return (struct parsed_line){ .is_done = true, .status = status };
	return conclude(&parsing, n_operands);
}

static int format_synopsis(const struct command_option *option, char *text, size_t size)
{
	bool is_optional = option->is_value_optional;
	char letter[] = "    ";

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	return snprintf(text, size, "%s--%s%s%s%s", letter, option->name,
			is_optional        ? "[="
			: option->argument ? " "
					   : "",
			option->argument ? option->argument : "", is_optional ? "]" : "");
}

void option_print_synopsis(FILE *out, const struct command_option *option)
{
	char text[128];

	format_synopsis(option, text, sizeof(text));
	fputs(text + (option->letter ? 0 : 4), out);
}

/* Prints words from column @column on, and wraps them at the width. */
static void print_wrapped(FILE *out, const char *text, int column)
{
	int at = column;

	while (*text) {
		int length = (int)strcspn(text, " \n");

		if (at > column && at + 1 + length > HELP_WIDTH) {
			fprintf(out, "\n%*s", column, "");
			at = column;
		} else if (at > column) {
			putc(' ', out);
			at++;
		}
		fprintf(out, "%.*s", length, text);
		at += length;
		text += length;
		if (*text == '\n') {
			fprintf(out, "\n%*s", column, "");
			at = column;
		}
		text += *text != '\0';
	}
	putc('\n', out);
}

/* The column of the descriptions: after the longest synopsis that leaves enough room. */
static int help_column(const struct command_line *line)
{
	struct option_walk walk = { .row = line->options };
	const struct command_option *option;
	size_t offset;
	char synopsis[128];
	int column = 0;

	while ((option = option_walk_next(&walk, &offset))) {
		int end =
			option->name ? format_synopsis(option, synopsis, sizeof(synopsis)) + 4 : 0;

		column = end > column && end <= HELP_COLUMN_MAX ? end : column;
	}
	return column;
}

static void print_list(FILE *out, const struct command_option *option, int column)
{
	_cleanup_free_ char *list = option->list();

	if (!list)
		return;
	fprintf(out, "%*s", column, "");
	print_wrapped(out, list, column);
}

static void print_option(FILE *out, const struct command_option *option, int column)
{
	char synopsis[128];
	int length = format_synopsis(option, synopsis, sizeof(synopsis));

	if (length + 4 > column)
		fprintf(out, "  %s\n%*s", synopsis, column, "");
	else
		fprintf(out, "  %-*s", column - 2, synopsis);
	print_wrapped(out, option->help, column);
	if (option->list)
		print_list(out, option, column);
}

static void print_forms(FILE *out, const struct command_line *line)
{
	const char *start = "usage:";

	for (const char *form = line->synopsis; *form; start = "      ") {
		int length = (int)strcspn(form, "\n");

		fprintf(out, "%s dendro %s %.*s\n", start, line->command, length, form);
		form += length + (form[length] == '\n');
	}
}

void options_print_help(FILE *out, const struct command_line *line)
{
	struct option_walk walk = { .row = line->options };
	const struct command_option *option;
	int column = help_column(line);
	size_t offset;

	print_forms(out, line);
	fprintf(out, "\n%s\n", line->description);
	if (!line->options->heading)
		putc('\n', out);
	while ((option = option_walk_next(&walk, &offset))) {
		if (option->heading)
			fprintf(out, "\n%s:\n", option->heading);
		else
			print_option(out, option, column);
	}
	if (line->notes)
		fprintf(out, "\n%s\n", line->notes);
}
