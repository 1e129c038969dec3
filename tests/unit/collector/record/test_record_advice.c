/* Notes about the samples of a recording, and their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collector/record/record_advice.h"

static void a_recording_without_losses_needs_no_advice(void **state)
{
	const struct recorder_summary summary = { .n_samples = 1000, .n_bytes = 5 };
	struct recording_notes notes = { .n = 0 };

	(void)state;
	record_advice_add(&summary, &notes);
	assert_int_equal(notes.n, 0);
}

static void each_kind_of_loss_has_its_advice_that_everybody_reads(void **state)
{
	static const char *const starts[] = { "samples were lost: to lose fewer, ",
					      "3 records of mappings and processes were lost: ",
					      "the kernel throttled the events: ",
					      "4 ring buffers were corrupt " };
	const struct recorder_summary summary = {
		.n_lost = 1, .n_throttled = 2, .n_lost_sideband = 3, .n_corrupt_rings = 4
	};
	struct recording_notes notes = { .n = 0 };

	(void)state;
	record_advice_add(&summary, &notes);
	assert_int_equal(notes.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_memory_equal(notes.notes[i].text, starts[i], strlen(starts[i]));
		assert_false(notes.notes[i].is_detail);
	}
	recording_notes_deinit(&notes);
	assert_int_equal(notes.n, 0);
}

static void the_latest_explanation_of_a_failure_stays(void **state)
{
	struct recording_notes notes = { .n = 0 };

	(void)state;
	assert_int_equal(recording_notes_explain(&notes, -5, "first"), -5);
	assert_int_equal(recording_notes_explain(&notes, -6, "CPU %d", 7), -6);
	assert_string_equal(notes.error, "CPU 7");
	recording_notes_deinit(&notes);
	assert_null(notes.error);
}

static void sizes_have_the_unit_that_fits(void **state)
{
	static const struct {
		uint64_t n_bytes;
		const char *text;
	} cases[] = {
		{ 0, "0 bytes" },        { 10239, "10239 bytes" }, { 10240, "10 KiB" },
		{ 1048575, "1024 KiB" }, { 1048576, "1.0 MiB" },   { 1ull << 34, "16384.0 MiB" },
	};
	char text[SIZE_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(recording_notes_size(cases[i].n_bytes, text), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_without_losses_needs_no_advice),
		cmocka_unit_test(each_kind_of_loss_has_its_advice_that_everybody_reads),
		cmocka_unit_test(the_latest_explanation_of_a_failure_stays),
		cmocka_unit_test(sizes_have_the_unit_that_fits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
