/* The segment map: src/hotspot/share/memory/heap.cpp of OpenJDK. Blobs: code/codeBlob.hpp. */
#include "collector/record/live/hotspot_code.h"

#include <errno.h>
#include <string.h>

#include "cct/base/hash.h"

#define HOPS_MAX      65536
#define FREE_SEGMENT  0xff
#define WORD          8u
#define BLOB_NAME_MAX 128
#define SYMBOL_MAX    (RUNTIME_NAME_MAX / 2 - 1)

/* The fields of a blob. */
struct blob {
	uint64_t name, code_begin, code_end, method;
	int32_t frame_size, complete, compile_id;
	int32_t padding;
};

static int read_field(const struct process_memory *memory, const struct hotspot_vm *vm,
		      uint64_t object, enum hotspot_field field, void *to, size_t size)
{
	return memory->read(memory, object + vm->fields[field], to, size);
}

/* The fields of a blob are near to each other, so that all are in a few hundred bytes. */
struct field_bytes {
	enum hotspot_field field;
	size_t at, size;
};

static const struct field_bytes blob_fields[] = {
	{ HOTSPOT_BLOB_NAME, offsetof(struct blob, name), 8 },
	{ HOTSPOT_BLOB_CODE_BEGIN, offsetof(struct blob, code_begin), 8 },
	{ HOTSPOT_BLOB_CODE_END, offsetof(struct blob, code_end), 8 },
	{ HOTSPOT_BLOB_FRAME_SIZE, offsetof(struct blob, frame_size), 4 },
	{ HOTSPOT_BLOB_COMPLETE, offsetof(struct blob, complete), 4 },
	{ HOTSPOT_NMETHOD_METHOD, offsetof(struct blob, method), 8 },
	{ HOTSPOT_NMETHOD_COMPILE_ID, offsetof(struct blob, compile_id), 4 },
};

#define N_BLOB_FIELDS   (sizeof(blob_fields) / sizeof(blob_fields[0]))
#define BLOB_HEADER_MAX 1024

/* If the blob is not a method, the last two are other bytes, which may change. */
static int read_blob(const struct process_memory *memory, const struct hotspot_vm *vm, uint64_t at,
		     struct blob *blob_ret)
{
	uint8_t bytes[BLOB_HEADER_MAX];
	struct blob blob = { .padding = 0 };
	size_t size = 0;

	for (size_t i = 0; i < N_BLOB_FIELDS; i++) {
		size_t end = vm->fields[blob_fields[i].field] + blob_fields[i].size;

		size = end > size ? end : size;
	}
	if (size > sizeof(bytes))
		return -ENOENT;
	int err = memory->read(memory, at, bytes, size);
	if (err)
		return err;
	for (size_t i = 0; i < N_BLOB_FIELDS; i++)
		memcpy((uint8_t *)&blob + blob_fields[i].at,
		       bytes + vm->fields[blob_fields[i].field], blob_fields[i].size);
	*blob_ret = blob;
	return 0;
}

/* The segment at which the block around @segment begins. */
static int find_first_segment(const struct process_memory *memory, const struct hotspot_heap *heap,
			      uint64_t segment, uint64_t *first_ret)
{
	uint8_t distance;

	for (unsigned hops = 0; hops < HOPS_MAX; hops++) {
		int err = memory->read(memory, heap->segmap + segment, &distance, 1);

		if (err)
			return err;
		if (distance == FREE_SEGMENT || distance > segment)
			return -ENOENT;
		if (!distance) {
			*first_ret = segment;
			return 0;
		}
		segment -= distance;
	}
	return -ENOENT;
}

static int find_blob(const struct process_memory *memory, const struct hotspot_vm *vm,
		     uint64_t addr, uint64_t *blob_ret)
{
	const struct hotspot_heap *heap = hotspot_vm_heap(vm, addr);
	uint64_t segment;
	uint8_t is_used;

	if (!heap)
		return -ENOENT;
	int err = find_first_segment(memory, heap, (addr - heap->start) >> heap->segment_bits,
				     &segment);
	if (err)
		return err;
	uint64_t block = heap->start + (segment << heap->segment_bits);
	err = read_field(memory, vm, block, HOTSPOT_BLOCK_USED, &is_used, 1);
	if (err || !is_used)
		return err ? err : -ENOENT;
	*blob_ret = block + vm->fields[HOTSPOT_BLOCK_SIZE];
	return 0;
}

/* Appends at most SYMBOL_MAX bytes to @name. */
static int append_symbol(const struct process_memory *memory, const struct hotspot_vm *vm,
			 uint64_t symbol, char *name, uint32_t *size)
{
	uint16_t length;

	int err = read_field(memory, vm, symbol, HOTSPOT_SYMBOL_LENGTH, &length, sizeof(length));
	if (err || !length)
		return err ? err : -ENOENT;
	if (length > SYMBOL_MAX)
		length = SYMBOL_MAX;
	err = read_field(memory, vm, symbol, HOTSPOT_SYMBOL_BODY, name + *size, length);
	if (!err)
		*size += length;
	return err;
}

/* Class files have java/util/Map, people java.util.Map. */
static void write_dots(char *name, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		if (name[i] == '/')
			name[i] = '.';
}

static int read_pointer(const struct process_memory *memory, const struct hotspot_vm *vm,
			uint64_t object, enum hotspot_field field, uint64_t *ret)
{
	int err = read_field(memory, vm, object, field, ret, sizeof(*ret));

	return err || (*ret && *ret % sizeof(uint32_t) == 0) ? err : -ENOENT;
}

