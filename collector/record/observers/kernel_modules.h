/*
 * Kernel modules that are loaded while recording, which no record tells of. /proc/modules is read
 * now and then; what is new there gets its names from /proc/kallsyms, read by a thread of its own,
 * into an attachment of its own (ATTACHMENT_KALLSYMS, with a key).
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_KERNEL_MODULES_H
#define COLLECTOR_RECORD_OBSERVERS_KERNEL_MODULES_H

#include <stdint.h>

#include "perf/writer/data_writer.h"

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

/* Those with an address, by address; none where the kernel hides it, or has no modules. 0 or
 * -ENOMEM.
 */
int kernel_modules_read(const char *proc, struct kernel_modules_list *list);

struct kernel_modules;

/* Those that are there now are known. @proc: "/proc", but in tests. NULL: out of memory. */
struct kernel_modules *kernel_modules_create(const char *proc);
void kernel_modules_destroy(struct kernel_modules *modules);
/* Looks for new ones. @at_ns: the time on the records' clock, CLOCK_MONOTONIC; 0: it is another
 * one. 0 or -errno of the writer. */
int kernel_modules_look(struct kernel_modules *modules, struct data_writer *writer, uint64_t at_ns);
/* The last look: waits for the names. */
int kernel_modules_finish(struct kernel_modules *modules, struct data_writer *writer,
			  uint64_t at_ns);

#endif
