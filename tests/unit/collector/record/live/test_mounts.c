/* Which mounts are known. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/live/mounts.h"
#include "tests/unit/fixtures/emulated.h"

enum { HELD, NOT_HELD, NOT_PERMITTED };

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

/* In a separate namespace, with a folder as root that contains nothing but /proc. */
static int hold_in_other_root(const char *folder)
{
	struct mounts mounts;

	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    chdir(folder) != 0 || mkdir("proc", 0700) != 0 ||
	    mount("/proc", "proc", NULL, MS_BIND | MS_REC, NULL) != 0 || chroot(".") != 0)
		return NOT_PERMITTED;
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool holds = fd >= 0 && mounts_init(&mounts) == 0 && mounts.n_ids > 0 &&
		     mounts_hold(&mounts, fd);
	return holds ? HELD : NOT_HELD;
}

static void the_mount_that_contains_the_root_folder_is_held(void **state)
{
	SKIP_IF_EMULATED("mounts");
	char folder[] = "/tmp/test_mounts.XXXXXX", proc[64];
	int status;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(proc, sizeof(proc), "%s/proc", folder);
	pid_t child = fork();
	if (!child)
		_exit(hold_in_other_root(folder));
	assert_int_equal(waitpid(child, &status, 0), child);
	rmdir(proc);
	rmdir(folder);
	if (WEXITSTATUS(status) == NOT_PERMITTED) {
		print_message("skipped: no other root without privileges\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), HELD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mounts_of_now_are_held),
		cmocka_unit_test(another_mount_is_not_held),
		cmocka_unit_test(without_a_list_every_mount_is_held),
		cmocka_unit_test(the_mount_that_contains_the_root_folder_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
