#include "collector/push/clickhouse/stack_rows.h"

#include <errno.h>
#include <string.h>

#include "collector/push/clickhouse/row_binary.h"
#include "collector/push/clickhouse/table_request.h"
#include "collector/push/known_keys.h"

struct writer {
	struct stack_ids *ids;
	struct symbolizer *symbolizer;
	struct known_keys sent; /* what is in these requests */
	uint16_t day;
	struct table_request modules, names, stacks;
};

/* The key of a row, which is written if this is new. true: write it. */
static bool is_new(struct writer *writer, struct table_request *request, uint64_t a, uint64_t b,
		   int *err_ret)
{
	const struct known_keys *known = request->requests->known;
	struct content_id id = content_id_add(content_id_start(), request->table);

	id = content_id_add_number(content_id_add_number(id, a), b);
	const uint64_t key = (uint64_t)id.hash ^ (uint64_t)(id.hash >> 64);
	if ((known && known_keys_has(known, key)) || known_keys_has(&writer->sent, key))
		return false;
	*err_ret = known_keys_add(&writer->sent, key);
	byte_buffer_add(&request->keys, &key, sizeof(key));
	return !*err_ret;
}

/* -- modules -------------------------------------------------------------------------------- */

static int add_module(struct writer *writer, uint64_t number, const char *kind, const char *path,
		      const struct build_id *build_id, const char *kernel)
{
	struct byte_buffer *row = &writer->modules.rows;
	char digits[BUILD_ID_TEXT_SIZE] = "";
	int err = 0;

	if (!is_new(writer, &writer->modules, number, 0, &err))
		return err;
	if (build_id)
		stack_ids_build_id(build_id, digits);
	row_add_64(row, number);
	row_add_text(row, kind);
	row_add_text(row, path);
	row_add_text(row, digits);
	row_add_text(row, digits[0] ? "" : kernel);
	row_add_16(row, writer->day);
	return table_request_end_row(&writer->modules);
}

static int add_module_of(struct writer *writer, const struct frame *frame)
{
	const struct profile *profile = writer->ids->profile;
	const struct module *module = module_table_get(&profile->modules, frame->module);
	const char *text = stack_ids_text_of(writer->ids, frame);

	if (text)
		return add_module(writer, stack_ids_text(text), "text", text, NULL, "");
	if (!module)
		return 0;
	return add_module(writer, writer->ids->modules[frame->module],
			  stack_ids_kind(module->key.kind), module->key.path, &module->key.build_id,
			  module->key.kind == MODULE_KERNEL ? profile->info.os_release : "");
}

/* -- names ---------------------------------------------------------------------------------- */

typedef const char *(*call_text)(const struct stored_names *names, const struct stored_call *call);

static const char *name_of_call(const struct stored_names *names, const struct stored_call *call)
{
	return stored_names_text(names, call->name);
}

static const char *file_of_call(const struct stored_names *names, const struct stored_call *call)
{
	return stored_names_text(names, call->file);
}

static const char *directory_of_call(const struct stored_names *names,
				     const struct stored_call *call)
{
	return stored_names_text(names, call->directory);
}

static const char *declaration_of_call(const struct stored_names *names,
				       const struct stored_call *call)
{
	return stored_names_text(names, call->decl_file);
}

/* Calls are stored innermost first. */
static void add_texts(struct byte_buffer *row, const struct stored_names *names,
		      const struct stored_code *code, call_text text)
{
	row_add_count(row, code->n_calls);
	for (uint32_t i = code->n_calls; i--;)
		row_add_text(row, text(names, &names->calls[code->first_call + i]));
}

static void add_lines(struct byte_buffer *row, const struct stored_names *names,
		      const struct stored_code *code, bool is_declaration)
{
	row_add_count(row, code->n_calls);
	for (uint32_t i = code->n_calls; i--;) {
		const struct stored_call *call = &names->calls[code->first_call + i];

		row_add_32(row, is_declaration ? call->decl_line : call->line);
	}
}

static void add_functions(struct byte_buffer *row, const struct frame_name *functions, size_t n)
{
	row_add_count(row, n);
	for (size_t i = 0; i < n; i++)
		row_add_text(row, functions[i].name);
}

static void add_code(struct byte_buffer *row, const struct stored_names *names,
		     const struct stored_code *code)
{
	row_add_text(row, stored_names_text(names, code->symbol));
	row_add_64(row, code->start);
	row_add_64(row, code->addr);
	row_add_8(row, code->start_kind);
	row_add_8(row, code->flags);
}

