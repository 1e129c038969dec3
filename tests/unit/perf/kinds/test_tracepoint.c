#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/events/weight_terms.h"
#include "perf/kinds/tracepoint.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define A64               "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define COMMON                                                                 \
	"name: made_up\nID: 417\nformat:\n"                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char format[] =
	COMMON "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	       "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
	       "\tfield:u8 small;\toffset:24;\tsize:1;\tsigned:0;\n"
	       "\tfield:char comm[16];\toffset:32;\tsize:16;\tsigned:0;\n"
	       "\tfield:__data_loc char[] name;\toffset:48;\tsize:4;\tsigned:0;\n"
	       "\tfield:const char * pointer;\toffset:56;\tsize:8;\tsigned:0;\n"
	       "\tfield:struct big odd;\toffset:64;\tsize:12;\tsigned:0;\n"
	       "\nprint fmt: \"0x%lx\", REC->ret\n";

static void integer_fields_have_a_place_a_width_and_a_sign(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		int err;
		uint16_t offset, size;
		bool is_signed;
	} cases[] = {
		{ "ret", 0, 16, 8, true },        { "__syscall_nr", 0, 8, 4, true },
		{ "small", 0, 24, 1, false },     { "common_type", 0, 0, 2, false },
		{ "common_pid", 0, 4, 4, true },  { "comm", -EINVAL, 0, 0, false },
		{ "name", -EINVAL, 0, 0, false }, { "pointer", -EINVAL, 0, 0, false },
		{ "odd", -EINVAL, 0, 0, false },  { "nothing", -ENOENT, 0, 0, false },
		{ "", -ENOENT, 0, 0, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_weight weight = { .kind = WEIGHT_PERIOD };

		assert_int_equal(tracepoint_field(format, strlen(format), cases[i].name, &weight),
				 cases[i].err);
		if (cases[i].err) {
			assert_int_equal(weight.kind, WEIGHT_PERIOD);
			continue;
		}
		assert_int_equal(weight.kind, WEIGHT_FIELD);
		assert_int_equal(weight.offset, cases[i].offset);
		assert_int_equal(weight.size, cases[i].size);
		assert_int_equal(weight.is_signed, cases[i].is_signed);
	}
	char *names = tracepoint_field_names(format, strlen(format));
	assert_string_equal(names, "__syscall_nr, ret, small");
	free(names);
}

static void hostile_fields_are_refused(void **state)
{
	(void)state;
	static const char *const fields[] = {
		"\tfield:int x;\toffset:-8;\tsize:4;\tsigned:1;\n",
		"\tfield:int x;\toffset:65536;\tsize:4;\tsigned:1;\n",
		"\tfield:int x;\toffset:4294967304;\tsize:8;\tsigned:1;\n",
		"\tfield:int x;\toffset:8;\tsize:-4;\tsigned:1;\n",
		"\tfield:int x;\toffset:8;\tsize:0;\tsigned:1;\n",
		"\tfield:int x;\toffset:8;\tsize:3;\tsigned:1;\n",
		"\tfield:int x;\toffset:8;\tsize:2147483647;\tsigned:1;\n",
		"\tfield:int x[4294967296];\toffset:8;\tsize:8;\tsigned:1;\n",
		/* libtraceevent 1.7 crashes when it gets to see these. */
		"\tfield:__data_loc char[\212 x;\toffset:8;\tsize:4;\tsigned:0;\n",
		"\tfield:__data_loc char[ x;\toffset:8;\tsize:4;\tsigned:0;\n",
		"\tfield:int x[;\toffset:8;\tsize:4;\tsigned:0;\n",
		"\tfield:int x",
		"\tfield:int x;\toffset:8\n",
		"\tfield:x;\n",
		"\tfield:;\toffset:8;\tsize:4;\tsigned:1;\n",
		"x",
		"",
	};
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		struct event_weight weight = { .kind = WEIGHT_PERIOD };
		char text[1024];
		int n = snprintf(text, sizeof(text), "%s%s\nprint fmt: \"\"\n", COMMON, fields[i]);

		int err = tracepoint_field(text, (size_t)n, "x", &weight);
		if (!err && (weight.size > 8 || !weight.size))
			fail_msg("field %zu was taken, with %u bytes at %u", i, weight.size,
				 weight.offset);
		/* A cut format is refused, too. */
		for (int length = 0; length <= n; length++)
			tracepoint_field(text, (size_t)length, "y", &weight);
	}
	static const char *const texts[] = { "", "\n", "name:", "name: x\nID: 1\n",
					     "print fmt: \"" };
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct event_weight weight;

		assert_int_not_equal(tracepoint_field(texts[i], strlen(texts[i]), "x", &weight), 0);
		char *names = tracepoint_field_names(texts[i], strlen(texts[i]));
		assert_true(!names || !*names);
		free(names);
	}
}

