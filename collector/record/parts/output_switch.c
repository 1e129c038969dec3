#include "collector/record/parts/output_switch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/numbers.h"

#define MAX_TIME_NS ((uint64_t)1e18)
#define NAMES_MAX   1000 /* of one hundredth of a second */

int output_switch_parse(const char *text, struct output_switch_choice *choice)
{
	const size_t size = strlen(text);
	int err = 0;

	*choice = (struct output_switch_choice){ .is_given = true, .n_files = choice->n_files };
	if (strcmp(text, "signal") == 0)
		return 0;
	/* As in perf, a unit is needed, and tells a size from a time. */
	if (size && strchr("BKMGkgb", text[size - 1]))
		err = numbers_parse_size(text, 1, INT64_MAX, &choice->size);
	else if (size && strchr("smh", text[size - 1]))
		err = numbers_parse_time(text, NSEC_PER_SEC, MAX_TIME_NS, &choice->time_ns);
	return err || (!choice->size && !choice->time_ns) ? -EINVAL : 0;
}

void output_switch_deinit(struct output_switch *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct output_switch){ 0 };
}

static void write_stamp(char stamp[OUTPUT_STAMP_MAX])
{
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	const size_t size = strftime(stamp, OUTPUT_STAMP_MAX, "%Y%m%d%H%M%S", &tm);
	snprintf(stamp + size, OUTPUT_STAMP_MAX - size, "%02ld", now.tv_nsec / 10000000);
}

/* A name that no file has yet, which becomes that of @output. */
static int rename_new(struct output_switch *names, const char *output, char **name_ret)
{
	char stamp[OUTPUT_STAMP_MAX];

	write_stamp(stamp);
	unsigned first = strcmp(stamp, names->stamp) == 0 ? names->number + 1 : 0;
	for (unsigned i = first; i < NAMES_MAX; i++) {
		_cleanup_free_ char *name = NULL;
		char number[16] = "";

		if (i)
			snprintf(number, sizeof(number), "-%03u", i);
		if (asprintf(&name, "%s.%s%s", output, stamp, number) < 0)
			return -ENOMEM;
		if (renameat2(AT_FDCWD, output, AT_FDCWD, name, RENAME_NOREPLACE) == 0) {
			*name_ret = steal_ptr(name);
			memcpy(names->stamp, stamp, sizeof(stamp));
			names->number = i;
			return 0;
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static void remove_oldest(struct output_switch *names)
{
	names->n_removed += unlink(names->names[0]) == 0;
	free(names->names[0]);
	names->n--;
	memmove(names->names, names->names + 1, names->n * sizeof(*names->names));
}

int output_switch_keep(struct output_switch *names, const struct output_switch_choice *choice,
		       const char *output)
{
	char *name = NULL;
	int err = rename_new(names, output, &name);

	if (err)
		return err;
	names->n_parts++;
	if (!choice->n_files) {
		free(name);
		return 0;
	}
	err = array_reserve_one(names->names, names->n);
	if (err) {
		free(name);
		return err;
	}
	names->names[names->n++] = name;
	while (names->n > choice->n_files)
		remove_oldest(names);
	return 0;
}
