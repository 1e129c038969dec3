#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/push/push_target.h"

static void urls_lead_to_the_servers_endpoints(void **state)
{
	static const struct {
		const char *text, *url, *user;
		enum push_protocol protocol;
	} cases[] = {
		{ "pyroscope+http://host:4040", "http://host:4040/push.v1.PusherService/Push", NULL,
		  PUSH_PYROSCOPE },
		{ "pyroscope+https://12@host/a/b//", "https://host/a/b/push.v1.PusherService/Push",
		  "12", PUSH_PYROSCOPE },
		{ "otlp+http://[::1]:4318/", "http://[::1]:4318/v1development/profiles", NULL,
		  PUSH_OTLP },
		{ "otlp+https://host/v1development/profiles", "https://host/v1development/profiles",
		  NULL, PUSH_OTLP },
		{ "otlp+https://host/at@path", "https://host/at@path/v1development/profiles", NULL,
		  PUSH_OTLP },
		{ "clickhouse+https://me@host/profiles", "https://host:8443/?database=profiles",
		  "me", PUSH_CLICKHOUSE },
		{ "clickhouse+http://host", "http://host:8123/?database=default", NULL,
		  PUSH_CLICKHOUSE },
		{ "clickhouse+http://[::1]/a/b/", "http://[::1]:8123/a/?database=b", NULL,
		  PUSH_CLICKHOUSE },
		{ "clickhouse+https://[::1]:443//b", "https://[::1]:443//?database=b", NULL,
		  PUSH_CLICKHOUSE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct push_target target;
		const char *reason;

		assert_int_equal(push_target_parse(cases[i].text, &target, &reason), 0);
		assert_string_equal(target.url, cases[i].url);
		assert_int_equal(target.protocol, cases[i].protocol);
		if (cases[i].user)
			assert_string_equal(target.user, cases[i].user);
		else
			assert_null(target.user);
		push_target_deinit(&target);
	}
}

static void other_texts_are_refused_with_a_reason(void **state)
{
	static const char *const texts[] = {
		"",
		"https://host",
		"pyroscope+ftp://host",
		"pyroscope+http://",
		"pyroscope+http:///path",
		"pyroscope+http://:4040",
		"pyroscope+http://user@",
		"pyroscope+http://@host",
		"pyroscope+http://user:secret@host",
		"otlp+http://host?query",
		"clickhouse+http://host/a%27b",
		"otlp+http://host/a b",
		"otlp+http://host\r\nX-Header: 1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct push_target target;
		const char *reason = NULL;

		assert_int_equal(push_target_parse(texts[i], &target, &reason), -EINVAL);
		assert_non_null(reason);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls_lead_to_the_servers_endpoints),
		cmocka_unit_test(other_texts_are_refused_with_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
