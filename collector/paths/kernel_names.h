/*
 * Where a recording's kernel names come from: the kallsyms snapshot inside it; else, if it was made
 * by the kernel that runs now, /proc/kallsyms. KSYMBOL records add what was loaded while recording.
 *
 * The text is read and parsed by a thread while samples are processed.
 */
#ifndef COLLECTOR_PATHS_KERNEL_NAMES_H
#define COLLECTOR_PATHS_KERNEL_NAMES_H

#include "kernel-merge/kernel_symbols.h"
#include "perf/file/data_file.h"
#include "perf/records/record.h"

struct kernel_names;

/* Both are borrowed. */
struct kernel_names *kernel_names_create(const struct data_file *file,
					 struct module_table *modules);
void kernel_names_destroy(struct kernel_names *names);
/* An MMAP record of the kernel. After kernel_names_start() it says what is there from now on. 0 or
 * -ENOMEM. */
int kernel_names_map(struct kernel_names *names, const struct record *record);
int kernel_names_ksymbol(struct kernel_names *names, const struct record *record);
/* Once, before the first kernel address is looked up. 0 or -ENOMEM. */
int kernel_names_start(struct kernel_names *names);
/* Waits for the names, and gives them and those of KSYMBOL records so far to the modules. May be
 * called again when there are more. 0 or -ENOMEM. */
int kernel_names_finish(struct kernel_names *names);
/* The kernel hid its addresses from the recorder; after kernel_names_finish(). */
bool kernel_names_are_hidden(const struct kernel_names *names);
const struct kernel_symbols *kernel_names_symbols(const struct kernel_names *names);
/* What is where in the kernel for a sample of that time; samples come in order, after
 * kernel_names_start(). Valid as long as @names. 0 or -ENOMEM. */
int kernel_names_layout(struct kernel_names *names, uint64_t time_ns,
			const struct kernel_layout **layout_ret);

#endif
