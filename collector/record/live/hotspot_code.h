/*
 * The code of HotSpot's code cache and the methods of its interpreter, one by one, read from the
 * memory of the process (hotspot_vm.h) into what a runtime record holds.
 */
#ifndef COLLECTOR_RECORD_LIVE_HOTSPOT_CODE_H
#define COLLECTOR_RECORD_LIVE_HOTSPOT_CODE_H

#include "collector/record/live/hotspot_vm.h"
#include "perf/records/runtime_record.h"

struct hotspot_code {
	uint64_t object; /* the blob, or the method */
	uint64_t mark;   /* other code or another method there has another one */
	bool has_scopes; /* it is a compiled method, which may have others inlined */
	struct runtime_record_header header; /* without magic, pid and time */
	char name[RUNTIME_NAMES_MAX];        /* but for RUNTIME_INLINED at most RUNTIME_NAME_MAX */
};

/* The code at @addr. 0; -ENOENT: nothing is there; -errno: not readable. */
int hotspot_code_read(const struct process_memory *memory, const struct hotspot_vm *vm,
		      uint64_t addr, struct hotspot_code *code_ret);
/* The method at @addr, which may be anything. 0; -ENOENT: it is not a method; -errno: not readable.
 */
int hotspot_method_read(const struct process_memory *memory, const struct hotspot_vm *vm,
			uint64_t addr, struct hotspot_code *code_ret);
/* The present mark of what was read before, as what kind of code. 0 or -errno: not readable. */
int hotspot_mark_read(const struct process_memory *memory, const struct hotspot_vm *vm,
		      uint64_t object, uint32_t kind, uint64_t *mark_ret);

#endif
