/* Made-up kernels in a folder: which differences matter. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/start/names_key.h"

#define MODULE "x 4096 %d - Live 0xffffffffc0%d00000 (O)\n"

static char base[PATH_MAX / 2], kallsyms[PATH_MAX], proc[PATH_MAX], sys[PATH_MAX];
static const struct names_key_paths paths = { kallsyms, proc, sys };

static void write_file(const char *name, const void *bytes, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", base, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text)
{
	write_file(name, text, strlen(text));
}

static void write_modules(int n_users, int place)
{
	char text[128];

	snprintf(text, sizeof(text), MODULE, n_users, place);
	write_text("proc/modules", text);
}

static void write_notes(char first)
{
	char notes[] = "\4\0\0\0\10\0\0\0\3\0\0\0GNU\0abcdefgh";

	notes[16] = first;
	write_file("sys/kernel/notes", notes, sizeof(notes) - 1);
}

static int make_kernel(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "%s/names-key-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(base));
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", base);
	snprintf(proc, sizeof(proc), "%s/proc", base);
	snprintf(sys, sizeof(sys), "%s/sys", base);
	char command[PATH_MAX];
	snprintf(command, sizeof(command),
		 "cd '%s' && mkdir -p proc/sys/kernel/random sys/kernel sys/module/x", base);
	assert_int_equal(system(command), 0);
	write_text("kallsyms", "ffffffff81000000 T _text\nffffffff81000010 T next\n");
	write_text("proc/sys/kernel/random/boot_id", "one\n");
	write_modules(0, 1);
	write_notes('a');
	return 0;
}

static int remove_kernel(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", base);
	return system(command);
}

static bool is_still(const struct names_key *before)
{
	struct names_key now;

	assert_int_equal(names_key_find(&paths, &now), 0);
	return memcmp(&now, before, sizeof(now)) == 0;
}

static void the_same_kernel_has_the_same_key(void **state)
{
	struct names_key key;

	(void)state;
	assert_int_equal(names_key_find(&paths, &key), 0);
	assert_true(is_still(&key));
	write_modules(3, 1); /* others use it */
	assert_true(is_still(&key));
}

static void each_difference_makes_another_key(void **state)
{
	struct names_key key;

	(void)state;
	assert_int_equal(names_key_find(&paths, &key), 0);
	write_modules(0, 2);
	assert_false(is_still(&key));
	write_modules(0, 1);
	assert_true(is_still(&key));
	write_notes('z');
	assert_false(is_still(&key));
	write_notes('a');
	write_text("proc/sys/kernel/random/boot_id", "two\n");
	assert_false(is_still(&key));
	write_text("proc/sys/kernel/random/boot_id", "one\n");
	write_text("kallsyms", "ffffffff82000000 T _text\nffffffff82000010 T next\n");
	assert_false(is_still(&key));
}

static void a_module_that_was_loaded_again_makes_another_key(void **state)
{
	struct names_key key;
	char from[PATH_MAX + 16], to[PATH_MAX + 16];

	(void)state;
	assert_int_equal(names_key_find(&paths, &key), 0);
	snprintf(from, sizeof(from), "%s/module/x", sys);
	snprintf(to, sizeof(to), "%s/module/y", sys);
	assert_int_equal(rename(from, to), 0);
	assert_int_equal(mkdir(from, 0700), 0);
	assert_false(is_still(&key));
}

static void hidden_addresses_have_no_key(void **state)
{
	struct names_key key;

	(void)state;
	write_text("kallsyms", "0000000000000000 T _text\n0000000000000000 T next\n");
	assert_int_equal(names_key_find(&paths, &key), -EPERM);
	write_text("kallsyms", "");
	assert_int_equal(names_key_find(&paths, &key), -EPERM);
	assert_int_equal(unlink(kallsyms), 0);
	assert_int_equal(names_key_find(&paths, &key), -ENOENT);
}

static void without_a_build_id_there_is_no_key(void **state)
{
	struct names_key key;

	(void)state;
	write_text("sys/kernel/notes", "");
	assert_int_equal(names_key_find(&paths, &key), -ENOENT);
	write_notes('a');
	write_text("proc/sys/kernel/random/boot_id", "");
	assert_int_equal(names_key_find(&paths, &key), -ENOENT);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_kernel, remove_kernel)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_same_kernel_has_the_same_key),
		TEST(each_difference_makes_another_key),
		TEST(a_module_that_was_loaded_again_makes_another_key),
		TEST(hidden_addresses_have_no_key),
		TEST(without_a_build_id_there_is_no_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
