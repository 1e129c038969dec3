/*
 * One ELF file's unwind information. It is opened on the first address that needs it and kept until
 * the end. Opening and reading fill tables: a lock guards the way to a new rule; rules found before
 * are in each unwinder's cache. Threads: any.
 */
#ifndef UNWIND_MODULES_ELF_MODULE_H
#define UNWIND_MODULES_ELF_MODULE_H

#include "cct/model/module.h"
#include "unwind/rules/regs.h"

struct cfi_function;
struct elf_access_log;
struct elf_module;
struct rule;
struct scan_answer;
struct scan_question;

/* NULL: out of memory. @log: receives each request to the module; borrowed; may be NULL.
 * @is_timed: measure the time of each look-up. */
struct elf_module *elf_module_create(const struct module *module, struct elf_access_log *log,
				     bool is_timed);
void elf_module_destroy(struct elf_module *module);

/*
 * A module may go on in another table of modules (unwind/modules/kept_modules.h). Before it is
 * opened: its file is to stay open, so that it can be told later whether it has changed.
 */
void elf_module_watch_file(struct elf_module *module);
bool elf_module_watches_file(const struct elf_module *module);
/* Whether it was opened, of the file at its path, which is known by its build ID, is watched and
 * has not changed since. */
bool elf_module_is_lasting(const struct elf_module *module);
/* What it is now called, in the table it goes on in; NULL: in none for the time being. */
void elf_module_set_module(struct elf_module *module, const struct module *called);
/*
 * What following the code of a watched file has found (unwind/code/kept_scans.h): it goes on with
 * the module. false: not known.
 */
bool elf_module_find_scan(struct elf_module *module, const struct scan_question *question,
			  struct scan_answer *ret);
void elf_module_keep_scan(struct elf_module *module, const struct scan_question *question,
			  const struct scan_answer *answer);
/* The memory that it takes besides the mapped file. */
size_t elf_module_size(const struct elf_module *module);

/* The rule for the instruction at a file offset; RULE_UNREADABLE if there is no file to read.
 * Returns like cfi_find_rule(). */
bool elf_module_find_rule(struct elf_module *module, const struct arch *arch, uint64_t offset,
			  struct rule *rule_ret);
/*
 * The source of that rule, in words: ".eh_frame", ".debug_frame", "entry function", "no CFI", or
 * why there is no file. Static. It looks the rule up again: only for texts about single frames.
 */
const char *elf_module_rule_source(struct elf_module *module, const struct arch *arch,
				   uint64_t offset);
/*
 * Whether code with a rule by its instructions (arch->rule_by_code) begins at a file offset: a
 * return to there does not return from a call in the code before it.
 */
bool elf_module_begins_special(struct elf_module *module, const struct arch *arch, uint64_t offset);
/* @size bytes from a file offset on. NULL: not all in the file, or no file to read. */
const uint8_t *elf_module_bytes(struct elf_module *module, uint64_t offset, size_t size);
/* Code from a file offset on, to the file's end. NULL: none, or the file has no code. */
const uint8_t *elf_module_code(struct elf_module *module, uint64_t offset, size_t *size_ret);
/*
 * The @size bytes in memory at the address that offset @at would have if the segment with offset
 * @pc extended that far. NULL: they are not all in one segment of the file.
 */
const uint8_t *elf_module_data(struct elf_module *module, uint64_t pc, uint64_t at, size_t size);
/* The first and last offset of the function that contains @offset, by the file's symbols. false: no
 * symbol does. */
bool elf_module_function(struct elf_module *module, uint64_t offset, uint64_t *start_ret,
			 uint64_t *end_ret);
/* As cfi_find_function(), by offsets in the file. */
bool elf_module_described_function(struct elf_module *module, uint64_t offset,
				   struct cfi_function *ret);
/* Where a function seems to begin: the last such offset up to @offset, at most @distance before it.
 * Large files are not searched. */
bool elf_module_function_start(struct elf_module *module, const struct arch *arch, uint64_t offset,
			       uint64_t distance, uint64_t *start_ret);
/* The offset of the file's entry. false: it has none, or no code. */
bool elf_module_entry(struct elf_module *module, uint64_t *offset_ret);
/* The offset of main(), by the code at the file's entry. false: not known. */
bool elf_module_main(struct elf_module *module, const struct arch *arch, uint64_t *offset_ret);
/* Whether the code was made at run time, or is in a file that is not ELF: it has no CFI, but may
 * keep frame pointers. */
bool elf_module_is_anonymous(struct elf_module *module);
/* Whether the code is in a file that is not ELF. */
bool elf_module_is_other_file(struct elf_module *module);

/* Why its file can't be read; static. NULL: it can be read, or was not needed yet. */
const char *elf_module_problem(const struct elf_module *module);

struct elf_module_cost {
	uint64_t text_size;     /* bytes of the executable segments, if they could be read */
	uint64_t n_lookups;     /* of rules, by elf_module_find_rule() */
	uint64_t open_ns;       /* spent opening */
	uint64_t lookup_ns;     /* spent in look-ups, without the opening; 0 if not timed */
	uint64_t max_lookup_ns; /* the longest of these */
};
/* The cost so far. false: the module was not needed yet. */
bool elf_module_cost(const struct elf_module *module, struct elf_module_cost *cost_ret);

#endif
