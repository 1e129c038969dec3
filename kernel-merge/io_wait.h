/*
 * The kernel functions in which threads wait for I/O: io_schedule() and similar ones. /proc counts
 * time in them as I/O wait (kernel/sched/core.c).
 */
#ifndef KERNEL_MERGE_IO_WAIT_H
#define KERNEL_MERGE_IO_WAIT_H

#include <stdbool.h>
#include <stddef.h>

#include "cct/model/frame.h"
#include "cct/model/module.h"

#define IO_WAIT_MAX 8

struct io_wait {
	struct {
		uint64_t start, end;
		uint32_t module;
	} functions[IO_WAIT_MAX];
	size_t n_functions;
};

/*
 * Finds these functions by their names, so the kernel's modules must have their symbols. Without
 * symbols none are found.
 */
void io_wait_find(const struct module_table *modules, struct io_wait *ret);
/* Whether one of the kernel frames is in one of these functions. */
bool io_wait_has(const struct io_wait *io_wait, const struct frame *frames, size_t n_frames);

#endif
