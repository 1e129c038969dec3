/* Which of the offered names are proposed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/text/near_names.h"

/* The question after a NULL-terminated list of names was offered. */
static void expect(const char *wanted, const char *const *offered, const char *question)
{
	struct near_names near;

	near_names_init(&near, wanted, strlen(wanted));
	for (; *offered; offered++)
		near_names_offer(&near, *offered);
	char *text = near_names_question(&near);
	assert_string_equal(text, question);
	free(text);
}

static void the_nearest_are_proposed_once_and_in_order(void **state)
{
	static const char *const names[] = { "postmaster", "redis", "Postgres", "postgrey",
					     "postgres",   "post",  NULL };

	(void)state;
	expect("postgras", names, "; did you mean Postgres or postgrey?");
	expect("cache_misses", (const char *const[]){ "cache-misses", NULL },
	       "; did you mean cache-misses?");
	expect("mysqld", names, "");
}

static void names_that_deceive_a_terminal_are_not_proposed(void **state)
{
	static const char *const names[] = { "na\033[31m",      "nam\n",       "nam\xff",
					     "nam\xe2\x80\xae", "nam\xc3\xa9", NULL };

	(void)state;
	expect("name", names, "; did you mean nam\xc3\xa9?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_are_proposed_once_and_in_order),
		cmocka_unit_test(names_that_deceive_a_terminal_are_not_proposed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
