/* The tables: src/hotspot/share/runtime/vmStructs.hpp of OpenJDK. */
#include "collector/record/live/hotspot_vm.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define ENTRIES_MAX      8192
#define NAME_MAX         64
#define FIELD_MAX        4096 /* no object has a field farther from its begin */
#define SEGMENT_BITS_MIN 4
#define SEGMENT_BITS_MAX 16

/* VMStructEntry */
struct struct_entry {
	uint64_t type_name, field_name, type_string;
	int32_t is_static, padding;
	uint64_t offset, address;
};
static_assert(sizeof(struct struct_entry) == 48, "as in memory");

/* VMTypeEntry */
struct type_entry {
	uint64_t type_name, superclass_name;
	int32_t flags[4];
	uint64_t size;
};
static_assert(sizeof(struct type_entry) == 40, "as in memory");

/* Where versions call a field by different names, all of them. */
static const struct {
	const char *type, *name;
	enum hotspot_field field;
} wanted_fields[] = {
	{ "CodeCache", "_heaps", HOTSPOT_HEAPS },
	{ "GenericGrowableArray", "_len", HOTSPOT_ARRAY_LENGTH }, /* to JDK 15 */
	{ "GrowableArrayBase", "_len", HOTSPOT_ARRAY_LENGTH },
	{ "GrowableArray<int>", "_data", HOTSPOT_ARRAY_DATA },
	{ "CodeHeap", "_memory", HOTSPOT_HEAP_MEMORY },
	{ "CodeHeap", "_segmap", HOTSPOT_HEAP_SEGMAP },
	{ "CodeHeap", "_log2_segment_size", HOTSPOT_HEAP_SEGMENT_BITS },
	{ "VirtualSpace", "_low", HOTSPOT_SPACE_LOW },
	{ "VirtualSpace", "_high_boundary", HOTSPOT_SPACE_END },
	{ "HeapBlock::Header", "_used", HOTSPOT_BLOCK_USED },
	{ "CodeBlob", "_name", HOTSPOT_BLOB_NAME },
	{ "CodeBlob", "_frame_size", HOTSPOT_BLOB_FRAME_SIZE },
	{ "CodeBlob", "_frame_complete_offset", HOTSPOT_BLOB_COMPLETE },
	{ "CodeBlob", "_code_begin", HOTSPOT_BLOB_CODE_BEGIN },
	{ "CodeBlob", "_code_end", HOTSPOT_BLOB_CODE_END },
	{ "CompiledMethod", "_method", HOTSPOT_NMETHOD_METHOD },
	{ "nmethod", "_method", HOTSPOT_NMETHOD_METHOD },
	{ "nmethod", "_compile_id", HOTSPOT_NMETHOD_COMPILE_ID },
	{ "Method", "_constMethod", HOTSPOT_METHOD_CONST },
	{ "ConstMethod", "_constants", HOTSPOT_CONST_POOL },
	{ "ConstMethod", "_name_index", HOTSPOT_CONST_NAME },
	{ "ConstantPool", "_length", HOTSPOT_POOL_LENGTH },
	{ "ConstantPool", "_pool_holder", HOTSPOT_POOL_HOLDER },
	{ "Klass", "_name", HOTSPOT_KLASS_NAME },
	{ "Symbol", "_length", HOTSPOT_SYMBOL_LENGTH },
	{ "Symbol", "_body", HOTSPOT_SYMBOL_BODY },
	{ "nmethod", "_metadata_offset", HOTSPOT_NMETHOD_METADATA },
	{ "CompiledMethod", "_scopes_data_begin", HOTSPOT_NMETHOD_SCOPES },
	{ "nmethod", "_scopes_pcs_offset", HOTSPOT_NMETHOD_PCS },
	{ "nmethod", "_dependencies_offset", HOTSPOT_NMETHOD_PCS_END },
	{ "PcDesc", "_pc_offset", HOTSPOT_PC_OFFSET },
	{ "PcDesc", "_scope_decode_offset", HOTSPOT_PC_SCOPE },
};

static const struct {
	const char *type;
	enum hotspot_field field;
} wanted_sizes[] = {
	{ "HeapBlock", HOTSPOT_BLOCK_SIZE },
	{ "ConstantPool", HOTSPOT_POOL_SIZE },
	{ "PcDesc", HOTSPOT_PC_SIZE },
};

