/*
 * ELF files' unwind information: each file opened once for all processes and threads, on the first
 * address that needs it, kept until the end. Opening and reading fill tables: a lock
 * per module guards the way to a new rule; rules found before are in each unwinder's cache.
 */
#ifndef UNWIND_MODULES_ELF_MODULE_H
#define UNWIND_MODULES_ELF_MODULE_H

#include "cct/model/module.h"
#include "unwind/rules/regs.h"

struct elf_module;
struct rule;

/* The unwind information of all modules of a table. Threads: any. */
struct elf_modules;

struct elf_modules *elf_modules_create(const struct module_table *modules);
void elf_modules_destroy(struct elf_modules *elf_modules);

/* What was asked of a file: the rule for an offset (@size 0), or bytes. */
struct elf_access {
	uint32_t module;
	uint64_t offset;
	size_t size;
};
struct elf_access_log {
	struct elf_access *accesses; /* in order; to free */
	size_t n, n_allocated;
	bool is_incomplete; /* out of memory */
};
/* Notes from now on what is asked. Before anything is; @log is borrowed. One thread only. */
void elf_modules_log(struct elf_modules *elf_modules, struct elf_access_log *log);

/* Takes the time of every look-up from now on. Before anything is asked. */
void elf_modules_time(struct elf_modules *elf_modules);

/* Opened when first asked for. NULL: no such module, or out of memory. Valid until destroyed. */
struct elf_module *elf_modules_get(struct elf_modules *elf_modules, uint32_t id);
/* The rule for the instruction at a file offset; RULE_UNREADABLE if there is no file to read. */
void elf_module_find_rule(struct elf_module *module, const struct arch *arch, uint64_t offset,
			  struct rule *rule_ret);
/*
 * Where that rule comes from, in words: ".eh_frame", ".debug_frame", "entry function", "no CFI",
 * or why there is no file. Static. Asks again: for people who look at one frame.
 */
const char *elf_module_rule_source(struct elf_module *module, const struct arch *arch,
				   uint64_t offset);
/*
 * Whether code that tells its rule itself begins at a file offset: what returns there was not
 * called from before it.
 */
bool elf_module_begins_special(struct elf_module *module, const struct arch *arch, uint64_t offset);
/* @size bytes from a file offset on. NULL: not all in the file, or no file to read. */
const uint8_t *elf_module_bytes(struct elf_module *module, uint64_t offset, size_t size);
/* Code from a file offset on, to the file's end. NULL: none, or the file has no code. */
const uint8_t *elf_module_code(struct elf_module *module, uint64_t offset, size_t *size_ret);
/*
 * The @size bytes that lie in memory where offset @at would, if the segment of the code at offset
 * @pc went on to there. NULL: not all in one segment of the file.
 */
const uint8_t *elf_module_data(struct elf_module *module, uint64_t pc, uint64_t at, size_t size);
/* The function that the file's symbols say holds @offset: its first and last offset. false: none.
 */
bool elf_module_function(struct elf_module *module, uint64_t offset, uint64_t *start_ret,
			 uint64_t *end_ret);
/* Where a function seems to begin: @offset, or the last at most @distance before it. Large files
 * are not looked into. */
bool elf_module_function_start(struct elf_module *module, const struct arch *arch, uint64_t offset,
			       uint64_t distance, uint64_t *start_ret);
/* The offset of the file's entry. false: it has none, or no code. */
bool elf_module_entry(struct elf_module *module, uint64_t *offset_ret);
/* The offset of main(), by the code at the file's entry. false: it can't be told. */
bool elf_module_main(struct elf_module *module, const struct arch *arch, uint64_t *offset_ret);
/* Code made at run time: it has no CFI, but it may keep frame pointers. */
bool elf_module_is_anonymous(const struct elf_module *module);

/* Totals for the user: modules whose file is missing or changed, with the reason. */
struct elf_module_problem {
	uint32_t module;
	const char *text; /* static */
};
size_t elf_modules_problems(const struct elf_modules *elf_modules,
			    struct elf_module_problem *problems, size_t max_problems);

/* What the files cost so far. */
struct elf_modules_stats {
	uint32_t n_opened;      /* tried at least */
	uint64_t text_size;     /* of the executable segments of those that could be read */
	uint64_t n_lookups;     /* of rules, by elf_module_find_rule() */
	uint64_t open_ns;       /* spent opening */
	uint64_t lookup_ns;     /* spent looking up, without the opening; by elf_modules_time() */
	uint64_t max_lookup_ns; /* the longest of these */
};
void elf_modules_stats(const struct elf_modules *elf_modules, struct elf_modules_stats *stats_ret);

#endif
