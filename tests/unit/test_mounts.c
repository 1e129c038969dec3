/* Which mounts are known. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/live/mounts.h"
#include "tests/unit/emulated.h"

static void mounts_of_now_are_held(void **state)
{
	SKIP_IF_EMULATED("mounts");
	struct mounts mounts;
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(mounts_init(&mounts), 0);
	assert_true(mounts.n_ids > 0);
	assert_true(mounts_hold(&mounts, fd));
	close(fd);
	mounts_deinit(&mounts);
}

static void another_mount_is_not_held(void **state)
{
	uint64_t id = UINT64_MAX;
	const struct mounts mounts = { .ids = &id, .n_ids = 1 };
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_false(mounts_hold(&mounts, fd));
	close(fd);
}

static void without_a_list_every_mount_is_held(void **state)
{
	const struct mounts mounts = { 0 };

	(void)state;
	assert_true(mounts_hold(&mounts, STDIN_FILENO));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mounts_of_now_are_held),
		cmocka_unit_test(another_mount_is_not_held),
		cmocka_unit_test(without_a_list_every_mount_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
