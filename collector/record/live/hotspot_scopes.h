/*
 * The methods that HotSpot has inlined at an address of compiled code: PcDesc and ScopeDesc of
 * OpenJDK (code/pcDesc.hpp, code/scopeDesc.cpp), read from the memory of the process. It may have
 * written anything there.
 *
 * The compiler describes places, not code: return addresses of calls, and others at which it can
 * stop. What is described there is exact. Between two places only what both have in common is
 * known.
 */
#ifndef COLLECTOR_RECORD_LIVE_HOTSPOT_SCOPES_H
#define COLLECTOR_RECORD_LIVE_HOTSPOT_SCOPES_H

#include "collector/record/live/hotspot_code.h"

#define HOTSPOT_SCOPES_MAX 64 /* the compilers inline 15 deep by default */

struct hotspot_scopes {
	uint64_t start, end; /* the addresses for which this holds */
	uint32_t n_inlined;
	uint64_t inlined[HOTSPOT_SCOPES_MAX]; /* methods, the outermost first */
};

/*
 * What is inlined at @addr in the code of the nmethod at @object. A return address needs the byte
 * before it, as lookup addresses have it. 0; -ENOENT: not known; -errno: not readable.
 */
int hotspot_scopes_read(const struct process_memory *memory, const struct hotspot_vm *vm,
			uint64_t object, uint64_t addr, struct hotspot_scopes *scopes_ret);
/*
 * The same with names, as a record of kind RUNTIME_INLINED, whose name_size is 0 if nothing is
 * inlined there. Innermost methods whose names have no room are left out. 0, -ENOENT or -errno.
 */
int hotspot_inlined_read(const struct process_memory *memory, const struct hotspot_vm *vm,
			 uint64_t object, uint64_t addr, struct hotspot_code *code_ret);

#endif
