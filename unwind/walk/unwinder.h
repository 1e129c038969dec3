/*
 * The caches that all walks share: rules by address and by module, calls and the functions they
 * lead to, and the last walk of each thread. An unwinder belongs to one thread; elf_modules is
 * shared.
 */
#ifndef UNWIND_WALK_UNWINDER_H
#define UNWIND_WALK_UNWINDER_H

#include "unwind/modules/elf_modules.h"
#include "unwind/walk/unwind_walk.h"

/* @elf_modules is borrowed for the unwinder's life. */
struct unwinder *unwinder_create(struct elf_modules *elf_modules);
void unwinder_destroy(struct unwinder *unwinder);
const struct unwind_stats *unwinder_stats(const struct unwinder *unwinder);

#endif
