/*
 * Kernel addresses -> (module, offset) by what is mapped at the time, and names for them from the
 * text of /proc/kallsyms taken at record time and from KSYMBOL records (BPF programs, trampolines).
 *
 * Frames need only the layout; names are needed last. So the text, whose reading takes longest, may
 * be parsed in a separate thread meanwhile (kallsyms_text.h).
 *
 * One module per mapping (the kernel, a kernel module), "[bpf]" for BPF programs, "[kernel.ool]"
 * for other code that the kernel makes, and one for all code outside of them, by address. In
 * "[bpf]" and "[kernel.ool]" each symbol has its own offsets, however often and wherever code of
 * this name and size was: another program at the same address is another frame, the same program
 * loaded again is not. Names live in the modules' symbol tables, so report needs nothing of this.
 */
#ifndef KERNEL_MERGE_KERNEL_SYMBOLS_H
#define KERNEL_MERGE_KERNEL_SYMBOLS_H

#include "cct/model/frame.h"
#include "cct/model/module.h"
#include "kernel-merge/kallsyms_text.h"
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
 * A kernel MMAP record. Those before kernel_symbols_finish_mappings() overlap at will, later ones
 * are where they say from now on. 0 or -ENOMEM.
 */
int kernel_symbols_map(struct kernel_symbols *kernel, const struct kernel_symbols_mapping *mapping);

/* Is there code of another module now, where @mapping says? */
bool kernel_symbols_is_taken(const struct kernel_symbols *kernel,
			     const struct kernel_symbols_mapping *mapping);
/* Nobody knows what is where @mapping says, from now on. 0 or -ENOMEM. */
int kernel_symbols_doubt(struct kernel_symbols *kernel,
			 const struct kernel_symbols_mapping *mapping);

/* A KSYMBOL record. */
struct kernel_symbols_code {
	uint64_t addr;
	uint32_t len;
	const char *name;
	bool is_bpf;
	bool is_gone; /* from now on */
};

/*
 * Its position among the mappings does not matter before kernel_symbols_finish_mappings(); after
 * that, the code comes or goes now. 0 or -ENOMEM.
 */
int kernel_symbols_change(struct kernel_symbols *kernel, const struct kernel_symbols_code *code);

/* Once what was there before the first sample is in. 0 or -ENOMEM. */
int kernel_symbols_finish_mappings(struct kernel_symbols *kernel);
/*
 * Code that interrupts and exceptions enter; before the first frame. What looks like its caller did
 * not call, and its address is where it was interrupted.
 */
void kernel_symbols_set_entry(struct kernel_symbols *kernel, uint64_t start, uint64_t end);
bool kernel_symbols_is_interrupted(const struct kernel_symbols *kernel, uint64_t callee_addr,
				   uint64_t addr);
/* What is where now; valid as long as @kernel, and from any thread. */
const struct kernel_layout *kernel_symbols_layout(struct kernel_symbols *kernel);
/* The frame of a lookup address in the kernel, at the time of @layout. Any thread. */
struct frame kernel_symbols_frame(const struct kernel_symbols *kernel,
				  const struct kernel_layout *layout, uint64_t addr);
/* Changes that came after all memory for layouts was used up: code that they tell of has no name.
 */
uint64_t kernel_symbols_n_dropped(const struct kernel_symbols *kernel);

/*
 * Gives the modules these names, of the time of kernel_symbols_finish_mappings(), and sorts all.
 * @text may be NULL: those of KSYMBOL records only. 0 or -ENOMEM.
 */
int kernel_symbols_name(struct kernel_symbols *kernel, const struct kallsyms_text *text);
/* The same for one kernel module which was mapped at @mapping later, unless it has names. */
int kernel_symbols_name_module(struct kernel_symbols *kernel,
			       const struct kernel_symbols_mapping *mapping,
			       const struct kallsyms_text *text);

#endif
