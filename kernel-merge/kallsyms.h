/*
 * Kernel addresses -> (module, offset) by the kernel's mappings, and names for them from the text
 * of /proc/kallsyms taken at record time and from KSYMBOL records (BPF programs, trampolines).
 *
 * Frames need only the mappings, which precede the first sample; names are needed last. So the
 * text, whose reading takes longest, may be parsed in a thread of its own meanwhile.
 *
 * One module per mapping (the kernel, a kernel module), and one for all code outside of them, by
 * address. Names live in the modules' symbol tables, so report needs nothing of this.
 */
#ifndef KERNEL_MERGE_KALLSYMS_H
#define KERNEL_MERGE_KALLSYMS_H

#include "cct/frame.h"
#include "cct/module.h"

struct kallsyms;

/* @modules: borrowed; receives the modules and their symbols. */
struct kallsyms *kallsyms_create(struct module_table *modules);
void kallsyms_destroy(struct kallsyms *kallsyms);
/* A kernel MMAP record: "[kernel.kallsyms]_text", "[ext4]", "/lib/modules/.../ext4.ko". */
int kallsyms_map(struct kallsyms *kallsyms, uint64_t start, uint64_t len, const char *filename);
/* Once all mappings are in, before the first frame. From then on look-ups may come from any thread.
 */
void kallsyms_finish_mappings(struct kallsyms *kallsyms);
/* The frame of a lookup address in the kernel. */
struct frame kallsyms_frame(const struct kallsyms *kallsyms, uint64_t addr);

/* Text symbols of a snapshot, by address. */
struct kallsyms_text;
/*
 * Parses text as in /proc/kallsyms, which has to stay: names are borrowed. Hostile lines are
 * skipped. -EPERM: all addresses are zero (kptr_restrict). Any thread.
 */
int kallsyms_text_parse(const char *text, size_t size, struct kallsyms_text **parsed_ret);
void kallsyms_text_destroy(struct kallsyms_text *parsed);

/* Gives the modules these names, and those of KSYMBOL records so far. After the mappings. @parsed
 * may be NULL. 0 or -ENOMEM. */
int kallsyms_name(struct kallsyms *kallsyms, const struct kallsyms_text *parsed);
/* A KSYMBOL record; @unregister only marks the end of a name's life. 0 or -ENOMEM. */
int kallsyms_ksymbol(struct kallsyms *kallsyms, uint64_t addr, uint32_t len, const char *name,
		     bool unregister);

#endif
