#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "collector/record/kept_part.h"
#include "tests/unit/fixtures/built_recording.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

static struct kept_part kept_of(const struct builder *b, size_t size)
{
	struct kept_part kept = { .n_samples = 99, .duration_ns = 99 };
	int fd = memory_file(b->bytes, size);
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(kept_part_read(path, &kept), 0);
	close(fd);
	return kept;
}

static void samples_up_to_the_cut_are_counted(void **state)
{
	struct builder b = two_events_in_a_pipe();
	size_t start = b.size, size;

	(void)state;
	put_sample(&b, 1, 10);
	size = b.size - start;
	put_sample(&b, 3, 35);
	put_sample(&b, 2, 20);
	for (size_t n = 0; n <= 3; n++) {
		struct kept_part kept = kept_of(&b, start + n * size);

		assert_int_equal(kept.n_samples, n);
		assert_int_equal(kept.duration_ns, n > 1 ? 25 : 0);
		if (n < 3)
			assert_int_equal(kept_of(&b, start + n * size + size - 1).n_samples, n);
	}
	assert_int_equal(kept_of(&b, 4).n_samples, 0); /* not even a header */
	free(b.bytes);
}

static void what_is_not_a_file_is_refused(void **state)
{
	struct kept_part kept;

	(void)state;
	assert_int_equal(kept_part_read("/dev/null", &kept), -EINVAL);
	assert_int_equal(kept_part_read("/nowhere/at/all", &kept), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_up_to_the_cut_are_counted),
		cmocka_unit_test(what_is_not_a_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
