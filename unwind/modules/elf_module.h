/*
 * One ELF file's unwind information. It is opened on the first address that needs it and kept until
 * the end. Opening and reading fill tables: a lock guards the way to a new rule; rules found before
 * are in each unwinder's cache. Threads: any.
 */
#ifndef UNWIND_MODULES_ELF_MODULE_H
#define UNWIND_MODULES_ELF_MODULE_H

#include "cct/model/module.h"
#include "unwind/rules/regs.h"

struct elf_access_log;
struct elf_module;
struct rule;

/* NULL: out of memory. @log: receives what is requested from it; borrowed; NULL: nothing does.
 * @is_timed: each look-up is. */
struct elf_module *elf_module_create(const struct module *module, struct elf_access_log *log,
				     bool is_timed);
void elf_module_destroy(struct elf_module *module);

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
/* Code made at run time, or in a file that is not ELF: it has no CFI, but may keep frame pointers.
 */
bool elf_module_is_anonymous(struct elf_module *module);
/* The latter. */
bool elf_module_is_other_file(struct elf_module *module);

/* Why its file can't be read; static. NULL: it can, or nothing has needed it. */
const char *elf_module_problem(const struct elf_module *module);

struct elf_module_cost {
	uint64_t text_size;     /* bytes of the executable segments, if they could be read */
	uint64_t n_lookups;     /* of rules, by elf_module_find_rule() */
	uint64_t open_ns;       /* spent opening */
	uint64_t lookup_ns;     /* spent looking up, without the opening, if that is timed */
	uint64_t max_lookup_ns; /* the longest of these */
};
/* What it cost so far. false: nothing has needed it. */
bool elf_module_cost(const struct elf_module *module, struct elf_module_cost *cost_ret);

#endif
