/* Settings of files as options: which of them count, and what is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/options.h"
#include "collector/configuration/option_settings.h"

struct target {
	const char *rate, *every, *limit, *output;
	bool is_quiet, is_plain;
};

static int take_limit(const struct option_use *use, void *field)
{
	*(const char **)field = use->value ? use->value : "the default";
	return 0;
}

#define TEXT(field) .take = option_take_text, .offset = offsetof(struct target, field)
#define FLAG(field) .take = option_take_flag, .offset = offsetof(struct target, field)

static const struct command_option options[] = {
	{ .name = "rate", .letter = 'r', .argument = "N", .opposite = "every", TEXT(rate) },
	{ .name = "every", .argument = "N", .opposite = "rate", TEXT(every) },
	{ .name = "limit",
	  .argument = "N",
	  .is_value_optional = true,
	  .take = take_limit,
	  .offset = offsetof(struct target, limit) },
	{ .name = "output", .argument = "FILE", .not_a_setting = SETTING_OF_FILES, TEXT(output) },
	{ .name = "quiet", .letter = 'q', FLAG(is_quiet) },
	{ .name = "no-colour", FLAG(is_plain) },
	{ 0 },
};

static const struct command_line paint = { .command = "paint", .options = options };
static const struct command_line other = { .command = "print", .options = options };
static const struct command_line *const lines[] = { &paint, &other };

/* What weaker and stronger files have, what is given, and which fields are set then. */
struct situation {
	const char *user, *option, *words, *fields;
};

static void add_file(struct configuration *configuration, enum configuration_source source,
		     const char *text)
{
	struct configuration_file *file = &configuration->files[source];
	const char *wrong;
	unsigned line;

	file->path = strdup(source == CONFIGURATION_OF_USER ? "user" : "option");
	assert_int_equal(configuration_file_parse(file, strdup(text), strlen(text), &line, &wrong),
			 0);
}

static void load(struct configuration *configuration, const struct situation *situation)
{
	*configuration = (struct configuration){ 0 };
	add_file(configuration, CONFIGURATION_OF_USER, situation->user);
	add_file(configuration, CONFIGURATION_OF_OPTION, situation->option);
}

static struct parsed_line parse(struct configuration *configuration, const char *given,
				char words[256], struct target *target)
{
	char *argv[16] = { (char[]){ "paint" } }, *rest = words;
	int argc = 1;

	snprintf(words, 256, "%s", given);
	for (char *word; *words && (word = strsep(&rest, " "));)
		argv[argc++] = word;
	return options_parse(&paint, configuration, argc, argv, target);
}

static void add_field(char *text, size_t size, const char *name, const char *value)
{
	size_t length = strlen(text);

	if (value)
		snprintf(text + length, size - length, "%s%s=%s", length ? " " : "", name, value);
}

static void assert_fields(const struct situation *situation)
{
	struct configuration configuration;
	struct target target = { 0 };
	char words[256], fields[256] = "";

	load(&configuration, situation);
	assert_int_equal(parse(&configuration, situation->words, words, &target).status, 0);
	add_field(fields, sizeof(fields), "rate", target.rate);
	add_field(fields, sizeof(fields), "every", target.every);
	add_field(fields, sizeof(fields), "limit", target.limit);
	add_field(fields, sizeof(fields), "output", target.output);
	add_field(fields, sizeof(fields), "quiet", target.is_quiet ? "yes" : NULL);
	add_field(fields, sizeof(fields), "plain", target.is_plain ? "yes" : NULL);
	assert_string_equal(fields, situation->fields);
	configuration_deinit(&configuration);
}

