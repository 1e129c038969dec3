#include "collector/command-line/options.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/text/near_names.h"
#include "collector/command-line/messages.h"

#define HELP_WIDTH      90
#define HELP_COLUMN_MAX 30

static const struct command_option help_option = { .name = "help",
						   .letter = 'h',
						   .help = "show this text" };

struct parsing {
	const struct command_line *line;
	char **argv;
	int argc, at; /* the next word */
	char *target;
};

struct found_option {
	const struct command_option *option; /* NULL: not found */
	size_t offset;
};

const struct command_option *option_walk_next(struct option_walk *walk, size_t *offset_ret)
{
	if (walk->shared_row && walk->shared_row->name) {
		*offset_ret = walk->row[-1].offset + walk->shared_row->offset;
		return walk->shared_row++;
	}
	walk->shared_row = NULL;
	*offset_ret = walk->row->offset;
	if (walk->row->shared) {
		walk->shared_row = walk->row++->shared;
		return option_walk_next(walk, offset_ret);
	}
	if (walk->row->name || walk->row->heading)
		return walk->row++;
	if (walk->is_at_end)
		return NULL;
	walk->is_at_end = true;
	return &help_option;
}

static struct found_option find_letter(const struct command_line *line, char letter)
{
	struct option_walk walk = { .row = line->options };
	struct found_option found;

	while ((found.option = option_walk_next(&walk, &found.offset))) {
		if (found.option->letter == letter && letter)
			break;
	}
	return found;
}

/* The option with that name or, without a name, with that letter, of a table that only parsing
 * knows. Its offset is the field's. */
static struct found_option find_hidden(const struct command_option *row, const char *name,
				       size_t length, char letter)
{
	for (; row && (row->name || row->letter); row++) {
		bool has_name = row->name && name && strncmp(row->name, name, length) == 0 &&
				!row->name[length];

		if (has_name || (letter && row->letter == letter))
			return (struct found_option){ row, row->offset };
	}
	return (struct found_option){ 0 };
}

static bool is_spelled(const struct command_option *option, const char *name, size_t length)
{
	return option->name && strncmp(option->name, name, length) == 0;
}

/* Our option with that name, or one that begins so. *@n_ret: the number that begin so. */
static struct found_option find_ours(const struct command_line *line, const char *name,
				     size_t length, size_t *n_ret)
{
	struct option_walk walk = { .row = line->options };
	struct found_option found = { 0 }, next;

	*n_ret = 0;
	while ((next.option = option_walk_next(&walk, &next.offset))) {
		if (!is_spelled(next.option, name, length))
			continue;
		found = next;
		(*n_ret)++;
		if (strlen(next.option->name) == length) {
			*n_ret = 1;
			break;
		}
	}
	return found;
}

/* perf's whole name is preferred to the beginning of ours. */
static struct found_option find_long(const struct command_line *line, const char *name,
				     size_t length, size_t *n_ret)
{
	struct found_option found = find_ours(line, name, length, n_ret), hidden;

	if (!length || (*n_ret == 1 && strlen(found.option->name) == length))
		return found;
	hidden = find_hidden(line->of_perf, name, length, 0);
	if (!hidden.option)
		hidden = find_hidden(line->refused, name, length, 0);
	if (!hidden.option)
		return found;
	*n_ret = 1;
	return hidden;
}

