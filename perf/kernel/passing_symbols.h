/*
 * The kernel's symbols of code that comes and goes without a module: BPF programs, trampolines and
 * probes. They are the last few lines of /proc/kallsyms, whose other lines cost ten times as much
 * to format as to skip: a BPF program, which the kernel runs for each symbol, skips them
 * (kernel/kallsyms.c, bpf_iter_ksym, since Linux 6.0).
 */
#ifndef PERF_KERNEL_PASSING_SYMBOLS_H
#define PERF_KERNEL_PASSING_SYMBOLS_H

#include <stdint.h>

#include "cct/text/file_text.h"

/*
 * The number by which the running kernel knows the function of its iterator. It is the same for all
 * kernels of one build. 0; -ENOENT: the kernel has no such iterator, or does not describe it;
 * -EOPNOTSUPP: its symbols have another layout. Or another -errno.
 */
int passing_symbols_find_iterator(uint32_t *function_id_ret);
/* The name of the BPF program that this takes, as in the kernel's symbol of it. */
#define PASSING_SYMBOLS_PROGRAM "dendro_symbols"
/*
 * The symbols that are there now, as lines of /proc/kallsyms: "<address> t <name>\t[bpf]\n", and a
 * NUL. May contain symbols of modules, too. 0 or -errno; the caller frees the bytes in any case.
 */
int passing_symbols_read(uint32_t function_id, struct file_text *text_ret);

#endif
