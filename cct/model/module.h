/*
 * Load modules: the files (and file-like things) whose code samples ran in.
 *
 * A module is known by its path and by what tells two files at one path apart: the build ID where
 * there is one, else device and inode. Ids are small and dense, so per-module state elsewhere is an
 * array. Id 0 is "no module".
 *
 * A module may carry an image (bytes captured while recording) and a symbol table captured while
 * recording (kallsyms, perf-PID.map, jitdump); both outlive the machine they came from.
 */
#ifndef CCT_MODEL_MODULE_H
#define CCT_MODEL_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/base/hash_table.h"
#include "cct/code/inline_table.h"
#include "cct/code/line_table.h"
#include "cct/code/symbol_table.h"
#include "cct/model/build_id.h"
#include "cct/model/located_file.h"

enum module_kind {
	MODULE_NONE,
	MODULE_ELF,
	MODULE_VDSO, /* "[vdso]": always has an image, or is unreadable */
	MODULE_ANON, /* code in memory that no file backs; offset is the address itself */
	MODULE_JIT, /* a jitdump: code made at run time; offset is that of its bytes in the file; or
		       "[java]": described code, whose symbols give its offsets */
	MODULE_KERNEL, /* "[kernel.kallsyms]", "[ext4]", "[bpf]"; offset is address - base */
};

struct module_key {
	enum module_kind kind;
	const char *path;
	struct build_id build_id;
	uint32_t dev_major, dev_minor;
	uint64_t inode;            /* 0: unknown */
	uint64_t inode_generation; /* 0: unknown */
	uint64_t base; /* MODULE_KERNEL only: address of offset 0; no part of the identity */
};

struct module {
	uint32_t id;
	struct module_key key;        /* key.path is owned */
	struct symbol_table *symbols; /* captured names, or NULL; owned */
	struct line_table *lines;     /* captured source lines, or NULL; owned */
	struct inline_table *inlines; /* recorded inlined functions, or NULL; owned */
	struct located_file located;  /* where to read it now; not part of its identity */
};

#define MODULES_MAX (1u << 20)

/* One thread adds; any thread may look up ids that reached it through a lock. */
struct module_table {
	struct module **modules; /* MODULES_MAX of them, so never moved; [0] is NULL */
	_Atomic uint32_t n_modules;
	struct hash_table by_key; /* ids */
	char **texts;             /* that names of symbols are in; owned */
	size_t n_texts;
	struct file_search
		*files; /* given to modules that are added from now on; borrowed; may be NULL */
};

int module_table_init(struct module_table *table);
void module_table_deinit(struct module_table *table);
/* The id of the module with this key, added if new. 0: out of memory, or MODULES_MAX reached. */
uint32_t module_table_add(struct module_table *table, const struct module_key *key);
static inline struct module *module_table_get(const struct module_table *table, uint32_t id)
{
	return id && id < table->n_modules ? table->modules[id] : NULL;
}
/* Takes a text that names of the modules' symbols are in, and frees it after them. 0, or -ENOMEM
 * with nothing taken. */
int module_table_take_text(struct module_table *table, char *text);
/* The part of the path after the last '/', for people. */
const char *module_name(const struct module *module);
/* What reports call it: the kernel has a fixed title, whatever reference symbol its path ends in
 * ("[kernel.kallsyms]_stext"). */
const char *module_title(const struct module *module);

#endif
