#include "perf/records/simpleperf_files.h"

#include <string.h>

#include "perf/records/record_cursor.h"

/* Field numbers of the messages FileFeature, FileFeature.Symbol, .ElfFile and .KernelModule. */
enum {
	FILE_PATH = 1,
	FILE_TYPE = 2,
	FILE_MIN_VADDR = 3,
	FILE_SYMBOL = 4,
	FILE_ELF = 6,
	FILE_KERNEL_MODULE = 7,
	SYMBOL_VADDR = 1,
	SYMBOL_SIZE = 2,
	SYMBOL_NAME = 3,
	OFFSET_OF_MIN_VADDR = 1,
};

/* A field of a protobuf message: a number, or bytes. */
struct field {
	uint64_t number;
	uint64_t value;
	const uint8_t *bytes; /* NULL: a number */
	size_t size;
};

enum wire_type { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

static bool take_varint(struct record_cursor *cursor, uint64_t *ret)
{
	*ret = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		const uint8_t *byte = cursor_bytes(cursor, 1);

		if (!byte)
			return false;
		*ret |= (uint64_t)(*byte & 0x7f) << shift;
		if (!(*byte & 0x80))
			return true;
	}
	return false;
}

static bool take_field(struct record_cursor *cursor, struct field *field)
{
	uint64_t key, size;

	*field = (struct field){ 0 };
	if (!take_varint(cursor, &key))
		return false;
	field->number = key >> 3;
	switch ((enum wire_type)(key & 7)) {
	case WIRE_VARINT:
		return take_varint(cursor, &field->value);
	case WIRE_64:
		return cursor_copy(cursor, &field->value, 8);
	case WIRE_32:
		return cursor_copy(cursor, &field->value, 4);
	case WIRE_BYTES:
		if (!take_varint(cursor, &size))
			return false;
		field->size = size;
		field->bytes = cursor_bytes(cursor, size);
		return field->bytes;
	}
	return false;
}

static struct simpleperf_text text_of(const struct field *field)
{
	return (struct simpleperf_text){ (const char *)field->bytes, field->size };
}

static void take_min_offset(const struct field *message, struct simpleperf_file *file)
{
	struct record_cursor cursor = { message->bytes, message->bytes + message->size };
	struct field field;

	file->has_min_offset = true;
	while (cursor_left(&cursor) && take_field(&cursor, &field)) {
		if (field.number == OFFSET_OF_MIN_VADDR && !field.bytes)
			file->min_offset = field.value;
	}
}

static void take_file_field(const struct field *field, struct simpleperf_file *file)
{
	if (field->number == FILE_PATH && field->bytes)
		file->path = text_of(field);
	else if (field->number == FILE_TYPE && !field->bytes)
		file->type = (uint32_t)field->value;
	else if (field->number == FILE_MIN_VADDR && !field->bytes)
		file->min_vaddr = field->value;
	else if ((field->number == FILE_ELF || field->number == FILE_KERNEL_MODULE) && field->bytes)
		take_min_offset(field, file);
}

/* The symbols come before or after other fields: they are read in a second pass. */
static bool take_message(struct record_cursor cursor, struct simpleperf_file *file)
{
	struct field field;

	file->symbols = (struct simpleperf_section){ cursor.at, cursor_left(&cursor), true };
	while (cursor_left(&cursor)) {
		if (!take_field(&cursor, &field))
			return false;
		take_file_field(&field, file);
	}
	return file->path.start;
}

/* A text with a NUL after it. */
static bool take_text(struct record_cursor *cursor, struct simpleperf_text *text)
{
	const char *start = (const char *)cursor->at;
	size_t size = strnlen(start, cursor_left(cursor));

	*text = (struct simpleperf_text){ start, size };
	return cursor_bytes(cursor, (uint64_t)size + 1);
}

