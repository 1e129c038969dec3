/*
 * Provides a recording's kernel names: from the kallsyms snapshot inside it or, if the running
 * kernel made the recording (collector/paths/kernel_identity.h), from /proc/kallsyms. KSYMBOL
 * records add the code that was loaded while recording.
 *
 * The text is read and parsed by a thread while samples are processed, or at the end.
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
/* Applies an MMAP record of the kernel. After kernel_names_start() it describes a mapping that
 * exists from now on. 0 or -ENOMEM. */
int kernel_names_map(struct kernel_names *names, const struct record *record);
int kernel_names_ksymbol(struct kernel_names *names, const struct record *record);
/* The text is read when kernel_names_finish() needs it: where samples come bit by bit, nobody waits
 * for names, which take 8 MiB. Before kernel_names_start(). */
void kernel_names_read_late(struct kernel_names *names);
/* Once, before the first kernel address is looked up. 0 or -ENOMEM. */
int kernel_names_start(struct kernel_names *names);
/* Waits for the names, and adds them and the names of all KSYMBOL records so far to the modules.
 * May be called again after more records. 0 or -ENOMEM. */
int kernel_names_finish(struct kernel_names *names);
/* Why the kernel has no names: it hid its addresses from the recorder, or another kernel was
 * recorded, without its names. NULL: no such reason. After kernel_names_finish(); valid as long as
 * @names. */
const char *kernel_names_problem(const struct kernel_names *names);
const struct kernel_symbols *kernel_names_symbols(const struct kernel_names *names);
/* The layout of the kernel at the time of a sample. Samples come in order, after
 * kernel_names_start(). Valid as long as @names. 0 or -ENOMEM. */
int kernel_names_layout(struct kernel_names *names, uint64_t time_ns,
			const struct kernel_layout **layout_ret);

#endif
