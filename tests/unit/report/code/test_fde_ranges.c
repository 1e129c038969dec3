/* Tests that functions are found by .eh_frame_hdr's table as all FDEs of real files say. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/code/fde_ranges.h"

struct opened {
	int fd;
	Elf *elf;
	struct fde_ranges ranges;
};

static void open_file(const char *path, struct opened *opened)
{
	elf_version(EV_CURRENT);
	opened->fd = open(path, O_RDONLY | O_CLOEXEC);
	opened->elf = elf_begin(opened->fd, ELF_C_READ_MMAP, NULL);
	assert_int_equal(fde_ranges_init(&opened->ranges, opened->elf), 0);
}

static void close_file(struct opened *opened)
{
	fde_ranges_deinit(&opened->ranges);
	elf_end(opened->elf);
	close(opened->fd);
}

static void check(const struct opened *opened, const struct fde *fde)
{
	struct fde_range range = { 0 };
	uint64_t next = 0;

	assert_true(fde_ranges_find(&opened->ranges, fde->start, &range));
	assert_int_equal(range.start, fde->start);
	assert_true(fde_ranges_find(&opened->ranges, fde->end - 1, &range));
	assert_true(range.start >= fde->start && range.start < fde->end);
	assert_true(fde_ranges_next(&opened->ranges, fde->start - 1, &next));
	assert_int_equal(next, fde->start);
	if (fde_ranges_next(&opened->ranges, fde->start, &next))
		assert_true(next > fde->start);
}

static void each_fde_is_found_by_the_table(void **state)
{
	struct opened opened;
	size_t n = 0;

	(void)state;
	open_file("/proc/self/exe", &opened);
	struct eh_frame_walk walk = { .frames = &opened.ranges.frames };
	assert_true(opened.ranges.frames.n_header_entries > 0);
	for (; eh_frame_next(&walk); n++) {
		if (walk.fde.end > walk.fde.start)
			check(&opened, &walk.fde);
	}
	assert_true(n > 10);
	close_file(&opened);
}

static void nothing_is_found_outside(void **state)
{
	struct fde_range range;
	struct opened opened;
	uint64_t next;

	(void)state;
	open_file("/proc/self/exe", &opened);
	const struct eh_frame *frames = &opened.ranges.frames;
	const uint64_t first = eh_frame_listed_start(frames, 0);
	assert_false(fde_ranges_find(&opened.ranges, first - 1, &range));
	assert_true(fde_ranges_next(&opened.ranges, 0, &next));
	assert_int_equal(next, first);
	assert_false(fde_ranges_find(&opened.ranges, UINT64_MAX, &range));
	assert_false(fde_ranges_next(&opened.ranges, UINT64_MAX, &next));
	close_file(&opened);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_fde_is_found_by_the_table),
		cmocka_unit_test(nothing_is_found_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
