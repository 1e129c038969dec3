#include "collector/record/live/process_table.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/sorted.h"

#define NONE SIZE_MAX

/* proc_pid_stat(5): "pid (comm) state ppid ..."; comm may contain blanks and parentheses. */
static int parse_stat(char *text, struct process_entry *entry)
{
	uint64_t user = 0, kernel = 0;
	char *comm = strchr(text, '('), *end = strrchr(text, ')');

	if (!comm || !end || end < comm)
		return -EINVAL;
	*end = '\0';
	if (sscanf(end + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
		   &entry->parent, &user, &kernel) != 3)
		return -EINVAL;
	snprintf(entry->comm, sizeof(entry->comm), "%s", comm + 1);
	entry->cpu_ns = (user + kernel) * (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
	return 0;
}

static int read_stat(int dir_fd, const char *path, struct process_entry *entry)
{
	char text[1024];

	_cleanup_close_ int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return n < 0 ? -errno : -EINVAL;
	text[n] = '\0';
	return parse_stat(text, entry);
}

static int compare_pids(const void *a, const void *b)
{
	const struct process_entry *first = a, *second = b;

	return (first->pid > second->pid) - (first->pid < second->pid);
}

static int read_entries(DIR *directory, struct process_table *table)
{
	for (struct dirent *file; (file = readdir(directory));) {
		struct process_entry entry = { .pid = atoi(file->d_name) };
		char path[sizeof(file->d_name) + 8];
		struct stat folder;

		if (entry.pid <= 0)
			continue;
		snprintf(path, sizeof(path), "%s/stat", file->d_name);
		if (fstatat(dirfd(directory), file->d_name, &folder, 0) ||
		    read_stat(dirfd(directory), path, &entry))
			continue;
		entry.uid = folder.st_uid;
		if (array_reserve_one(table->entries, table->n))
			return -ENOMEM;
		table->entries[table->n++] = entry;
	}
	return 0;
}

int process_table_read(const char *proc, struct process_table *table_ret)
{
	struct process_table table = { 0 };
	DIR *directory = opendir(proc);

	if (!directory)
		return -errno;
	int err = read_entries(directory, &table);
	closedir(directory);
	if (err) {
		process_table_deinit(&table);
		return err;
	}
	if (table.n)
		qsort(table.entries, table.n, sizeof(*table.entries), compare_pids);
	*table_ret = table;
	return 0;
}

void process_table_deinit(struct process_table *table)
{
	free(table->entries);
	*table = (struct process_table){ 0 };
}

static size_t find(const struct process_table *table, pid_t pid)
{
	size_t at = sorted_count(table->n, i, table->entries[i].pid < pid);

	return at < table->n && table->entries[at].pid == pid ? at : NONE;
}

const struct process_entry *process_table_find(const struct process_table *table, pid_t pid)
{
	size_t at = find(table, pid);

	return at == NONE ? NULL : &table->entries[at];
}

enum membership { UNKNOWN, INSIDE, OUTSIDE };

/* Goes from a process to its ancestors, as far as these are unknown. Parents that were read at
 * different times may form a circle, which is outside. */
static void mark_line(const struct process_table *table, size_t first, enum membership *marks)
{
	size_t at = first;

	while (at != NONE && marks[at] == UNKNOWN) {
		marks[at] = OUTSIDE;
		at = find(table, table->entries[at].parent);
	}
	if (at == NONE || marks[at] != INSIDE)
		return;
	for (at = first; marks[at] != INSIDE; at = find(table, table->entries[at].parent))
		marks[at] = INSIDE;
}

int process_table_add_descendants(const struct process_table *table, pid_t except,
				  struct int_list *pids)
{
	_cleanup_free_ enum membership *marks = calloc(table->n + 1, sizeof(*marks));
	size_t at = find(table, except);
	int err = 0;

	if (!marks)
		return -ENOMEM;
	if (at != NONE)
		marks[at] = OUTSIDE;
	for (size_t i = 0; i < pids->n; i++) {
		at = find(table, pids->values[i]);
		if (at != NONE)
			marks[at] = INSIDE;
	}
	for (size_t i = 0; i < table->n && !err; i++) {
		mark_line(table, i, marks);
		if (marks[i] == INSIDE)
			err = int_list_insert(pids, table->entries[i].pid);
	}
	return err;
}

int process_table_thread_time(const char *proc, pid_t tid, uint64_t *cpu_ns_ret)
{
	struct process_entry entry = { .cpu_ns = 0 };
	char path[128];

	if (snprintf(path, sizeof(path), "%s/%d/task/%d/stat", proc, tid, tid) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	int err = read_stat(AT_FDCWD, path, &entry);
	if (!err)
		*cpu_ns_ret = entry.cpu_ns;
	return err;
}