#define N_WANTED_FIELDS (sizeof(wanted_fields) / sizeof(wanted_fields[0]))
#define N_WANTED_SIZES  (sizeof(wanted_sizes) / sizeof(wanted_sizes[0]))

/* One pass over a table, and what it has found. */
struct pass {
	const struct process_memory *memory;
	struct hotspot_vm *vm;
	uint64_t found; /* bit per field */
	uint64_t type_at;
	char type[NAME_MAX]; /* at ->type_at: most entries have the same type as the one before */
};

static int read_type(struct pass *pass, uint64_t at)
{
	if (at == pass->type_at)
		return 0;
	pass->type_at = at;
	int err = process_memory_text(pass->memory, at, pass->type, sizeof(pass->type));
	if (err == -ENOENT) /* a longer name is not wanted */
		pass->type[0] = '\0';
	return err == -ENOENT ? 0 : err;
}

static void set_field(struct pass *pass, enum hotspot_field field, uint64_t value)
{
	if (field != HOTSPOT_HEAPS && value >= FIELD_MAX)
		return;
	pass->vm->fields[field] = value;
	pass->found |= 1ull << field;
}

static bool is_wanted_type(const char *type)
{
	for (size_t i = 0; i < N_WANTED_FIELDS; i++)
		if (strcmp(wanted_fields[i].type, type) == 0)
			return true;
	return false;
}

static int take_field(struct pass *pass, const void *struct_entry)
{
	const struct struct_entry *entry = struct_entry;
	char name[NAME_MAX];

	int err = read_type(pass, entry->type_name);
	if (err || !is_wanted_type(pass->type))
		return err;
	err = process_memory_text(pass->memory, entry->field_name, name, sizeof(name));
	if (err)
		return err == -ENOENT ? 0 : err;
	for (size_t i = 0; i < N_WANTED_FIELDS; i++)
		if (strcmp(wanted_fields[i].type, pass->type) == 0 &&
		    strcmp(wanted_fields[i].name, name) == 0)
			set_field(pass, wanted_fields[i].field,
				  entry->is_static ? entry->address : entry->offset);
	return 0;
}

static int take_size(struct pass *pass, const void *type_entry)
{
	const struct type_entry *entry = type_entry;

	int err = read_type(pass, entry->type_name);

	for (size_t i = 0; i < N_WANTED_SIZES && !err; i++)
		if (strcmp(wanted_sizes[i].type, pass->type) == 0)
			set_field(pass, wanted_sizes[i].field, entry->size);
	return err;
}

/* The pointer in the variable of that name. A table that is not relocated yet has none. */
static int read_table(const struct process_memory *memory, const struct image_symbols *symbols,
		      const char *name, uint64_t *addr_ret)
{
	uint64_t variable;

	int err = image_symbol_find(memory, symbols, name, &variable);
	if (!err)
		err = memory->read(memory, variable, addr_ret, sizeof(*addr_ret));
	if (err)
		return err;
	return *addr_ret < symbols->image ? -EAGAIN : 0;
}

/* The tables have kept their layout since JDK 6; another layout would have another stride. */
static int check_stride(const struct process_memory *memory, const struct image_symbols *symbols,
			const char *name, uint64_t expected)
{
	uint64_t variable, stride;

	int err = image_symbol_find(memory, symbols, name, &variable);
	if (!err)
		err = memory->read(memory, variable, &stride, sizeof(stride));
	if (err)
		return err;
	return stride == expected ? 0 : -ENOENT;
}

/* The entries of a table, of @stride bytes each, up to the one without a type. */
static int read_entries(struct pass *pass, uint64_t table, size_t stride,
			int (*take)(struct pass *pass, const void *entry))
{
	union {
		uint64_t type_name; /* in both */
		struct struct_entry field;
		struct type_entry type;
	} entry;

	for (unsigned i = 0; i < ENTRIES_MAX; i++) {
		int err = pass->memory->read(pass->memory, table + i * stride, &entry, stride);
		if (!err && !entry.type_name)
			return 0;
		if (!err)
			err = take(pass, &entry);
		if (err)
			return err;
	}
	return 0;
}