static void the_strongest_counts(void **state)
{
	static const struct situation situations[] = {
		{ "", "", "", "" },
		{ "[paint]\nrate=1", "", "", "rate=1" },
		{ "[paint]\nrate=1", "[paint]\nrate=2", "", "rate=2" },
		{ "[paint]\nrate=1", "[paint]\nrate=2", "--rate 3", "rate=3" },
		{ "[paint]\nrate=1", "[paint]\nrate=2", "-r3", "rate=3" },
		{ "[paint]\nrate=1\nrate=2", "", "", "rate=2" },
		/* Of the command before all, of a stronger file before both. */
		{ "[paint]\nrate=1\n[all]\nrate=2", "", "", "rate=1" },
		{ "[paint]\nrate=1", "[all]\nrate=2", "", "rate=2" },
		{ "[print]\nrate=1", "", "", "" },
		/* Options that say the opposite. */
		{ "[paint]\nrate=1", "[paint]\nevery=2", "", "every=2" },
		{ "[paint]\nrate=1", "[all]\nevery=2", "--rate=3", "rate=3" },
		{ "[all]\nrate=1", "", "--every 3", "every=3" },
		{ "[all]\nrate=1", "", "--no-every", "rate=1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(situations) / sizeof(situations[0]); i++)
		assert_fields(&situations[i]);
}

static void options_without_a_value_are_true_or_false(void **state)
{
	static const struct situation situations[] = {
		{ "[paint]\nquiet=true\nlimit=true", "", "", "limit=the default quiet=yes" },
		{ "[paint]\nlimit=7", "", "", "limit=7" },
		{ "[paint]\nquiet=false\nlimit=false", "", "", "" },
		{ "[paint]\nquiet=true\nlimit=7", "[all]\nquiet=false\nlimit=false", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(situations) / sizeof(situations[0]); i++)
		assert_fields(&situations[i]);
}

static void the_command_line_can_take_settings_back(void **state)
{
	static const struct situation situations[] = {
		{ "[paint]\nquiet=true\nrate=1", "", "--no-quiet", "rate=1" },
		{ "[paint]\nquiet=true\nrate=1", "", "--no-rate", "quiet=yes" },
		{ "[paint]\nno-colour=true", "", "", "plain=yes" },
		{ "[paint]\nno-colour=true", "", "--colour", "" },
		{ "", "", "--no-quiet --colour", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(situations) / sizeof(situations[0]); i++)
		assert_fields(&situations[i]);
}

static void a_wrong_value_is_wrong_use(void **state)
{
	static const struct situation situation = { "[paint]\nquiet=yes", "", "", "" };
	struct configuration configuration;
	struct target target = { 0 };
	char words[256];

	(void)state;
	load(&configuration, &situation);
	assert_int_equal(parse(&configuration, "", words, &target).status, EXIT_WRONG_USE);
	assert_int_equal(parse(&configuration, "--no-quiet", words, &target).status, 0);
	assert_int_equal(parse(&configuration, "--no-output", words, &target).status,
			 EXIT_WRONG_USE);
	configuration_deinit(&configuration);
}

static void what_no_command_has_is_named(void **state)
{
	static const struct {
		const char *text, *wrong;
	} cases[] = {
		{ "[paint]\nrate=1\n[all]\nquiet=true\n[print]\nlimit=3", NULL },
		{ "[paint]\n\nratte=1", "user:3: paint has no option 'ratte'; did you mean rate?" },
		{ "[all]\nratte=1",
		  "user:2: no command has the option 'ratte'; did you mean rate?" },
		{ "[pant]\nrate=1",
		  "user:2: there is no command 'pant'; did you mean paint or print?" },
		{ "[paint]\nxyzzyx=1", "user:2: paint has no option 'xyzzyx'." },
		{ "[paint]\noutput=x",
		  "user:2: 'output' can't be set in a file: " SETTING_OF_FILES "." },
		{ "[all]\noutput=x",
		  "user:2: 'output' can't be set in a file: " SETTING_OF_FILES "." },
		{ "[paint]\nhelp=true",
		  "user:2: 'help' can't be set in a file: it ends the command." },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct situation situation = { cases[i].text, "", "", "" };
		struct configuration configuration;

		load(&configuration, &situation);
		int err = option_settings_check(&configuration, lines, 2, &configuration.wrong);
		assert_int_equal(err, cases[i].wrong ? -EINVAL : 0);
		if (cases[i].wrong)
			assert_string_equal(configuration.wrong, cases[i].wrong);
		configuration_deinit(&configuration);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_strongest_counts),
		cmocka_unit_test(options_without_a_value_are_true_or_false),
		cmocka_unit_test(the_command_line_can_take_settings_back),
		cmocka_unit_test(a_wrong_value_is_wrong_use),
		cmocka_unit_test(what_no_command_has_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
