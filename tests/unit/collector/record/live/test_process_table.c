/* A /proc made of stat files. */
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

#include "collector/record/live/process_table.h"

static char proc[64];

static void put(const char *path, const char *text)
{
	char full[256];

	snprintf(full, sizeof(full), "%s/%s", proc, path);
	for (char *slash = full + strlen(proc) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	int fd = open(full, O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void put_stat(const char *path, int pid, const char *comm, int parent, unsigned ticks)
{
	char text[256];

	snprintf(text, sizeof(text), "%d (%s) S %d 1 1 0 -1 4194560 9 8 7 6 %u %u 100 200 20 0 1\n",
		 pid, comm, parent, ticks, ticks);
	put(path, text);
}

static void put_process(int pid, const char *comm, int parent)
{
	char path[32];

	snprintf(path, sizeof(path), "%d/stat", pid);
	put_stat(path, pid, comm, parent, 3);
}

static int setup(void **state)
{
	(void)state;
	snprintf(proc, sizeof(proc), "/tmp/dendro-test-XXXXXX");
	return mkdtemp(proc) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", proc);
	return system(command); /* NOLINT(cert-env33-c) */
}

static struct process_table read_table(void)
{
	struct process_table table;

	assert_int_equal(process_table_read(proc, &table), 0);
	return table;
}

/* The descendants of @root, as text. */
static const char *descendants(int root, pid_t except)
{
	static char text[256];
	struct int_list pids = { 0 };
	struct process_table table = read_table();
	size_t size = 0;

	assert_int_equal(int_list_insert(&pids, root), 0);
	assert_int_equal(process_table_add_descendants(&table, except, &pids), 0);
	for (size_t i = 0; i < pids.n; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%d", i ? " " : "",
					 pids.values[i]);
	int_list_deinit(&pids);
	process_table_deinit(&table);
	return text;
}

static void entries_are_ascending_and_others_are_left_out(void **state)
{
	(void)state;
	put_process(30, "c", 2);
	put_process(4, "a) S 99 (b", 2);
	put_process(200, "seventeen-letters", 30);
	put("self/stat", "4 (a) S 2");
	put("7/status", "Name: x");
	put("8/stat", "8 (cut");
	put("9/stat", "");
	struct process_table table = read_table();

	assert_int_equal(table.n, 3);
	assert_int_equal(table.entries[0].pid, 4);
	assert_string_equal(table.entries[0].comm, "a) S 99 (b");
	assert_int_equal(table.entries[0].parent, 2);
	assert_int_equal(table.entries[0].cpu_ns, 6 * (1000000000 / sysconf(_SC_CLK_TCK)));
	assert_int_equal(table.entries[1].pid, 30);
	assert_string_equal(table.entries[2].comm, "seventeen-lette");
	assert_ptr_equal(process_table_find(&table, 30), &table.entries[1]);
	assert_null(process_table_find(&table, 5));
	process_table_deinit(&table);
}

static void a_folder_that_does_not_exist_is_an_error(void **state)
{
	struct process_table table;

	(void)state;
	assert_true(process_table_read("/nonexistent", &table) < 0);
}

static void a_tree_has_the_children_of_children_in_any_order_of_numbers(void **state)
{
	(void)state;
	put_process(1, "init", 0);
	put_process(100, "root", 1);
	put_process(7, "child", 100);
	put_process(300, "grandchild", 7);
	put_process(5, "great-grandchild", 300);
	put_process(101, "other", 1);
	put_process(102, "of other", 101);
	put_process(103, "of nobody", 9999);
	assert_string_equal(descendants(100, 0), "5 7 100 300");
	assert_string_equal(descendants(5, 0), "5");
	assert_string_equal(descendants(1, 0), "1 5 7 100 101 102 300");
	assert_string_equal(descendants(4000, 0), "4000");
}

static void a_process_is_left_out_with_what_it_started(void **state)
{
	(void)state;
	put_process(10, "shell", 1);
	put_process(11, "recorder", 10);
	put_process(12, "of recorder", 11);
	put_process(13, "sibling", 10);
	assert_string_equal(descendants(10, 11), "10 13");
	assert_string_equal(descendants(11, 11), "11 12");
}

static void parents_in_a_circle_are_in_no_tree(void **state)
{
	(void)state;
	put_process(20, "a", 21);
	put_process(21, "b", 22);
	put_process(22, "c", 20);
	put_process(23, "self", 23);
	assert_string_equal(descendants(1, 0), "1");
	assert_string_equal(descendants(21, 0), "20 21 22");
}

static void the_time_of_a_thread_is_not_that_of_its_process(void **state)
{
	uint64_t ns = 0;

	(void)state;
	put_stat("50/task/50/stat", 50, "t", 1, 5);
	assert_int_equal(process_table_thread_time(proc, 50, &ns), 0);
	assert_int_equal(ns, 10 * (1000000000 / sysconf(_SC_CLK_TCK)));
	assert_true(process_table_thread_time(proc, 51, &ns) < 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(entries_are_ascending_and_others_are_left_out),
		TEST(a_folder_that_does_not_exist_is_an_error),
		TEST(a_tree_has_the_children_of_children_in_any_order_of_numbers),
		TEST(a_process_is_left_out_with_what_it_started),
		TEST(parents_in_a_circle_are_in_no_tree),
		TEST(the_time_of_a_thread_is_not_that_of_its_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
