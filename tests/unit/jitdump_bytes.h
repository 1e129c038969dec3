/* A jitdump that is put together record by record. */
#ifndef TESTS_UNIT_JITDUMP_BYTES_H
#define TESTS_UNIT_JITDUMP_BYTES_H

#include <stdint.h>
#include <string.h>

#define FLAG_TSC 1

struct dump_bytes {
	uint8_t bytes[8192];
	size_t size;
};

static inline void put(struct dump_bytes *to, const void *bytes, size_t size)
{
	memcpy(to->bytes + to->size, bytes, size);
	to->size += size;
}

static inline void put_u32(struct dump_bytes *to, uint32_t value)
{
	put(to, &value, sizeof(value));
}

static inline void put_u64(struct dump_bytes *to, uint64_t value)
{
	put(to, &value, sizeof(value));
}

static inline void put_header(struct dump_bytes *to, uint64_t flags)
{
	const uint32_t words[] = { 0x4a695444, 1, 40, 62, 0, 42 };

	to->size = 0;
	put(to, words, sizeof(words));
	put_u64(to, 7);
	put_u64(to, flags);
}

static inline void put_record(struct dump_bytes *to, uint32_t id, uint32_t size, uint64_t time_ns)
{
	put_u32(to, id);
	put_u32(to, size);
	put_u64(to, time_ns);
}

static inline void put_load(struct dump_bytes *to, uint64_t time_ns, uint64_t addr, uint64_t size,
			    uint64_t index, const char *name)
{
	put_record(to, 0, (uint32_t)(56 + strlen(name) + 1 + size), time_ns);
	put_u64(to, 42);
	put_u64(to, addr);
	put_u64(to, addr);
	put_u64(to, size);
	put_u64(to, index);
	put(to, name, strlen(name) + 1);
	memset(to->bytes + to->size, 0x90, size);
	to->size += size;
}

static inline void put_move(struct dump_bytes *to, uint64_t time_ns, uint64_t new_addr,
			    uint64_t size, uint64_t index)
{
	put_record(to, 1, 64, time_ns);
	put_u64(to, 42);
	put_u64(to, new_addr);
	put_u64(to, 0);
	put_u64(to, new_addr);
	put_u64(to, size);
	put_u64(to, index);
}

#endif
