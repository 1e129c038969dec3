/* Lists of CPUs as the kernel prints them in sysfs: "0-3,8", ascending. */
#ifndef CCT_SYSTEM_CPU_LIST_H
#define CCT_SYSTEM_CPU_LIST_H

#include <stddef.h>

#define CPU_MAX 65535 /* the highest number of a CPU that is accepted */

/* @cpus_ret: heap. An empty list is one. -EINVAL: not such a list; -ENOMEM. */
int cpu_list_parse(const char *text, int **cpus_ret, size_t *n_cpus_ret);

#endif