static void terms_are_cut_off_the_end(void **state)
{
	(void)state;
	static const struct {
		const char *name, *rest, *weight, *unit;
	} cases[] = {
		{ "a:b", "a:b", "", NULL },
		{ "a:b/weight=ret/", "a:b", "ret", NULL },
		{ "a:b/weight=ret,unit=bytes/", "a:b", "ret", "bytes" },
		{ "a:b/unit=ns/", "a:b", "", "ns" },
		{ "a:b//", "a:b", "", NULL },
		{ "call:/usr/lib/x:f", "call:/usr/lib/x:f", "", NULL },
		{ "uprobe:/usr/lib/x:f/weight=arg1*arg2/", "uprobe:/usr/lib/x:f", "arg1*arg2",
		  NULL },
		{ "a:b/weight=" A64 A64 A64 A64 "/", "a:b", A64 A64 A64 A64, NULL },
		/* refused */
		{ "a:b/weight=/", NULL, "", NULL },
		{ "a:b/ret/", NULL, "", NULL },
		{ "a:b/weight=ret,unit=miles/", NULL, "", NULL },
		{ "a:b/unit=/", NULL, "", NULL },
		{ "/", NULL, "", NULL },
		{ "a:b/weight=" A64 A64 A64 A64 "a/", NULL, "", NULL },
		{ "a:b/value=/", NULL, "", NULL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t length = strlen(cases[i].name);
		struct weight_terms terms;
		char *error;

		assert_int_equal(weight_terms_cut(cases[i].name, &length, &terms, &error),
				 !!cases[i].rest);
		assert_int_equal(!!error, !cases[i].rest);
		free(error);
		if (!cases[i].rest)
			continue;
		assert_int_equal(length, strlen(cases[i].rest));
		assert_string_equal(terms.weight, cases[i].weight);
		assert_ptr_equal(terms.unit, cases[i].unit
						     ? weight_terms_find_unit(cases[i].unit,
									      strlen(cases[i].unit))
						     : NULL);
	}
}

static void what_is_no_tracepoint_is_left_to_others(void **state)
{
	(void)state;
	static const char *const names[] = {
		"",
		":",
		"cycles",
		"a:",
		":a",
		"INST_RETIRED:ANY_P",
		"p::E",
		"../x:id",
		"..:id",
		"a:../b",
		"a:b:c",
		"cpu/event=1/",
		"a b:c",
		"no_such_system:name",
		"events:enable/../x",
	};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct event event = { .name = NULL };
		char *error;

		assert_int_equal(tracepoint_find(names[i], &event, &error), EVENT_UNKNOWN);
		assert_null(error);
		assert_null(event.tracepoint);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integer_fields_have_a_place_a_width_and_a_sign),
		cmocka_unit_test(hostile_fields_are_refused),
		cmocka_unit_test(terms_are_cut_off_the_end),
		cmocka_unit_test(what_is_no_tracepoint_is_left_to_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
