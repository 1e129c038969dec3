/* What is in the folder is used only if nobody else can have put it there. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/start/names_cache.h"

#define SIZE 5000

static char base[PATH_MAX / 4], folder[PATH_MAX / 2], file[PATH_MAX];
static uint8_t bytes[SIZE];
static const struct names_key key = { .boot_id = "boot", .modules = 7 };
static const struct names_cache_entry entry = { .text_start = 0xffffffff81000000,
						.iterator = 42,
						.compressed_size = SIZE };

static int make_folder(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "%s/names-cache-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(base));
	snprintf(folder, sizeof(folder), "%s/dendro", base);
	snprintf(file, sizeof(file), "%s/kernel-names", folder);
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i * i >> 3);
	return 0;
}

static int remove_folder(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", base);
	return system(command);
}

static void write_entry(void)
{
	assert_int_equal(names_cache_write(folder, &key, &entry, bytes), 0);
}

static bool is_usable(const struct names_key *wanted)
{
	struct names_cache_entry found;
	uint8_t *compressed;

	if (names_cache_read(folder, wanted, &found, &compressed))
		return false;
	assert_memory_equal(&found, &entry, sizeof(entry));
	assert_memory_equal(compressed, bytes, SIZE);
	free(compressed);
	return true;
}

static void what_was_written_is_read(void **state)
{
	struct stat st;

	(void)state;
	assert_false(is_usable(&key));
	write_entry();
	assert_true(is_usable(&key));
	write_entry();
	assert_true(is_usable(&key));
	assert_int_equal(stat(folder, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0177, 0);
}

static void another_key_finds_nothing(void **state)
{
	struct names_key other = key;

	(void)state;
	write_entry();
	other.modules++;
	assert_false(is_usable(&other));
	other = key;
	other.boot_id[0] = 'B';
	assert_false(is_usable(&other));
	other = key;
	other.build_id.size = 20;
	assert_false(is_usable(&other));
	other = key;
	other.first_lines = 1;
	assert_false(is_usable(&other));
	assert_true(is_usable(&key));
}

static void a_folder_that_others_may_enter_is_not_used(void **state)
{
	static const mode_t modes[] = { 0755, 0777, 0770, 0701, 01700, 02700 };

	(void)state;
	write_entry();
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		assert_int_equal(chmod(folder, modes[i]), 0);
		assert_false(is_usable(&key));
		assert_int_equal(names_cache_write(folder, &key, &entry, bytes), -ENOENT);
	}
	assert_int_equal(chmod(folder, 0700), 0);
	assert_true(is_usable(&key));
}

static void what_belongs_to_another_user_is_not_used(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		print_message("only root can give files away\n");
		skip();
	}
	write_entry();
	assert_int_equal(chown(file, 65534, 65534), 0);
	assert_false(is_usable(&key));
	write_entry();
	assert_true(is_usable(&key));
	assert_int_equal(chown(folder, 65534, 65534), 0);
	assert_false(is_usable(&key));
	assert_int_equal(names_cache_write(folder, &key, &entry, bytes), -ENOENT);
}

static void a_link_is_not_followed(void **state)
{
	char elsewhere[PATH_MAX], linked[PATH_MAX];

	(void)state;
	write_entry();
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", base);
	snprintf(linked, sizeof(linked), "%s/elsewhere/moved", base);
	assert_int_equal(rename(folder, elsewhere), 0);
	assert_int_equal(symlink(elsewhere, folder), 0);
	assert_false(is_usable(&key));
	assert_int_equal(names_cache_write(folder, &key, &entry, bytes), -ENOENT);
	assert_int_equal(unlink(folder), 0);
	assert_int_equal(rename(elsewhere, folder), 0);
	assert_true(is_usable(&key));

	snprintf(linked, sizeof(linked), "%s/moved", folder);
	assert_int_equal(rename(file, linked), 0);
	assert_int_equal(symlink(linked, file), 0);
	assert_false(is_usable(&key));
	assert_int_equal(unlink(file), 0);
	assert_int_equal(link(linked, file), 0);
	assert_false(is_usable(&key)); /* it has two names */
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkfifo(file, 0600), 0);
	assert_false(is_usable(&key));
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkdir(file, 0700), 0);
	assert_false(is_usable(&key));
}

static void flip(long at, int bit)
{
	FILE *opened = fopen(file, "r+");

	assert_non_null(opened);
	assert_int_equal(fseek(opened, at, SEEK_SET), 0);
	int c = fgetc(opened);
	assert_int_equal(fseek(opened, at, SEEK_SET), 0);
	fputc(c ^ bit, opened);
	fclose(opened);
}

static void a_damaged_file_is_ignored_and_replaced(void **state)
{
	struct stat st;

	(void)state;
	write_entry();
	assert_int_equal(stat(file, &st), 0);
	for (long at = 0; at < st.st_size; at += at < 300 ? 1 : 97) {
		flip(at, 1 << at % 8);
		assert_false(is_usable(&key));
		flip(at, 1 << at % 8);
	}
	assert_true(is_usable(&key));
	for (off_t size = st.st_size - 1; size >= 0; size -= 111) {
		assert_int_equal(truncate(file, size), 0);
		assert_false(is_usable(&key));
	}
	assert_int_equal(truncate(file, (off_t)NAMES_CACHE_MAX + 1), 0);
	assert_false(is_usable(&key));
	write_entry();
	assert_true(is_usable(&key));
}

static void a_file_that_is_being_written_is_left_alone(void **state)
{
	const struct timespec long_ago[] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	char new_file[PATH_MAX];

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	snprintf(new_file, sizeof(new_file), "%s/kernel-names.new", folder);
	int fd = open(new_file, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(names_cache_write(folder, &key, &entry, bytes), -EBUSY);
	assert_false(is_usable(&key));
	/* Its writer has died. */
	assert_int_equal(utimensat(AT_FDCWD, new_file, long_ago, 0), 0);
	write_entry();
	assert_true(is_usable(&key));
	assert_int_equal(access(new_file, F_OK), -1);
}

static void many_writers_and_readers_see_whole_files(void **state)
{
	(void)state;
	write_entry();
	for (int i = 0; i < 4; i++) {
		if (fork() == 0) {
			bool is_right = true;

			for (int round = 0; round < 200; round++) {
				int err = names_cache_write(folder, &key, &entry, bytes);

				is_right &= (!err || err == -EBUSY) && is_usable(&key);
			}
			_exit(is_right ? 0 : 1);
		}
	}
	for (int i = 0, status; i < 4; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
}

static void too_much_is_not_kept(void **state)
{
	struct names_cache_entry large = entry;

	(void)state;
	large.compressed_size = NAMES_CACHE_MAX;
	assert_int_equal(names_cache_write(folder, &key, &large, bytes), -EFBIG);
	assert_int_equal(access(folder, F_OK), -1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_written_is_read),
		TEST(another_key_finds_nothing),
		TEST(a_folder_that_others_may_enter_is_not_used),
		TEST(what_belongs_to_another_user_is_not_used),
		TEST(a_link_is_not_followed),
		TEST(a_damaged_file_is_ignored_and_replaced),
		TEST(a_file_that_is_being_written_is_left_alone),
		TEST(many_writers_and_readers_see_whole_files),
		TEST(too_much_is_not_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
