/* The manual page has the keys of the table, in its order. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/base/cleanup.h"
#include "report/browse/browse_keys.h"

#define MAX_PAGE 65536

static void no_key_has_two_meanings(void **state)
{
	(void)state;
	for (const struct browse_key *row = browse_keys; row->heading || row->name; row++) {
		assert_true(row->heading || row->help);
		for (size_t i = 0; i < BROWSE_MAX_KEYS && row->keys[i]; i++)
			assert_int_equal(browse_key_action(row->keys[i]), row->action);
	}
	assert_int_equal(browse_key_action('Q'), ACTION_NONE);
}

/* NULL where the tests run without the sources. */
static char *read_page(void)
{
	char *text = calloc(1, MAX_PAGE);
	FILE *file = fopen("docs/man/dendro-browse.1", "re");

	assert_non_null(text);
	if (!file) {
		free(text);
		return NULL;
	}
	text[fread(text, 1, MAX_PAGE - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* Hyphens are escaped in the page. */
static void add_escaped(char *out, size_t size, const char *text)
{
	size_t n = strlen(out);

	for (; *text && n + 2 < size; text++) {
		if (*text == '-')
			out[n++] = '\\';
		out[n++] = *text;
	}
	out[n] = '\0';
}

static void make_entry(const struct browse_key *key, char *entry, size_t size)
{
	if (key->heading) {
		snprintf(entry, size, "\n.SS %s\n", key->heading);
		return;
	}
	char help[512] = "";
	add_escaped(help, sizeof(help), key->help);
	help[0] = (char)toupper((unsigned char)help[0]);
	snprintf(entry, size, "\n.TP\n\\fB");
	add_escaped(entry, size, key->name);
	snprintf(entry + strlen(entry), size - strlen(entry), "\\fR\n%s.\n", help);
}

static void the_manual_page_has_the_keys_of_the_help(void **state)
{
	_cleanup_free_ char *page = read_page();
	const char *at = page;

	(void)state;
	if (!page) {
		print_message("the manual page is not here\n");
		skip();
	}
	for (const struct browse_key *row = browse_keys; row->heading || row->name; row++) {
		char entry[1024];

		make_entry(row, entry, sizeof(entry));
		at = strstr(at, entry);
		if (!at)
			fail_msg("dendro-browse.1 lacks, or has elsewhere: %s", entry);
		at++;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_key_has_two_meanings),
		cmocka_unit_test(the_manual_page_has_the_keys_of_the_help),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
