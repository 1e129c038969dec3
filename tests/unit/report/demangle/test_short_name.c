#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cct/base/printable.h"
#include "report/demangle/short_name.h"
#include "report/demangle/simple_name.h"

#define STRING    "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
#define LONG_SIZE (1u << 20)

static void what_says_nothing_is_left_out(void **state)
{
	static const struct {
		const char *name, *simple, *with_parameters; /* NULL: the same */
	} cases[] = {
		{ "main", "main", NULL },
		{ "", "", NULL },
		{ "foo(int)", "foo", "foo(int)" },
		{ "foo()", "foo", "foo()" },
		{ "foo.cold", "foo.cold", NULL },
		{ "foo(int) [clone .cold]", "foo [clone .cold]", "foo(int) [clone .cold]" },
		{ "foo(int) [clone .llvm.12014264550864041713]", "foo", "foo(int)" },
		{ "foo(int) [clone .llvm.12] [clone .cold]", "foo [clone .cold]",
		  "foo(int) [clone .cold]" },
		{ "foo.llvm.12", "foo", NULL },
		{ "foo.llvm.", "foo.llvm.", NULL },
		{ "foo [clone .llvm.1", "foo [clone .llvm.1", NULL },
		{ "foo(int)@plt", "foo@plt", "foo(int)@plt" },
		{ "memcpy@@GLIBC_2.14", "memcpy", NULL },
		{ "memcpy@GLIBC_2.2.5", "memcpy@GLIBC_2.2.5", NULL },
		{ "ns::A::f(int) const", "ns::A::f", "ns::A::f(int) const" },
		{ "ns::A::f(int) const &", "ns::A::f", "ns::A::f(int) const &" },
		{ "int max<int>(int, int)", "max<int>", "max<int>(int, int)" },
		{ "unsigned long f<int>(int)", "f<int>", "f<int>(int)" },
		{ "decltype (x.f()) g<X>(X)", "g<X>", "g<X>(X)" },
		{ "std::enable_if<((4)>(2)), int>::type f<int>(int)", "f<int>", "f<int>(int)" },
		{ "foo[abi:cxx11](int)", "foo", "foo(int)" },
		{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f",
		  "(anonymous namespace)::f(int)" },
		{ "non-virtual thunk to A::f(int)", "non-virtual thunk to A::f",
		  "non-virtual thunk to A::f(int)" },
		{ "guard variable for f()::x", "guard variable for f()::x", NULL },
		/* Who returns a pointer to a function stays whole. */
		{ "void (*f<int>(int))(int)", "void (*f<int>(int))(int)", NULL },
		/* Operators. */
		{ "A::operator()(int) const", "A::operator()", "A::operator()(int) const" },
		{ "A::operator()", "A::operator()", NULL },
		{ "A::operator->() const", "A::operator->", "A::operator->() const" },
		{ "A::operator->*(int)", "A::operator->*", "A::operator->*(int)" },
		{ "A::operator[](int)", "A::operator[]", "A::operator[](int)" },
		{ "A::operator,(int)", "A::operator,", "A::operator,(int)" },
		{ "operator<(A, A)", "operator<", "operator<(A, A)" },
		{ "operator<=>(A, A)", "operator<=>", "operator<=>(A, A)" },
		{ "bool operator< <int>(int, int)", "operator< <int>",
		  "operator< <int>(int, int)" },
		{ "bool operator>(A, A)", "operator>", "operator>(A, A)" },
		{ "A& operator>><int>(A&, int)", "operator>><int>", "operator>><int>(A&, int)" },
		{ "std::ostream& operator<< <char>(std::ostream&, char)", "operator<< <char>",
		  "operator<< <char>(std::ostream&, char)" },
		{ "operator new(unsigned long)", "operator new", "operator new(unsigned long)" },
		{ "operator delete[](void*)", "operator delete[]", "operator delete[](void*)" },
		{ "A::operator unsigned int() const", "A::operator unsigned int",
		  "A::operator unsigned int() const" },
		{ "A::operator std::vector<int, std::allocator<int> >()",
		  "A::operator std::vector<int>", "A::operator std::vector<int>()" },
		{ "operator\"\" _km(long double)", "operator\"\" _km",
		  "operator\"\" _km(long double)" },
		{ "my_operator(int)", "my_operator", "my_operator(int)" },
		/* Functions within functions. */
		{ "f(int)::{lambda(int)#1}::operator()(int) const",
		  "f(int)::{lambda(int)#1}::operator()",
		  "f(int)::{lambda(int)#1}::operator()(int) const" },
		/* The library's own. */
		{ "f(" STRING " const&)", "f", "f(std::string const&)" },
		{ STRING "::size()", "std::string::size", "std::string::size()" },
		{ "std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> "
		  ">::size()",
		  "std::wstring::size", "std::wstring::size()" },
		{ "std::basic_string<char16_t>::size()", "std::basic_string<char16_t>::size",
		  "std::basic_string<char16_t>::size()" },
		{ "std::__1::vector<int, std::__1::allocator<int> >::at(int)",
		  "std::vector<int>::at", "std::vector<int>::at(int)" },
		{ "std::vector<int, mine::allocator<int> >::at(int)",
		  "std::vector<int, mine::allocator<int>>::at",
		  "std::vector<int, mine::allocator<int>>::at(int)" },
		{ "mine::vector<int, std::allocator<int> >::at(int)",
		  "mine::vector<int, std::allocator<int>>::at",
		  "mine::vector<int, std::allocator<int>>::at(int)" },
		{ "std::map<" STRING ", std::vector<int, std::allocator<int> >, std::less<" STRING
		  " >, std::allocator<std::pair<" STRING
		  " const, std::vector<int, std::allocator<int> > > > >::operator[](" STRING
		  " const&)",
		  "std::map<std::string, std::vector<int>>::operator[]",
		  "std::map<std::string, std::vector<int>>::operator[](std::string const&)" },
		{ "std::set<int, std::greater<int>, std::allocator<int> >::clear()",
		  "std::set<int, std::greater<int>>::clear",
		  "std::set<int, std::greater<int>>::clear()" },
		{ "std::set<int, std::less<void>, std::allocator<int> >::clear()",
		  "std::set<int, std::less<void>>::clear",
		  "std::set<int, std::less<void>>::clear()" },
		{ "std::unordered_map<int, long, std::hash<int>, std::equal_to<int>, "
		  "std::allocator<std::pair<int const, long> > >::find(int const&)",
		  "std::unordered_map<int, long>::find",
		  "std::unordered_map<int, long>::find(int const&)" },
		{ "std::unique_ptr<A, std::default_delete<A> >::~unique_ptr()",
		  "std::unique_ptr<A>::~unique_ptr", "std::unique_ptr<A>::~unique_ptr()" },
		{ "std::chrono::_V2::system_clock::now()", "std::chrono::system_clock::now",
		  "std::chrono::system_clock::now()" },
		/* Other languages. */
		{ "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
		  "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop", NULL },
		{ "core::ops::function::FnOnce::call_once{{vtable.shim}}",
		  "core::ops::function::FnOnce::call_once{{vtable.shim}}", NULL },
		{ "runtime.(*mcache).refill", "runtime.(*mcache).refill", NULL },
		{ "main.Map[go.shape.int,go.shape.string]",
		  "main.Map[go.shape.int,go.shape.string]", NULL },
		{ "type..eq.[2]interface {}", "type..eq.[2]interface {}", NULL },
		{ "JS:*even /tmp/parity.js:3:14", "JS:*even /tmp/parity.js:3:14", NULL },
		{ "int com.example.Parity.even(int, java.lang.String)", "com.example.Parity.even",
		  "com.example.Parity.even(int, java.lang.String)" },
		{ "libfoo.so+0x1230", "libfoo.so+0x1230", NULL },
		{ "[unknown]", "[unknown]", NULL },
		/* What can't be understood stays as it is. */
		{ "a<b", "a<b", NULL },
		{ "a>(b)", "a>(b)", NULL },
		{ "f(int", "f(int", NULL },
		{ "f(int))", "f(int))", NULL },
		{ "f<(int>)", "f<(int>)", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *simple = simple_name_make(cases[i].name, false);
		char *with_parameters = simple_name_make(cases[i].name, true);

		assert_string_equal(simple, cases[i].simple);
		assert_string_equal(with_parameters, cases[i].with_parameters
							     ? cases[i].with_parameters
							     : cases[i].simple);
		free(simple);
		free(with_parameters);
	}
}

static void names_are_folded_from_the_inside(void **state)
{
	static const char map[] =
		"std::map<std::string, std::vector<std::pair<int, long>>>::operator[](std::string)";
	static const char rust[] = "<core::iter::Map<core::slice::Iter<u8>, F> as "
				   "core::iter::Iterator>::next";
	static const char go[] = "github.com/a/b/pkg.(*Thing[go.shape.int,go.shape.string]).Method";
	static const char lambda[] = "ns::f(int)::{lambda(long)#1}::operator()";
	static const char anonymous[] = "(anonymous namespace)::Pass<int, long>::run";
	static const char shift[] = "X<int, long>::operator<< <char, short>";
	static const struct {
		const char *name;
		unsigned columns;
		const char *fitted;
	} cases[] = {
		{ map, 81, map },
		{ map, 80,
		  "std::map<std::string, std::vector<std::pair<int, "
		  "…>>>::operator[](std::string)" },
		{ map, 77,
		  "std::map<std::string, std::vector<std::pair<…>>>::operator[](std::string)" },
		{ map, 72, "std::map<std::string, std::vector<…>>::operator[](std::string)" },
		{ map, 61, "std::map<std::string, std::vector<…>>::operator[](…)" },
		{ map, 51, "std::map<std::string, …>::operator[](std::string)" },
		{ map, 48, "std::map<std::string, …>::operator[](…)" },
		{ map, 35, "std::map<…>::operator[](…)" },
		{ map, 25, "…::map<…>::operator[](…)" },
		{ map, 23, "…::operator[](…)" },
		/* The last part stays, even if it has to be cut. */
		{ map, 10, "…::operator[](…)" },
		{ "a_name_without_any_structure", 12, "a_name_without_any_structure" },
		{ lambda, 39, "ns::f(int)::{lambda(…)#1}::operator()" },
		{ lambda, 36, "ns::f(…)::{lambda(…)#1}::operator()" },
		{ lambda, 33, "…::{lambda(…)#1}::operator()" },
		{ anonymous, 42, "(anonymous namespace)::Pass<int, …>::run" },
		{ anonymous, 39, "(anonymous namespace)::Pass<…>::run" },
		{ anonymous, 34, "…::Pass<…>::run" },
		{ shift, 37, "X<int, long>::operator<< <char, …>" },
		{ shift, 24, "X<…>::operator<< <…>" },
		{ shift, 19, "…::operator<< <…>" },
		{ "X<int, long>::operator->", 18, "X<…>::operator->" },
		{ rust, 72, "<Map<Iter<u8>, F> as Iterator>::next" },
		{ rust, 35, "<Map<Iter<…>, F> as Iterator>::next" },
		{ rust, 34, "<Map<…> as Iterator>::next" },
		{ rust, 25, "…::next" },
		{ "core::ptr::drop_in_place<alloc::vec::Vec<u32>>", 45,
		  "core::ptr::drop_in_place<alloc::vec::Vec<…>>" },
		{ "<alloc::vec::Vec::<u8>>::Item::f", 31, "<Vec::<u8>>::Item::f" },
		{ go, 63, "github.com/a/b/pkg.(*Thing[go.shape.int, …]).Method" },
		{ go, 50, "github.com/a/b/pkg.(*Thing[…]).Method" },
		{ go, 27, "…/b/pkg.(*Thing[…]).Method" },
		{ go, 25, "…/pkg.(*Thing[…]).Method" },
		/* Two columns each. */
		{ "f<\u65e5\u672c\u8a9e, int>", 13, "f<\u65e5\u672c\u8a9e, …>" },
		{ "f<\u65e5\u672c\u8a9e, int>", 11, "f<…>" },
		{ "f<\x1b\x1b\x1b>", 14, "f<…>" },
		{ "a<b", 2, "a<b" },
		{ "", 0, "" },
	};

	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *fitted = short_name_fit(cases[i].name, cases[i].columns, true);

		assert_string_equal(fitted, cases[i].fitted);
		free(fitted);
	}
}

