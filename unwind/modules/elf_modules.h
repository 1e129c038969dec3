/*
 * The unwind information of all modules of a table: each file is opened once for all processes and
 * threads. Threads: any.
 */
#ifndef UNWIND_MODULES_ELF_MODULES_H
#define UNWIND_MODULES_ELF_MODULES_H

#include "unwind/modules/elf_access.h"
#include "unwind/modules/elf_module.h"
#include "unwind/modules/kept_modules.h"

struct elf_modules;

struct elf_modules *elf_modules_create(const struct module_table *modules);
void elf_modules_destroy(struct elf_modules *elf_modules);

/* Logs all requests to @log. To be called before the first request; @log is borrowed. One thread
 * only. */
void elf_modules_log(struct elf_modules *elf_modules, struct elf_access_log *log);

/* Modules are taken from @kept, and given back at the end. To be called before the first request;
 * @kept is borrowed, and only used under a lock or by elf_modules_destroy(). */
void elf_modules_keep(struct elf_modules *elf_modules, struct kept_modules *kept);

/* Measures the time of every look-up. To be called before the first request. */
void elf_modules_time(struct elf_modules *elf_modules);

/* Created on first use. NULL: no such module, or out of memory. Valid until destroyed. */
struct elf_module *elf_modules_get(struct elf_modules *elf_modules, uint32_t id);

/* Totals for the user: modules whose file is missing or changed, with the reason. */
struct elf_module_problem {
	uint32_t module;
	const char *text; /* static */
};
size_t elf_modules_problems(const struct elf_modules *elf_modules,
			    struct elf_module_problem *problems, size_t max_problems);

/* The cost of the files so far. */
struct elf_modules_stats {
	uint32_t n_opened;            /* tried at least */
	struct elf_module_cost total; /* sums, except the longest look-up, which is the maximum */
};
void elf_modules_stats(const struct elf_modules *elf_modules, struct elf_modules_stats *stats_ret);

#endif
