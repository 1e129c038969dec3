/*
 * The data with which the paths of a recording are resolved: the unwind information of its modules,
 * the kernel's names, and the functions in which threads wait. Shared by all threads that resolve
 * paths.
 */
#ifndef COLLECTOR_SESSION_PATH_RESOLVER_H
#define COLLECTOR_SESSION_PATH_RESOLVER_H

#include "collector/paths/path_joins.h"
#include "collector/paths/sample_path.h"
#include "collector/replay/replay.h"

/* Zeros: nothing to deinit. */
struct path_resolver {
	struct elf_modules *elf_modules;
	const struct kernel_symbols *kernel_symbols; /* the replay's */
	struct wait_reasons wait_reasons;
	struct path_joins *joins; /* used by one thread at a time, in the order of samples */
};

struct kept_modules; /* unwind/modules/kept_modules.h */

/* After the first sample, when what it needs is complete. @replay is borrowed until deinit, and so
 * is @kept, of dendro_options. 0 or -ENOMEM. */
int path_resolver_init(struct path_resolver *resolver, struct replay *replay,
		       struct kept_modules *kept);
void path_resolver_deinit(struct path_resolver *resolver);
/* For one thread; destroyed by the caller before path_resolver_deinit(). NULL: out of memory. */
struct sample_path *path_resolver_open(const struct path_resolver *resolver);

#endif
