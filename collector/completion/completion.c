#include "collector/completion/completion.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "collector/command-line/messages.h"
#include "collector/completion/completion_scripts.h"
#include "collector/completion/live_values.h"

static const struct command_option options_of_completion[] = { { 0 } };

static const struct choice shells[] = { { "bash", 0 }, { "zsh", 0 }, { "fish", 0 }, { NULL, 0 } };

const struct command_line completion_line = {
	.command = "completion",
	.synopsis = "bash|zsh|fish",
	.description = "Prints a script that completes dendro's commands, options and values in "
		       "that shell:\n"
		       "events, processes, cgroups, views. 'make install' installs all three.\n\n"
		       "  bash: source <(dendro completion bash)\n"
		       "  zsh:  source <(dendro completion zsh), after compinit\n"
		       "  fish: dendro completion fish | source",
	.options = options_of_completion,
	.operands = shells,
};

/* What the words before the last one are. */
struct place {
	const struct command_line *line;
	const struct command_option *option; /* the last word is its value; NULL: it is not */
	bool is_after_options;               /* "--" was there */
	size_t command_at;                   /* a command line of its own begins there; 0: none */
};

static const struct completed_command *find_command(const struct completed_command *commands,
						    const char *name)
{
	for (; commands->line; commands++)
		if (strcmp(commands->line->command, name) == 0)
			return commands;
	return NULL;
}

static bool is_spelled_so(const struct command_option *option, const char *name, size_t length)
{
	return option->name && strncmp(option->name, name, length) == 0 && !option->name[length];
}

/* By its whole name, or by its letter. */
static const struct command_option *find_option(const struct command_line *line, const char *name,
						size_t length, char letter)
{
	struct option_walk walk = { .row = line->options };
	const struct command_option *option;
	size_t offset;

	while ((option = option_walk_next(&walk, &offset)))
		if ((name && is_spelled_so(option, name, length)) ||
		    (letter && option->letter == letter))
			return option;
	return NULL;
}

/* The option whose value must be the next word; NULL: none. */
static const struct command_option *waits_for_value(const struct command_line *line,
						    const char *word)
{
	const struct command_option *option = NULL;

	if (word[0] != '-' || !word[1])
		return NULL;
	if (word[1] == '-')
		option =
			strchr(word, '=') ? NULL : find_option(line, word + 2, strlen(word + 2), 0);
	for (const char *letter = word + 1; word[1] != '-' && *letter; letter++) {
		option = find_option(line, NULL, 0, *letter);
		if (option && option->argument) {
			option = letter[1] ? NULL : option; /* the rest is the value */
			break;
		}
	}
	return option && option->argument && !option->is_value_optional ? option : NULL;
}

/* @words: from the command's name on, @n without the last one. */
static struct place find_place(const struct command_line *line, const char *const *words, size_t n)
{
	struct place place = { .line = line };
	/* Words that follow "--" are a command for those that take one. */
	bool takes_command = line->is_ended_by_operand || strstr(line->synopsis, "COMMAND");

	for (size_t i = 1; i < n && !place.command_at; i++) {
		bool is_value = place.option;

		place.option = NULL;
		if (is_value)
			continue;
		if (strcmp(words[i], "--") == 0) {
			place.is_after_options = true;
			place.command_at = takes_command ? i + 1 : 0;
			break;
		}
		place.option = waits_for_value(line, words[i]);
		if (words[i][0] != '-' && line->is_ended_by_operand)
			place.command_at = i;
	}
	return place;
}

static void offer_choices(const struct word_list *list, const struct command_option *option)
{
	for (const struct choice *choice = option->choices; choice->name; choice++)
		word_list_offer(list, choice->name, "");
}

/* "name: description" lines, some of which may go on in the next line. */
static void offer_listed(const struct word_list *list, char *text)
{
	for (char *line = text, *next; line && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		char *colon = strstr(line, ": ");
		if (colon)
			*colon = '\0';
		word_list_offer(list, line, colon ? colon + 2 : "");
	}
}

/* A list of values separated by commas: what is before the last comma stays. */
static void skip_values(struct word_list *list, const char *word)
{
	const char *comma = strrchr(list->typed, ',');

	if (comma)
		list->typed = comma + 1;
	list->prefix_size = (size_t)(list->typed - word);
}

static bool is_recording(const struct command_line *line)
{
	static const char *const names[] = { "record", "top", "agent" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(line->command, names[i]) == 0)
			return true;
	return false;
}

/* false: nothing is known of such values. */
static bool offer_live(const struct word_list *list, const struct command_line *line,
		       const struct command_option *option)
{
	if (strncmp(option->argument, "EVENT", 5) == 0 && is_recording(line))
		live_values_offer_events(list);
	else if (strcmp(option->argument, "PID,...") == 0 && is_recording(line))
		live_values_offer_processes(list);
	else if (strcmp(option->name, "cgroup") == 0 && is_recording(line))
		live_values_offer_cgroups(list);
	else if (strcmp(option->name, "unit") == 0)
		live_values_offer_units(list);
	else
		return false;
	return true;
}

