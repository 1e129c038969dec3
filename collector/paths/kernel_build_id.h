/* Build IDs of the running kernel and its modules, from the notes in sysfs. */
#ifndef COLLECTOR_PATHS_KERNEL_BUILD_ID_H
#define COLLECTOR_PATHS_KERNEL_BUILD_ID_H

#include <stdbool.h>

#include "cct/model/module.h"

/* false: sysfs has no build ID; *@ret is unchanged. */
bool kernel_build_id(struct build_id *ret);
/* @name: as in /proc/modules. */
bool kernel_module_build_id(const char *name, struct build_id *ret);

#endif
