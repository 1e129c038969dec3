#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/push/push_answer.h"

#define OTLP "application/x-protobuf"

static void the_status_decides(void **state)
{
	static const struct {
		long status;
		enum push_verdict verdict;
	} cases[] = {
		{ 200, PUSH_TAKEN },   { 202, PUSH_TAKEN },   { 204, PUSH_TAKEN },
		{ 301, PUSH_STOP },    { 307, PUSH_STOP },    { 400, PUSH_REFUSED },
		{ 401, PUSH_STOP },    { 403, PUSH_STOP },    { 404, PUSH_STOP },
		{ 407, PUSH_STOP },    { 408, PUSH_LATER },   { 413, PUSH_REFUSED },
		{ 415, PUSH_REFUSED }, { 422, PUSH_REFUSED }, { 429, PUSH_LATER },
		{ 500, PUSH_FAILED },  { 502, PUSH_LATER },   { 503, PUSH_LATER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct push_answer answer = { .status = cases[i].status };
		uint64_t n_rejected;
		char *words;

		assert_int_equal(
			push_answer_judge(&answer, "application/proto", &words, &n_rejected),
			cases[i].verdict);
		assert_int_equal(words != NULL, cases[i].verdict != PUSH_TAKEN);
		free(words);
	}
}

static void errors_of_clickhouse_decide_by_their_number(void **state)
{
	static const struct {
		const char *body;
		long status;
		enum push_verdict verdict;
	} cases[] = {
		{ "Code: 252. DB::Exception: Too many parts", 500, PUSH_LATER },
		{ "Code: 243, e.displayText() = DB::Exception: no space", 500, PUSH_LATER },
		{ "Code: 216. DB::Exception: is already running", 500, PUSH_LATER },
		{ "Code: 60. DB::Exception: Table p.samples", 404, PUSH_STOP },
		{ "Code: 516. DB::Exception: default", 403, PUSH_STOP },
		{ "Code: 27. DB::Exception: Cannot parse input", 400, PUSH_REFUSED },
		{ "Code: 49. DB::Exception: Logical error", 500, PUSH_FAILED },
		{ "Code: 241. DB::Exception: memory", 200, PUSH_LATER },
		{ "Code: ", 200, PUSH_STOP },
		{ "Code: 99999999999999999999", 500, PUSH_FAILED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct push_answer answer = { .status = cases[i].status,
						    .body = cases[i].body,
						    .size = strlen(cases[i].body) };
		uint64_t n_rejected;
		char *words;

		assert_int_equal(
			push_answer_judge(&answer, "application/octet-stream", &words, &n_rejected),
			cases[i].verdict);
		assert_non_null(words);
		free(words);
	}
}

static void what_the_server_says_is_shown_without_its_controls(void **state)
{
	static const char body[] = "{\"message\":\"\033[31mno\033[0m\nsecond\"}\n";
	const struct push_answer answer = { .status = 400, .body = body, .size = strlen(body) };
	uint64_t n_rejected;
	char *words;

	(void)state;
	assert_int_equal(push_answer_judge(&answer, OTLP, &words, &n_rejected), PUSH_REFUSED);
	assert_null(strpbrk(words, "\033\n"));
	assert_non_null(strstr(words, "second"));
	free(words);
}

/* A page to log in must not count as the server's answer. */
static void another_type_is_another_servers(void **state)
{
	struct push_answer answer = {
		.status = 200, .body = "<html>", .size = 6, .type = "text/html"
	};
	uint64_t n_rejected;
	char *words;

	(void)state;
	assert_int_equal(push_answer_judge(&answer, OTLP, &words, &n_rejected), PUSH_STOP);
	assert_non_null(strstr(words, "text/html"));
	free(words);
	answer.type = NULL;
	assert_int_equal(push_answer_judge(&answer, OTLP, &words, &n_rejected), PUSH_STOP);
	free(words);
	answer.size = 0;
	assert_int_equal(push_answer_judge(&answer, OTLP, &words, &n_rejected), PUSH_TAKEN);
	assert_null(words);
}

static void partial_success_is_counted(void **state)
{
	static const char body[] = "\x0a\x0b\x08\xac\x02\x12\x06no\033one";
	struct push_answer answer = { .status = 200,
				      .type = "application/X-protobuf; a=b",
				      .body = body,
				      .size = sizeof(body) - 1 };
	uint64_t n_rejected;
	char *words;

	(void)state;
	assert_int_equal(push_answer_judge(&answer, OTLP, &words, &n_rejected), PUSH_TAKEN);
	assert_int_equal(n_rejected, 300);
	assert_string_equal(words, "no\\x1bone");
	free(words);
	/* Cut anywhere, it is taken, and nothing else is read. */
	for (size_t size = 1; size < sizeof(body) - 1; size++) {
		char *cut = malloc(size);

		memcpy(cut, body, size);
		answer.body = cut;
		answer.size = size;
		assert_int_equal(push_answer_judge(&answer, OTLP, &words, &n_rejected), PUSH_TAKEN);
		assert_non_null(strstr(words, "can't be read"));
		free(words);
		free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_status_decides),
		cmocka_unit_test(errors_of_clickhouse_decide_by_their_number),
		cmocka_unit_test(what_the_server_says_is_shown_without_its_controls),
		cmocka_unit_test(another_type_is_another_servers),
		cmocka_unit_test(partial_success_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
