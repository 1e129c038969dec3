/* Kernel modules of a /proc made of files, some of which come later. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "collector/record/observers/kernel_modules.h"
#include "tests/unit/fixtures/observed_bench.h"

#define EARLY "early 4096 0 - Live 0xffffffffc0100000\n"
#define LATE  "late 8192 0 - Live 0xffffffffc0200000\n"
#define NAMES                                                \
	"ffffffffc0100000 t early_function\t[early]\n"       \
	"ffffffffc0200000 t late_function\t[late]\n"         \
	"ffffffffc0200100 t another_late_function\t[late]\n" \
	"ffffffffc0300000 t no_module_of_that_name\t[latest]\n"

static struct observed_bench *bench_with(const char *modules)
{
	struct observed_bench *bench = bench_create(&kernel_modules_observer);

	bench_put(bench, "proc/modules", modules);
	bench_put(bench, "proc/kallsyms", NAMES);
	return bench;
}

/* "[NAME] START SIZE FROM BUILD-ID SEEN" */
static void expect_key(const struct observed_bench *bench, const char *start_of_key,
		       bool has_known_clock)
{
	const char *key = data_file_attachment(bench->file, 0)->key;
	uint64_t from_ns, seen_ns;
	char id[64];

	assert_memory_equal(key, start_of_key, strlen(start_of_key));
	assert_int_equal(sscanf(key + strlen(start_of_key), " %" SCNu64 " %63s %" SCNu64, &from_ns,
				id, &seen_ns),
			 3);
	assert_string_equal(id, "-");
	assert_int_equal(seen_ns != 0, has_known_clock);
	assert_true(from_ns <= seen_ns);
}

static void modules_that_were_there_are_left_to_the_start_of_the_recording(void **state)
{
	struct observed_bench *bench = bench_with(EARLY LATE);

	(void)state;
	bench_begin(bench);
	assert_int_equal(bench->observer->look(bench->state, false), 0);
	assert_int_equal(bench_finish(bench), 0);
	bench_destroy(bench);
}

static void a_module_that_comes_later_has_its_own_names(void **state)
{
	struct observed_bench *bench = bench_with(EARLY);

	(void)state;
	bench_begin(bench);
	assert_int_equal(bench->observer->look(bench->state, false), 0);
	bench_put(bench, "proc/modules", EARLY LATE);
	assert_int_equal(bench->observer->look(bench->state, false), 0);
	assert_int_equal(bench_finish(bench), 1); /* which waits for the names */
	bench_expect(bench, 0, ATTACHMENT_KALLSYMS, data_file_attachment(bench->file, 0)->key,
		     "ffffffffc0200000 t late_function\t[late]\n"
		     "ffffffffc0200100 t another_late_function\t[late]\n");
	expect_key(bench, "[late] ffffffffc0200000 2000", true);
	bench_destroy(bench);
}

static void a_module_that_came_just_before_the_end_is_found(void **state)
{
	struct observed_bench *bench = bench_with(EARLY);

	(void)state;
	bench->recording.has_known_clock = false;
	bench_begin(bench);
	bench_put(bench, "proc/modules", EARLY LATE);
	assert_int_equal(bench->observer->look(bench->state, true), 0);
	assert_int_equal(bench_finish(bench), 1);
	expect_key(bench, "[late] ffffffffc0200000 2000", false);
	bench_destroy(bench);
}

static void a_module_in_the_place_of_another_one_is_new(void **state)
{
	struct observed_bench *bench = bench_with("early 4096 0 - Live 0xffffffffc0200000\n");

	(void)state;
	bench_begin(bench);
	bench_put(bench, "proc/modules", LATE);
	assert_int_equal(bench_finish(bench), 1);
	expect_key(bench, "[late] ffffffffc0200000 2000", true);
	bench_destroy(bench);
}

static void lines_that_hide_addresses_or_make_no_sense_are_skipped(void **state)
{
	struct observed_bench *bench = bench_with(EARLY);

	(void)state;
	bench_begin(bench);
	bench_put(bench, "proc/modules",
		  EARLY "hidden 4096 0 - Live 0x0000000000000000\nshort 4096\n\n");
	assert_int_equal(bench_finish(bench), 0);
	bench_destroy(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_that_were_there_are_left_to_the_start_of_the_recording),
		cmocka_unit_test(a_module_that_comes_later_has_its_own_names),
		cmocka_unit_test(a_module_that_came_just_before_the_end_is_found),
		cmocka_unit_test(a_module_in_the_place_of_another_one_is_new),
		cmocka_unit_test(lines_that_hide_addresses_or_make_no_sense_are_skipped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
