#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cct/paths/code_ranges.h"
#include "tests/unit/fixtures/sample_profile.h"

static uint32_t add_module(struct profile *profile, const char *path)
{
	const struct module_key key = { .kind = MODULE_ELF, .path = path };

	return module_table_add(&profile->modules, &key);
}

static void add_frame(struct profile *profile, uint16_t kind, uint32_t module, uint64_t offset)
{
	const struct frame frame = { .kind = kind, .module = module, .offset = offset };

	assert_int_not_equal(cct_child(profile->cct, sample_profile_process(profile, 0), &frame),
			     CCT_NONE);
}

static void ranges_hold_the_pages_of_all_frames_and_do_not_overlap(void **state)
{
	struct profile *profile = sample_profile_create((const char *[]){ "a" }, 1);
	const uint32_t one = add_module(profile, "one"), two = add_module(profile, "two"),
		       unused = add_module(profile, "unused");

	(void)state;
	profile_add_process(profile, 1, "process");
	add_frame(profile, FRAME_USER, one, 0x5123);
	add_frame(profile, FRAME_USER, one, 0x3fff);
	add_frame(profile, FRAME_USER, one, 0x8000);
	add_frame(profile, FRAME_KERNEL, two, 0);
	add_frame(profile, FRAME_MARKER, 0, MARKER_STACK_CUT);
	struct code_range *ranges = code_ranges_create(profile, 0x10000, 0);
	assert_non_null(ranges);
	assert_int_equal(ranges[one].offset, 0x3000);
	assert_int_equal(ranges[one].size, 0x6000);
	assert_int_equal(ranges[one].start, 0x10000);
	assert_int_equal(code_range_address(&ranges[one], 0x5123), 0x12123);
	assert_int_equal(ranges[two].start, 0x16000);
	assert_int_equal(ranges[two].size, 0x1000);
	assert_int_equal(ranges[unused].size, 0);
	free(ranges);
	ranges = code_ranges_create(profile, 0x10000, 0x100000);
	assert_non_null(ranges);
	assert_int_equal(ranges[one].start, 0x103000);
	assert_int_equal(ranges[two].start, 0x300000);
	free(ranges);
	profile_destroy(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_hold_the_pages_of_all_frames_and_do_not_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
