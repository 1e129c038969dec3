/* The text of dendro.conf: what a setting is, and on which line something is wrong. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/configuration/configuration_file.h"

static int parse(struct configuration_file *file, const char *text, size_t size, unsigned *line,
		 const char **wrong)
{
	char *copy = calloc(1, size + 1);

	*file = (struct configuration_file){ 0 };
	assert_non_null(copy);
	memcpy(copy, text, size);
	return configuration_file_parse(file, copy, size, line, wrong);
}

/* "section|name|value|line" for each setting. */
static void assert_settings(const char *text, const char *expected)
{
	struct configuration_file file;
	const char *wrong;
	unsigned line;
	char all[512] = "";

	assert_int_equal(parse(&file, text, strlen(text), &line, &wrong), 0);
	for (size_t i = 0; i < file.n_settings; i++) {
		const struct setting *setting = &file.settings[i];
		size_t size = strlen(all);

		snprintf(all + size, sizeof(all) - size, "%s|%s|%s|%u\n", setting->section,
			 setting->name, setting->value, setting->line);
	}
	assert_string_equal(all, expected);
	configuration_file_deinit(&file);
}

static void settings_belong_to_the_section_before_them(void **state)
{
	(void)state;
	assert_settings("", "");
	assert_settings("\n# nothing\n\t # at all", "");
	assert_settings("[record]\nfreq = 499\n\n[ report ] # views\nmin=1\n[record]\nquiet=true",
			"record|freq|499|2\nreport|min|1|5\nrecord|quiet|true|7\n");
}

static void values_end_before_blanks_and_comments(void **state)
{
	(void)state;
	assert_settings("[a]\n b\t=  c d \t\n", "a|b|c d|2\n");
	assert_settings("[a]\nb = c # d\n", "a|b|c|2\n");
	assert_settings("[a]\nb = c#d\n", "a|b|c#d|2\n");
	assert_settings("[a]\nb = \" c # d = e\" # f\n", "a|b| c # d = e|2\n");
	assert_settings("[a]\nb = c=d\n", "a|b|c=d|2\n");
}

static void what_is_wrong_has_a_line(void **state)
{
	static const struct {
		const char *text, *wrong;
		unsigned line;
	} cases[] = {
		{ "a = b", "a setting needs a section above it, such as [record]", 1 },
		{ "\n[a\n", "a section ends with ']'", 2 },
		{ "[ ]", "the section has no name", 1 },
		{ "[a] b = c", "something follows the section: a setting needs a separate line",
		  1 },
		{ "[a]\n\nb",
		  "a setting is 'name = value', and of an option without a value 'name = true'",
		  3 },
		{ "[a]\n= b", "the name is missing before '='", 2 },
		{ "[a]\n--b = c", "names of options have no dashes in front", 2 },
		{ "[a]\nb =", "the value is missing", 2 },
		{ "[a]\nb = # c", "the value is missing", 2 },
		{ "[a]\nb = \"\"", "the value is missing", 2 },
		{ "[a]\nb = \"c", "the value has no second quotation mark", 2 },
		{ "[a]\nb = \"c\" d", "something follows the quoted value", 2 },
		{ "[a]\nb = c\r\n", "the line has a control character", 2 },
		{ "[a]\nb = \033[31m", "the line has a control character", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct configuration_file file;
		const char *wrong = NULL;
		unsigned line = 0;

		assert_int_equal(parse(&file, cases[i].text, strlen(cases[i].text), &line, &wrong),
				 -EINVAL);
		assert_string_equal(wrong, cases[i].wrong);
		assert_int_equal(line, cases[i].line);
		configuration_file_deinit(&file);
	}
}

static void a_zero_byte_is_refused(void **state)
{
	struct configuration_file file;
	const char *wrong = NULL;
	unsigned line = 0;

	(void)state;
	assert_int_equal(parse(&file, "[a]\nb = \0c\n", 11, &line, &wrong), -EINVAL);
	assert_string_equal(wrong, "the line has a zero byte");
	assert_int_equal(line, 2);
	configuration_file_deinit(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_belong_to_the_section_before_them),
		cmocka_unit_test(values_end_before_blanks_and_comments),
		cmocka_unit_test(what_is_wrong_has_a_line),
		cmocka_unit_test(a_zero_byte_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
