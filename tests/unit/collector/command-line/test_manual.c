/*
 * The manual pages and docs/COMMANDS.md have the options of the commands' tables: each entry of a
 * page's OPTIONS section begins with the option's names and its text of the help; more may follow.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/base/cleanup.h"
#include "collector/commands/commands.h"
#include "collector/exchange/path_formats.h"
#include "report/export/export.h"

#define MAX_ENTRIES 64

struct entry {
	char names[128];
	char text[4096];
};

struct page {
	struct entry entries[MAX_ENTRIES];
	size_t n_entries;
	int depth; /* of .RS */
	bool is_in_options, has_names;
};

/* NULL where the tests run without the sources. */
static FILE *open_page(const char *command)
{
	char path[256];

	snprintf(path, sizeof(path), "docs/man/dendro-%s.1", command);
	return fopen(path, "re");
}

static void add(char *text, size_t size, const char *more)
{
	size_t length = strlen(text);

	snprintf(text + length, size - length, "%s%s", length ? " " : "", more);
}

/* Removes changes of font and the backslashes of hyphens. */
static void make_plain(char *line)
{
	char *to = line;

	for (const char *from = line; *from && *from != '\n'; from++) {
		if (from[0] == '\\' && from[1] == 'f')
			from += 2;
		else if (from[0] == '\\' && from[1] == '&')
			from++;
		else if (from[0] != '\\' || from[1] != '-')
			*to++ = *from;
	}
	*to = '\0';
}

static void read_option_line(struct page *page, char *line)
{
	struct entry *entry = page->n_entries ? &page->entries[page->n_entries - 1] : NULL;

	page->depth += (strncmp(line, ".RS", 3) == 0) - (strncmp(line, ".RE", 3) == 0);
	if (page->depth)
		return;
	make_plain(line);
	if (strcmp(line, ".TP") == 0) {
		assert_true(page->n_entries < MAX_ENTRIES);
		page->entries[page->n_entries++] = (struct entry){ 0 };
		page->has_names = false;
	} else if (entry && !page->has_names) {
		add(entry->names, sizeof(entry->names), line);
		page->has_names = true;
	} else if (entry) {
		add(entry->text, sizeof(entry->text), line);
	}
}

static void read_page(FILE *file, struct page *page)
{
	char line[1024];

	*page = (struct page){ 0 };
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, ".SH ", 4) == 0)
			page->is_in_options = strcmp(line, ".SH OPTIONS\n") == 0;
		else if (page->is_in_options && strncmp(line, ".SS ", 4) != 0)
			read_option_line(page, line);
	}
}

static void names_of(const struct command_option *option, char names[128])
{
	FILE *out = fmemopen(names, 128, "w");

	assert_non_null(out);
	option_print_synopsis(out, option);
	fclose(out);
}

/* A sentence of the help: it begins with a capital letter and ends with a full stop. */
static void text_of(const struct command_option *option, char *text, size_t size)
{
	snprintf(text, size, "%s.", option->help);
	text[0] = (char)toupper((unsigned char)text[0]);
	for (char *at = text; (at = strchr(at, '\n'));)
		*at = ' ';
}

static void check_page(const struct command_line *line, const struct page *page)
{
	struct option_walk walk = { .row = line->options };
	const struct command_option *option;
	char names[128], text[1024];
	size_t offset, n = 0;

	while ((option = option_walk_next(&walk, &offset))) {
		if (option->heading || strcmp(option->name, "help") == 0)
			continue;
		names_of(option, names);
		text_of(option, text, sizeof(text));
		if (n == page->n_entries)
			fail_msg("dendro-%s.1 lacks %s", line->command, names);
		if (strcmp(page->entries[n].names, names) != 0)
			fail_msg("dendro-%s.1 has '%s' in the place of '%s'", line->command,
				 page->entries[n].names, names);
		if (strncmp(page->entries[n].text, text, strlen(text)) != 0)
			fail_msg("dendro-%s.1, %s: the text begins '%s', in the help it is '%s'",
				 line->command, names, page->entries[n].text, text);
		n++;
	}
	if (n < page->n_entries)
		fail_msg("dendro-%s.1 has '%s', which is not an option", line->command,
			 page->entries[n].names);
}

