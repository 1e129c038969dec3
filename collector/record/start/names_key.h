/*
 * What the kernel's permanent names depend on: two equal keys belong to the same boot of the same
 * kernel with the same modules at the same addresses, and to readers that see the same of them.
 */
#ifndef COLLECTOR_RECORD_START_NAMES_KEY_H
#define COLLECTOR_RECORD_START_NAMES_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/model/build_id.h"

#define BOOT_ID_SIZE 40

struct names_key {
	char boot_id[BOOT_ID_SIZE];
	struct build_id build_id; /* of the kernel */
	/* A hash of /proc/modules, names, sizes and addresses, and of the modules' folders in
	 * sysfs, which are others after a module was loaded again. */
	uint64_t modules;
	/* A hash of the first lines of /proc/kallsyms: with KASLR they are others at each boot, and
	 * for users who may not see addresses they are zero. */
	uint64_t first_lines;
};

/* Where the key is read from; in tests elsewhere. */
struct names_key_paths {
	const char *kallsyms, *proc, *sys;
};

/* 0; -EPERM: addresses are hidden; -ENOENT: the kernel has no boot ID or no build ID; or another
 * -errno. */
int names_key_find(const struct names_key_paths *paths, struct names_key *key_ret);
bool names_key_equal(const struct names_key *a, const struct names_key *b);

#endif
