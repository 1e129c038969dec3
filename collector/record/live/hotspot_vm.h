/*
 * HotSpot, the Java virtual machine of OpenJDK, seen from outside: libjvm.so exports tables of its
 * data structures (gHotSpotVMStructs, gHotSpotVMTypes), which tell where the code cache is and what
 * the fields of its blobs are. Known to have them all: JDK 11, 17 and 21, 64-bit.
 *
 * All of it is read from the memory of the process, which may be malicious: what is read is bounded
 * and checked, and loops end.
 */
#ifndef COLLECTOR_RECORD_LIVE_HOTSPOT_VM_H
#define COLLECTOR_RECORD_LIVE_HOTSPOT_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/record/live/image_symbol.h"

#define HOTSPOT_HEAPS_MAX 8

/* Fields, by their place in the object; but the first, which is an address. */
enum hotspot_field {
	HOTSPOT_HEAPS, /* CodeCache::_heaps */
	HOTSPOT_ARRAY_LENGTH,
	HOTSPOT_ARRAY_DATA,
	HOTSPOT_HEAP_MEMORY,
	HOTSPOT_HEAP_SEGMAP,
	HOTSPOT_HEAP_SEGMENT_BITS,
	HOTSPOT_SPACE_LOW,
	HOTSPOT_SPACE_END,
	HOTSPOT_BLOCK_USED,
	HOTSPOT_BLOB_NAME,
	HOTSPOT_BLOB_FRAME_SIZE,
	HOTSPOT_BLOB_COMPLETE,
	HOTSPOT_BLOB_CODE_BEGIN,
	HOTSPOT_BLOB_CODE_END,
	HOTSPOT_NMETHOD_METHOD,
	HOTSPOT_NMETHOD_COMPILE_ID,
	HOTSPOT_METHOD_CONST,
	HOTSPOT_CONST_POOL,
	HOTSPOT_CONST_NAME,
	HOTSPOT_POOL_LENGTH,
	HOTSPOT_POOL_HOLDER,
	HOTSPOT_KLASS_NAME,
	HOTSPOT_SYMBOL_LENGTH,
	HOTSPOT_SYMBOL_BODY,
	HOTSPOT_BLOCK_SIZE, /* sizeof(HeapBlock) */
	HOTSPOT_POOL_SIZE,  /* sizeof(ConstantPool) */
	/* Versions that lack one of these have all but inlined methods. */
	HOTSPOT_FIRST_OF_SCOPES,
	HOTSPOT_NMETHOD_METADATA = HOTSPOT_FIRST_OF_SCOPES,
	HOTSPOT_NMETHOD_SCOPES, /* CompiledMethod::_scopes_data_begin */
	HOTSPOT_NMETHOD_PCS,
	HOTSPOT_NMETHOD_PCS_END, /* nmethod::_dependencies_offset */
	HOTSPOT_PC_OFFSET,
	HOTSPOT_PC_SCOPE,
	HOTSPOT_PC_SIZE, /* sizeof(PcDesc) */
	N_HOTSPOT_FIELDS
};

/* A part of the code cache. */
struct hotspot_heap {
	uint64_t start, end; /* of all that it may become */
	uint64_t segmap;
	uint32_t segment_bits;
};

struct hotspot_vm {
	uint64_t fields[N_HOTSPOT_FIELDS];
	bool has_scopes; /* the fields from HOTSPOT_FIRST_OF_SCOPES on are known */
	size_t n_heaps;
	struct hotspot_heap heaps[HOTSPOT_HEAPS_MAX];
};

/*
 * Reads the tables of the libjvm.so that is loaded at @image. 0; -ENOENT: it lacks a field;
 * -EAGAIN: it is not loaded yet; -errno: not readable.
 */
int hotspot_vm_find(const struct process_memory *memory, uint64_t image, struct hotspot_vm *vm_ret);
/* Fills in the heaps. 0; -EAGAIN: they do not exist yet. */
int hotspot_vm_find_heaps(const struct process_memory *memory, struct hotspot_vm *vm);
/* The heap that @addr is in. NULL: none. */
const struct hotspot_heap *hotspot_vm_heap(const struct hotspot_vm *vm, uint64_t addr);

#endif
