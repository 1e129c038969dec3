/*
 * Names of code in a recording of simpleperf, which contains the symbols that its samples hit. They
 * are used where a module's file or the kernel's names are not available.
 */
#ifndef COLLECTOR_ATTACHED_SIMPLEPERF_NAMES_H
#define COLLECTOR_ATTACHED_SIMPLEPERF_NAMES_H

#include "cct/model/module.h"
#include "perf/file/data_file.h"

struct simpleperf_names;

/* @file: borrowed. NULL: out of memory. */
struct simpleperf_names *simpleperf_names_create(const struct data_file *file);
void simpleperf_names_destroy(struct simpleperf_names *names);
/*
 * Gives @module, of kind MODULE_ELF or MODULE_KERNEL, the symbols that the recording has for its
 * path, by the offsets of frames, unless it has symbols. @pgoff: of the first executable mapping of
 * the file; versions before 2020 do not record which file offset their addresses begin with. 0 or
 * -ENOMEM.
 */
int simpleperf_names_give(struct simpleperf_names *names, struct module *module, uint64_t pgoff);

#endif
