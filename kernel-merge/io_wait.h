/*
 * Which code of the kernel waits for input or output that is on its way: what calls io_schedule()
 * and the like, which count as I/O wait in /proc (kernel/sched/core.c).
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

/* Once the kernel's modules have their names. Without names nothing is found. */
void io_wait_find(const struct module_table *modules, struct io_wait *ret);
/* Whether the path of these kernel frames goes through one of them. */
bool io_wait_has(const struct io_wait *io_wait, const struct frame *frames, size_t n_frames);

#endif
