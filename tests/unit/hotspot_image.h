/*
 * The memory of a made-up Java process: a libjvm.so with its tables, one heap of code with an
 * interpreter, a method and a stub, and the objects that name them.
 */
#ifndef TESTS_UNIT_HOTSPOT_IMAGE_H
#define TESTS_UNIT_HOTSPOT_IMAGE_H

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/record/live/hotspot_code.h"

#define IMAGE_BASE   0x500000000000ull
#define IMAGE_SIZE   0x10000u
#define HEAP_SIZE    0x4000u
#define SEGMENT_BITS 7

struct hotspot_image {
	struct process_memory memory;
	uint8_t bytes[IMAGE_SIZE];
	uint64_t used;
	/* addresses */
	uint64_t heap, segmap, heaps_variable, pool, method, const_method, klass, table, types;
	uint64_t metadata, scopes, pcs;      /* of the nmethod */
	uint64_t interpreter, nmethod, stub; /* blobs; the code is 128 bytes after each */
};

static inline int image_read(const struct process_memory *memory, uint64_t addr, void *to,
			     size_t size)
{
	const struct hotspot_image *image = (const struct hotspot_image *)memory;
	const uint64_t at = addr - IMAGE_BASE;

	if (at >= IMAGE_SIZE || size > IMAGE_SIZE - at)
		return -EFAULT;
	memcpy(to, image->bytes + at, size);
	return 0;
}

static inline void image_put(struct hotspot_image *image, uint64_t addr, const void *bytes,
			     size_t size)
{
	memcpy(image->bytes + (addr - IMAGE_BASE), bytes, size);
}

static inline void image_put_number(struct hotspot_image *image, uint64_t addr, uint64_t value,
				    size_t size)
{
	image_put(image, addr, &value, size);
}

static inline uint64_t image_add(struct hotspot_image *image, size_t size)
{
	uint64_t addr = IMAGE_BASE + image->used;

	image->used += (size + 15) / 16 * 16;
	if (image->used > IMAGE_SIZE)
		abort();
	return addr;
}

static inline uint64_t image_add_text(struct hotspot_image *image, const char *text)
{
	uint64_t addr = image_add(image, strlen(text) + 1);

	image_put(image, addr, text, strlen(text) + 1);
	return addr;
}

/* Where the fields of the made-up version are; sizes at the end. */
static const struct {
	const char *type, *name;
	uint64_t offset;
} image_fields[] = {
	{ "Unrelated", "_len", 3 },
	{ "CodeCache", "_heaps", 0 },
	{ "GrowableArrayBase", "_len", 0 },
	{ "GrowableArray<int>", "_data", 8 },
	{ "CodeHeap", "_memory", 8 },
	{ "CodeHeap", "_segmap", 40 },
	{ "CodeHeap", "_log2_segment_size", 72 },
	{ "VirtualSpace", "_low", 0 },
	{ "VirtualSpace", "_high_boundary", 8 },
	{ "HeapBlock::Header", "_used", 8 },
	{ "CodeBlob", "_name", 8 },
	{ "CodeBlob", "_frame_size", 16 },
	{ "CodeBlob", "_frame_complete_offset", 20 },
	{ "CodeBlob", "_code_begin", 24 },
	{ "CodeBlob", "_code_end", 32 },
	{ "CompiledMethod", "_method", 48 },
	{ "nmethod", "_compile_id", 56 },
	{ "Method", "_constMethod", 8 },
	{ "ConstMethod", "_constants", 8 },
	{ "ConstMethod", "_name_index", 24 },
	{ "ConstantPool", "_length", 8 },
	{ "ConstantPool", "_pool_holder", 16 },
	{ "Klass", "_name", 24 },
	{ "Symbol", "_length", 4 },
	{ "Symbol", "_body", 6 },
	/* Those from here on may be missing. */
	{ "nmethod", "_metadata_offset", 60 },
	{ "CompiledMethod", "_scopes_data_begin", 64 },
	{ "nmethod", "_scopes_pcs_offset", 72 },
	{ "nmethod", "_dependencies_offset", 76 },
	{ "PcDesc", "_pc_offset", 0 },
	{ "PcDesc", "_scope_decode_offset", 4 },
};

#define IMAGE_FIRST_OPTIONAL_FIELD 25

static inline uint64_t image_add_symbol(struct hotspot_image *image, const char *text)
{
	uint64_t addr = image_add(image, 6 + strlen(text));

	image_put_number(image, addr + 4, strlen(text), 2);
	image_put(image, addr + 6, text, strlen(text));
	return addr;
}

