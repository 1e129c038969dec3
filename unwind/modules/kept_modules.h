/*
 * Unwind information of files that outlives a table of modules, for a process that unwinds one
 * recording after the other: a file that has not changed has the same again, and is neither opened
 * nor read for it.
 *
 * Only files that are known by their build ID are kept, and that their paths lead to: neither what
 * a recording carries, nor a file below the root of a process. What is kept is bounded; what was
 * not needed for longest goes first. Of one thread at a time.
 */
#ifndef UNWIND_MODULES_KEPT_MODULES_H
#define UNWIND_MODULES_KEPT_MODULES_H

#include "cct/model/module.h"

struct elf_module;
struct kept_modules;

struct kept_modules *kept_modules_create(void); /* NULL: out of memory */
void kept_modules_destroy(struct kept_modules *kept);
/* The module's, which is the caller's from now on, as one of elf_module_create(). NULL: it is not
 * kept, or its file has changed. */
struct elf_module *kept_modules_take(struct kept_modules *kept, const struct module *module);
/* One that was just created for @module may be kept later: its file stays open, if not too many
 * are. */
void kept_modules_watch(struct kept_modules *kept, const struct module *module,
			struct elf_module *elf_module);
/* Keeps what was taken, or is watched, until @module is needed again, or destroys it. */
void kept_modules_put(struct kept_modules *kept, const struct module *module,
		      struct elf_module *elf_module);

#endif