static int complain_of_unknown(const struct command_line *line, const char *name, size_t length)
{
	char wanted[NEAR_NAME_SIZE];
	struct option_walk walk = { .row = line->options };
	const struct command_option *option;
	struct near_names near;
	size_t offset;

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
		if (is_spelled(option, name, length) && size < sizeof(names))
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

static int take(struct parsing *parsing, struct option_use *use, size_t offset, char *value)
{
	const char *same_as = use->option->same_as;
	size_t n;

	use->value = value;
	if (same_as) {
		struct found_option ours = find_ours(parsing->line, same_as, strlen(same_as), &n);

		use->value = use->option->given ? use->option->given : value;
		use->option = ours.option;
		offset = ours.offset;
	}
	assert(use->option && use->option->take);
	return use->option->take(use, parsing->target + offset);
}

/* The next word is the value. */
static int take_next(struct parsing *parsing, struct option_use *use, size_t offset)
{
	if (parsing->at == parsing->argc)
		return option_wrong_use(use, "%s requires a value: %s %s", use->spelling,
					use->spelling, use->option->argument);
	return take(parsing, use, offset, parsing->argv[parsing->at++]);
}

/* The option takes a value, which did not follow in the same word. */
static int take_rest(struct parsing *parsing, struct option_use *use, size_t offset)
{
	const struct command_option *option = use->option;
	bool is_missing = parsing->at == parsing->argc || parsing->argv[parsing->at][0] == '-';

	if (option->is_value_optional || (option->is_value_loose && is_missing))
		return take(parsing, use, offset, NULL);
	return take_next(parsing, use, offset);
}

/* "name", "name=value" */
static int parse_long(struct parsing *parsing, char *word, bool *is_help_ret)
{
	const struct command_line *line = parsing->line;
	size_t length = strcspn(word, "="), n;
	char *value = word[length] ? word + length + 1 : NULL;
	struct found_option found = find_long(line, word, length, &n);
	struct option_use use = { .command = line->command, .option = found.option };

	if (!n || !length)
		return complain_of_unknown(line, word, length);
	if (n > 1)
		return complain_of_ambiguous(line, word, length);
	snprintf(use.spelling, sizeof(use.spelling), "--%s", found.option->name);
	if (value && !found.option->argument)
		return message_wrong_use(line->command, "%s takes no value.", use.spelling);
	*is_help_ret = found.option == &help_option;
	if (*is_help_ret)
		return 0;
	if (!value && found.option->argument)
		return take_rest(parsing, &use, found.offset);
	return take(parsing, &use, found.offset, value);
}

/* "qv", "oFILE" */
static int parse_letters(struct parsing *parsing, char *word, bool *is_help_ret)
{
	const char *command = parsing->line->command;
	int status = 0;

	for (; *word && !status && !*is_help_ret; word++) {
		struct found_option found = find_letter(parsing->line, *word);
		const struct found_option of_perf =
			find_hidden(parsing->line->of_perf, NULL, 0, *word);
		struct option_use use = { .command = command };

		if (found.option)
			use.of_perf = of_perf.option;
		else
			found = of_perf;
		use.option = found.option;

		if (!found.option)
			return message_wrong_use(command, "unknown option '-%c'.", *word);
		snprintf(use.spelling, sizeof(use.spelling), "-%c", *word);
		*is_help_ret = found.option == &help_option;
		if (*is_help_ret)
			break;
		if (found.option->argument && !found.option->is_value_optional)
			return word[1] ? take(parsing, &use, found.offset, word + 1)
				       : take_rest(parsing, &use, found.offset);
		status = take(parsing, &use, found.offset, NULL);
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

struct parsed_line options_parse(const struct command_line *line, int argc, char **argv,
				 void *target)
{
	struct parsing parsing = {
		.line = line, .argv = argv, .argc = argc, .at = 1, .target = target
	};
	size_t n_operands = 0;

	while (parsing.at < argc) {
		char *word = argv[parsing.at];
		bool is_operand = word[0] != '-' || !word[1], is_help = false;

		if (is_operand && line->is_ended_by_operand)
			break;
		parsing.at++;
		if (strcmp(word, "--") == 0)
			break;
		if (is_operand) {
			argv[1 + n_operands++] = word;
			continue;
		}
		int status = word[1] == '-' ? parse_long(&parsing, word + 2, &is_help)
					    : parse_letters(&parsing, word + 1, &is_help);
		if (is_help)
			options_print_help(stdout, line);
		if (is_help || status)
			return (struct parsed_line){ .is_done = true, .status = status };
	}
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
