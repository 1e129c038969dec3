#include "collector/attached/jitdump.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/hash.h"
#include "cct/base/hash_table.h"
#include "collector/attached/latest_ranges.h"

#define MAGIC         0x4a695444u
#define VERSION       1u
#define FLAG_TSC      1u
#define NAME_SIZE_MAX 4096u

enum record_id {
	RECORD_LOAD = 0,
	RECORD_MOVE = 1,
	RECORD_DEBUG_INFO = 2,
};

struct file_header {
	uint32_t magic, version, size, elf_machine, padding, pid;
	uint64_t time, flags;
};
static_assert(sizeof(struct file_header) == 40, "on-disk layout");

struct record_header {
	uint32_t id, size;
	uint64_t time;
};
static_assert(sizeof(struct record_header) == 16, "on-disk layout");

/* It is followed by the name, with its NUL, and the code, which ends the record. */
struct load_record {
	struct record_header header;
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
};
static_assert(sizeof(struct load_record) == 56, "on-disk layout");

struct move_record {
	struct record_header header;
	uint32_t pid, tid;
	uint64_t vma, old_addr, new_addr, size, index;
};
static_assert(sizeof(struct move_record) == 64, "on-disk layout");

/* Describes the code that is loaded next. It is followed by the entries. */
struct debug_record {
	struct record_header header;
	uint64_t addr, n_entries;
};
static_assert(sizeof(struct debug_record) == 32, "on-disk layout");

/* It is followed by the name of the file, with its NUL, or SAME_FILE. */
struct debug_entry {
	uint64_t addr;
	uint32_t line, column;
};
static_assert(sizeof(struct debug_entry) == 16, "on-disk layout");

#define SAME_FILE "\377"
/* Records are filled up to multiples of this. */
#define PADDING_MAX 8
/* V8 adds this to the addresses of its entries, because old readers of perf subtracted it. */
#define V8_ADDED 0x40

/* Finds loaded code by its index in the file, for records that move code. */
struct loaded {
	uint64_t index;
	uint32_t code_plus_1; /* 0: the slot is free */
};

struct parser {
	const uint8_t *bytes;
	size_t size;
	struct jitdump *dump;
	size_t n_allocated;
	struct hash_table loaded;   /* the latest with an index */
	uint64_t lines_addr, lines; /* of the code that comes next */
	uint32_t n_lines;
};

bool jitdump_is_marker(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (path[0] != '/' || strncmp(name, "jit-", 4) != 0 || !isdigit((unsigned char)name[4]))
		return false;
	for (name += 4; isdigit((unsigned char)*name);)
		name++;
	return strcmp(name, ".dump") == 0 || strcmp(name, ".dump (deleted)") == 0;
}

static bool slot_is_used(const void *slot)
{
	return ((const struct loaded *)slot)->code_plus_1 != 0;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	(void)owner;
	return ((const struct loaded *)slot)->index == *(const uint64_t *)key;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return hash_number(((const struct loaded *)slot)->index);
}