int hotspot_vm_find(const struct process_memory *memory, uint64_t image, struct hotspot_vm *vm_ret)
{
	struct hotspot_vm vm = { .n_heaps = 0 };
	struct pass pass = { .memory = memory, .vm = &vm };
	struct image_symbols symbols;
	uint64_t structs, types;

	int err = image_symbols_find(memory, image, &symbols);
	if (!err)
		err = check_stride(memory, &symbols, "gHotSpotVMStructEntryArrayStride",
				   sizeof(struct struct_entry));
	if (!err)
		err = check_stride(memory, &symbols, "gHotSpotVMTypeEntryArrayStride",
				   sizeof(struct type_entry));
	if (!err)
		err = read_table(memory, &symbols, "gHotSpotVMStructs", &structs);
	if (!err)
		err = read_table(memory, &symbols, "gHotSpotVMTypes", &types);
	if (!err)
		err = read_entries(&pass, structs, sizeof(struct struct_entry), take_field);
	if (!err)
		err = read_entries(&pass, types, sizeof(struct type_entry), take_size);
	if (err)
		return err;
	const uint64_t needed = (1ull << HOTSPOT_FIRST_OF_SCOPES) - 1;
	if ((pass.found & needed) != needed)
		return -ENOENT;
	vm.has_scopes = pass.found == (1ull << N_HOTSPOT_FIELDS) - 1;
	*vm_ret = vm;
	return 0;
}

static int read_space(const struct process_memory *memory, const struct hotspot_vm *vm,
		      uint64_t space, uint64_t *low_ret, uint64_t *end_ret)
{
	int err = memory->read(memory, space + vm->fields[HOTSPOT_SPACE_LOW], low_ret,
			       sizeof(*low_ret));

	return err ? err
		   : memory->read(memory, space + vm->fields[HOTSPOT_SPACE_END], end_ret,
				  sizeof(*end_ret));
}

static int read_heap(const struct process_memory *memory, const struct hotspot_vm *vm, uint64_t at,
		     struct hotspot_heap *heap)
{
	uint64_t segmap_end;

	int err = read_space(memory, vm, at + vm->fields[HOTSPOT_HEAP_MEMORY], &heap->start,
			     &heap->end);
	if (!err)
		err = read_space(memory, vm, at + vm->fields[HOTSPOT_HEAP_SEGMAP], &heap->segmap,
				 &segmap_end);
	if (!err)
		err = memory->read(memory, at + vm->fields[HOTSPOT_HEAP_SEGMENT_BITS],
				   &heap->segment_bits, sizeof(heap->segment_bits));
	if (err)
		return err;
	bool is_sound = heap->start < heap->end && heap->segment_bits >= SEGMENT_BITS_MIN &&
			heap->segment_bits <= SEGMENT_BITS_MAX && heap->segmap < segmap_end;
	return is_sound ? 0 : -EAGAIN;
}

int hotspot_vm_find_heaps(const struct process_memory *memory, struct hotspot_vm *vm)
{
	uint64_t array, data, heaps[HOTSPOT_HEAPS_MAX];
	int32_t length = 0;

	int err = memory->read(memory, vm->fields[HOTSPOT_HEAPS], &array, sizeof(array));
	if (err || !array)
		return -EAGAIN;
	err = memory->read(memory, array + vm->fields[HOTSPOT_ARRAY_LENGTH], &length,
			   sizeof(length));
	if (!err)
		err = memory->read(memory, array + vm->fields[HOTSPOT_ARRAY_DATA], &data,
				   sizeof(data));
	if (err || length < 1 || length > HOTSPOT_HEAPS_MAX)
		return -EAGAIN;
	if (memory->read(memory, data, heaps, (size_t)length * sizeof(heaps[0])))
		return -EAGAIN;
	for (int32_t i = 0; i < length; i++)
		if (read_heap(memory, vm, heaps[i], &vm->heaps[i]))
			return -EAGAIN;
	vm->n_heaps = (size_t)length;
	return 0;
}

const struct hotspot_heap *hotspot_vm_heap(const struct hotspot_vm *vm, uint64_t addr)
{
	for (size_t i = 0; i < vm->n_heaps; i++)
		if (addr - vm->heaps[i].start < vm->heaps[i].end - vm->heaps[i].start)
			return &vm->heaps[i];
	return NULL;
}
