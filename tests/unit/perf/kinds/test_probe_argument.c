#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "perf/kinds/probe_argument.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static void arguments_are_numbers_or_texts(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		unsigned number; /* 0: refused */
		bool is_string;
	} cases[] = {
		{ "arg1", 1, false },   { "arg12", 12, false },   { "str(arg3)", 3, true },
		{ "arg0", 0, false },   { "arg", 0, false },      { "arg1x", 0, false },
		{ "arg123", 0, false }, { "str(arg1", 0, false }, { "str(arg1))", 0, false },
		{ "str(1)", 0, false }, { "", 0, false },         { "str(arg0)", 0, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct probe_argument argument;

		assert_int_equal(probe_argument_parse(cases[i].text, &argument),
				 cases[i].number != 0);
		if (!cases[i].number)
			continue;
		assert_int_equal(argument.number, cases[i].number);
		assert_int_equal(argument.is_string, cases[i].is_string);
	}
}

static void arguments_of_calls_are_where_the_abi_puts_them(void **state)
{
	(void)state;
	static const struct {
		uint16_t machine;
		struct probe_argument argument;
		const char *expected;
	} cases[] = {
		{ EM_X86_64, { 1, false }, "%di:u64" },
		{ EM_X86_64, { 3, false }, "%dx:u64" },
		{ EM_X86_64, { 6, false }, "%r9:u64" },
		{ EM_X86_64, { 7, false }, "+8(%sp):u64" },
		{ EM_X86_64, { 2, true }, "+0(%si):string" },
		{ EM_X86_64, { 8, true }, "+0(+16(%sp)):string" },
		{ EM_AARCH64, { 8, false }, "%x7:u64" },
		{ EM_AARCH64, { 9, false }, "+0(%sp):u64" },
	};
	struct event_fetch fetch;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_null(probe_argument_of_call(&cases[i].argument, cases[i].machine, &fetch));
		assert_string_equal(fetch.argument, cases[i].expected);
		assert_string_equal(fetch.check, "");
	}
	assert_non_null(probe_argument_of_call(&cases[0].argument, EM_386, &fetch));
}

static void arguments_of_notes_are_read(void **state)
{
	(void)state;
	static const struct {
		uint16_t machine;
		const char *arguments;
		struct probe_argument argument;
		enum event_value_kind kind;
		const char *expected, *check;
	} cases[] = {
		{ EM_X86_64, "4@%edi", { 1, false }, EVENT_VALUE_UNSIGNED, "%di:u32", "" },
		{ EM_X86_64, "8@%rax -4@%r12d", { 2, false }, EVENT_VALUE_SIGNED, "%r12:s32", "" },
		{ EM_X86_64, "1@%sil", { 1, false }, EVENT_VALUE_UNSIGNED, "%si:u8", "" },
		{ EM_X86_64, "-1@%r9b", { 1, false }, EVENT_VALUE_SIGNED, "%r9:s8", "" },
		{ EM_X86_64, "-2@%cx", { 1, false }, EVENT_VALUE_SIGNED, "%cx:s16", "" },
		{ EM_X86_64, "%rdx", { 1, false }, EVENT_VALUE_UNSIGNED, "%dx:u64", "" },
		{ EM_X86_64, "-8@16(%rsp)", { 1, false }, EVENT_VALUE_SIGNED, "+16(%sp):s64", "" },
		{ EM_X86_64,
		  "-4@-20(%rbp)",
		  { 1, false },
		  EVENT_VALUE_SIGNED,
		  "-20(%bp):s32",
		  "-20(%bp):string" },
		{ EM_X86_64,
		  "8@(%rbx)",
		  { 1, false },
		  EVENT_VALUE_UNSIGNED,
		  "+0(%bx):u64",
		  "+0(%bx):string" },
		{ EM_X86_64, "8@$5", { 1, false }, EVENT_VALUE_UNSIGNED, "\\5:u64", "" },
		{ EM_X86_64, "-4@$-1", { 1, false }, EVENT_VALUE_SIGNED, "\\-1:s32", "" },
		{ EM_X86_64, "8@$0x10", { 1, false }, EVENT_VALUE_UNSIGNED, "\\16:u64", "" },
		{ EM_X86_64, "8@%rbp", { 1, true }, EVENT_VALUE_STRING, "+0(%bp):string", "" },
		{ EM_X86_64,
		  "8@8(%rax)",
		  { 1, true },
		  EVENT_VALUE_STRING,
		  "+0(+8(%ax)):string",
		  "" },
		{ EM_AARCH64, "8@x0 -4@w19", { 2, false }, EVENT_VALUE_SIGNED, "%x19:s32", "" },
		{ EM_AARCH64,
		  "8@[x1] 4@[sp, 16] -4@7",
		  { 1, false },
		  EVENT_VALUE_UNSIGNED,
		  "+0(%x1):u64",
		  "+0(%x1):string" },
		{ EM_AARCH64,
		  "8@[x1] 4@[sp, 16] -4@7",
		  { 2, false },
		  EVENT_VALUE_UNSIGNED,
		  "+16(%sp):u32",
		  "" },
		{ EM_AARCH64,
		  "8@[x1] 4@[sp, 16] -4@7",
		  { 3, false },
		  EVENT_VALUE_SIGNED,
		  "\\7:s32",
		  "" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_fetch fetch = { .kind = EVENT_VALUE_NONE };
		const char *wrong = probe_argument_of_note(&cases[i].argument, cases[i].machine,
							   cases[i].arguments, &fetch);

		if (wrong)
			fail_msg("%s: %s", cases[i].arguments, wrong);
		assert_int_equal(fetch.kind, cases[i].kind);
		assert_string_equal(fetch.argument, cases[i].expected);
		assert_string_equal(fetch.check, cases[i].check);
	}
}

static void what_the_kernel_cannot_fetch_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *arguments;
		struct probe_argument argument;
	} cases[] = {
		{ "", { 1, false } },
		{ "8@%rax", { 2, false } },
		{ "8@16(%rax,%rbx,8)", { 1, false } },
		{ "8@(%rax,%rbx)", { 1, false } },
		{ "8@counter(%rip)", { 1, false } },
		{ "8@8(%rip)", { 1, false } },
		{ "8@$symbol", { 1, false } },
		{ "4@%eax+1", { 1, false } },
		{ "1@%ah", { 1, false } },
		{ "8f@%xmm0", { 1, false } },
		{ "4f@-4(%rbp)", { 1, false } },
		{ "16@%xmm0", { 1, false } },
		{ "3@%eax", { 1, false } },
		{ "8@", { 1, false } },
		{ "-@%eax", { 1, false } },
		{ "@", { 1, false } },
		{ "8@8(%rax", { 1, false } },
		{ "8@8%rax", { 1, false } },
		{ "8@%", { 1, false } },
		{ "8@99999999999999999999999999999999999999(%rax)", { 1, false } },
		{ "4@%edi", { 1, true } },
		{ "8@$5", { 1, true } },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_fetch fetch;

		if (!probe_argument_of_note(&cases[i].argument, EM_X86_64, cases[i].arguments,
					    &fetch))
			fail_msg("'%s' is fetched as %s", cases[i].arguments, fetch.argument);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_numbers_or_texts),
		cmocka_unit_test(arguments_of_calls_are_where_the_abi_puts_them),
		cmocka_unit_test(arguments_of_notes_are_read),
		cmocka_unit_test(what_the_kernel_cannot_fetch_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
