/*
 * Names of kernel modules that are loaded while recording, for which the kernel writes no records.
 * /proc/modules is read now and then. A separate thread reads the names of new modules from
 * /proc/kallsyms into a separate attachment (ATTACHMENT_KALLSYMS, with a key).
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_KERNEL_MODULES_H
#define COLLECTOR_RECORD_OBSERVERS_KERNEL_MODULES_H

#include <stdint.h>

#include "collector/record/observing/recording_observer.h"

#define KERNEL_MODULE_NAME_SIZE 64 /* MODULE_NAME_LEN, and more */

/* A line of /proc/modules. */
struct kernel_module {
	char name[KERNEL_MODULE_NAME_SIZE];
	uint64_t start, size;
};

struct kernel_modules_list {
	struct kernel_module *modules;
	size_t n, n_allocated;
};

/* The modules with an address, sorted by address; an empty list where the kernel hides addresses or
 * has no modules. 0 or -ENOMEM. */
int kernel_modules_read(const char *proc, struct kernel_modules_list *list);

extern const struct recording_observer kernel_modules_observer;

#endif
