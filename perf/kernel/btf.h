/*
 * The types of the running kernel, in BTF (Documentation/bpf/btf.rst): as much as it takes to name
 * a function of the kernel to bpf(2).
 */
#ifndef PERF_KERNEL_BTF_H
#define PERF_KERNEL_BTF_H

#include <stddef.h>
#include <stdint.h>

/* The number of the type that is the function @name. 0; -ENOENT: it has no such function; -EINVAL:
 * not BTF, or with kinds of types that are not known before the function. */
int btf_find_function(const void *btf, size_t size, const char *name, uint32_t *id_ret);
/* The same in the running kernel's. -ENOENT, too, where the kernel has no BTF. */
int btf_find_kernel_function(const char *name, uint32_t *id_ret);

#endif
