/*
 * Kernel code that is loaded and unloaded, as listed in the text of /proc/kallsyms at one moment:
 * BPF programs ("[bpf]"), and trampolines and probes ("[__builtin__ftrace]",
 * "[__builtin__kprobes]"). Later changes are in KSYMBOL records.
 */
#ifndef COLLECTOR_ATTACHED_KERNEL_CODE_H
#define COLLECTOR_ATTACHED_KERNEL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/kernel/bpf.h"

/* The text does not contain sizes: code extends up to the next name, but not more than this. */
#define KERNEL_CODE_MAX_SIZE (1u << 20)
#define KERNEL_CODE_MAX_NAME 512 /* KSYM_NAME_LEN */

struct kernel_code {
	uint64_t addr;
	uint32_t len;
	bool is_bpf;
	const char *name; /* in the text, name_size bytes */
	size_t name_size;
};

struct kernel_code_list {
	struct kernel_code *codes; /* by address */
	size_t n;
};

/* 0 or -ENOMEM. @text: NUL-terminated; has to stay. */
int kernel_code_find(const char *text, struct kernel_code_list *list);
/* Corrects sizes of BPF programs by @functions, which are all that are loaded: others are gone. */
void kernel_code_set_sizes(struct kernel_code_list *list, const struct bpf_function *functions,
			   size_t n_functions);
void kernel_code_list_deinit(struct kernel_code_list *list);

#endif
