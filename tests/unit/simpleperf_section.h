/* Puts together the sections in which simpleperf records files and their symbols. */
#ifndef TESTS_UNIT_SIMPLEPERF_SECTION_H
#define TESTS_UNIT_SIMPLEPERF_SECTION_H

#include "perf/records/simpleperf_files.h"
#include "tests/unit/record_builder.h"

enum { NO_MIN_OFFSET = -1 };

static inline void put_text(struct builder *b, const char *text)
{
	put_bytes(b, text, strlen(text) + 1);
}

/* Puts a size and the content, which is freed. */
static inline void put_sized(struct builder *b, struct builder *content)
{
	put_u32(b, (uint32_t)content->size);
	put_bytes(b, content->bytes, content->size);
	free(content->bytes);
}

/* A file with the symbol f of 0x20 bytes at @vaddr. @min_offset: NO_MIN_OFFSET: as old versions
 * write it. */
static inline void put_struct(struct builder *b, const char *path, uint32_t type,
			      uint64_t min_vaddr, uint64_t vaddr, int min_offset)
{
	struct builder file = { 0 };

	put_text(&file, path);
	put_u32(&file, type);
	put_u64(&file, min_vaddr);
	put_u32(&file, 1);
	put_u64(&file, vaddr);
	put_u32(&file, 0x20);
	put_text(&file, "f");
	if (min_offset != NO_MIN_OFFSET)
		put_u64(&file, (uint64_t)min_offset);
	put_sized(b, &file);
}

static inline void put_varint(struct builder *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7) {
		uint8_t byte = (uint8_t)(value | 0x80);
		put_bytes(b, &byte, 1);
	}
	uint8_t last = (uint8_t)value;
	put_bytes(b, &last, 1);
}

static inline void put_number(struct builder *b, unsigned field, uint64_t value)
{
	put_varint(b, field << 3);
	put_varint(b, value);
}

static inline void put_field(struct builder *b, unsigned field, const void *bytes, size_t size)
{
	put_varint(b, field << 3 | 2);
	put_varint(b, size);
	put_bytes(b, bytes, size);
}

static inline void put_message_symbol(struct builder *b, uint64_t vaddr)
{
	struct builder symbol = { 0 };

	put_number(&symbol, 1, vaddr);
	put_number(&symbol, 2, 0x20);
	put_field(&symbol, 3, "f", 1);
	put_field(b, 4, symbol.bytes, symbol.size);
	free(symbol.bytes);
}

/* The same as a message, with a field that newer versions may have. */
static inline void put_message(struct builder *b, const char *path, uint32_t type,
			       uint64_t min_vaddr, uint64_t vaddr, uint64_t min_offset)
{
	struct builder file = { 0 }, elf = { 0 };
	uint64_t unknown = 0;

	put_field(&file, 1, path, strlen(path));
	put_number(&file, 2, type);
	put_number(&file, 3, min_vaddr);
	put_varint(&file, 99 << 3 | 1);
	put_bytes(&file, &unknown, sizeof(unknown));
	put_message_symbol(&file, vaddr);
	put_number(&elf, 1, min_offset);
	put_field(&file, type == SIMPLEPERF_ELF ? 6 : 7, elf.bytes, elf.size);
	free(elf.bytes);
	put_sized(b, &file);
}

#endif
