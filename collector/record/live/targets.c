#include "collector/record/live/targets.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/system/cpu_list.h"

static int read_cpus(const char *path, struct int_list *cpus)
{
	char text[4096];

	FILE *file = fopen(path, "re");
	if (!file)
		return -errno;
	bool has_line = fgets(text, sizeof(text), file);
	fclose(file);
	if (!has_line)
		return -EINVAL;
	return cpu_list_parse(text, &cpus->values, &cpus->n);
}

int targets_online_cpus(struct int_list *cpus)
{
	return read_cpus("/sys/devices/system/cpu/online", cpus);
}

int targets_absent_cpus(const struct int_list *online, struct int_list *cpus)
{
	struct int_list present = { 0 };
	int err = read_cpus("/sys/devices/system/cpu/present", &present);

	for (size_t i = 0; i < present.n && !err; i++) {
		if (!int_list_has(online, present.values[i]))
			err = int_list_insert(cpus, present.values[i]);
	}
	int_list_deinit(&present);
	return err;
}

static int add_threads(pid_t pid, struct int_list *tids)
{
	char path[32];
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *directory = opendir(path);
	if (!directory)
		return errno == ENOENT ? -ESRCH : -errno;
	for (struct dirent *entry; !err && (entry = readdir(directory));) {
		if (isdigit((unsigned char)entry->d_name[0]))
			err = int_list_insert(tids, atoi(entry->d_name));
	}
	closedir(directory);
	return err;
}

int targets_threads(const struct int_list *pids, struct int_list *tids, pid_t *missing_ret)
{
	struct int_list found = { 0 };
	int err = 0;

	for (size_t i = 0; i < pids->n && !err; i++) {
		err = add_threads(pids->values[i], &found);
		if (err)
			*missing_ret = pids->values[i];
	}
	if (err) {
		int_list_deinit(&found);
		return err;
	}
	*tids = found;
	return 0;
}

int targets_add_threads(const struct int_list *pids, struct int_list *tids)
{
	for (size_t i = 0; i < pids->n; i++) {
		int err = add_threads(pids->values[i], tids);

		if (err && err != -ESRCH)
			return err;
	}
	return 0;
}

static int process_of(pid_t tid, int *pid_ret)
{
	char path[32], line[256];
	int err = -ESRCH;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	FILE *file = fopen(path, "re");
	if (!file)
		return -ESRCH;
	while (err && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Tgid: %d", pid_ret) == 1)
			err = 0;
	}
	fclose(file);
	return err;
}

int targets_processes(const struct int_list *tids, struct int_list *pids, pid_t *missing_ret)
{
	struct int_list found = { 0 };
	int err = 0;

	for (size_t i = 0; i < tids->n && !err; i++) {
		int pid = 0;

		err = process_of(tids->values[i], &pid);
		if (err)
			*missing_ret = tids->values[i];
		else
			err = int_list_insert(&found, pid);
	}
	if (err) {
		int_list_deinit(&found);
		return err;
	}
	*pids = found;
	return 0;
}
