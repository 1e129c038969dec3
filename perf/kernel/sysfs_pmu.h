/*
 * The PMUs of a machine as sysfs describes them (Documentation/ABI/testing/
 * sysfs-bus-event_source-devices*): type, CPUs, format of the config fields, events.
 *
 * Files are read with bounds, and what makes no sense in them is refused: containers and virtual
 * machines may show anything there.
 */
#ifndef PERF_KERNEL_SYSFS_PMU_H
#define PERF_KERNEL_SYSFS_PMU_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMU_NAME_SIZE 64
#define PMU_TEXT_SIZE 4096 /* of a file: sysfs has none that is longer than a page */

struct sysfs_pmu {
	const char *sysfs; /* borrowed: the root that it was found under */
	char name[PMU_NAME_SIZE];
	uint32_t type;
	/* The cores that have it, where not all need to be alike; owned, NULL: it does not say. */
	int *cpus;
	size_t n_cpus;
	bool is_core;
	bool is_uncore; /* counts for a package, a memory controller, ...: it can't sample */
};

struct sysfs_pmus {
	struct sysfs_pmu *pmus; /* by type */
	size_t n_pmus;
};

/* None is no error. -ENOMEM. */
int sysfs_pmus_load(const char *sysfs, struct sysfs_pmus *pmus);
void sysfs_pmus_deinit(struct sysfs_pmus *pmus);
/* PMUs of cores, as hybrid processors have several. */
size_t sysfs_pmus_n_core(const struct sysfs_pmus *pmus);
/* Whether @name means this one: it is its name, or the name without a number, "_0", behind. */
bool sysfs_pmu_is_named(const struct sysfs_pmu *pmu, const char *name, size_t length);

/* The text of events/NAME. -ENOENT: no such event, -errno else. */
int sysfs_pmu_event(const struct sysfs_pmu *pmu, const char *name, size_t length,
		    char text[PMU_TEXT_SIZE]);

/* Where the bits of a term go: from the lowest on into those of the mask. */
struct pmu_format {
	unsigned int field; /* 0: config, 1: config1, ... */
	uint64_t mask;
};
/* format/NAME. -ENOENT: no such term; -EINVAL: the file makes no sense. */
int sysfs_pmu_format(const struct sysfs_pmu *pmu, const char *name, size_t length,
		     struct pmu_format *format);
/* The highest value that fits. */
uint64_t sysfs_pmu_format_max(const struct pmu_format *format);
/* *@config with those bits exchanged. */
void sysfs_pmu_format_set(const struct pmu_format *format, uint64_t value, uint64_t *config);

/* The names in "format" or "events", to be closed by closedir(); NULL: none. */
DIR *sysfs_pmu_folder(const struct sysfs_pmu *pmu, const char *folder);
/* The next term or event in it, valid until the one after; NULL: no more. */
const char *sysfs_pmu_next(DIR *dir);

#endif
