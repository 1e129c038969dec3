/* Hierarchies of cgroups made of folders. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/record/live/cgroups.h"

static char root[64];
static struct cgroup_hierarchies hierarchies;

static const char *path_of(const char *path)
{
	static char full[256];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	return full;
}

static void put(const char *path, const char *text)
{
	char full[256];

	snprintf(full, sizeof(full), "%s", path_of(path));
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	int fd = open(full, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int setup(void **state)
{
	char mounts[1024];

	(void)state;
	snprintf(root, sizeof(root), "/tmp/dendro-test-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(mounts, sizeof(mounts),
		 "proc /proc proc rw 0 0\n"
		 "cgroup %s/memory cgroup rw,memory 0 0\n"
		 "cgroup2 %s/two\\0402 cgroup2 rw 0 0\n"
		 "cgroup %s/events cgroup rw,perf_event 0 0\n",
		 root, root, root);
	put("mounts", mounts);
	put("two 2/cgroup.procs", "1\n2\n");
	put("two 2/system.slice/cgroup.procs", "");
	put("two 2/system.slice/postgresql.service/cgroup.procs", "30\n10\n");
	put("two 2/system.slice/postgresql.service/worker/cgroup.procs", "20\n0\n");
	put("two 2/system.slice/redis.service/cgroup.procs", "40\n");
	put("two 2/user.slice/a/app.scope/cgroup.procs", "50\n");
	put("two 2/user.slice/b/app.scope/cgroup.procs", "60\n");
	put("two 2/user.slice/folder.service-d/cgroup.procs", "");
	put("memory/system.slice/redis.service/cgroup.procs", "40\n");
	put("memory/system.slice/old.service/cgroup.procs", "70\n");
	put("events/docker/cgroup.procs", "80\n");
	put("two 2/docker/cgroup.procs", "80\n");
	put("elsewhere/file", "");
	return cgroup_hierarchies_read(path_of("mounts"), &hierarchies);
}

static int teardown(void **state)
{
	char command[96];

	(void)state;
	cgroup_hierarchies_deinit(&hierarchies);
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command); /* NOLINT(cert-env33-c) */
}

static void hierarchies_that_count_events_come_first(void **state)
{
	(void)state;
	assert_int_equal(hierarchies.n, 3);
	assert_string_equal(hierarchies.paths[0], path_of("events"));
	assert_string_equal(hierarchies.paths[1], path_of("two 2"));
	assert_string_equal(hierarchies.paths[2], path_of("memory"));
}

static void without_mounts_there_is_an_error(void **state)
{
	struct cgroup_hierarchies none;

	(void)state;
	assert_int_equal(cgroup_hierarchies_read(path_of("nothing"), &none), -ENOENT);
}

static int find(const char *name, char **path_ret)
{
	return cgroup_find(&hierarchies, name, path_ret);
}

static int find_unit(const char *name, char **path_ret)
{
	struct near_names near;

	return cgroup_find_unit(&hierarchies, name, &near, path_ret);
}

/* @expected: below the root; NULL: -ENOENT. */
static void expect(int (*how)(const char *, char **), const char *name, const char *expected)
{
	char *path = NULL;

	assert_int_equal(how(name, &path), expected ? 0 : -ENOENT);
	if (expected)
		assert_string_equal(path, path_of(expected));
	free(path);
}

static void a_cgroup_is_found_by_its_path_in_a_hierarchy_or_by_its_folder(void **state)
{
	static const struct {
		const char *name, *path;
	} cases[] = {
		{ "docker", "events/docker" },
		{ "system.slice", "two 2/system.slice" },
		{ "system.slice/old.service", "memory/system.slice/old.service" },
		{ "system.slice/new.service", NULL },
		{ "..", NULL },
	};
	char name[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(find, cases[i].name, cases[i].path);
	snprintf(name, sizeof(name), "%s", path_of("memory/system.slice/redis.service"));
	expect(find, name, "memory/system.slice/redis.service");
	snprintf(name, sizeof(name), "%s", path_of("elsewhere"));
	expect(find, name, NULL);
}

static void a_unit_is_found_with_or_without_its_suffix(void **state)
{
	static const struct {
		const char *name, *path;
	} cases[] = {
		{ "postgresql", "two 2/system.slice/postgresql.service" },
		{ "redis.service", "two 2/system.slice/redis.service" },
		{ "old", "memory/system.slice/old.service" },
		{ "system.slice", "two 2/system.slice" },
		{ "folder", NULL },
		{ "a", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(find_unit, cases[i].name, cases[i].path);
}

static void units_with_near_names_are_proposed(void **state)
{
	static const char *const cases[][2] = {
		{ "postgresq1", "; did you mean postgresql?" },
		{ "reddis.service", "; did you mean redis?" },
		{ "sytem.slice", "; did you mean system.slice or user.slice?" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct near_names near;
		char *path;

		assert_int_equal(cgroup_find_unit(&hierarchies, cases[i][0], &near, &path),
				 -ENOENT);
		char *question = near_names_question(&near);
		assert_string_equal(question, cases[i][1]);
		free(question);
	}
}

static void two_units_of_one_name_are_both_named(void **state)
{
	struct near_names near;
	char *paths = NULL;

	(void)state;
	assert_int_equal(cgroup_find_unit(&hierarchies, "app.scope", &near, &paths), -ENOTUNIQ);
	assert_non_null(strstr(paths, "/user.slice/a/app.scope"));
	assert_non_null(strstr(paths, " and "));
	assert_non_null(strstr(paths, "/user.slice/b/app.scope"));
	free(paths);
}

static void the_processes_of_a_cgroup_are_those_below_it_too(void **state)
{
	struct int_list pids = { 0 };

	(void)state;
	assert_int_equal(cgroup_add_processes(path_of("two 2/system.slice"), &pids), 0);
	assert_int_equal(pids.n, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pids.values[i], 10 * (i + 1));
	assert_int_equal(cgroup_add_processes(path_of("nowhere"), &pids), 0);
	assert_int_equal(pids.n, 4);
	int_list_deinit(&pids);
}

static int note_cgroup(void *found, uint64_t id, const char *path)
{
	char full[256];
	struct stat st;

	snprintf(full, sizeof(full), "%s/events%s", root, path);
	assert_int_equal(stat(full, &st), 0);
	assert_int_equal(st.st_ino, id);
	strcat(strcat(found, path), " ");
	return 0;
}

static void cgroups_of_the_hierarchy_that_counts_events_have_their_numbers(void **state)
{
	char found[256] = "";

	(void)state;
	put("events/docker/below/cgroup.procs", "");
	assert_int_equal(cgroup_visit_all(&hierarchies, note_cgroup, found), 0);
	assert_string_equal(found, "/ /docker /docker/below ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hierarchies_that_count_events_come_first),
		TEST(without_mounts_there_is_an_error),
		TEST(a_cgroup_is_found_by_its_path_in_a_hierarchy_or_by_its_folder),
		TEST(a_unit_is_found_with_or_without_its_suffix),
		TEST(units_with_near_names_are_proposed),
		TEST(two_units_of_one_name_are_both_named),
		TEST(the_processes_of_a_cgroup_are_those_below_it_too),
		TEST(cgroups_of_the_hierarchy_that_counts_events_have_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
