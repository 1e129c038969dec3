#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "report/names/debug_packages.h"
#include "tests/unit/fixtures/scripted_folder.h"

static char folder[] = "/tmp/debug_packages.XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return scripted_folder_make(
		folder,
		"mkdir -p deb/var/lib/dpkg/info deb/etc rpm/etc old/etc; cd deb/var/lib/dpkg/info; "
		"printf '/.\\n/lib\\n/lib/libc.so.6\\n' >libc6:amd64.list; "
		"printf '/usr/bin/make\\n/usr/bin/gmake\\n' >make.list; "
		"printf '/usr/bin/git' >git.list; printf '/usr/bin/env\n' >utilities.list; "
		"printf '/usr/lib/libX.so.1\n' >libx1:amd64.list; "
		"printf '/usr/local/bin/mine\n/home/mine\n' >mine.list; "
		"printf '/usr/bin/evil\\n' >'a;b.list'; "
		"printf '/usr/bin/other\\n' >make.md5sums; mkdir folder.list; mkfifo pipe.list; "
		"cd ../../../../..; printf 'NAME=x\\nID=fedora\\n' >rpm/etc/os-release; "
		"printf 'ID=arch\\nNAME=fedora\\n' >old/etc/os-release;",
		"mkfifo");
}

static int tear_down(void **state)
{
	(void)state;
	return scripted_folder_remove(folder);
}

static void assert_command(const char *system, const char *const *paths, size_t n_paths,
			   const char *expected)
{
	char root[64];

	snprintf(root, sizeof(root), "%s/%s", folder, system);
	char *command = debug_packages_command(root, paths, n_paths);
	if (expected)
		assert_string_equal(command, expected);
	else
		assert_null(command);
	free(command);
}

static void packages_of_debian_are_in_the_lists_of_dpkg(void **state)
{
	static const char *const paths[] = { "/usr/bin/make", "/usr/lib/libc.so.6",
					     "/usr/bin/gmake", "/usr/bin/git", "/usr/bin/gi" };

	(void)state;
	assert_command("deb", paths, 5, "apt install make-dbgsym libc6-dbg git-dbgsym");
}

static void files_of_no_package_give_no_command(void **state)
{
	static const char *const paths[] = { "/usr/bin/mak", "/bin/make", "make", "/usr/bin/other",
					     "/usr/bin/evil" };

	(void)state;
	assert_command("deb", paths, 5, NULL);
	assert_command("deb", paths, 0, NULL);
	assert_command("none", paths, 5, NULL);
}

static void packages_may_have_other_names_than_their_files(void **state)
{
	static const char *const paths[] = { "/usr/bin/env", "/usr/bin/none", "/usr/lib/libX.so.1",
					     "/lib/libX.so.1" };

	(void)state;
	assert_command("deb", paths, 4, "apt install utilities-dbgsym libx1-dbgsym");
	assert_command("deb", paths + 1, 2, "apt install libx1-dbgsym");
	assert_command("deb", paths + 3, 1, NULL);
}

static void files_outside_the_system_are_not_searched(void **state)
{
	static const char *const paths[] = { "/usr/local/bin/mine", "/home/mine", "/usr/bin/make" };

	(void)state;
	assert_command("deb", paths, 2, NULL);
	assert_command("deb", paths, 3, "apt install make-dbgsym");
}

static void dnf_takes_the_files_themselves(void **state)
{
	static const char *const paths[] = { "/usr/bin/make", "/usr/bin/a;b", "/usr/local/bin/x",
					     "/opt/x" };

	(void)state;
	assert_command("rpm", paths, 4, "dnf debuginfo-install /usr/bin/make");
	assert_command("rpm", paths + 1, 3, NULL);
	assert_command("old", paths, 2, NULL);
}

static void another_machine_is_not_here(void **state)
{
	struct utsname here;

	(void)state;
	assert_int_equal(uname(&here), 0);
	assert_true(debug_packages_are_here(here.nodename, here.release));
	assert_false(debug_packages_are_here("another", here.release));
	assert_false(debug_packages_are_here(here.nodename, "2.6.32"));
	assert_false(debug_packages_are_here(NULL, here.release));
	assert_false(debug_packages_are_here(here.nodename, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packages_of_debian_are_in_the_lists_of_dpkg),
		cmocka_unit_test(files_of_no_package_give_no_command),
		cmocka_unit_test(packages_may_have_other_names_than_their_files),
		cmocka_unit_test(files_outside_the_system_are_not_searched),
		cmocka_unit_test(dnf_takes_the_files_themselves),
		cmocka_unit_test(another_machine_is_not_here),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
