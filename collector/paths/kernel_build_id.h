/* Build IDs of what runs in the kernel, from the notes that sysfs shows. */
#ifndef COLLECTOR_PATHS_KERNEL_BUILD_ID_H
#define COLLECTOR_PATHS_KERNEL_BUILD_ID_H

#include <stdbool.h>

#include "cct/model/module.h"

/* false: none is told, and *@ret is as it was. */
bool kernel_build_id(struct build_id *ret);
/* @name: as in /proc/modules. */
bool kernel_module_build_id(const char *name, struct build_id *ret);

#endif