static const struct hash_table_type loaded_by_index = {
	.slot_size = sizeof(struct loaded),
	.first_slots = 256,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

static struct loaded *find_loaded(const struct parser *parser, uint64_t index)
{
	return hash_table_find(&parser->loaded, &loaded_by_index, hash_number(index), &index, NULL);
}

static int note_loaded(struct parser *parser, uint64_t index, uint32_t code)
{
	struct loaded *slot = find_loaded(parser, index);

	if (!slot)
		slot = hash_table_insert(&parser->loaded, &loaded_by_index, hash_number(index),
					 NULL);
	if (!slot)
		return -ENOMEM;
	*slot = (struct loaded){ .index = index, .code_plus_1 = code + 1 };
	return 0;
}

static int add_code(struct parser *parser, const struct jit_code *code)
{
	struct jitdump *dump = parser->dump;

	if (array_reserve(dump->codes, dump->n_codes, parser->n_allocated, 1))
		return -ENOMEM;
	dump->codes[dump->n_codes] = *code;
	dump->codes[dump->n_codes].number = (uint32_t)dump->n_codes;
	dump->n_codes++;
	return 0;
}

static bool is_range(uint64_t addr, uint64_t size)
{
	return size && size <= UINT64_MAX - addr;
}

/* -EINVAL: the record is malformed. */
static int take_load(struct parser *parser, size_t at, const struct record_header *header)
{
	struct load_record load;

	if (header->size < sizeof(load))
		return -EINVAL;
	memcpy(&load, parser->bytes + at, sizeof(load));
	size_t room = header->size - sizeof(load); /* of name and code */
	if (!is_range(load.addr, load.size) || load.size >= room)
		return -EINVAL;
	const uint8_t *name = parser->bytes + at + sizeof(load);
	const uint8_t *end = memchr(name, 0, room - load.size);
	if (!end)
		return -EINVAL;
	size_t name_size = (size_t)(end - name);
	struct jit_code code = {
		.time_ns = header->time,
		.addr = load.addr,
		.size = load.size,
		.offset = at + header->size - load.size,
		.name = at + sizeof(load),
		.name_size = (uint32_t)(name_size < NAME_SIZE_MAX ? name_size : NAME_SIZE_MAX),
	};
	if (parser->lines_addr == load.addr) {
		code.lines = parser->lines;
		code.n_lines = parser->n_lines;
	}
	parser->n_lines = 0;
	int err = note_loaded(parser, load.index, (uint32_t)parser->dump->n_codes);
	return err ? err : add_code(parser, &code);
}

static int take_move(struct parser *parser, size_t at, const struct record_header *header)
{
	struct move_record move;

	if (header->size < sizeof(move))
		return -EINVAL;
	memcpy(&move, parser->bytes + at, sizeof(move));
	const struct loaded *loaded = find_loaded(parser, move.index);
	if (!loaded)
		return -EINVAL;
	struct jit_code code = parser->dump->codes[loaded->code_plus_1 - 1];
	if (!is_range(move.new_addr, move.size) || move.size > code.size)
		return -EINVAL;
	code.time_ns = header->time;
	code.addr = move.new_addr;
	code.size = move.size;
	code.n_lines = 0; /* lines belong to the code where it was loaded */
	return add_code(parser, &code);
}

/* One entry from *@at on, up to @end. NULL: it does not fit. */
static const uint8_t *read_entry(const uint8_t *at, const uint8_t *end, struct debug_entry *entry,
				 const char **file_ret)
{
	if ((size_t)(end - at) < sizeof(*entry))
		return NULL;
	memcpy(entry, at, sizeof(*entry));
	at += sizeof(*entry);
	const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
	if (!stop)
		return NULL;
	if (strcmp((const char *)at, SAME_FILE) != 0)
		*file_ret = (const char *)at;
	return stop + 1;
}

/* Some versions of V8 write names with arbitrary bytes: then the entries do not fill the record. */
static int take_lines(struct parser *parser, size_t at, const struct record_header *header)
{
	const uint8_t *entries = parser->bytes + at + sizeof(struct debug_record);
	const uint8_t *end = parser->bytes + at + header->size, *next = entries;
	struct debug_record record;
	struct debug_entry entry;
	const char *file = NULL;

	parser->n_lines = 0;
	if (header->size < sizeof(record))
		return -EINVAL;
	memcpy(&record, parser->bytes + at, sizeof(record));
	if (record.n_entries > header->size / sizeof(entry))
		return -EINVAL;
	for (uint64_t i = 0; i < record.n_entries; i++) {
		next = read_entry(next, end, &entry, &file);
		if (!next || !file)
			return -EINVAL;
	}
	if (end - next >= PADDING_MAX)
		return -EINVAL;
	parser->lines_addr = record.addr;
	parser->lines = (uint64_t)(entries - parser->bytes);
	parser->n_lines = (uint32_t)record.n_entries;
	return 0;
}

static int take_record(struct parser *parser, size_t at, const struct record_header *header)
{
	bool is_code = header->id == RECORD_LOAD || header->id == RECORD_MOVE;

	if (is_code && parser->dump->n_codes == JITDUMP_CODES_MAX)
		return -EINVAL;
	switch (header->id) {
	case RECORD_LOAD:
		return take_load(parser, at, header);
	case RECORD_MOVE:
		return take_move(parser, at, header);
	case RECORD_DEBUG_INFO:
		return take_lines(parser, at, header);
	default:
		return 0;
	}
}

static int take_records(struct parser *parser, size_t at)
{
	struct record_header header;

	while (parser->size - at >= sizeof(header)) {
		memcpy(&header, parser->bytes + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > parser->size - at)
			break;
		int err = take_record(parser, at, &header);
		if (err == -ENOMEM)
			return err;
		if (err)
			++*(header.id == RECORD_DEBUG_INFO ? &parser->dump->n_lines_broken
							   : &parser->dump->n_broken);
		at += header.size;
	}
	parser->dump->is_cut = at != parser->size;
	return 0;
}

static int compare_times(const void *a, const void *b)
{
	const struct jit_code *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int parse(struct parser *parser)
{
	struct jitdump *dump = parser->dump;
	struct file_header header;

	if (parser->size < sizeof(header))
		return -EINVAL;
	memcpy(&header, parser->bytes, sizeof(header));
	if (header.magic != MAGIC || header.version > VERSION || header.size < sizeof(header) ||
	    header.size > parser->size)
		return -EINVAL;
	dump->pid = (int32_t)header.pid;
	dump->has_tsc = header.flags & FLAG_TSC;
	int err = take_records(parser, header.size);
	if (!err && dump->n_codes)
		qsort(dump->codes, dump->n_codes, sizeof(*dump->codes), compare_times);
	return err;
}

int jitdump_parse(const uint8_t *bytes, size_t size, struct jitdump **dump_ret)
{
	struct parser parser = { .bytes = bytes,
				 .size = size,
				 .dump = calloc(1, sizeof(struct jitdump)) };
	int err = parser.dump ? parse(&parser) : -ENOMEM;

	hash_table_deinit(&parser.loaded);
	if (err) {
		jitdump_destroy(parser.dump);
		return err;
	}
	*dump_ret = parser.dump;
	return 0;
}

void jitdump_destroy(struct jitdump *dump)
{
	if (!dump)
		return;
	free(dump->codes);
	free(dump);
}

/* Each code, moved or not, where its bytes are. */
struct symbol_table *jitdump_symbols(const struct jitdump *dump, const uint8_t *bytes)
{
	struct symbol_table *table = symbol_table_create();

	for (size_t i = 0; i < dump->n_codes && table; i++) {
		const struct jit_code *code = &dump->codes[i];

		if (symbol_table_add(table, code->offset, code->size,
				     (const char *)bytes + code->name, code->name_size)) {
			symbol_table_destroy(table);
			return NULL;
		}
	}
	if (table)
		symbol_table_sort(table);
	return table;
}

static int add_latest(const struct jitdump *dump, const uint8_t *bytes, struct symbol_table *table)
{
	_cleanup_free_ struct range *ranges = calloc(dump->n_codes + 1, sizeof(*ranges));
	struct range *parts = NULL;
	size_t n_parts = 0;

	for (size_t i = 0; ranges && i < dump->n_codes; i++)
		ranges[i] =
			(struct range){ dump->codes[i].addr,
					dump->codes[i].addr + dump->codes[i].size, (uint32_t)i };
	int err = ranges ? latest_ranges(ranges, dump->n_codes, &parts, &n_parts) : -ENOMEM;
	for (size_t i = 0; i < n_parts && !err; i++) {
		const struct jit_code *code = &dump->codes[parts[i].number];

		err = symbol_table_add(table, parts[i].start, parts[i].end - parts[i].start,
				       (const char *)bytes + code->name, code->name_size);
	}
	free(parts);
	return err;
}

struct symbol_table *jitdump_latest_symbols(const struct jitdump *dump, const uint8_t *bytes)
{
	struct symbol_table *table = symbol_table_create();

	if (!table)
		return NULL;
	if (add_latest(dump, bytes, table)) {
		symbol_table_destroy(table);
		return NULL;
	}
	symbol_table_sort(table);
	return table;
}

/* The entries of a code, which have been looked through once. */
struct entries {
	const uint8_t *next, *end;
	uint32_t n_left;
	const char *file;
};

static struct entries entries_of(const struct jit_code *code, const uint8_t *bytes)
{
	/* They end before the code that they are of. */
	return (struct entries){ .next = bytes + code->lines,
				 .end = bytes + code->name,
				 .n_left = code->n_lines };
}

static bool next_entry(struct entries *entries, struct debug_entry *entry)
{
	if (!entries->n_left)
		return false;
	entries->n_left--;
	entries->next = read_entry(entries->next, entries->end, entry, &entries->file);
	return entries->next && entries->file;
}

/* Whether V8_ADDED was added to the addresses of all entries of the dump. */
static bool has_added(const struct jitdump *dump, const uint8_t *bytes)
{
	bool is_first_there = false;

	for (size_t i = 0; i < dump->n_codes; i++) {
		const struct jit_code *code = &dump->codes[i];
		struct entries entries = entries_of(code, bytes);
		struct debug_entry entry;

		while (next_entry(&entries, &entry)) {
			if (entry.addr - code->addr < V8_ADDED)
				return false;
			is_first_there |= entry.addr - code->addr == V8_ADDED;
		}
	}
	return is_first_there;
}

static int add_lines(const struct jit_code *code, const uint8_t *bytes, uint64_t added,
		     struct line_table *table)
{
	struct entries entries = entries_of(code, bytes);
	struct debug_entry entry;

	while (next_entry(&entries, &entry)) {
		uint64_t distance = entry.addr - code->addr - added;

		if (distance >= code->size)
			continue;
		if (line_table_add(table, code->offset + distance, entry.line, entries.file,
				   strnlen(entries.file, NAME_SIZE_MAX)))
			return -ENOMEM;
	}
	line_table_end(table, code->offset + code->size);
	return 0;
}

struct line_table *jitdump_lines(const struct jitdump *dump, const uint8_t *bytes)
{
	struct line_table *table = line_table_create();
	uint64_t added = has_added(dump, bytes) ? V8_ADDED : 0;

	for (size_t i = 0; i < dump->n_codes && table; i++) {
		if (dump->codes[i].n_lines && add_lines(&dump->codes[i], bytes, added, table)) {
			line_table_destroy(table);
			return NULL;
		}
	}
	if (table)
		line_table_sort(table);
	return table;
}