static void manual_pages_have_the_options_of_the_help(void **state)
{
	(void)state;
	for (const struct subcommand *command = commands; command->line; command++) {
		_cleanup_free_ struct page *page = calloc(1, sizeof(*page));
		FILE *file = open_page(command->line->command);

		assert_non_null(page);
		if (!file) {
			print_message("the manual pages are not here\n");
			skip();
		}
		read_page(file, page);
		fclose(file);
		check_page(command->line, page);
	}
}

static bool has_option(const struct command_line *line, const char *spelling)
{
	struct option_walk walk = { .row = line->options };
	const struct command_option *option;
	size_t offset;

	while ((option = option_walk_next(&walk, &offset))) {
		if (!option->name)
			continue;
		if (spelling[1] == '-' ? strcmp(option->name, spelling + 2) == 0
				       : option->letter == spelling[1] && !spelling[2])
			return true;
	}
	return false;
}

/* The options in the first column of a row: words in code that begin with a hyphen. */
static size_t check_row(const struct command_line *line, char *row)
{
	char *column_end = strstr(row + 1, " |"), *rest = row;
	size_t n = 0;

	if (column_end)
		*column_end = '\0';
	for (char *word; (word = strsep(&rest, " `,|"));) {
		if (word[0] != '-' || !word[1])
			continue;
		if (!has_option(line, word))
			fail_msg("docs/COMMANDS.md: dendro %s has no option %s", line->command,
				 word);
		n++;
	}
	return n;
}

/* Whether a line that begins "- `record " or "| `record " has the spelling before its first end of
 * code. */
static bool has_row(const char *document, const char *command, const char *spelling)
{
	char start[64];

	snprintf(start, sizeof(start), " `%s ", command);
	for (const char *row = document; (row = strstr(row, start));) {
		bool is_row = strchr("-|", row[-1]);
		const char *end = strchr(row += strlen(start), '`'), *at = strstr(row, spelling);

		if (is_row && at && end && at < end && strchr(" =`", at[strlen(spelling)]))
			return true;
	}
	return false;
}

static void check_spellings(const char *document, const struct command_line *line)
{
	for (const struct command_option *row = line->of_perf; row && (row->name || row->letter);
	     row++) {
		char name[64], letter[] = { '-', row->letter, '\0' };

		snprintf(name, sizeof(name), "--%s", row->name ? row->name : "");
		if (!(row->name && has_row(document, line->command, name)) &&
		    !(row->letter && has_row(document, line->command, letter)))
			fail_msg("docs/FROM-PERF.md lacks %s %s %s", line->command, name, letter);
	}
}

static void spellings_of_perf_are_in_the_document(void **state)
{
	FILE *file = fopen("docs/FROM-PERF.md", "re");
	_cleanup_free_ char *text = calloc(1, 65536);

	(void)state;
	assert_non_null(text);
	if (!file) {
		print_message("docs/FROM-PERF.md is not here\n");
		skip();
	}
	text[fread(text, 1, 65535, file)] = '\0';
	fclose(file);
	for (const struct subcommand *command = commands; command->line; command++)
		check_spellings(text, command->line);
}

static const struct command_line *table_of(const char *heading)
{
	for (const struct subcommand *command = commands; command->line; command++) {
		char expected[64];

		snprintf(expected, sizeof(expected), "| dendro %s |", command->line->command);
		if (strncmp(heading, expected, strlen(expected)) == 0)
			return command->line;
	}
	return NULL;
}

static void options_of_the_overview_exist(void **state)
{
	FILE *file = fopen("docs/COMMANDS.md", "re");
	const struct command_line *line = NULL;
	size_t n_options = 0;
	char text[1024];

	(void)state;
	if (!file) {
		print_message("docs/COMMANDS.md is not here\n");
		skip();
	}
	while (fgets(text, sizeof(text), file)) {
		if (text[0] != '|')
			line = NULL;
		else if (!line)
			line = table_of(text);
		else if (strncmp(text, "|---", 4) != 0)
			n_options += check_row(line, text);
	}
	fclose(file);
	assert_true(n_options > 10);
}

/* Choices are named in the text: it is written by hand. */
static void texts_name_all_choices(void **state)
{
	(void)state;
	for (const struct subcommand *command = commands; command->line; command++) {
		struct option_walk walk = { .row = command->line->options };
		const struct command_option *option;
		size_t offset;

		while ((option = option_walk_next(&walk, &offset))) {
			for (const struct choice *choice = option->choices; choice && choice->name;
			     choice++)
				if (!strstr(option->help, choice->name))
					fail_msg("dendro %s --%s: the text lacks '%s'",
						 command->line->command, option->name,
						 choice->name);
		}
	}
}