/* A class with one method, which becomes ->method. */
static inline void image_add_method(struct hotspot_image *image, const char *class_name,
				    const char *name)
{
	image->pool = image_add(image, 32 + 4 * 8);
	image->klass = image_add(image, 32);
	image->const_method = image_add(image, 32);
	image->method = image_add(image, 16);
	image_put_number(image, image->method + 8, image->const_method, 8);
	image_put_number(image, image->const_method + 8, image->pool, 8);
	image_put_number(image, image->const_method + 24, 2, 2);
	image_put_number(image, image->pool + 8, 4, 4);
	image_put_number(image, image->pool + 16, image->klass, 8);
	image_put_number(image, image->pool + 32 + 8 * 2, image_add_symbol(image, name), 8);
	image_put_number(image, image->klass + 24, image_add_symbol(image, class_name), 8);
}

/* The scopes of the nmethod, by the offsets in image_pcs. A number below 192 is one byte. */
static const uint8_t image_scopes[] = {
	255, 0, 1,       8,    /* 1: merge, at 8 */
	0,   1, 9,             /* 4: merge, at 9 */
	4,   2, 3,             /* 7: put in merge at 9 */
	7,   3, 192 + 8, 3, 0, /* 10: get in put at 3, at 200 + 3 * 64 */
	7,   3, 5,             /* 15: get in the same call, at 5 */
	1,   2, 3,             /* 18: put in merge at 8 */
};

static const int32_t image_pcs[][2] = {
	{ -1, 0 }, { 16, 4 }, { 32, 7 }, { 64, 10 }, { 96, 15 }, { 128, 18 }, { INT32_MAX, 0 },
};

static inline void image_add_scopes(struct hotspot_image *image, const uint64_t methods[3])
{
	const size_t n = sizeof(image_pcs) / sizeof(image_pcs[0]);

	image->metadata = image_add(image, 3 * 8);
	image->scopes = image_add(image, sizeof(image_scopes));
	image->pcs = image_add(image, n * 16);
	image_put(image, image->metadata, methods, 3 * 8);
	image_put(image, image->scopes, image_scopes, sizeof(image_scopes));
	for (size_t i = 0; i < n; i++) {
		image_put_number(image, image->pcs + i * 16, (uint32_t)image_pcs[i][0], 4);
		image_put_number(image, image->pcs + i * 16 + 4, (uint32_t)image_pcs[i][1], 4);
	}
	image_put_number(image, image->nmethod + 60, image->metadata - image->nmethod, 4);
	image_put_number(image, image->nmethod + 64, image->scopes, 8);
	image_put_number(image, image->nmethod + 72, image->pcs - image->nmethod, 4);
	image_put_number(image, image->nmethod + 76, image->pcs + n * 16 - image->nmethod, 4);
}

/* A block of @n_segments of the heap. Returns its blob. */
static inline uint64_t image_add_blob(struct hotspot_image *image, unsigned segment,
				      unsigned n_segments, const char *name, int frame_size,
				      int complete)
{
	uint64_t block = image->heap + ((uint64_t)segment << SEGMENT_BITS), blob = block + 16;

	for (unsigned i = 0; i < n_segments; i++)
		image_put_number(image, image->segmap + segment + i, i < 3 ? i : 2, 1);
	image_put_number(image, block + 8, 1, 1);
	image_put_number(image, blob + 8, image_add_text(image, name), 8);
	image_put_number(image, blob + 16, (uint32_t)frame_size, 4);
	image_put_number(image, blob + 20, (uint32_t)complete, 4);
	image_put_number(image, blob + 24, blob + 128, 8);
	image_put_number(image, blob + 32, block + ((uint64_t)n_segments << SEGMENT_BITS), 8);
	return blob;
}

static inline void image_add_heap(struct hotspot_image *image)
{
	uint64_t array = image_add(image, 16), list = image_add(image, 8);
	uint64_t heap = image_add(image, 80);

	image->heap = image_add(image, HEAP_SIZE);
	image->segmap = image_add(image, HEAP_SIZE >> SEGMENT_BITS);
	memset(image->bytes + (image->segmap - IMAGE_BASE), 0xff, HEAP_SIZE >> SEGMENT_BITS);
	image->heaps_variable = image_add(image, 8);
	image_put_number(image, image->heaps_variable, array, 8);
	image_put_number(image, array, 1, 4);
	image_put_number(image, array + 8, list, 8);
	image_put_number(image, list, heap, 8);
	image_put_number(image, heap + 8, image->heap, 8);
	image_put_number(image, heap + 16, image->heap + HEAP_SIZE, 8);
	image_put_number(image, heap + 40, image->segmap, 8);
	image_put_number(image, heap + 48, image->segmap + (HEAP_SIZE >> SEGMENT_BITS), 8);
	image_put_number(image, heap + 72, SEGMENT_BITS, 4);
	image->interpreter = image_add_blob(image, 0, 20, "Interpreter", 0, 0);
	image->nmethod = image_add_blob(image, 24, 6, "nmethod", 12, 20);
	image_put_number(image, image->nmethod + 48, image->method, 8);
	image_put_number(image, image->nmethod + 56, 77, 4);
	image->stub = image_add_blob(image, 40, 2, "StubRoutines (1)", 0, 0);
}

