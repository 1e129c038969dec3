#include "perf/kernel/sysfs_pmu.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/system/cpu_list.h"

#define DEVICES  "bus/event_source/devices"
#define MAX_PMUS 4096

/* Whether @name is a plain file name: a path must not lead out of the folder. */
static bool is_file_name(const char *name, size_t length)
{
	if (length == 0 || length >= PMU_NAME_SIZE || name[0] == '.')
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_-.", name[i]))
			return false;
	return true;
}

/* @file, as "type" or "format/event". A text of one line, without its end. */
static int read_text(const char *sysfs, const char *pmu, const char *file, char *text, size_t size)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/" DEVICES "/%s/%s", sysfs, pmu, file);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	struct stat status;
	ssize_t length = -1;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		length = read(fd, text, size);
	close(fd);
	/* A text that fills the buffer may be cut. */
	if (length < 0 || (size_t)length == size || memchr(text, '\0', length))
		return -EINVAL;
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

static int read_part(const struct sysfs_pmu *pmu, const char *folder, const char *name,
		     size_t length, char text[PMU_TEXT_SIZE])
{
	char file[PMU_NAME_SIZE + 16];
	if (!is_file_name(name, length))
		return -ENOENT;
	snprintf(file, sizeof(file), "%s/%.*s", folder, (int)length, name);
	return read_text(pmu->sysfs, pmu->name, file, text, PMU_TEXT_SIZE);
}

/* Files that describe an event's counts and are not events. */
static bool is_annotation(const char *name, size_t length)
{
	static const char *const endings[] = { ".scale", ".unit", ".per-pkg", ".snapshot" };
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t ending = strlen(endings[i]);
		if (length > ending && memcmp(name + length - ending, endings[i], ending) == 0)
			return true;
	}
	return false;
}

int sysfs_pmu_event(const struct sysfs_pmu *pmu, const char *name, size_t length,
		    char text[PMU_TEXT_SIZE])
{
	if (is_annotation(name, length))
		return -ENOENT;
	return read_part(pmu, "events", name, length, text);
}

static bool take_bit(const char **text, unsigned int *bit_ret)
{
	unsigned int bit = 0;
	const char *p = *text;
	for (; isdigit((unsigned char)*p) && bit < 64; p++)
		bit = bit * 10 + (unsigned int)(*p - '0');
	if (p == *text || bit > 63)
		return false;
	*text = p;
	*bit_ret = bit;
	return true;
}

/* "0-7,32-35": a value's bits fill these in ascending order, whatever the order of the list. */
static bool read_mask(const char *text, uint64_t *mask_ret)
{
	uint64_t mask = 0;
	for (;;) {
		unsigned int first, last;
		if (!take_bit(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!take_bit(&text, &last) || last < first)
				return false;
		}
		mask |= UINT64_MAX >> (63 - last) & UINT64_MAX << first;
		if (*text == '\0')
			break;
		if (*text++ != ',')
			return false;
	}
	*mask_ret = mask;
	return true;
}

int sysfs_pmu_format(const struct sysfs_pmu *pmu, const char *name, size_t length,
		     struct pmu_format *format)
{
	char text[PMU_TEXT_SIZE];
	int err = read_part(pmu, "format", name, length, text);
	if (err)
		return err;
	if (strncmp(text, "config", 6) != 0)
		return -EINVAL;
	const char *p = text + 6;
	format->field = 0;
	if (isdigit((unsigned char)*p))
		format->field = (unsigned int)(*p++ - '0');
	if (*p != ':' || !read_mask(p + 1, &format->mask))
		return -EINVAL;
	return 0;
}

uint64_t sysfs_pmu_format_max(const struct pmu_format *format)
{
	int n_bits = __builtin_popcountll(format->mask);
	return n_bits ? UINT64_MAX >> (64 - n_bits) : 0;
}

void sysfs_pmu_format_set(const struct pmu_format *format, uint64_t value, uint64_t *config)
{
	for (uint64_t left = format->mask; left; left &= left - 1) {
		uint64_t bit = left & -left;
		*config = value & 1 ? *config | bit : *config & ~bit;
		value >>= 1;
	}
}

DIR *sysfs_pmu_folder(const struct sysfs_pmu *pmu, const char *folder)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/" DEVICES "/%s/%s", pmu->sysfs, pmu->name, folder);
	return n < 0 || (size_t)n >= sizeof(path) ? NULL : opendir(path);
}

