/*
 * Debug information of the kernel and its modules: a vmlinux, or a .ko file or what was split off
 * it. A file counts if its build ID is the recorded one or, where none was recorded, if its
 * functions are where the recording's names say. Addresses are moved by where the names are now
 * (KASLR, and modules that have no address in their file).
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
	const char *no_names;   /* why the recording has no names of the kernel; NULL: not known */
	const char *os_release; /* of the recorded kernel; NULL: not known */
	const char *vmlinux;    /* asked for; NULL: looked for */
};

/* @module: MODULE_KERNEL, with its names. NULL: there is none, or no memory. */
struct kernel_debug *kernel_debug_open(const struct module *module,
				       const struct kernel_debug_places *places);
void kernel_debug_close(struct kernel_debug *debug);
/* Valid until kernel_debug_close(). */
struct debug_info *kernel_debug_info(const struct kernel_debug *debug);
/* The file with the code: vmlinux, where kernel_debug_vaddr() says. NULL: a module's, whose code
 * has places for addresses that are put in when it is loaded. */
Elf *kernel_debug_code(const struct kernel_debug *debug);
/* Where @offset of the module, in the function @symbol, is in the file. */
bool kernel_debug_vaddr(const struct kernel_debug *debug, const struct symbol *symbol,
			uint64_t offset, uint64_t *vaddr_ret);

/* The kernel itself: no module, nothing that comes and goes. */
bool kernel_debug_is_kernel(const struct module *module);
/* Is this file of @module, the kernel? NULL, or why not: static text. */
const char *kernel_debug_refusal(const struct module *module, const char *vmlinux);

#endif