/* What a stored profile has of calls, in the order of the columns. */
static void add_calls(struct byte_buffer *row, const struct stored_names *names,
		      const struct stored_code *code)
{
	add_texts(row, names, code, name_of_call);
	add_texts(row, names, code, file_of_call);
	add_texts(row, names, code, directory_of_call);
	add_lines(row, names, code, false);
	add_texts(row, names, code, declaration_of_call);
	add_lines(row, names, code, true);
}

/* More is known with a higher number. */
static uint8_t version_of(const struct stored_code *code)
{
	return code->n_calls ? 2 : code->symbol != STORED_NO_TEXT;
}

static int add_name(struct writer *writer, const struct frame *frame)
{
	const struct stored_names *names = writer->ids->profile->names;
	const struct stored_code *code = stored_names_find(names, frame->module, frame->offset);
	struct byte_buffer *row = &writer->names.rows;
	const struct frame whole = { .offset = frame->offset,
				     .module = frame->module,
				     .kind = frame->kind };
	const struct table_frame made = stack_ids_frame(writer->ids, &whole, 0);
	const struct frame_name *functions;
	size_t n_functions;
	int err = 0;

	if (!code ||
	    !is_new(writer, &writer->names, made.module ^ version_of(code), made.offset, &err))
		return err;
	err = symbolizer_expand(writer->symbolizer, &whole, &functions, &n_functions);
	if (err)
		return err;
	row_add_64(row, made.module);
	row_add_64(row, made.offset);
	row_add_8(row, version_of(code));
	add_code(row, names, code);
	add_functions(row, functions, n_functions);
	add_calls(row, names, code);
	row_add_16(row, writer->day);
	return table_request_end_row(&writer->names);
}

/* -- paths ---------------------------------------------------------------------------------- */

static int add_frames(struct writer *writer, size_t n)
{
	const struct stack_ids *ids = writer->ids;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		err = add_module_of(writer, &ids->frames[i]);
		if (!err)
			err = add_name(writer, &ids->frames[i]);
	}
	return err;
}

static void add_path(struct writer *writer, const struct table_stack *stack, size_t n)
{
	const struct stack_ids *ids = writer->ids;
	struct byte_buffer *row = &writer->stacks.rows;

	byte_buffer_add(row, stack->id, STACK_ID_SIZE);
	row_add_count(row, n);
	for (size_t i = 0; i < n; i++)
		row_add_64(row, stack_ids_frame(ids, &ids->frames[i], 0).module);
	row_add_count(row, n);
	for (size_t i = 0; i < n; i++)
		row_add_64(row, stack_ids_frame(ids, &ids->frames[i], 0).offset);
	row_add_count(row, n);
	for (size_t i = 0; i < n; i++)
		row_add_32(row, stack_ids_frame(ids, &ids->frames[i], ids->frame_marks[i]).bits);
	row_add_16(row, writer->day);
}

static int add_stack(struct writer *writer, const struct table_stack *stack)
{
	uint64_t high, low;
	int err = 0;

	memcpy(&high, stack->id, sizeof(high));
	memcpy(&low, stack->id + sizeof(high), sizeof(low));
	const bool is_sent = !is_new(writer, &writer->stacks, high, low, &err);
	const size_t n = err ? SIZE_MAX : stack_ids_path(writer->ids, stack);
	if (n == SIZE_MAX)
		return -ENOMEM;
	err = add_frames(writer, n);
	if (err || is_sent)
		return err;
	add_path(writer, stack, n);
	return table_request_end_row(&writer->stacks);
}

int stack_rows_add(struct push_requests *requests, struct stack_ids *stacks,
		   struct symbolizer *symbolizer, uint16_t day)
{
	struct writer writer = {
		.ids = stacks,
		.symbolizer = symbolizer,
		.day = day,
		.modules = { .requests = requests,
			     .table = "modules",
			     .columns = "module, kind, path, build_id, kernel, seen" },
		.names = { .requests = requests,
			   .table = "names",
			   .columns = "module, offset, version, symbol, start, address, "
				      "start_kind, flags, functions, names, files, directories, "
				      "lines, decl_files, decl_lines, seen" },
		.stacks = { .requests = requests,
			    .table = "stacks",
			    .columns = "stack, modules, offsets, bits, seen" },
	};
	int err = 0;

	for (uint32_t i = 0; i < stacks->n_stacks && !err; i++)
		err = add_stack(&writer, &stacks->stacks[i]);
	if (!err)
		err = table_request_flush(&writer.modules);
	if (!err)
		err = table_request_flush(&writer.names);
	if (!err)
		err = table_request_flush(&writer.stacks);
	table_request_deinit(&writer.modules);
	table_request_deinit(&writer.names);
	table_request_deinit(&writer.stacks);
	known_keys_deinit(&writer.sent);
	return err;
}
