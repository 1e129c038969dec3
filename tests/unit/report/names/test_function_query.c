#include <string.h>

#include "report/names/function_query.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static void functions_are_found_by_any_of_their_names(void **state)
{
	static const struct {
		const char *wanted, *name, *symbol;
		enum function_match match;
	} cases[] = {
		{ "foo", "foo", "foo", FUNCTION_MATCHES },
		{ "foo", "fool", "fool", FUNCTION_DIFFERS },
		{ "foo", "foo.cold", "foo.cold", FUNCTION_MATCHES },
		{ "foo", "foo.constprop.0.isra.0", NULL, FUNCTION_MATCHES },
		{ "foo.cold", "foo.cold", "foo.cold", FUNCTION_MATCHES },
		{ "memcpy", "memcpy@@GLIBC_2.14", NULL, FUNCTION_MATCHES },
		{ "memcpy", "memcpy@plt", "memcpy", FUNCTION_MATCHES },
		{ "main", "main.hot", "main.hot", FUNCTION_DIFFERS },
		{ "main.main", "main.main", "main.main", FUNCTION_MATCHES },
		{ "ns::foo", "ns::foo", "_ZN2ns3fooEi", FUNCTION_MATCHES },
		{ "_ZN2ns3fooEi", "ns::foo", "_ZN2ns3fooEi", FUNCTION_MATCHES },
		{ "_ZN2ns3fooEl", "ns::foo", "_ZN2ns3fooEi", FUNCTION_DIFFERS },
		{ "ns::foo(int)", "ns::foo", "_ZN2ns3fooEi", FUNCTION_MATCHES },
		{ "ns::foo( int )", "ns::foo", "_ZN2ns3fooEi", FUNCTION_MATCHES },
		{ "ns::foo(long)", "ns::foo", "_ZN2ns3fooEi", FUNCTION_DIFFERS },
		{ "foo", "ns::foo", "_ZN2ns3fooEi", FUNCTION_SIMILAR },
		{ "s::foo", "ns::foo", "_ZN2ns3fooEi", FUNCTION_DIFFERS },
		{ "foo", "ns::foo<int>", NULL, FUNCTION_SIMILAR },
		{ "ns::foo", "ns::foo<std::pair<int, a::b> >", NULL, FUNCTION_SIMILAR },
		{ "foo<int>", "ns::foo<int>", NULL, FUNCTION_SIMILAR },
		{ "foo<long>", "ns::foo<int>", NULL, FUNCTION_DIFFERS },
		{ "foo", "foo [clone .cold]", NULL, FUNCTION_MATCHES },
		{ "", "foo", "foo", FUNCTION_DIFFERS },
		{ "ns::foo", "_ZN2ns3fooEi", "_ZN2ns3fooEi", FUNCTION_MATCHES },
		{ "foo", "_ZN2ns3fooEi.cold", "_ZN2ns3fooEi.cold", FUNCTION_SIMILAR },
		{ "ns::fool", "_ZN2ns3fooEi", "_ZN2ns3fooEi", FUNCTION_DIFFERS },
		{ "ns::foo", "ns::foo(int)", "_ZN2ns3fooEi", FUNCTION_MATCHES },
		{ "(", "foo", "_ZN2ns3fooEi", FUNCTION_DIFFERS },
		{ "::", "::", NULL, FUNCTION_MATCHES },
		{ "Fib.fib", "int Fib.fib(int)", "int Fib.fib(int)", FUNCTION_MATCHES },
		{ "fib", "int Fib.fib(int)", "int Fib.fib(int)", FUNCTION_SIMILAR },
		{ "fib", "Fib.fib", "Fib.fib", FUNCTION_SIMILAR },
		{ "ib", "Fib.fib", "Fib.fib", FUNCTION_DIFFERS },
		{ "fib", "JS:*fib /srv/fib.js:1:13", "JS:*fib /srv/fib.js:1:13", FUNCTION_SIMILAR },
		{ "JS:fib", "JS:*fib /srv/fib.js:1:13", NULL, FUNCTION_SIMILAR },
		{ "JS:*fib", "JS:*fib /srv/fib.js:1:13", NULL, FUNCTION_SIMILAR },
		{ "JS:~fib", "JS:*fib /srv/fib.js:1:13", NULL, FUNCTION_DIFFERS },
		{ "fi", "JS:*fib /srv/fib.js:1:13", NULL, FUNCTION_DIFFERS },
		{ "", "JS:* /srv/fib.js:1:13", NULL, FUNCTION_DIFFERS },
		{ "fib", "py::fib:/srv/fib.py", "py::fib:/srv/fib.py", FUNCTION_SIMILAR },
		{ "py::fib", "py::fib:/srv/fib.py", NULL, FUNCTION_SIMILAR },
		{ "a::b<…>::c", "a::b<int, a::d<long> >::c", NULL, FUNCTION_SIMILAR },
		{ "…::b<…>::c", "a::b<int>::c", NULL, FUNCTION_SIMILAR },
		{ "…::b<…>::d", "a::b<int>::c", NULL, FUNCTION_DIFFERS },
		{ "a::c<…>::c", "a::b<int>::c", NULL, FUNCTION_DIFFERS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct function_query *query = function_query_create(cases[i].wanted);
		struct frame_name name = { .name = cases[i].name, .symbol = cases[i].symbol };

		if (function_query_match(query, &name) != cases[i].match)
			fail_msg("'%s' and '%s'", cases[i].wanted, cases[i].name);
		function_query_destroy(query);
	}
}

static void the_last_part_of_a_name_is_its_base(void **state)
{
	static const struct {
		const char *name, *base;
	} cases[] = {
		{ "foo", "foo" },
		{ "ns::foo", "foo" },
		{ "ns::foo<a::b>", "foo" },
		{ "(anonymous namespace)::foo", "foo" },
		{ "a<b::c>::d", "d" },
		{ "ns::operator<", "operator<" },
		{ "ns::operator>>", "ns::operator>>" },
		{ "foo.part.0", "foo" },
		{ ">", ">" },
		{ "JS:*fib /srv/fib.js:1:13", "fib" },
		{ "py::fib:/srv/fib.py", "fib" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t size;
		const char *base = function_base_name(cases[i].name, &size);

		assert_int_equal(size, strlen(cases[i].base));
		assert_memory_equal(base, cases[i].base, size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found_by_any_of_their_names),
		cmocka_unit_test(the_last_part_of_a_name_is_its_base),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