static void the_text_of_format_names_all_formats(void **state)
{
	struct option_walk walk = { .row = report_line.options };
	const struct command_option *option;
	_cleanup_free_ char *names = export_format_names();
	const char *help = "";
	char *rest = names;
	size_t offset;

	(void)state;
	while ((option = option_walk_next(&walk, &offset)))
		if (option->name && strcmp(option->name, "format") == 0)
			help = option->help;
	assert_non_null(names);
	for (char *name; (name = strsep(&rest, ", "));)
		assert_non_null(strstr(help, name));
}

/* "NAME Description." for each line "NAME: description" of the list. */
static void find_in_page(const char *page, char *list)
{
	for (char *line, *rest = list; (line = strsep(&rest, "\n"));) {
		char *description = strstr(line, ": "), text[1024];

		assert_non_null(description);
		*description = '\0';
		description += 2;
		snprintf(text, sizeof(text), " %s %c%s.", line,
			 toupper((unsigned char)description[0]), description + 1);
		if (!strstr(page, text))
			fail_msg("dendro-export.1 lacks '%s'", text);
	}
}

static void the_page_of_export_describes_all_formats(void **state)
{
	_cleanup_free_ char *text = calloc(1, 65536), *list = path_formats_list();
	FILE *file = open_page("export");
	char line[1024];

	(void)state;
	assert_non_null(text);
	assert_non_null(list);
	if (!file) {
		print_message("the manual pages are not here\n");
		skip();
	}
	while (fgets(line, sizeof(line), file)) {
		make_plain(line);
		add(text, 65536, line);
	}
	fclose(file);
	find_in_page(text, list);
}

/* .BR joins its words: text that follows a reference on its line would lose its spaces. A quotation
 * mark at the beginning of a line makes it a request, which shows nothing. */
static void references_in_manual_pages_stand_alone(void **state)
{
	char line[1024];

	(void)state;
	for (const struct subcommand *command = commands; command->line; command++) {
		FILE *file = open_page(command->line->command);

		while (file && fgets(line, sizeof(line), file)) {
			unsigned n_words = 0;

			for (const char *at = line; (at = strchr(at, ' ')); at++)
				n_words++;
			if (strncmp(line, ".BR ", 4) == 0 && !strchr(line, '"'))
				assert_in_range(n_words, 1, 2);
			assert_int_not_equal(line[0], '\'');
		}
		if (file)
			fclose(file);
	}
}

static void manual_pages_say_what_the_exit_status_means(void **state)
{
	char line[1024];

	(void)state;
	for (const struct subcommand *command = commands; command->line; command++) {
		FILE *file = open_page(command->line->command);
		bool has_status = !file;

		while (file && fgets(line, sizeof(line), file))
			has_status |= strcmp(line, ".SH EXIT STATUS\n") == 0;
		if (file)
			fclose(file);
		if (!has_status)
			fail_msg("dendro-%s.1 lacks EXIT STATUS", command->line->command);
	}
}

static void letters_and_names_are_given_once(void **state)
{
	(void)state;
	for (const struct subcommand *command = commands; command->line; command++) {
		struct option_walk walk = { .row = command->line->options }, others;
		const struct command_option *option, *other;
		size_t offset;

		while ((option = option_walk_next(&walk, &offset))) {
			others = walk;
			while (option->name && (other = option_walk_next(&others, &offset))) {
				if (!other->name)
					continue;
				assert_string_not_equal(option->name, other->name);
				assert_false(option->letter && option->letter == other->letter);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(manual_pages_have_the_options_of_the_help),
		cmocka_unit_test(options_of_the_overview_exist),
		cmocka_unit_test(spellings_of_perf_are_in_the_document),
		cmocka_unit_test(texts_name_all_choices),
		cmocka_unit_test(the_text_of_format_names_all_formats),
		cmocka_unit_test(the_page_of_export_describes_all_formats),
		cmocka_unit_test(references_in_manual_pages_stand_alone),
		cmocka_unit_test(manual_pages_say_what_the_exit_status_means),
		cmocka_unit_test(letters_and_names_are_given_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