static int read_class_name(const struct process_memory *memory, const struct hotspot_vm *vm,
			   uint64_t pool, struct hotspot_code *code)
{
	uint64_t klass, symbol;

	int err = read_pointer(memory, vm, pool, HOTSPOT_POOL_HOLDER, &klass);
	if (!err)
		err = read_pointer(memory, vm, klass, HOTSPOT_KLASS_NAME, &symbol);
	if (!err)
		err = append_symbol(memory, vm, symbol, code->name, &code->header.name_size);
	if (err)
		return err;
	write_dots(code->name, code->header.name_size);
	code->name[code->header.name_size++] = '.';
	return 0;
}

static int read_method_name(const struct process_memory *memory, const struct hotspot_vm *vm,
			    uint64_t method, struct hotspot_code *code)
{
	uint64_t constant, pool, symbol;
	uint16_t index = 0;
	int32_t length = 0;

	code->header.name_size = 0;
	int err = read_pointer(memory, vm, method, HOTSPOT_METHOD_CONST, &constant);
	if (!err)
		err = read_pointer(memory, vm, constant, HOTSPOT_CONST_POOL, &pool);
	if (!err)
		err = read_field(memory, vm, constant, HOTSPOT_CONST_NAME, &index, sizeof(index));
	if (!err)
		err = read_field(memory, vm, pool, HOTSPOT_POOL_LENGTH, &length, sizeof(length));
	if (err || !index || index >= length)
		return err ? err : -ENOENT;
	err = memory->read(memory, pool + vm->fields[HOTSPOT_POOL_SIZE] + WORD * index, &symbol,
			   sizeof(symbol));
	if (!err)
		err = read_class_name(memory, vm, pool, code);
	return err ? err : append_symbol(memory, vm, symbol, code->name, &code->header.name_size);
}

static int read_name(const struct process_memory *memory, const struct hotspot_vm *vm,
		     const struct blob *blob, struct hotspot_code *code)
{
	char name[BLOB_NAME_MAX];

	int err = process_memory_text(memory, blob->name, name, sizeof(name));
	if (err)
		return err;
	code->has_scopes = vm->has_scopes && strcmp(name, "nmethod") == 0;
	if (strcmp(name, "nmethod") == 0 || strcmp(name, "native nmethod") == 0)
		return read_method_name(memory, vm, blob->method, code);
	if (strcmp(name, "Interpreter") == 0 && !code->header.frame_size)
		code->header.kind = RUNTIME_INTERPRETER;
	code->header.name_size = (uint32_t)strlen(name);
	memcpy(code->name, name, code->header.name_size);
	return code->header.name_size ? 0 : -ENOENT;
}

/* Half of a blob that is being made, or freed, says something else. */
static bool is_sound(const struct hotspot_vm *vm, const struct blob *blob, uint64_t at)
{
	const struct hotspot_heap *heap = hotspot_vm_heap(vm, at);

	return blob->code_begin > at && blob->code_begin < blob->code_end &&
	       blob->code_end <= heap->end &&
	       blob->code_end - blob->code_begin <= RUNTIME_CODE_SIZE_MAX &&
	       blob->frame_size >= 0 &&
	       blob->frame_size <= (int32_t)(RUNTIME_FRAME_SIZE_MAX / WORD) &&
	       blob->frame_size != 1 && blob->complete >= -1;
}

static uint64_t mark_of(const struct blob *blob, bool is_method)
{
	struct blob marked = *blob;

	if (!is_method) {
		marked.method = 0;
		marked.compile_id = 0;
	}
	return hash_bytes(HASH_START, &marked, sizeof(marked));
}

int hotspot_code_read(const struct process_memory *memory, const struct hotspot_vm *vm,
		      uint64_t addr, struct hotspot_code *code_ret)
{
	struct runtime_record_header *header = &code_ret->header;
	struct blob blob;
	uint64_t at;

	int err = find_blob(memory, vm, addr, &at);
	if (!err)
		err = read_blob(memory, vm, at, &blob);
	if (err)
		return err;
	if (!hotspot_vm_heap(vm, at) || !is_sound(vm, &blob, at) ||
	    addr - blob.code_begin >= blob.code_end - blob.code_begin)
		return -ENOENT;
	*header = (struct runtime_record_header){
		.kind = blob.frame_size ? RUNTIME_COMPILED : RUNTIME_STUB,
		.start = blob.code_begin,
		.size = (uint32_t)(blob.code_end - blob.code_begin),
		.frame_size = (uint32_t)blob.frame_size * WORD,
		.complete = (uint32_t)blob.complete,
	};
	err = read_name(memory, vm, &blob, code_ret);
	if (err)
		return err;
	code_ret->object = at;
	return hotspot_mark_read(memory, vm, at, header->kind, &code_ret->mark);
}

int hotspot_method_read(const struct process_memory *memory, const struct hotspot_vm *vm,
			uint64_t addr, struct hotspot_code *code_ret)
{
	code_ret->has_scopes = false;
	code_ret->header = (struct runtime_record_header){
		.kind = RUNTIME_METHOD,
		.start = addr,
		.size = 1,
	};
	int err = read_method_name(memory, vm, addr, code_ret);
	if (err)
		return err;
	code_ret->object = addr;
	return hotspot_mark_read(memory, vm, addr, RUNTIME_METHOD, &code_ret->mark);
}

int hotspot_mark_read(const struct process_memory *memory, const struct hotspot_vm *vm,
		      uint64_t object, uint32_t kind, uint64_t *mark_ret)
{
	struct blob blob;

	if (kind == RUNTIME_METHOD)
		return read_field(memory, vm, object, HOTSPOT_METHOD_CONST, mark_ret,
				  sizeof(*mark_ret));
	int err = read_blob(memory, vm, object, &blob);
	if (!err)
		*mark_ret = mark_of(&blob, kind == RUNTIME_COMPILED);
	return err;
}
