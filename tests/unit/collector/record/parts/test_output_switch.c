#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/parts/output_switch.h"

static void a_unit_tells_a_size_from_a_time(void **state)
{
	static const struct {
		const char *text;
		uint64_t size, time_ns;
	} rows[] = {
		{ "signal", 0, 0 },        { "10M", 10 << 20, 0 },     { "512k", 512 << 10, 0 },
		{ "1g", 1 << 30, 0 },      { "100B", 100, 0 },         { "30s", 0, 30000000000 },
		{ "2m", 0, 120000000000 }, { "1h", 0, 3600000000000 }, { "200ms", 0, 200000000 },
	};
	static const char *const wrong[] = {
		"", "5", "s", "0s", "0M", "-1s", "signals", "5x", "1d"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct output_switch_choice choice = { .n_files = 7 };

		assert_int_equal(output_switch_parse(rows[i].text, &choice), 0);
		assert_true(choice.is_given);
		assert_int_equal(choice.n_files, 7);
		assert_int_equal(choice.size, rows[i].size);
		assert_int_equal(choice.time_ns, rows[i].time_ns);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct output_switch_choice choice = { 0 };

		assert_int_equal(output_switch_parse(wrong[i], &choice), -EINVAL);
	}
}

/* Many of them fall into the same hundredth of a second. */
#define N_PARTS 200

static void parts_have_names_of_their_own_and_the_oldest_are_removed(void **state)
{
	const struct output_switch_choice choice = { .is_given = true, .n_files = 3 };
	struct output_switch names = { 0 };
	char folder[] = "/tmp/dendro-parts-XXXXXX", output[64], pattern[80];
	glob_t found;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(output, sizeof(output), "%s/out", folder);
	snprintf(pattern, sizeof(pattern), "%s.*", output);
	assert_int_equal(output_switch_keep(&names, &choice, output), -ENOENT);
	for (int i = 0; i < N_PARTS; i++) {
		FILE *file = fopen(output, "we");

		assert_non_null(file);
		fprintf(file, "%d", i);
		fclose(file);
		assert_int_equal(output_switch_keep(&names, &choice, output), 0);
	}
	assert_int_equal(names.n_parts, N_PARTS);
	assert_int_equal(names.n_removed, N_PARTS - 3);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 3);
	for (int i = 0; i < 3; i++) {
		FILE *file = fopen(found.gl_pathv[i], "re");
		int number;

		assert_non_null(file);
		assert_int_equal(fscanf(file, "%d", &number), 1);
		assert_int_equal(number, N_PARTS - 3 + i); /* names are in the order of the parts */
		fclose(file);
		unlink(found.gl_pathv[i]);
	}
	globfree(&found);
	output_switch_deinit(&names);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_unit_tells_a_size_from_a_time),
		cmocka_unit_test(parts_have_names_of_their_own_and_the_oldest_are_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