/* The value of @option in the last word, from @typed on. */
static void offer_values(FILE *out, const struct command_line *line,
			 const struct command_option *option, const char *word, const char *typed)
{
	struct word_list list = { .out = out, .prefix = word, .typed = typed };

	list.prefix_size = (size_t)(typed - word);
	if (strstr(option->argument, ",..."))
		skip_values(&list, word);
	if (option->choices) {
		offer_choices(&list, option);
	} else if (option->list) {
		_cleanup_free_ char *text = option->list();

		offer_listed(&list, text);
	} else if (strcmp(option->argument, "FILE") == 0 || strcmp(option->argument, "PATH") == 0) {
		if (!offer_live(&list, line, option))
			fputs(":files\n", out);
	} else if (strcmp(option->argument, "DIR") == 0) {
		fputs(":folders\n", out);
	} else {
		offer_live(&list, line, option);
	}
}

static void offer_options(FILE *out, const struct command_line *line, const char *word)
{
	const struct word_list list = { .out = out, .prefix = "", .typed = word };
	struct option_walk walk = { .row = line->options };
	const struct command_option *option;
	size_t offset;
	char name[OPTION_SPELLING_SIZE];

	while ((option = option_walk_next(&walk, &offset))) {
		if (option->heading)
			continue;
		snprintf(name, sizeof(name), "--%s", option->name);
		word_list_offer(&list, name, option->help);
	}
}

static void offer_operands(FILE *out, const struct command_line *line, const char *word)
{
	const struct word_list list = { .out = out, .prefix = "", .typed = word };

	if (line->operands) {
		for (const struct choice *choice = line->operands; choice->name; choice++)
			word_list_offer(&list, choice->name, "");
	} else if (strcmp(line->command, "list") == 0) {
		live_values_offer_events(&list);
	} else {
		fputs(":files\n", out);
	}
}

static void offer_commands(FILE *out, const struct completed_command *commands, const char *word,
			   bool is_first)
{
	const struct word_list list = { .out = out, .prefix = "", .typed = word };

	for (; commands->line; commands++)
		word_list_offer(&list, commands->line->command, commands->summary);
	if (is_first)
		word_list_offer(&list, "help", "describe a command");
	if (is_first && *word == '-')
		word_list_offer(&list, "--config", "more options from a file");
}

/* @words: from the command's name on, which is number @first. */
static void offer_for_command(FILE *out, const struct command_line *line, const char *const *words,
			      size_t n, size_t first)
{
	struct place place = find_place(line, words, n - 1);
	const char *word = words[n - 1], *equals = strchr(word, '=');

	if (place.command_at) {
		fprintf(out, ":command %zu\n", place.command_at + first);
	} else if (place.option) {
		offer_values(out, line, place.option, word, word);
	} else if (place.is_after_options || word[0] != '-') {
		if (line->is_ended_by_operand)
			fprintf(out, ":command %zu\n", n - 1 + first);
		else
			offer_operands(out, line, word);
	} else if (strncmp(word, "--", 2) == 0 && equals) {
		place.option = find_option(line, word + 2, (size_t)(equals - word) - 2, 0);
		if (place.option && place.option->argument)
			offer_values(out, line, place.option, word, equals + 1);
	} else {
		offer_options(out, line, word);
	}
}

/* The number of the command's name: "--config FILE" may stand before it. */
static size_t find_first(const char *const *words, size_t n)
{
	if (n > 2 && strncmp(words[1], "--config=", strlen("--config=")) == 0)
		return 2;
	return n > 3 && strcmp(words[1], "--config") == 0 ? 3 : 1;
}

void completion_write_words(FILE *out, const struct completed_command *commands,
			    const char *const *words, size_t n)
{
	const size_t first = find_first(words, n);
	const struct completed_command *command =
		n > first + 1 ? find_command(commands, words[first]) : NULL;

	if (n == 3 && strcmp(words[1], "--config") == 0)
		fputs(":files\n", out);
	else if (n == first + 1)
		offer_commands(out, commands, words[first], true);
	else if (command)
		offer_for_command(out, command->line, words + first, n - first, first);
	else if (n == first + 2 && strcmp(words[first], "help") == 0)
		offer_commands(out, commands, words[first + 1], false);
}

static int print_script(const char *shell)
{
	const char *script = completion_script(shell);

	if (!script)
		return message_wrong_use("completion",
					 "no shell '%s'; bash, zsh and fish are "
					 "supported.",
					 shell);
	return fputs(script, stdout) < 0 || fflush(stdout)
		       ? message_error("completion", "cannot write the script: %s.",
				       strerror(errno))
		       : 0;
}

int completion_run(const struct completed_command *commands, int argc, char **argv)
{
	/* The words are not dendro's options. */
	if (argc > 2 && strcmp(argv[1], "words") == 0) {
		completion_write_words(stdout, commands, (const char *const *)argv + 2,
				       (size_t)argc - 2);
		return 0;
	}
	struct parsed_line parsed = options_parse(&completion_line, NULL, argc, argv, NULL);
	if (parsed.is_done)
		return parsed.status;
	if (parsed.n_operands != 1)
		return message_wrong_use("completion", "one shell is needed: bash, zsh or fish.");
	return print_script(parsed.operands[0]);
}
