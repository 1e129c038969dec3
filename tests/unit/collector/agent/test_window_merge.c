/* Files and their sum: one of both is there, whatever happens meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/store/profile_file.h"
#include "collector/agent/window_merge.h"
#include "tests/unit/fixtures/emulated.h"

#define S 1000000000ull

static char path[32];
static struct window_folder folder;

static int setup(void **state)
{
	char *error;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/test-merge-XXXXXX");
	return !mkdtemp(path) || window_folder_open(&folder, path, &error);
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	window_folder_close(&folder);
	snprintf(command, sizeof(command), "rm -rf %s", path);
	return system(command);
}

/* A profile without samples, of which only the time matters. */
static void write_window(uint64_t start_s, uint64_t end_s)
{
	const struct time_span span = { start_s * S, end_s * S };
	struct profile *profile = profile_create();
	char name[TEMPORARY_NAME_MAX], kept[WINDOW_NAME_MAX];
	const int fd = window_folder_create(&folder, name);
	FILE *file = fdopen(dup(fd), "w");

	assert_non_null(profile);
	assert_non_null(file);
	profile->cct = cct_create(0);
	profile->names = stored_names_create();
	profile->info.watched.own_cpu_ns = 7;
	assert_int_equal(watched_time_add(&profile->info.watched, &span), 0);
	assert_int_equal(profile_file_write(file, profile), 0);
	fclose(file);
	assert_int_equal(window_folder_keep(&folder, fd, name, &span, kept), 0);
	close(fd);
	profile_destroy(profile);
}

static struct profile *read_window(const char *name)
{
	const int fd = openat(folder.fd, name, O_RDONLY);
	FILE *file = fdopen(fd, "r");
	struct profile *profile;
	unsigned n_skipped;
	char *error;

	assert_non_null(file);
	assert_int_equal(profile_file_read(file, &profile, &n_skipped, &error), 0);
	fclose(file);
	return profile;
}

static void expect_names(const char *const *names, size_t n)
{
	struct window_list list;

	assert_int_equal(window_folder_list(folder.fd, &list), 0);
	assert_int_equal(list.n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(list.files[i].name, names[i]);
	window_list_deinit(&list);
}

static void start(struct window_merge *merge, size_t n)
{
	const struct window_merge_options options = { .keeps_rights = is_emulated() };
	struct window_list list;

	assert_int_equal(window_folder_list(folder.fd, &list), 0);
	assert_int_equal(window_merge_start(merge, &folder, list.files, n, &options), 0);
	window_list_deinit(&list);
}

static int wait_for(const struct window_merge *merge)
{
	int status;

	assert_int_equal(waitpid(merge->pid, &status, 0), merge->pid);
	return status;
}

static void a_sum_takes_the_place_of_its_files(void **state)
{
	static const char *const names[] = { "19700101T000001.000Z+3.000s.cct",
					     "19700101T000009.000Z+1.000s.cct" };
	struct window_merge merge;

	(void)state;
	write_window(1, 2);
	write_window(3, 4);
	write_window(9, 10);
	start(&merge, 2);
	assert_int_equal(window_merge_end(&merge, &folder, wait_for(&merge)), 0);
	assert_int_equal(window_merge_replace(&merge, &folder), 0);
	expect_names(names, 2);
	struct profile *sum = read_window(names[0]);
	assert_int_equal(sum->info.watched.n, 2);
	assert_int_equal(sum->info.watched.own_cpu_ns, 14);
	profile_destroy(sum);
	assert_int_equal(merge.list.n, 0);
	assert_int_not_equal(faccessat(folder.fd, "journal", F_OK, 0), 0);
}

static void while_somebody_reads_the_files_stay(void **state)
{
	static const char *const before[] = { "19700101T000001.000Z+1.000s.cct",
					      "19700101T000002.000Z+1.000s.cct" };
	static const char *const after[] = { "19700101T000001.000Z+2.000s.cct" };
	const int reader = open(path, O_RDONLY | O_DIRECTORY);
	struct window_merge merge;

	(void)state;
	write_window(1, 2);
	write_window(2, 3);
	start(&merge, 2);
	assert_int_equal(window_merge_end(&merge, &folder, wait_for(&merge)), 0);
	assert_int_equal(flock(reader, LOCK_SH), 0);
	assert_int_equal(window_merge_replace(&merge, &folder), -EWOULDBLOCK);
	expect_names(before, 2);
	close(reader);
	assert_int_equal(window_merge_replace(&merge, &folder), 0);
	expect_names(after, 1);
}

static void a_damaged_file_is_not_merged(void **state)
{
	static const char *const names[] = { "19700101T000001.000Z+1.000s.cct",
					     "19700101T000002.000Z+1.000s.cct" };
	struct window_merge merge;

	(void)state;
	write_window(1, 2);
	write_window(2, 3);
	const int fd = openat(folder.fd, names[1], O_WRONLY);
	assert_int_equal(ftruncate(fd, 100), 0);
	close(fd);
	start(&merge, 2);
	assert_int_equal(window_merge_end(&merge, &folder, wait_for(&merge)), 1);
	expect_names(names, 2);
	assert_int_not_equal(faccessat(folder.fd, merge.name, F_OK, 0), 0);
}

static void write_journal(const char *text)
{
	const int fd = openat(folder.fd, "journal", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void what_a_killed_agent_began_is_finished_or_left(void **state)
{
	static const char *const sum[] = { "19700101T000001.000Z+2.000s.cct" };
	static const char *const parts[] = { "19700101T000005.000Z+1.000s.cct",
					     "19700101T000006.000Z+1.000s.cct" };

	(void)state;
	/* Killed after the sum got its name. */
	write_window(1, 3);
	write_window(1, 2);
	write_window(2, 3);
	write_journal("19700101T000001.000Z+2.000s.cct\n19700101T000001.000Z+1.000s.cct\n"
		      "19700101T000002.000Z+1.000s.cct\n../path\n");
	window_merge_recover(&folder);
	expect_names(sum, 1);
	window_folder_remove(&folder, sum[0]);
	/* And before. */
	write_window(5, 6);
	write_window(6, 7);
	write_journal("19700101T000005.000Z+2.000s.cct\n19700101T000005.000Z+1.000s.cct\n"
		      "19700101T000006.000Z+1.000s.cct\n");
	window_merge_recover(&folder);
	expect_names(parts, 2);
	assert_int_not_equal(faccessat(folder.fd, "journal", F_OK, 0), 0);
	window_merge_recover(&folder);
	/* A journal that was cut off. */
	write_journal("19700101T000005.000Z+1.000s.cct\n19700101T000006.000Z+1.0");
	window_merge_recover(&folder);
	expect_names(parts, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_sum_takes_the_place_of_its_files),
		TEST(while_somebody_reads_the_files_stay),
		TEST(a_damaged_file_is_not_merged),
		TEST(what_a_killed_agent_began_is_finished_or_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
