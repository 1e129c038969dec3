#include "collector/record/live/targets.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

#define VALUE_MAX (1 << 22) /* the kernel's PID_MAX_LIMIT */

void int_list_deinit(struct int_list *list)
{
	free(list->values);
	*list = (struct int_list){ 0 };
}

/* In its place, unless it is there already. */
static int int_list_add(struct int_list *list, int value)
{
	size_t at = list->n;

	while (at && list->values[at - 1] > value)
		at--;
	if (at && list->values[at - 1] == value)
		return 0;
	/* Grows at powers of two. */
	if (!(list->n & (list->n - 1))) {
		int *values = reallocarray(list->values, list->n ? list->n * 2 : 1, sizeof(int));
		if (!values)
			return -ENOMEM;
		list->values = values;
	}
	memmove(list->values + at + 1, list->values + at, (list->n - at) * sizeof(int));
	list->values[at] = value;
	list->n++;
	return 0;
}

static bool parse_value(const char **at, int *ret)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	unsigned long value = strtoul(*at, &end, 10);
	if (value > VALUE_MAX)
		return false;
	*at = end;
	*ret = (int)value;
	return true;
}

static int parse_range(const char **at, struct int_list *list)
{
	int first, last, err = 0;

	if (!parse_value(at, &first))
		return -EINVAL;
	last = first;
	if (**at == '-') {
		(*at)++;
		if (!parse_value(at, &last) || last < first)
			return -EINVAL;
	}
	for (int value = first; value <= last && !err; value++)
		err = int_list_add(list, value);
	return err;
}

int int_list_parse(const char *text, struct int_list *list)
{
	struct int_list parsed = { 0 };
	int err = parse_range(&text, &parsed);

	while (!err && *text == ',') {
		text++;
		err = parse_range(&text, &parsed);
	}
	if (!err && *text)
		err = -EINVAL;
	if (err) {
		int_list_deinit(&parsed);
		return err;
	}
	*list = parsed;
	return 0;
}

int targets_online_cpus(struct int_list *cpus)
{
	char text[4096];

	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	if (!file)
		return -errno;
	bool has_line = fgets(text, sizeof(text), file);
	fclose(file);
	if (!has_line)
		return -EINVAL;
	text[strcspn(text, "\n")] = '\0';
	return int_list_parse(text, cpus);
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
			err = int_list_add(tids, atoi(entry->d_name));
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
			err = int_list_add(&found, pid);
	}
	if (err) {
		int_list_deinit(&found);
		return err;
	}
	*pids = found;
	return 0;
}
