/* Files that a malicious process may have created where one of its files is opened: all are
 * refused. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/live/process_files.h"
#include "tests/unit/fixtures/emulated.h"
#include "tests/unit/fixtures/scripted_folder.h"

/* A /proc with one process, below whose root are files that others may create. */
static char proc[] = "/tmp/dendro-test-XXXXXX";
static const char script[] =
	"mkdir -p 5/root/tmp 5/map_files 5/task/6 &&"
	" echo file >5/root/tmp/file && ln -s file 5/root/tmp/link && mkfifo 5/root/tmp/fifo &&"
	" mkdir 5/root/tmp/folder && ln -s tmp 5/root/linked && ln -s nothing 5/root/tmp/dangling "
	"&&"
	" echo outside >5/outside && ln -s \"$PWD/5\" 5/root/absolute && ln -s .. 5/root/up &&"
	" mkdir 5/root/usr && echo file >5/root/usr/file && ln -s /usr 5/root/tmp/to_usr &&"
	" ln -s ../../../usr 5/root/tmp/up_to_usr && ln -s \"$PWD/5/outside\" 5/root/escape &&"
	" ln -s \"$PWD/5/root/tmp/file\" 5/map_files/1000-2000 &&"
	" ln -s \"$PWD/5/root/tmp/fifo\" 5/map_files/2000-3000 &&"
	" ln -s /dev/null 5/map_files/3000-4000 &&"
	" printf 'Name:\\tx\\nNSpid:\\t6\\t3\\t2\\n' >5/task/6/status;";

static int make_proc(void **state)
{
	(void)state;
	return scripted_folder_make(proc, script, "mkfifo");
}

static int remove_proc(void **state)
{
	(void)state;
	return scripted_folder_remove(proc);
}

/* The file was opened, and contains "file". */
static void expect_file(int fd)
{
	char text[8] = "";

	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text) - 1), 5);
	assert_string_equal(text, "file\n");
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void a_file_is_opened_by_its_mapping_its_path_and_ours(void **state)
{
	char path[128];

	(void)state;
	SKIP_IF_EMULATED("openat2");
	expect_file(process_file_open_mapped(proc, 5, 0x1000, 0x2000));
	expect_file(process_file_open(proc, 5, "/tmp/file", false));
	expect_file(process_file_open(proc, 5, "/tmp/link", true));
	snprintf(path, sizeof(path), "%s/5/root/tmp/file", proc);
	expect_file(process_file_open_here(path, false));
}

static void missing_files_and_processes_give_an_error(void **state)
{
	(void)state;
	SKIP_IF_EMULATED("openat2");
	assert_int_equal(process_file_open_mapped(proc, 5, 0x1000, 0x3000), -ENOENT);
	assert_int_equal(process_file_open_mapped(proc, 4, 0x1000, 0x2000), -ENOENT);
	assert_int_equal(process_file_open(proc, 5, "/tmp/nothing", true), -ENOENT);
	assert_int_equal(process_file_open(proc, 5, "/tmp/dangling", true), -ENOENT);
	assert_int_equal(process_file_open_here("/nowhere/at/all", true), -ENOENT);
}

static void fifos_devices_and_folders_are_refused_without_being_opened(void **state)
{
	(void)state;
	SKIP_IF_EMULATED("openat2");
	assert_int_equal(process_file_open_mapped(proc, 5, 0x2000, 0x3000), -ENODEV);
	assert_int_equal(process_file_open_mapped(proc, 5, 0x3000, 0x4000), -ENODEV);
	assert_int_equal(process_file_open(proc, 5, "/tmp/fifo", true), -ENODEV);
	assert_int_equal(process_file_open(proc, 5, "/tmp/folder", true), -ENODEV);
	assert_int_equal(process_file_open_here("/dev/null", true), -ENODEV);
}

static void a_link_is_refused_if_links_are_not_followed(void **state)
{
	char path[128];

	(void)state;
	SKIP_IF_EMULATED("openat2");
	assert_int_equal(process_file_open(proc, 5, "/tmp/link", false), -ELOOP);
	assert_int_equal(process_file_open(proc, 5, "/tmp/dangling", false), -ELOOP);
	snprintf(path, sizeof(path), "%s/5/root/tmp/link", proc);
	assert_int_equal(process_file_open_here(path, false), -ELOOP);
}

