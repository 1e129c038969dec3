/*
 * The PMUs of a machine as sysfs describes them (Documentation/ABI/testing/
 * sysfs-bus-event_source-devices*): type, CPUs, format of the config fields, events.
 *
 * Files are read with bounds, and malformed contents are refused: containers and virtual machines
 * may show anything there.
 */
#ifndef PERF_KERNEL_SYSFS_PMU_H
#define PERF_KERNEL_SYSFS_PMU_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMU_NAME_SIZE 64
#define PMU_TEXT_SIZE 4096 /* of a file: a file in sysfs is at most a page */

struct sysfs_pmu {
	const char *sysfs; /* borrowed: the root folder in which it was found */
	char name[PMU_NAME_SIZE];
	uint32_t type;
	/* The CPUs that have it, if sysfs lists them, as cores may differ; owned, or NULL. */
	int *cpus;
	size_t n_cpus;
	bool is_core;
	bool is_uncore; /* counts for a package, a memory controller, ...: it cannot sample */
};

struct sysfs_pmus {
	struct sysfs_pmu *pmus; /* by type */
	size_t n_pmus;
};

/* 0, also if there is no PMU; or -ENOMEM. */
int sysfs_pmus_load(const char *sysfs, struct sysfs_pmus *pmus);
void sysfs_pmus_deinit(struct sysfs_pmus *pmus);
/* PMUs of cores, as hybrid processors have several. */
size_t sysfs_pmus_n_core(const struct sysfs_pmus *pmus);
/* Whether @name means this PMU: it is the PMU's name, with or without its final number, "_0". */
bool sysfs_pmu_is_named(const struct sysfs_pmu *pmu, const char *name, size_t length);

/* The text of events/NAME. -ENOENT: no such event, -errno else. */
int sysfs_pmu_event(const struct sysfs_pmu *pmu, const char *name, size_t length,
		    char text[PMU_TEXT_SIZE]);

/* The position of a term's bits: from the lowest on they fill the bits of the mask. */
struct pmu_format {
	unsigned int field; /* 0: config, 1: config1, ... */
	uint64_t mask;
};
/* Reads format/NAME. -ENOENT: no such term; -EINVAL: the file is malformed. */
int sysfs_pmu_format(const struct sysfs_pmu *pmu, const char *name, size_t length,
		     struct pmu_format *format);
/* The highest value that fits. */
uint64_t sysfs_pmu_format_max(const struct pmu_format *format);
/* Replaces those bits in *@config. */
void sysfs_pmu_format_set(const struct pmu_format *format, uint64_t value, uint64_t *config);

/* The names in "format" or "events", to be closed by closedir(); NULL: none. */
DIR *sysfs_pmu_folder(const struct sysfs_pmu *pmu, const char *folder);
/* The next term or event in it, valid until the one after; NULL: no more. */
const char *sysfs_pmu_next(DIR *dir);

#endif
