/* Where files are looked for, and what recordings carry. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "cct/model/module.h"
#include "cct/object/file_search.h"
#include "tests/unit/fixtures/emulated.h"

static char folder[] = "/tmp/dendro-test-XXXXXX";

static char *below(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_text(const char *name, const char *text)
{
	FILE *file = fopen(below(name), "we");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* root/inside, outside; links in root that lead to them. */
static int make_files(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(mkdir(below("root"), 0700), 0);
	write_text("root/inside", "inside");
	write_text("outside", "outside");
	assert_int_equal(symlink("/inside", below("root/absolute")), 0);
	assert_int_equal(symlink("inside", below("root/relative")), 0);
	assert_int_equal(symlink("../outside", below("root/upwards")), 0);
	char to[256];
	strcpy(to, below("outside"));
	assert_int_equal(symlink(to, below("root/hostile")), 0);
	assert_int_equal(symlink("/proc/self/exe", below("root/magic")), 0);
	return 0;
}

static int remove_files(void **state)
{
	static const char *const names[] = { "root/absolute", "root/relative", "root/upwards",
					     "root/hostile",  "root/magic",    "root/inside",
					     "outside" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(below(names[i]));
	rmdir(below("root"));
	return rmdir(folder);
}

static bool holds(int fd, const char *text)
{
	char bytes[64] = "";
	bool is_equal = fd >= 0 && read(fd, bytes, sizeof(bytes) - 1) >= 0 && !strcmp(bytes, text);

	if (fd >= 0)
		close(fd);
	return is_equal;
}

static void expect_path(const struct file_search *search, const char *name, const char *expected)
{
	int fd = file_search_open(search, name);
	char *path = file_search_path_of(search, fd);

	assert_non_null(path);
	assert_string_equal(path, expected);
	free(path);
	close(fd);
}

static void files_tell_their_paths_without_links(void **state)
{
	struct file_search *search = file_search_create();
	char expected[256];
	int fd = open(below("outside"), O_RDONLY | O_CLOEXEC);

	(void)state;
	strcpy(expected, below("root/inside"));
	expect_path(NULL, below("root/relative"), expected);
	expect_path(search, below("root/relative"), expected);
	assert_null(file_search_path_of(search, -1));
	if (file_search_set_root(search, below("root")) == 0)
		assert_null(file_search_path_of(search, fd)); /* not below it */
	close(fd);
	file_search_destroy(search);
}

static void a_sysroot_keeps_links_inside(void **state)
{
	SKIP_IF_EMULATED("openat2");
	static const char *const inside[] = { "/inside", "/absolute", "/relative", "/../inside" };
	static const char *const nowhere[] = { "/upwards", "/hostile",    "/magic",
					       "/outside", "/../outside", "/etc/passwd" };
	struct file_search *search = file_search_create();

	(void)state;
	int err = file_search_set_root(search, below("root"));
	if (err == -ENOSYS || err == -EPERM) {
		file_search_destroy(search);
		skip();
	}
	assert_int_equal(err, 0);
	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
		assert_true(holds(file_search_open(search, inside[i]), "inside"));
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		assert_true(file_search_open(search, nowhere[i]) < 0);
	assert_true(holds(file_search_open_below_root(NULL, below("root"), "/absolute"), "inside"));
	expect_path(search, "/relative", "/inside");
	assert_false(file_search_is_here(search));
	assert_true(file_search_looks_around(search));
	assert_int_equal(file_search_set_root(search, below("outside")), -ENOTDIR);
	assert_int_equal(file_search_set_root(search, below("none")), -ENOENT);
	assert_true(holds(file_search_open(search, "/inside"), "inside"));
	file_search_destroy(search);
}

/* A memfd with @size bytes of a frame of @text. */
static int packed(const char *text, size_t size)
{
	char bytes[256];
	size_t n = ZSTD_compress(bytes, sizeof(bytes), text, strlen(text), 3);
	int fd = memfd_create("packed", MFD_CLOEXEC);

	assert_false(ZSTD_isError(n));
	size = size < n ? size : n;
	assert_int_equal(write(fd, bytes, size), size);
	return fd;
}

static void carry(struct file_search *search, const char *key, int fd)
{
	assert_int_equal(file_search_carry(search, key, fd), 0);
	close(fd);
}

static void what_is_carried_is_expanded_and_opened_from_its_start(void **state)
{
	struct file_search *search = file_search_create();

	(void)state;
	carry(search, "debug 12", packed("the file", SIZE_MAX));
	carry(search, "debug 12", packed("a second one", SIZE_MAX));
	carry(search, "empty", packed("", SIZE_MAX));
	for (int i = 0; i < 2; i++)
		assert_true(holds(file_search_open_carried(search, "debug 12"), "the file"));
	assert_true(holds(file_search_open_carried(search, "empty"), ""));
	assert_int_equal(file_search_open_carried(search, "debug 1"), -ENOENT);
	assert_int_equal(file_search_open_carried(NULL, "debug 12"), -ENOENT);
	file_search_destroy(search);
}

static void what_is_broken_is_not_carried(void **state)
{
	struct file_search *search = file_search_create();
	int fd = memfd_create("garbage", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(write(fd, "no zstd frame", 13), 13);
	carry(search, "garbage", fd);
	carry(search, "cut", packed("a text that is cut inside its frame", 20));
	carry(search, "nothing", memfd_create("nothing", MFD_CLOEXEC));
	assert_int_equal(file_search_open_carried(search, "garbage"), -EINVAL);
	assert_int_equal(file_search_open_carried(search, "cut"), -EINVAL);
	assert_int_equal(file_search_open_carried(search, "nothing"), -EINVAL);
	file_search_destroy(search);
}

static void an_archive_has_all_there_is(void **state)
{
	struct file_search *search = file_search_create();

	(void)state;
	assert_true(holds(file_search_open(search, below("outside")), "outside"));
	file_search_set_complete(search);
	assert_int_equal(file_search_open(search, below("outside")), -ENOENT);
	assert_false(file_search_is_here(search));
	assert_false(file_search_looks_around(search));
	file_search_destroy(search);
	assert_true(holds(file_search_open(NULL, below("outside")), "outside"));
	assert_true(file_search_is_here(NULL));
}

static void what_is_found_is_kept_once_by_key(void **state)
{
	struct file_search *search = file_search_create();
	const struct found_file *found;
	size_t n;
	int fd = open(below("outside"), O_RDONLY | O_CLOEXEC);

	(void)state;
	file_search_found(search, "before it was requested", fd, NULL);
	file_search_keep_found(search);
	carry(search, "carried", packed("x", SIZE_MAX));
	file_search_found(search, "carried", fd, NULL);
	file_search_found(search, "two", fd, NULL);
	file_search_found(search, "one", -1, "a text");
	file_search_found(search, "two", -1, "again");
	file_search_found(NULL, "nobody asks", fd, NULL);
	close(fd);
	assert_int_equal(file_search_list_found(search, &found, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(found[0].key, "one");
	assert_string_equal(found[0].text, "a text");
	assert_string_equal(found[1].key, "two");
	assert_null(found[1].text);
	assert_true(holds(fcntl(found[1].fd, F_DUPFD_CLOEXEC, 0), "outside"));
	file_search_destroy(search);
}

static void the_cache_is_by_build_id(void **state)
{
	const struct build_id build_id = { 2, { 0xab, 0x01 } }, none = { 0 };
	struct file_search *search = file_search_create();

	(void)state;
	assert_int_equal(file_search_open_cached(search, &build_id, "debuginfo"), -ENOENT);
	assert_int_equal(file_search_set_cache(search, folder), 0);
	assert_int_equal(mkdir(below("ab01"), 0700), 0);
	write_text("ab01/debuginfo", "fetched");
	assert_true(holds(file_search_open_cached(search, &build_id, "debuginfo"), "fetched"));
	assert_int_equal(file_search_open_cached(search, &build_id, "executable"), -ENOENT);
	assert_int_equal(file_search_open_cached(search, &none, "debuginfo"), -ENOENT);
	unlink(below("ab01/debuginfo"));
	rmdir(below("ab01"));
	file_search_destroy(search);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sysroot_keeps_links_inside),
		cmocka_unit_test(files_tell_their_paths_without_links),
		cmocka_unit_test(what_is_carried_is_expanded_and_opened_from_its_start),
		cmocka_unit_test(what_is_broken_is_not_carried),
		cmocka_unit_test(an_archive_has_all_there_is),
		cmocka_unit_test(what_is_found_is_kept_once_by_key),
		cmocka_unit_test(the_cache_is_by_build_id),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