static void links_in_a_path_lead_to_files_below_the_root(void **state)
{
	(void)state;
	SKIP_IF_EMULATED("openat2");
	expect_file(process_file_open(proc, 5, "/tmp/to_usr/file", false));
	expect_file(process_file_open(proc, 5, "/tmp/up_to_usr/file", false));
	expect_file(process_file_open(proc, 5, "/../../usr/file", false));
	assert_int_equal(process_file_open(proc, 5, "/absolute/outside", true), -ENOENT);
	assert_int_equal(process_file_open(proc, 5, "/up/outside", true), -ENOENT);
	assert_int_equal(process_file_open(proc, 5, "/escape", true), -ENOENT);
}

static void paths_beyond_all_limits_are_refused(void **state)
{
	char *path = malloc(3 * PATH_MAX);

	(void)state;
	SKIP_IF_EMULATED("openat2");
	assert_non_null(path);
	memset(path, '/', 3 * PATH_MAX - 1);
	path[3 * PATH_MAX - 1] = '\0';
	assert_int_equal(process_file_open(proc, 5, path, true), -ENAMETOOLONG);
	assert_int_equal(process_file_open_here(path, true), -ENAMETOOLONG);
	free(path);
}

static void a_trusted_file_belongs_to_its_user_or_root_and_is_not_a_link(void **state)
{
	const uid_t uid = geteuid();
	char root[128];

	(void)state;
	snprintf(root, sizeof(root), "%s/5/root", proc);
	expect_file(process_file_open_trusted(root, "tmp", "file", uid));
	assert_int_equal(process_file_open_trusted(root, "tmp", "link", uid), -ELOOP);
	assert_int_equal(process_file_open_trusted(root, "tmp", "fifo", uid), -ENODEV);
	assert_int_equal(process_file_open_trusted(root, "linked", "file", uid), -ENOTDIR);
	assert_int_equal(process_file_open_trusted(root, "tmp", "nothing", uid), -ENOENT);
	assert_int_equal(process_file_open_trusted("/nowhere", "tmp", "file", uid), -ENOENT);
}

static void another_users_file_is_refused(void **state)
{
	uid_t uid = geteuid();
	char root[128], path[160];

	(void)state;
	snprintf(root, sizeof(root), "%s/5/root", proc);
	snprintf(path, sizeof(path), "%s/tmp/file", root);
	if (uid == 0) {
		assert_int_equal(chown(path, 12345, 12345), 0);
		uid = 12345;
	}
	expect_file(process_file_open_trusted(root, "tmp", "file", uid));
	assert_int_equal(process_file_open_trusted(root, "tmp", "file", uid + 1), -EPERM);
	assert_int_equal(process_file_open_trusted(root, "tmp", "file", 0), -EPERM);
}

static void the_user_and_the_innermost_id_of_a_process_are_read(void **state)
{
	uid_t uid;

	(void)state;
	assert_int_equal(process_user(proc, 5, &uid), 0);
	assert_int_equal(uid, geteuid());
	assert_int_equal(process_user(proc, 4, &uid), -ENOENT);
	assert_int_equal(process_own_tid(proc, 5, 6), 2);
	assert_int_equal(process_own_tid(proc, 5, 7), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_opened_by_its_mapping_its_path_and_ours),
		cmocka_unit_test(missing_files_and_processes_give_an_error),
		cmocka_unit_test(fifos_devices_and_folders_are_refused_without_being_opened),
		cmocka_unit_test(a_link_is_refused_if_links_are_not_followed),
		cmocka_unit_test(links_in_a_path_lead_to_files_below_the_root),
		cmocka_unit_test(paths_beyond_all_limits_are_refused),
		cmocka_unit_test(a_trusted_file_belongs_to_its_user_or_root_and_is_not_a_link),
		cmocka_unit_test(another_users_file_is_refused),
		cmocka_unit_test(the_user_and_the_innermost_id_of_a_process_are_read),
	};
	return cmocka_run_group_tests(tests, make_proc, remove_proc);
}
