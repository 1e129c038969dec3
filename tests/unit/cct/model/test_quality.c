#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cct/model/quality.h"
#include "cct/text/counted_text.h"

static const struct quality_description *describe(int counter)
{
	return quality_describe((enum quality_counter)counter);
}

static void every_counter_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < N_QUALITY_COUNTERS; i++) {
		assert_non_null(describe(i)->name);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(describe(j)->name, describe(i)->name);
	}
}

static void every_text_is_shown_once(void **state)
{
	(void)state;
	for (int i = 0; i < N_QUALITY_COUNTERS; i++) {
		bool is_of_paths = describe(i)->section == QUALITY_UNWIND ||
				   describe(i)->section == QUALITY_RESTS;
		int n = 0;

		for (int j = 0; j < N_QUALITY_WARNINGS; j++)
			n += (int)quality_warnings[j] == i;
		assert_int_equal(n, describe(i)->text && !is_of_paths);
		assert_true(describe(i)->text || !is_of_paths);
	}
}

/* Braces in pairs, each with one bar, and room for all of it. */
static void texts_have_words_for_one_and_for_many(void **state)
{
	char one[COUNTED_TEXT_SIZE], many[COUNTED_TEXT_SIZE];

	(void)state;
	for (int i = 0; i < N_QUALITY_COUNTERS; i++) {
		const char *text = describe(i)->text;
		size_t n_marks = 0;

		for (const char *at = text ? strpbrk(text, "{|}") : NULL; at;
		     at = strpbrk(at + 1, "{|}"))
			assert_int_equal(*at, "{|}"[n_marks++ % 3]);
		assert_int_equal(n_marks % 3, 0);
		if (!n_marks)
			continue;
		counted_text(text, 1, one);
		counted_text(text, 2, many);
		assert_string_not_equal(one, many);
		assert_true(strlen(one) < COUNTED_TEXT_SIZE - 1);
		assert_true(strlen(many) < COUNTED_TEXT_SIZE - 1);
	}
}

static void rests_are_counted_in_one_sentence(void **state)
{
	uint64_t rests[N_UNREAD_RESTS] = { [REST_MOVED_ON] = 1, [REST_FAILED] = 2 };
	char text[200] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	(void)state;
	quality_print_rests(out, "rests: ", rests);
	fclose(out);
	assert_string_equal(text, "rests: 1 returned before it could be read, "
				  "2 had gone with their thread");
}

static void the_counters_of_marks_have_the_names_of_the_marks(void **state)
{
	(void)state;
	for (int i = 0; i < N_PATH_MARKS; i++) {
		enum path_mark mark = (enum path_mark)i;

		assert_string_equal(quality_describe(quality_of_mark(mark))->name,
				    path_mark_name(mark));
	}
}

static void merging_adds_up_every_counter(void **state)
{
	struct profile_quality a, b;

	(void)state;
	for (uint64_t i = 0; i < N_QUALITY_COUNTERS; i++) {
		a.counts[i] = i;
		b.counts[i] = 1000 * i;
	}
	for (uint64_t i = 0; i < N_MARKERS; i++) {
		a.incomplete[i] = 7 * i;
		b.incomplete[i] = 7000 * i;
	}
	quality_merge(&a, &b);
	for (uint64_t i = 0; i < N_QUALITY_COUNTERS; i++)
		assert_int_equal(a.counts[i], 1001 * i);
	for (uint64_t i = 0; i < N_MARKERS; i++)
		assert_int_equal(a.incomplete[i], 7007 * i);
}

static void samples_left_out_are_not_used(void **state)
{
	struct profile_quality quality = {
		.counts = { [QUALITY_SAMPLES] = 10, [QUALITY_FILTERED] = 3 }
	};

	(void)state;
	assert_int_equal(quality_n_used(&quality), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_counter_has_a_name_of_its_own),
		cmocka_unit_test(every_text_is_shown_once),
		cmocka_unit_test(texts_have_words_for_one_and_for_many),
		cmocka_unit_test(rests_are_counted_in_one_sentence),
		cmocka_unit_test(the_counters_of_marks_have_the_names_of_the_marks),
		cmocka_unit_test(merging_adds_up_every_counter),
		cmocka_unit_test(samples_left_out_are_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
