/* Costs of this program's own lines and instructions. */
#include <stdlib.h>
#include <string.h>

#include "report/annotate/annotate.h"
#include "report/annotate/annotate_code.h"
#include "report/annotate/annotate_output.h"
#include "tests/unit/fixtures/own_code.h"
#include "tests/unit/fixtures/sample_profile.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

/* clang-format off */
#define PLACE(name) __asm__ volatile(".globl " #name "\n" #name ": nop")
#define INLINED static inline __attribute__((always_inline))
extern const char place_in_inner[], place_in_outer[], place_behind[], place_in_other[];

enum { INNER_LINE = __LINE__ + 1 };
INLINED void inner(int n) { if (n) PLACE(place_in_inner); }

enum { FIRST_LINE = __LINE__ + 4, CALL_LINE = __LINE__ + 5, LAST_LINE = __LINE__ + 6 };

__attribute__((noinline)) static void outer(int n)
{
	PLACE(place_in_outer);
	inner(n);
	PLACE(place_behind);
}
/* clang-format on */

__attribute__((noinline)) static void other(void)
{
	PLACE(place_in_other);
}

struct fixture {
	struct profile *profile;
	struct symbolizer *symbolizer;
	struct annotation *annotation;
	struct sample_profile_modules modules;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->profile = sample_profile_create((const char *[]){ "cycles", "faults" }, 2);
	fixture->modules = sample_profile_add_modules(fixture->profile);
	fixture->symbolizer =
		symbolizer_create(fixture->profile, &(struct symbolizer_options){ .lines = true });
	*state = fixture;
	outer(1);
	other();
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	annotation_destroy(fixture->annotation);
	symbolizer_destroy(fixture->symbolizer);
	profile_destroy(fixture->profile);
	free(fixture);
	return 0;
}

/* @path: from the root on, ends with NULL; "" is code without a file. */
static void add_sample(struct fixture *fixture, const char *const *path, uint64_t weight)
{
	uint32_t node =
		sample_profile_add_path(fixture->profile, CCT_ROOT, &fixture->modules, path);

	sample_profile_add(fixture->profile, node, 0, weight);
	sample_profile_add(fixture->profile, node, 1, 2 * weight);
}

static const struct annotated_function *annotate(struct fixture *fixture, const char *wanted)
{
	annotation_destroy(fixture->annotation);
	fixture->annotation = NULL;
	assert_int_equal(annotation_create(fixture->profile, fixture->symbolizer, wanted, 0,
					   &fixture->annotation),
			 0);
	return fixture->annotation->n_functions ? fixture->annotation->functions : NULL;
}

static void expect_costs(const struct fixture *fixture, uint32_t slot, uint64_t self,
			 uint64_t total)
{
	assert_int_equal(annotation_self(fixture->annotation, slot)[0], self);
	assert_int_equal(annotation_total(fixture->annotation, slot)[0], total);
	assert_int_equal(annotation_self(fixture->annotation, slot)[1], 2 * self);
	assert_int_equal(annotation_total(fixture->annotation, slot)[1], 2 * total);
}

static void expect_line(const struct fixture *fixture, const struct annotated_function *function,
			uint32_t number, uint64_t self, uint64_t total)
{
	for (uint32_t i = 0; i < function->n_lines; i++) {
		const struct annotated_line *line =
			&fixture->annotation->lines[function->first_line + i];

		if (line->line != number)
			continue;
		expect_costs(fixture, line->slot, self, total);
		return;
	}
	fail_msg("no line %u", number);
}

static uint64_t sum_of_lines(const struct fixture *fixture,
			     const struct annotated_function *function)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < function->n_lines; i++)
		sum += annotation_self(
			fixture->annotation,
			fixture->annotation->lines[function->first_line + i].slot)[0];
	return sum;
}

static void lines_have_what_was_inlined_into_them(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture, (const char *[]){ place_in_outer, NULL }, 1);
	add_sample(fixture, (const char *[]){ place_in_inner, NULL }, 10);
	add_sample(fixture, (const char *[]){ place_behind, place_in_other, NULL }, 100);
	const struct annotated_function *outer_costs = annotate(fixture, "outer");
	assert_int_equal(fixture->annotation->n_functions, 1);
	expect_costs(fixture, outer_costs->slot, 11, 111);
	expect_line(fixture, outer_costs, FIRST_LINE, 1, 1);
	expect_line(fixture, outer_costs, CALL_LINE, 10, 10);
	expect_line(fixture, outer_costs, LAST_LINE, 0, 100);
	assert_int_equal(sum_of_lines(fixture, outer_costs), 11);
	assert_int_equal(outer_costs->n_parts, 1);
	const struct annotated_part *part = &fixture->annotation->parts[outer_costs->first_part];
	assert_string_equal(part->inlined, "inner");
	assert_int_equal(part->line, INNER_LINE);
	expect_costs(fixture, part->slot, 10, 10);
}