static bool take_struct_symbol(struct record_cursor *cursor, struct simpleperf_symbol *symbol)
{
	return cursor_copy(cursor, &symbol->vaddr, sizeof(symbol->vaddr)) &&
	       cursor_copy(cursor, &symbol->size, sizeof(symbol->size)) &&
	       take_text(cursor, &symbol->name);
}

/* What newer versions write after the symbols of ELF files and kernel modules. */
static void take_struct_end(struct record_cursor *cursor, struct simpleperf_file *file)
{
	struct simpleperf_symbol symbol;

	if (file->type != SIMPLEPERF_ELF && file->type != SIMPLEPERF_KERNEL_MODULE)
		return;
	for (uint32_t i = 0; i < file->n_symbols; i++) {
		if (!take_struct_symbol(cursor, &symbol))
			return;
	}
	file->has_min_offset = cursor_copy(cursor, &file->min_offset, sizeof(file->min_offset));
}

static bool take_struct(struct record_cursor cursor, struct simpleperf_file *file)
{
	if (!take_text(&cursor, &file->path) ||
	    !cursor_copy(&cursor, &file->type, sizeof(file->type)) ||
	    !cursor_copy(&cursor, &file->min_vaddr, sizeof(file->min_vaddr)) ||
	    !cursor_copy(&cursor, &file->n_symbols, sizeof(file->n_symbols)))
		return false;
	file->symbols = (struct simpleperf_section){ cursor.at, cursor_left(&cursor), false };
	take_struct_end(&cursor, file);
	return true;
}

bool simpleperf_files_next(struct simpleperf_section *section, struct simpleperf_file *ret)
{
	uint32_t size;

	if (!section->size)
		return false;
	struct record_cursor cursor = { section->bytes, section->bytes + section->size };
	if (!cursor_copy(&cursor, &size, sizeof(size)))
		return false;
	struct record_cursor file = { .at = cursor_bytes(&cursor, size) };
	if (!file.at)
		return false;
	file.end = file.at + size;
	section->bytes = cursor.at;
	section->size = cursor_left(&cursor);
	*ret = (struct simpleperf_file){ 0 };
	return section->is_file2 ? take_message(file, ret) : take_struct(file, ret);
}

static bool take_symbol_message(const struct field *message, struct simpleperf_symbol *symbol)
{
	struct record_cursor cursor = { message->bytes, message->bytes + message->size };
	struct field field;

	while (cursor_left(&cursor)) {
		if (!take_field(&cursor, &field))
			return false;
		if (field.number == SYMBOL_VADDR && !field.bytes)
			symbol->vaddr = field.value;
		else if (field.number == SYMBOL_SIZE && !field.bytes)
			symbol->size = (uint32_t)field.value;
		else if (field.number == SYMBOL_NAME && field.bytes)
			symbol->name = text_of(&field);
	}
	return true;
}

static bool next_in_message(struct record_cursor *cursor, struct simpleperf_symbol *symbol)
{
	struct field field;

	while (cursor_left(cursor) && take_field(cursor, &field)) {
		if (field.number == FILE_SYMBOL && field.bytes)
			return take_symbol_message(&field, symbol);
	}
	return false;
}

static bool next_in_struct(struct record_cursor *cursor, struct simpleperf_file *file,
			   struct simpleperf_symbol *symbol)
{
	if (!file->n_symbols)
		return false;
	file->n_symbols--;
	return take_struct_symbol(cursor, symbol);
}

bool simpleperf_symbols_next(struct simpleperf_file *file, struct simpleperf_symbol *ret)
{
	struct simpleperf_section *left = &file->symbols;

	*ret = (struct simpleperf_symbol){ 0 };
	if (!left->size)
		return false;
	struct record_cursor cursor = { left->bytes, left->bytes + left->size };
	bool is_there =
		left->is_file2 ? next_in_message(&cursor, ret) : next_in_struct(&cursor, file, ret);
	left->bytes = cursor.at;
	left->size = is_there ? cursor_left(&cursor) : 0;
	return is_there;
}
