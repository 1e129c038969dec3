/*
 * Translates kernel addresses to (module, offset) by the mappings at the time of a sample, and
 * names them from the text of /proc/kallsyms at record time and from KSYMBOL records (BPF programs,
 * trampolines).
 *
 * Frames need only the layout; names are needed last. So the text of /proc/kallsyms, which takes
 * long to read, may be read in a separate thread meanwhile.
 *
 * There is one module per mapping (the kernel, a kernel module), "[bpf]" for BPF programs,
 * "[kernel.ool]" for other code that the kernel generates, and one for all code outside of these,
 * by address. In "[bpf]" and "[kernel.ool]" a symbol is identified by its name and size and has its
 * own offsets, wherever and however often it was loaded: another program at the same address is
 * another frame, but the same program loaded again is the same frame. Names are stored in the
 * modules' symbol tables, so report/ does not need this unit.
 */
#ifndef KERNEL_MERGE_KERNEL_SYMBOLS_H
#define KERNEL_MERGE_KERNEL_SYMBOLS_H

#include "cct/model/frame.h"
#include "cct/model/module.h"
#include "kernel-merge/kernel_layout.h"

struct kernel_symbols;

/* @modules: borrowed; receives the modules and their symbols. */
struct kernel_symbols *kernel_symbols_create(struct module_table *modules);
void kernel_symbols_destroy(struct kernel_symbols *kernel);

struct kernel_symbols_mapping {
	uint64_t start, len;
	const char *filename; /* "[kernel.kallsyms]_text", "[ext4]", "/lib/modules/.../ext4.ko" */
	struct build_id build_id;
};

/*
 * Adds the mapping of a kernel MMAP record. Mappings before kernel_symbols_finish_mappings() may
 * overlap; later ones replace what is at their addresses from now on. 0 or -ENOMEM.
 */
int kernel_symbols_map(struct kernel_symbols *kernel, const struct kernel_symbols_mapping *mapping);

/* Whether code of another module is at the addresses of @mapping now. */
bool kernel_symbols_is_taken(const struct kernel_symbols *kernel,
			     const struct kernel_symbols_mapping *mapping);
/* Marks the code at the addresses of @mapping as unknown from now on. 0 or -ENOMEM. */
int kernel_symbols_doubt(struct kernel_symbols *kernel,
			 const struct kernel_symbols_mapping *mapping);

/* The contents of a KSYMBOL record. */
struct kernel_symbols_code {
	uint64_t addr;
	uint32_t len;
	const char *name;
	bool is_bpf;
	bool is_gone; /* from now on */
};

/*
 * Adds or removes code. Before kernel_symbols_finish_mappings() the order of mappings and code does
 * not matter; after that, the change is valid from now on. 0 or -ENOMEM.
 */
int kernel_symbols_change(struct kernel_symbols *kernel, const struct kernel_symbols_code *code);

/*
 * Call this after the mappings and code that existed before the first sample have been added. 0 or
 * -ENOMEM.
 */
int kernel_symbols_finish_mappings(struct kernel_symbols *kernel);
/*
 * Sets the range of the entry code of interrupts and exceptions. Call this before the first frame
 * is made. The frame that seems to call such code was interrupted, so its address is not a return
 * address.
 */
void kernel_symbols_set_entry(struct kernel_symbols *kernel, uint64_t start, uint64_t end);
bool kernel_symbols_is_interrupted(const struct kernel_symbols *kernel, uint64_t callee_addr,
				   uint64_t addr);
/* The current layout; valid as long as @kernel, in any thread. */
const struct kernel_layout *kernel_symbols_layout(struct kernel_symbols *kernel);
/* The frame of a lookup address in the kernel, at the time of @layout. Any thread. */
struct frame kernel_symbols_frame(const struct kernel_symbols *kernel,
				  const struct kernel_layout *layout, uint64_t addr);
/*
 * The number of changes dropped because the limit of memory for layouts was reached. The code that
 * they describe has no name.
 */
uint64_t kernel_symbols_n_dropped(const struct kernel_symbols *kernel);

/* The names in a text of /proc/kallsyms, by module. */
struct kernel_symbols_names;

/*
 * Reads the names of the modules that were mapped at the time of kernel_symbols_finish_mappings(),
 * after which any thread may call this. @text, @size bytes with room for a NUL behind them, is
 * taken, also in case of error. 0; -EPERM: there are none, because all addresses are zero
 * (kptr_restrict); -ENOMEM.
 */
int kernel_symbols_read_names(const struct kernel_symbols *kernel, char *text, size_t size,
			      struct kernel_symbols_names **names_ret);
void kernel_symbols_names_destroy(struct kernel_symbols_names *names);
/*
 * Gives the modules the names that were read, and sorts all symbol tables. @names: NULL: only names
 * of KSYMBOL records; else what is left is only to be destroyed. 0 or -ENOMEM.
 */
int kernel_symbols_name(struct kernel_symbols *kernel, struct kernel_symbols_names *names);
/*
 * Reads the names of a kernel module that was mapped at @mapping later, unless it has names. @text
 * is taken likewise. 0 or -ENOMEM.
 */
int kernel_symbols_name_module(struct kernel_symbols *kernel,
			       const struct kernel_symbols_mapping *mapping, char *text,
			       size_t size);

#endif