static void without_utf8_three_points_stand_for_what_is_folded(void **state)
{
	char *fitted = short_name_fit("ns::map<int, long>::f(long)", 25, false);

	(void)state;
	assert_string_equal(fitted, "ns::map<int, ...>::f(...)");
	free(fitted);
}

/* Everything that can be asked: it fits wherever something was folded that can be. */
static void what_is_folded_fits(void **state)
{
	static const char name[] =
		"ns::a<b<c<d, e>, f>, g<h>>::f(i<j>, k)::{lambda(l)#1}::operator()";

	(void)state;
	for (unsigned columns = 20; columns < sizeof(name); columns++) {
		for (int utf8 = 0; utf8 < 2; utf8++) {
			char *fitted = short_name_fit(name, columns, utf8);

			assert_true(printable_width(fitted, utf8) <= columns);
			assert_non_null(strstr(fitted, "operator()"));
			free(fitted);
		}
	}
}

/* What is in brackets is the text of a value, or of a marker: its parentheses are no parameters. */
static void what_is_in_brackets_is_no_function(void **state)
{
	static const char *const names[] = {
		"[query = \"select max(id), count(*) from pgbench_accounts\"]",
		"[kind = Option<alloc::string::String>::Some(\"ns::a<b>::c(d)\")]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *fitted = short_name_fit(names[i], 20, true);

		assert_string_equal(fitted, names[i]);
		free(fitted);
	}
	/* A function may begin with a bracket, or end with one. */
	char *fitted = short_name_fit("[T]::sort(compare<T, T>)", 16, true);
	assert_string_equal(fitted, "[T]::sort(…)");
	free(fitted);
}

static void hostile_names_take_no_time(void **state)
{
	static const char *const pieces[] = { "<",         "(",      "a<",        "a(",
					      "[abi:",     "::",     "operator<", "std::less<",
					      ", ",        "a<b>::", "a<b, ",     "\xff",
					      "operator ", ")",      ">",         "<a::" };
	char *name = malloc(LONG_SIZE + 1);

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t piece = strlen(pieces[i]);

		for (size_t size = LONG_SIZE; size > 1000; size /= 20) {
			for (size_t at = 0; at < size; at++)
				name[at] = pieces[i][at % piece];
			name[size] = '\0';
			char *simple = simple_name_make(name, i % 2);
			char *fitted = short_name_fit(simple, 100, true);

			assert_non_null(fitted);
			free(simple);
			free(fitted);
		}
	}
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_says_nothing_is_left_out),
		cmocka_unit_test(names_are_folded_from_the_inside),
		cmocka_unit_test(without_utf8_three_points_stand_for_what_is_folded),
		cmocka_unit_test(what_is_folded_fits),
		cmocka_unit_test(what_is_in_brackets_is_no_function),
		cmocka_unit_test(hostile_names_take_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
