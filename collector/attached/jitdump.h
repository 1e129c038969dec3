/*
 * Reads jitdump files: code that a runtime (V8, HotSpot's agents, LuaJIT, .NET) made at run time,
 * with its bytes, names and times.
 *
 * Format: tools/perf/Documentation/jitdump-specification.txt of the kernel's sources, version 1,
 * host byte order. Records of unwind information are skipped. The file is untrusted, and may end
 * anywhere, because it may have been read while it was being written.
 */
#ifndef COLLECTOR_ATTACHED_JITDUMP_H
#define COLLECTOR_ATTACHED_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/model/module.h"

/* Of a larger file only the beginning is kept, and read. */
#define JITDUMP_SIZE_MAX (256u << 20)
/* More pieces of code are left out. */
#define JITDUMP_CODES_MAX (1u << 20)

/* A piece of code, its address, and the time from which on it was there. */
struct jit_code {
	uint64_t time_ns; /* in ticks of the TSC: jitdump.has_tsc */
	uint64_t addr, size;
	uint64_t offset; /* of its first byte in the file */
	uint64_t name;   /* offset of its name in the file */
	uint32_t name_size;
	uint32_t number; /* in the order of the file */
	/* Its source lines: where they are in the file, and how many. */
	uint64_t lines;
	uint32_t n_lines;
};

struct jitdump {
	struct jit_code *codes; /* sorted by time; equal times in file order */
	size_t n_codes;
	int32_t pid; /* as its writer knew it */
	bool has_tsc;
	bool is_cut;             /* it ends inside a record, or is malformed from some record on */
	uint64_t n_broken;       /* records left out: malformed, or too many */
	uint64_t n_lines_broken; /* the same, of source lines */
};

/* Whether the name of a mapped file is that of a jitdump: "jit-PID.dump". */
bool jitdump_is_marker(const char *path);

/* 0; -EINVAL: not a jitdump of this machine's byte order; -ENOMEM. */
int jitdump_parse(const uint8_t *bytes, size_t size, struct jitdump **dump_ret);
void jitdump_destroy(struct jitdump *dump);

/* The names by file offset, or by address; there the latest code names an address. Sorted; @bytes
 * as they were parsed. NULL: out of memory. */
struct symbol_table *jitdump_symbols(const struct jitdump *dump, const uint8_t *bytes);
struct symbol_table *jitdump_latest_symbols(const struct jitdump *dump, const uint8_t *bytes);
/* The source lines by file offset. The same. */
struct line_table *jitdump_lines(const struct jitdump *dump, const uint8_t *bytes);

#endif
