/*
 * The types of the running kernel, in BTF (Documentation/bpf/btf.rst): as much as it takes to name
 * a function of the kernel to bpf(2), and to know the size of a structure.
 */
#ifndef PERF_KERNEL_BTF_H
#define PERF_KERNEL_BTF_H

#include <stddef.h>
#include <stdint.h>

#include "cct/text/file_text.h"

/* The number of the type that is the function @name. 0; -ENOENT: it has no such function; -EINVAL:
 * not BTF, or with kinds of types that are not known before the function. */
int btf_find_function(const void *btf, size_t size, const char *name, uint32_t *id_ret);
/* The size in bytes of the structure @name. The same errors. */
int btf_find_structure(const void *btf, size_t size, const char *name, uint32_t *size_ret);
/* Reads the running kernel's. 0 or -errno; -ENOENT: it has none. The caller frees the bytes. */
int btf_read_kernel(struct file_text *btf_ret);
/* btf_find_function() in the running kernel's. -ENOENT, too, where the kernel has no BTF. */
int btf_find_kernel_function(const char *name, uint32_t *id_ret);

#endif