static void an_inlined_function_has_the_cost_of_its_copies(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture, (const char *[]){ place_in_inner, NULL }, 10);
	add_sample(fixture, (const char *[]){ place_in_outer, NULL }, 1);
	const struct annotated_function *copies = annotate(fixture, "inner");
	assert_true(copies->is_inlined);
	expect_costs(fixture, copies->slot, 10, 10);
	expect_line(fixture, copies, INNER_LINE, 10, 10);
	assert_int_equal(copies->n_lines, 1);
}

static void recursion_counts_a_sample_once(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture,
		   (const char *[]){ place_behind, place_in_inner, place_behind, place_in_inner,
				     NULL },
		   7);
	const struct annotated_function *function = annotate(fixture, "outer");
	expect_costs(fixture, function->slot, 7, 7);
	expect_line(fixture, function, CALL_LINE, 7, 7);
	expect_line(fixture, function, LAST_LINE, 0, 7);
}

static void addresses_within_an_instruction_are_its_own(void **state)
{
	struct fixture *fixture = *state;
	struct annotated_instructions list;
	const char *behind = place_in_other;
	uint64_t sum = 0;

	add_sample(fixture, (const char *[]){ behind, NULL }, 3);
	add_sample(fixture, (const char *[]){ place_in_outer, NULL }, 1);
	const struct annotated_function *function = annotate(fixture, "other");
	assert_int_equal(function->n_addresses, 1);
	assert_int_equal(fixture->annotation->addresses[function->first_address].vaddr,
			 own_address(behind).vaddr);
	assert_int_equal(annotated_instructions_list(fixture->annotation, function, false, &list),
			 0);
	assert_true(list.n >= 2);
	for (uint32_t i = 0; i < list.n; i++) {
		assert_true(list.all[i].size > 0);
		assert_true(!i ||
			    list.all[i].vaddr == list.all[i - 1].vaddr + list.all[i - 1].size);
		if (list.all[i].slot != ANNOTATE_NONE)
			sum += annotation_self(fixture->annotation, list.all[i].slot)[0];
	}
	assert_int_equal(sum, 3);
	annotated_instructions_free(&list);
}

static void code_of_no_file_has_costs_by_address(void **state)
{
	struct fixture *fixture = *state;
	struct annotated_instructions list;

	add_sample(fixture, (const char *[]){ place_behind, "", NULL }, 5);
	const struct annotated_function *function = annotate(fixture, "0x1000");
	expect_costs(fixture, function->slot, 5, 5);
	assert_non_null(fixture->annotation->codes[function->code].problem);
	assert_int_equal(annotated_instructions_list(fixture->annotation, function, false, &list),
			 0);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.all[0].vaddr, 0x1000);
	assert_int_equal(list.all[0].size, 0);
	annotated_instructions_free(&list);
}

static void what_was_not_sampled_is_not_found(void **state)
{
	struct fixture *fixture = *state;

	add_sample(fixture, (const char *[]){ place_in_outer, NULL }, 5);
	assert_null(annotate(fixture, "other"));
	assert_null(annotate(fixture, ""));
}

static char *written(struct fixture *fixture,
		     int (*write)(FILE *, struct annotation *, const struct annotate_options *),
		     const struct annotate_options *options)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(write(out, fixture->annotation, options), 0);
	fclose(out);
	return text;
}

static void every_output_names_lines_and_instructions(void **state)
{
	static const enum annotate_part parts[] = { ANNOTATE_HOT, ANNOTATE_SOURCE,
						    ANNOTATE_ASSEMBLY };
	struct fixture *fixture = *state;
	char *text;

	add_sample(fixture, (const char *[]){ place_in_inner, NULL }, 3);
	add_sample(fixture, (const char *[]){ place_behind, place_in_other, NULL }, 1);
	annotate(fixture, "outer");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		for (int inclusive = 0; inclusive < 2; inclusive++) {
			text = written(fixture, annotate_write_text,
				       &(struct annotate_options){ .part = parts[i],
								   .inclusive = inclusive,
								   .width = 80 });
			assert_non_null(strstr(text, inclusive ? " 75.00%" : "100.00%"));
			assert_non_null(strstr(text, "inlined from test_annotate.c"));
			assert_int_equal(!strstr(text, "nop"), parts[i] == ANNOTATE_SOURCE);
			free(text);
		}
	}
	text = written(fixture, annotate_write_json, &(struct annotate_options){ 0 });
	assert_non_null(strstr(text, "\"text\":\"nop\""));
	assert_non_null(strstr(text, "\"inlined\":[{\"name\":\"inner\""));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_have_what_was_inlined_into_them, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_inlined_function_has_the_cost_of_its_copies,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(recursion_counts_a_sample_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(addresses_within_an_instruction_are_its_own, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(code_of_no_file_has_costs_by_address, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_was_not_sampled_is_not_found, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(every_output_names_lines_and_instructions, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
