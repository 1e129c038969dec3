/*
 * Kernel addresses -> (module, offset) by what is mapped at the time, and names for them from the
 * text of /proc/kallsyms taken at record time and from KSYMBOL records (BPF programs, trampolines).
 *
 * Frames need only the layout; names are needed last. So the text, whose reading takes longest, may
 * be parsed in a thread of its own meanwhile.
 *
 * One module per mapping (the kernel, a kernel module), "[bpf]" for BPF programs, "[kernel.ool]"
 * for other code that the kernel makes, and one for all code outside of them, by address. In
 * "[bpf]" and
 * "[kernel.ool]" each symbol has offsets of its own, however often and wherever code of this name
 * and size was: another program at the same address is another frame, the same program loaded again
 * is not. Names live in the modules' symbol tables, so report needs nothing of this.
 */
#ifndef KERNEL_MERGE_KALLSYMS_H
#define KERNEL_MERGE_KALLSYMS_H

#include "cct/model/frame.h"
#include "cct/model/module.h"
#include "kernel-merge/kernel_layout.h"

struct kallsyms;

/* @modules: borrowed; receives the modules and their symbols. */
struct kallsyms *kallsyms_create(struct module_table *modules);
void kallsyms_destroy(struct kallsyms *kallsyms);

struct kallsyms_mapping {
	uint64_t start, len;
	const char *filename; /* "[kernel.kallsyms]_text", "[ext4]", "/lib/modules/.../ext4.ko" */
	struct build_id build_id;
};

/*
 * A kernel MMAP record. Those before kallsyms_finish_mappings() overlap at will, later ones are
 * where they say from now on. 0 or -ENOMEM.
 */
int kallsyms_map(struct kallsyms *kallsyms, const struct kallsyms_mapping *mapping);

/* Is there code of another module now, where @mapping says? */
bool kallsyms_is_taken(const struct kallsyms *kallsyms, const struct kallsyms_mapping *mapping);
/* Nobody knows what is where @mapping says, from now on. 0 or -ENOMEM. */
int kallsyms_doubt(struct kallsyms *kallsyms, const struct kallsyms_mapping *mapping);

/* A KSYMBOL record. */
struct kallsyms_code {
	uint64_t addr;
	uint32_t len;
	const char *name;
	bool is_bpf;
	bool is_gone; /* from now on */
};

/* Where it stands among the mappings does not matter before kallsyms_finish_mappings(); after it,
 * the code comes or goes now. 0 or -ENOMEM. */
int kallsyms_ksymbol(struct kallsyms *kallsyms, const struct kallsyms_code *code);

/* Once what was there before the first sample is in. 0 or -ENOMEM. */
int kallsyms_finish_mappings(struct kallsyms *kallsyms);
/*
 * Code that interrupts and exceptions enter; before the first frame. What looks like its caller did
 * not call, and its address is where it was interrupted.
 */
void kallsyms_set_entry(struct kallsyms *kallsyms, uint64_t start, uint64_t end);
bool kallsyms_is_interrupted(const struct kallsyms *kallsyms, uint64_t callee_addr, uint64_t addr);
/* What is where now; valid as long as @kallsyms, and from any thread. */
const struct kernel_layout *kallsyms_layout(struct kallsyms *kallsyms);
/* The frame of a lookup address in the kernel, at the time of @layout. Any thread. */
struct frame kallsyms_frame(const struct kallsyms *kallsyms, const struct kernel_layout *layout,
			    uint64_t addr);
/* Changes that came after all memory for layouts was used up: code that they tell of has no name.
 */
uint64_t kallsyms_n_dropped(const struct kallsyms *kallsyms);

/* Text symbols of a snapshot, by address; of several at one address the one to show. */
struct kallsyms_text;
/*
 * Parses text as in /proc/kallsyms, which has to stay: names are borrowed. Hostile lines are
 * skipped. -EPERM: all addresses are zero (kptr_restrict). Any thread.
 */
int kallsyms_text_parse(const char *text, size_t size, struct kallsyms_text **parsed_ret);
void kallsyms_text_destroy(struct kallsyms_text *parsed);

/* Gives the modules these names, of the time of kallsyms_finish_mappings(), and sorts all. @parsed
 * may be NULL: those of KSYMBOL records only. 0 or -ENOMEM. */
int kallsyms_name(struct kallsyms *kallsyms, const struct kallsyms_text *parsed);
/* The same for one kernel module which was mapped at @mapping later, unless it has names. */
int kallsyms_name_module(struct kallsyms *kallsyms, const struct kallsyms_mapping *mapping,
			 const struct kallsyms_text *parsed);

#endif
