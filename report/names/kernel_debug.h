/*
 * Debug information of the kernel and its modules, from a vmlinux or .ko file or from a debug file
 * split off one. A file is used if its build ID is the recorded one or, if none was recorded, if
 * its functions are at the addresses of the recorded kernel symbols. Recorded addresses are
 * translated to the file's, because the kernel is relocated when it boots (KASLR), and modules have
 * no addresses in their files.
 */
#ifndef REPORT_NAMES_KERNEL_DEBUG_H
#define REPORT_NAMES_KERNEL_DEBUG_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "cct/model/module.h"

struct debug_info;
struct kernel_debug;

struct kernel_debug_places {
	const char *no_names;   /* why the recording has no kernel symbols; NULL: not known */
	const char *os_release; /* of the recorded kernel; NULL: not known */
	const char *vmlinux;    /* the file to use; NULL: search for it */
};

/*
 * @module: a MODULE_KERNEL with its captured symbols. NULL: no debug information found, or out of
 * memory.
 */
struct kernel_debug *kernel_debug_open(const struct module *module,
				       const struct kernel_debug_places *places);
void kernel_debug_close(struct kernel_debug *debug);
/* Valid until kernel_debug_close(). */
struct debug_info *kernel_debug_info(const struct kernel_debug *debug);
/*
 * The vmlinux, which contains the code at the addresses of kernel_debug_vaddr(). NULL for kernel
 * modules: their code in the file differs, as addresses are filled in when a module is loaded.
 */
Elf *kernel_debug_code(const struct kernel_debug *debug);
/* Translates @offset of the module, in the function @symbol, to an address in the file. */
bool kernel_debug_vaddr(const struct kernel_debug *debug, const struct symbol *symbol,
			uint64_t offset, uint64_t *vaddr_ret);

/* Whether @module is the kernel itself, not a kernel module, BPF program or other code. */
bool kernel_debug_is_kernel(const struct module *module);
/*
 * Checks that the file @vmlinux belongs to @module, the recorded kernel. NULL: it does; else why
 * not (static text).
 */
const char *kernel_debug_refusal(const struct module *module, const char *vmlinux);

#endif
