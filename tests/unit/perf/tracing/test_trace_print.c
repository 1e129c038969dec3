/* Print statements of tracepoints over made-up data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/file/tracing_formats.h"
#include "perf/tracing/trace_print.h"
#include "tests/unit/fixtures/record_builder.h"

#define HEAD                                                                   \
	"name: made_up\nID: 77\nformat:\n"                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"           \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"             \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"                 \
	"\tfield:u32 flags;\toffset:28;\tsize:4;\tsigned:0;\n"                 \
	"\tfield:long long state;\toffset:32;\tsize:8;\tsigned:1;\n"           \
	"\tfield:unsigned long args[2];\toffset:40;\tsize:16;\tsigned:0;\n"    \
	"\tfield:__data_loc char[] name;\toffset:56;\tsize:4;\tsigned:0;\n"    \
	"\tfield:__rel_loc u8[] bytes;\toffset:60;\tsize:4;\tsigned:0;\n\n"

/* The record that the format describes. */
static struct builder record(void)
{
	struct builder b = { 0 };

	put_pair(&b, 77, 50);
	put_bytes(&b, "sh\0rest of it  ", 16);
	put_pair(&b, (uint32_t)-5, 0x16);
	put_u64(&b, (uint64_t)-2);
	put_u64(&b, 0xabc);
	put_u64(&b, 7);
	put_u32(&b, 5 << 16 | 64); /* "file" with its NUL at 64 */
	put_u32(&b, 3 << 16 | 5);  /* three bytes after that */
	put_bytes(&b, "file\0\x01\xfe\x10", 8);
	return b;
}

static void check(const char *print, const char *expected)
{
	struct builder b = record();
	uint8_t *raw = malloc(b.size);
	struct trace_format format;
	char text[16384], found[TRACE_TEXT_MAX];

	assert_non_null(raw);
	memcpy(raw, b.bytes, b.size);
	snprintf(text, sizeof(text), HEAD "print fmt: %s\n", print);
	char *exact = strndup(text, strlen(text));
	assert_true(trace_format_parse(exact, strlen(exact), &format));
	assert_int_equal(format.id, 77);
	size_t length = trace_print(&format, raw, b.size, found);
	assert_string_equal(found, expected);
	assert_int_equal(length, strlen(expected));
	free(exact);
	free(raw);
	free(b.bytes);
}

static void fields_are_formatted_as_by_printf(void **state)
{
	(void)state;
	check("\"comm=%s pid=%d\", REC->comm, REC->pid", "comm=sh pid=-5");
	check("\"%5d|%-5d|%05d|%+d|%x|%#x|%u\", REC->pid, REC->pid, REC->pid, 3, REC->flags, "
	      "REC->flags, REC->flags",
	      "   -5|-5   |-0005|+3|16|0x16|22");
	check("\"%lld %ld %hd %hhu\", REC->state, REC->state, 65537, 258", "-2 -2 1 2");
	check("\"%8s|%-4s|%.1s|%*d\", REC->comm, REC->comm, REC->comm, 4, 1",
	      "      sh|sh  |s|   1");
	check("\"NR (%lx, %lx) %c%%\", REC->args[0], REC->args[1], 65", "NR (abc, 7) A%");
	check("\"%p %p %ps\", REC->args[0], (void *)0, (void *)REC->args[1]", "0xabc (nil) 0x7");
	check("\"a\\tb\\\"c\"", "a\tb\"c");
}

static void expressions_are_those_of_c(void **state)
{
	(void)state;
	check("\"%d %d %d\", 1 + 2 * 3, (1 + 2) * 3, 10 - 4 - 3", "7 9 3");
	check("\"%d %d %d\", 1 << 4 | 1, 0xff & ~0xf, 7 % 4 / 2", "17 240 1");
	check("\"%d %d %d %d\", REC->pid < 0, 3 >= 4, !REC->pid, -REC->pid == 5", "1 0 0 1");
	check("\"%s\", REC->pid ? REC->flags & 1 ? \"odd\" : \"even\" : \"none\"", "even");
	check("\"%u %d %llu\", (unsigned int)(REC->state), (int) REC->pid, "
	      "(unsigned long long)REC->flags",
	      "4294967294 -5 22");
	check("\"%u:%u\", ((unsigned int) ((REC->args[0]) >> 8)), (u8)REC->args[0]", "10:188");
	check("\"%d %d\", 1 ? 2 : 3, 0 || 5 && 1", "2 1");
	/* As in perf, a constant of the kernel's that the format does not resolve. */
	check("\"%p\", REC->pid != -1UL ? (((struct page *)vmemmap_base) + (REC->pid)) : 0",
	      "0xfffffffffffffffb");
}

static void helpers_give_names(void **state)
{
	(void)state;
	check("\"%s\", __print_flags(REC->flags, \"|\", { 0x2, \"B\" }, { 4, \"C\" })", "B|C|0x10");
	check("\"%s\", __print_flags(0, \"|\", { 0x2, \"B\" }, { 0, \"none\" })", "");
	check("\"%s\", (REC->flags & 6) ? __print_flags(REC->flags & 6, \"|\", {(unsigned long)2, "
	      "\"B\"}, {4, \"C\"}, { 0, ((void *)0) } ) : \"R\"",
	      "B|C");
	check("\"%s %s\", __print_symbolic(REC->flags, { 0x15, \"no\" }, { 0x16, \"yes\" }), "
	      "__print_symbolic(3, { A_CONSTANT, \"a\" })",
	      "yes 0x3");
	check("\"%s %d\", __get_str(name), __get_dynamic_array_len(name)", "file 5");
	check("\"%s\", __print_hex(__get_rel_dynamic_array(bytes), 3)", "01 fe 10");
	check("\"%s\", __print_hex_str(__get_rel_dynamic_array(bytes), "
	      "__get_rel_dynamic_array_len(bytes))",
	      "01fe10");
}

