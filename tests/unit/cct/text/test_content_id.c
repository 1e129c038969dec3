#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cct/text/content_id.h"

static void expect_text(struct content_id id, const char *expected)
{
	char text[CONTENT_ID_TEXT_SIZE];

	content_id_text(id, text);
	assert_string_equal(text, expected);
}

/* Without a byte it is the offset of FNV-1a with 128 bits, but for version and variant. */
static void the_start_is_the_published_offset(void **state)
{
	(void)state;
	expect_text(content_id_start(), "6c62272e-07bb-8142-a2b8-21756295c58d");
}

/* FNV-1a, 128 bits, of "foobar" and a NUL, computed by another program. */
static void a_text_has_the_published_hash(void **state)
{
	(void)state;
	expect_text(content_id_add(content_id_start(), "foobar"),
		    "e01fcf9a-454f-878d-a540-f1b23234b288");
}

static void texts_and_numbers_are_kept_apart(void **state)
{
	const struct content_id start = content_id_start();

	(void)state;
	assert_true(content_id_add(content_id_add(start, "ab"), "c").hash !=
		    content_id_add(content_id_add(start, "a"), "bc").hash);
	assert_true(content_id_add(start, NULL).hash != content_id_add(start, "").hash);
	assert_true(content_id_add_number(start, 1).hash != content_id_add_number(start, 256).hash);
	assert_true(content_id_add_number(start, 7).hash == content_id_add_number(start, 7).hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_start_is_the_published_offset),
		cmocka_unit_test(a_text_has_the_published_hash),
		cmocka_unit_test(texts_and_numbers_are_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