static inline void image_add_tables(struct hotspot_image *image)
{
	const size_t n = sizeof(image_fields) / sizeof(image_fields[0]);

	image->table = image_add(image, (n + 1) * 48);
	for (size_t i = 0; i < n; i++) {
		bool is_heaps = strcmp(image_fields[i].name, "_heaps") == 0;
		uint64_t at = image->table + i * 48;

		image_put_number(image, at, image_add_text(image, image_fields[i].type), 8);
		image_put_number(image, at + 8, image_add_text(image, image_fields[i].name), 8);
		image_put_number(image, at + 24, is_heaps, 4);
		image_put_number(image, at + 32, image_fields[i].offset, 8);
		image_put_number(image, at + 40, is_heaps ? image->heaps_variable : 0, 8);
	}
	image->types = image_add(image, 4 * 40);
	image_put_number(image, image->types, image_add_text(image, "HeapBlock"), 8);
	image_put_number(image, image->types + 32, 16, 8);
	image_put_number(image, image->types + 40, image_add_text(image, "ConstantPool"), 8);
	image_put_number(image, image->types + 72, 32, 8);
	image_put_number(image, image->types + 80, image_add_text(image, "PcDesc"), 8);
	image_put_number(image, image->types + 112, 16, 8);
}

static inline uint32_t image_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/* The four variables, as exported symbols in one bucket. */
static inline void image_add_symbols(struct hotspot_image *image, uint64_t dynamic)
{
	const struct {
		const char *name;
		uint64_t value;
	} variables[] = {
		{ "gHotSpotVMStructs", image->table },
		{ "gHotSpotVMTypes", image->types },
		{ "gHotSpotVMStructEntryArrayStride", 48 },
		{ "gHotSpotVMTypeEntryArrayStride", 40 },
	};
	uint64_t symbols = image_add(image, 5 * sizeof(Elf64_Sym));
	uint64_t strings = image_add(image, 256), hash = image_add(image, 16 + 8 + 4 + 4 * 4);
	uint32_t string = 1;

	image_put_number(image, hash, 1, 4);
	image_put_number(image, hash + 4, 1, 4);
	image_put_number(image, hash + 8, 1, 4);
	image_put_number(image, hash + 24, 1, 4);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t variable = image_add(image, 8);
		const Elf64_Sym symbol = { .st_name = string,
					   .st_shndx = 1,
					   .st_value = variable - IMAGE_BASE };
		uint32_t value = image_hash(variables[i].name) & ~1u;

		image_put_number(image, variable, variables[i].value, 8);
		image_put(image, symbols + (i + 1) * sizeof(symbol), &symbol, sizeof(symbol));
		image_put(image, strings + string, variables[i].name,
			  strlen(variables[i].name) + 1);
		string += (uint32_t)strlen(variables[i].name) + 1;
		image_put_number(image, hash + 28 + 4 * i, value | (i == 3), 4);
	}
	/* As glibc leaves them, and as musl does. */
	const Elf64_Dyn entries[] = { { .d_tag = DT_SYMTAB, .d_un.d_ptr = symbols },
				      { .d_tag = DT_STRTAB, .d_un.d_ptr = strings - IMAGE_BASE },
				      { .d_tag = DT_GNU_HASH, .d_un.d_ptr = hash },
				      { .d_tag = DT_NULL } };
	image_put(image, dynamic, entries, sizeof(entries));
}

static inline void hotspot_image_init(struct hotspot_image *image)
{
	const Elf64_Ehdr header = { .e_ident = ELFMAG,
				    .e_phoff = sizeof(header),
				    .e_phentsize = sizeof(Elf64_Phdr),
				    .e_phnum = 1 };

	memset(image, 0, sizeof(*image));
	image->memory.read = image_read;
	image_add(image, sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr));
	image_put(image, IMAGE_BASE, &header, sizeof(header));
	image_put_number(image, IMAGE_BASE + EI_CLASS, ELFCLASS64, 1);
	uint64_t dynamic = image_add(image, 4 * sizeof(Elf64_Dyn));
	const Elf64_Phdr segment = { .p_type = PT_DYNAMIC, .p_vaddr = dynamic - IMAGE_BASE };
	image_put(image, IMAGE_BASE + sizeof(header), &segment, sizeof(segment));
	uint64_t methods[3];
	image_add_method(image, "java/util/HashMap", "get");
	methods[2] = image->method;
	image_add_method(image, "java/util/TreeMap", "put");
	methods[1] = image->method;
	image_add_method(image, "java/util/TreeMap", "merge");
	methods[0] = image->method;
	image_add_heap(image);
	image_add_scopes(image, methods);
	image_add_tables(image);
	image_add_symbols(image, dynamic);
}

#endif