static void what_is_not_understood_is_printed_as_fields(void **state)
{
#define FIELDS "comm=sh pid=-5 flags=22 state=-2 args=2748 name=file bytes="
	static const char *const statements[] = {
		"\"%d\", REC->missing",
		"\"%d\"",
		"\"%pI4\", REC->args",
		"\"%s\", REC->pid",
		"\"%d\", REC->comm",
		"\"%d\", unknown_helper(REC->pid)",
		"\"%d\", 1 / 0",
		"\"%d\", REC->args[2]",
		"\"%d\", (1",
		"\"%d\", 12345x",
		"\"%y\", 1",
		"\"%s\", __print_hex(__get_rel_dynamic_array(bytes), 4)",
		"\"no end",
		"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		check(statements[i], FIELDS);
}

static void depth_and_length_are_bounded(void **state)
{
	char statement[8000], expected[TRACE_TEXT_MAX] = FIELDS;

	(void)state;
	memset(statement, '(', sizeof(statement) - 1);
	memcpy(statement, "\"%d\", ", 6);
	statement[sizeof(statement) - 1] = '\0';
	check(statement, expected);
	memset(statement, '-', sizeof(statement) - 1);
	memcpy(statement, "\"%d\", ", 6);
	check(statement, expected);
	memset(statement, 'x', sizeof(statement) - 1);
	statement[0] = statement[sizeof(statement) - 2] = '"';
	memset(expected, 'x', sizeof(statement) - 3);
	expected[sizeof(statement) - 3] = '\0';
	check(statement, expected);
}

static void positions_outside_the_data_are_refused(void **state)
{
	static const char text[] = "ID: 1\n"
				   "\tfield:int a;\toffset:4;\tsize:4;\tsigned:1;\n"
				   "\tfield:__data_loc char[] b;\toffset:0;\tsize:4;\tsigned:0;\n"
				   "\tfield:int c;\toffset:8;\tsize:4;\tsigned:1;\n"
				   "\tfield:int d;\toffset:999999999;\tsize:4;\tsigned:1;\n"
				   "\tfield:nothing\n";
	struct trace_format format;
	const uint32_t raw[2] = { 100 << 16 | 4, 9 };
	uint8_t *exact = malloc(sizeof(raw));
	uint64_t number;
	const uint8_t *bytes;
	size_t n;

	(void)state;
	assert_non_null(exact);
	memcpy(exact, raw, sizeof(raw));
	assert_true(trace_format_parse(text, sizeof(text) - 1, &format));
	assert_int_equal(format.n_fields, 4);
	assert_true(trace_field_number(&format.fields[0], exact, sizeof(raw), 0, &number));
	assert_int_equal(number, 9);
	assert_false(trace_field_number(&format.fields[0], exact, sizeof(raw), 1, &number));
	assert_false(trace_field_bytes(&format.fields[1], exact, sizeof(raw), &bytes, &n));
	assert_false(trace_field_bytes(&format.fields[2], exact, sizeof(raw), &bytes, &n));
	assert_false(trace_field_bytes(&format.fields[3], exact, sizeof(raw), &bytes, &n));
	assert_false(trace_format_parse("name: x\n", 8, &format));
	free(exact);
}

static void put_file(struct builder *b, const char *text)
{
	put_u64(b, strlen(text));
	put_bytes(b, text, strlen(text));
}

static struct builder section(void)
{
	struct builder b = { 0 };

	put_bytes(&b, "\x17\x08\x44tracing0.6\0\0\x08", 16);
	put_u32(&b, 4096);
	put_bytes(&b, "header_page", 12);
	put_file(&b, "page");
	put_bytes(&b, "header_event", 13);
	put_file(&b, "event");
	put_u32(&b, 1); /* of ftrace */
	put_file(&b, "ID: 1\n");
	put_u32(&b, 1);
	put_bytes(&b, "made", 5);
	put_u32(&b, 2);
	put_file(&b, "nothing of use");
	put_file(&b, HEAD);
	return b;
}

static void a_section_has_the_formats_of_its_systems(void **state)
{
	struct builder b = section();
	struct tracing_formats formats;

	(void)state;
	for (size_t size = 0; size <= b.size; size++) {
		uint8_t *exact = malloc(size + !size);

		assert_non_null(exact);
		memcpy(exact, b.bytes, size);
		assert_int_equal(tracing_formats_init(&formats, exact, size), 0);
		assert_int_equal(formats.n, size == b.size);
		assert_int_equal(tracing_formats_find(&formats, 77) != NULL, size == b.size);
		tracing_formats_deinit(&formats);
		free(exact);
	}
	free(b.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_formatted_as_by_printf),
		cmocka_unit_test(expressions_are_those_of_c),
		cmocka_unit_test(helpers_give_names),
		cmocka_unit_test(what_is_not_understood_is_printed_as_fields),
		cmocka_unit_test(depth_and_length_are_bounded),
		cmocka_unit_test(positions_outside_the_data_are_refused),
		cmocka_unit_test(a_section_has_the_formats_of_its_systems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