const char *sysfs_pmu_next(DIR *dir)
{
	const struct dirent *entry;
	while ((entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);
		if (is_file_name(entry->d_name, length) && !is_annotation(entry->d_name, length))
			return entry->d_name;
	}
	return NULL;
}

static bool read_type(const char *sysfs, const char *name, uint32_t *type_ret)
{
	char text[32] = "", *end;
	if (read_text(sysfs, name, "type", text, sizeof(text)) || !isdigit((unsigned char)*text))
		return false;
	errno = 0;
	unsigned long type = strtoul(text, &end, 10);
	if (errno || *end || type > INT32_MAX)
		return false;
	*type_ret = (uint32_t)type;
	return true;
}

/* false: it has none that can be used. */
static bool read_pmu(const char *sysfs, const char *name, struct sysfs_pmu *pmu)
{
	char text[PMU_TEXT_SIZE];
	*pmu = (struct sysfs_pmu){ .sysfs = sysfs };
	if (!read_type(sysfs, name, &pmu->type))
		return false;
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	pmu->is_uncore = read_text(sysfs, name, "cpumask", text, sizeof(text)) != -ENOENT;
	pmu->is_core = strcmp(name, "cpu") == 0;
	int err = read_text(sysfs, name, "cpus", text, sizeof(text));
	if (err == -ENOENT)
		return true;
	/* A core PMU whose cores are all offline has an empty list: nothing counts on it. */
	if (err || cpu_list_parse(text, &pmu->cpus, &pmu->n_cpus))
		return false;
	if (pmu->n_cpus == 0) {
		free(pmu->cpus);
		return false;
	}
	pmu->is_core = true;
	return true;
}

static int compare_types(const void *a, const void *b)
{
	const struct sysfs_pmu *left = a, *right = b;
	if (left->type != right->type)
		return left->type < right->type ? -1 : 1;
	return strcmp(left->name, right->name);
}

static int add_pmu(struct sysfs_pmus *pmus, const struct sysfs_pmu *pmu)
{
	if (array_reserve_one(pmus->pmus, pmus->n_pmus)) {
		free(pmu->cpus);
		return -ENOMEM;
	}
	pmus->pmus[pmus->n_pmus++] = *pmu;
	return 0;
}

int sysfs_pmus_load(const char *sysfs, struct sysfs_pmus *pmus)
{
	char path[PATH_MAX];
	*pmus = (struct sysfs_pmus){ NULL, 0 };
	int n = snprintf(path, sizeof(path), "%s/" DEVICES, sysfs);
	DIR *dir = n < 0 || (size_t)n >= sizeof(path) ? NULL : opendir(path);
	if (!dir)
		return 0;
	const char *name;
	int err = 0;
	while (!err && pmus->n_pmus < MAX_PMUS && (name = sysfs_pmu_next(dir))) {
		struct sysfs_pmu pmu;
		if (read_pmu(sysfs, name, &pmu))
			err = add_pmu(pmus, &pmu);
	}
	closedir(dir);
	if (err)
		sysfs_pmus_deinit(pmus);
	else if (pmus->n_pmus)
		qsort(pmus->pmus, pmus->n_pmus, sizeof(*pmus->pmus), compare_types);
	return err;
}

void sysfs_pmus_deinit(struct sysfs_pmus *pmus)
{
	for (size_t i = 0; i < pmus->n_pmus; i++)
		free(pmus->pmus[i].cpus);
	free(pmus->pmus);
	*pmus = (struct sysfs_pmus){ NULL, 0 };
}

size_t sysfs_pmus_n_core(const struct sysfs_pmus *pmus)
{
	size_t n = 0;
	for (size_t i = 0; i < pmus->n_pmus; i++)
		n += pmus->pmus[i].is_core;
	return n;
}

bool sysfs_pmu_is_named(const struct sysfs_pmu *pmu, const char *name, size_t length)
{
	if (length == 0 || strncmp(pmu->name, name, length) != 0)
		return false;
	const char *rest = pmu->name + length;
	if (*rest == '\0')
		return true;
	return *rest == '_' && rest[1] && strspn(rest + 1, "0123456789abcdef") == strlen(rest + 1);
}
