/*
 * Descriptions of a process's code by its run-time system, from runtime records. All code gets
 * offsets in one module, "[java]", whose symbols name it: code and methods one after the other, as
 * they come. The same function is there once for each time that it was compiled, and once for the
 * interpreter. What is inlined into code gets the offsets of that code.
 */
#ifndef COLLECTOR_PATHS_RUNTIME_LAYER_H
#define COLLECTOR_PATHS_RUNTIME_LAYER_H

#include "cct/model/module.h"
#include "perf/records/runtime_record.h"
#include "unwind/rules/runtime_code.h"

/* Adds a record to the descriptions of its process; *@codes may be NULL. 0, -ENOMEM, or -EINVAL:
 * there are too many, or what it is inlined into was not described. */
int runtime_layer_add(struct module_table *modules, const struct runtime_record *record,
		      struct runtime_codes **codes);

#endif
