#include "report/pprof/pprof_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "report/pprof/pprof_fields.h"

#define FIRST_START UINT64_C(0x10000) /* of mappings; address 0 means that there is no address */

int pprof_tables_write(struct pprof_tables *tables, unsigned field,
		       const struct byte_buffer *message)
{
	byte_buffer_clear(&tables->start);
	protobuf_field_start(&tables->start, field, message->size);
	if (message->lacks_memory || tables->start.lacks_memory)
		return -ENOMEM;
	int err = gzip_stream_write(tables->out, tables->start.bytes, tables->start.size);
	return err ? err : gzip_stream_write(tables->out, message->bytes, message->size);
}

int pprof_tables_string(struct pprof_tables *tables, const char *text, uint64_t *number_ret)
{
	struct byte_buffer *safe = &tables->text;
	char bytes[PRINTABLE_MAX];
	unsigned columns;
	uint32_t number;
	size_t size;
	bool is_new;

	byte_buffer_clear(safe);
	while ((size = printable_next(&text, true, bytes, &columns)))
		byte_buffer_add(safe, bytes, size);
	byte_buffer_add(safe, "", 1);
	if (safe->lacks_memory ||
	    string_ids_add(&tables->strings, (const char *)safe->bytes, &number, &is_new))
		return -ENOMEM;
	*number_ret = number;
	safe->size--;
	return is_new ? pprof_tables_write(tables, PROFILE_STRING, safe) : 0;
}

/* A field of the current entry that refers to a string; none if @text is NULL. */
static int add_string(struct pprof_tables *tables, unsigned field, const char *text)
{
	uint64_t number = 0;
	int err = text ? pprof_tables_string(tables, text, &number) : 0;

	if (!err)
		protobuf_field_number(&tables->entry, field, number);
	return err;
}

/* -- mappings ------------------------------------------------------------------------------- */

static int write_mapping(struct pprof_tables *tables, const struct module *module)
{
	const struct code_range *mapping = &tables->mappings[module->id];
	char build_id[BUILD_ID_TEXT_SIZE];
	struct byte_buffer *entry = &tables->entry;

	build_id_format(&module->key.build_id, build_id);
	byte_buffer_clear(entry);
	protobuf_field_number(entry, MAPPING_ID, module->id);
	protobuf_field_number(entry, MAPPING_START, mapping->start);
	protobuf_field_number(entry, MAPPING_LIMIT, mapping->start + mapping->size);
	protobuf_field_number(entry, MAPPING_OFFSET, mapping->offset);
	int err = add_string(tables, MAPPING_FILE, module->key.path);
	if (!err)
		err = add_string(tables, MAPPING_BUILD_ID,
				 module->key.build_id.size ? build_id : NULL);
	for (unsigned field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINED; field++)
		protobuf_field_number(entry, field, true);
	return err ? err : pprof_tables_write(tables, PROFILE_MAPPING, entry);
}

/*
 * The module whose functions are outermost in the paths with most samples: the program, which pprof
 * takes the first mapping for. 0: none. -ENOMEM.
 */
static int find_program(const struct pprof_tables *tables, uint32_t *program_ret)
{
	const struct cct *cct = tables->profile->cct;
	_cleanup_free_ uint32_t *outermost = calloc(cct->n_nodes, sizeof(*outermost));
	_cleanup_free_ uint64_t *samples =
		calloc(tables->profile->modules.n_modules + 1, sizeof(*samples));

	*program_ret = 0;
	if (!outermost || !samples)
		return -ENOMEM;
	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		const struct frame *frame = cct_frame(cct, i);
		uint32_t *module = &outermost[i];

		*module = outermost[cct->nodes[i].parent];
		if (!*module && frame->kind == FRAME_USER)
			*module = frame->module;
		for (uint32_t metric = 0; metric < cct->n_metrics; metric++)
			samples[*module] += cct_cost(cct, i, metric)->samples;
		if (*module && (!*program_ret || samples[*module] > samples[*program_ret]))
			*program_ret = *module;
	}
	return 0;
}

static int write_mappings(struct pprof_tables *tables)
{
	const struct module_table *modules = &tables->profile->modules;
	uint32_t n_modules = modules->n_modules, program;
	int err = find_program(tables, &program);

	if (err)
		return err;
	if (program)
		err = write_mapping(tables, module_table_get(modules, program));
	for (uint32_t i = 1; i < n_modules && !err; i++) {
		if (tables->mappings[i].size && i != program)
			err = write_mapping(tables, module_table_get(modules, i));
	}
	return err;
}

/* -- functions and locations ---------------------------------------------------------------- */

static int note_function(struct pprof_tables *tables, uint32_t function, bool *is_new_ret)
{
	size_t n = tables->n_functions;

	if (function >= n) {
		if (array_reserve(tables->has_function, n, tables->n_functions, function + 1 - n))
			return -ENOMEM;
		memset(tables->has_function + n, 0, tables->n_functions - n);
	}
	*is_new_ret = !tables->has_function[function];
	tables->has_function[function] = true;
	return 0;
}

/* Functions are numbered as by the symbolizer, from 1 on. */
static int write_function(struct pprof_tables *tables, const struct frame_name *name)
{
	bool is_new;
	int err = note_function(tables, name->function, &is_new);

	if (err || !is_new)
		return err;
	byte_buffer_clear(&tables->entry);
	protobuf_field_number(&tables->entry, FUNCTION_ID, name->function + UINT64_C(1));
	err = add_string(tables, FUNCTION_NAME, name->name);
	if (!err)
		err = add_string(tables, FUNCTION_SYMBOL, name->symbol);
	if (!err)
		err = add_string(tables, FUNCTION_FILE, name->file);
	return err ? err : pprof_tables_write(tables, PROFILE_FUNCTION, &tables->entry);
}

/* @names: the compiled function first; in the file, the innermost. */
static int write_location(struct pprof_tables *tables, const struct frame *frame, uint64_t number,
			  const struct frame_name *names, size_t n_names)
{
	const struct code_range *mapping = &tables->mappings[frame->module];
	struct byte_buffer *entry = &tables->entry;
	int err = 0;

	for (size_t i = 0; i < n_names && !err; i++)
		err = write_function(tables, &names[i]);
	if (err)
		return err;
	byte_buffer_clear(entry);
	protobuf_field_number(entry, LOCATION_ID, number);
	if (code_ranges_have(frame) && mapping->size) {
		protobuf_field_number(entry, LOCATION_MAPPING, frame->module);
		protobuf_field_number(entry, LOCATION_ADDRESS,
				      code_range_address(mapping, frame->offset));
	}
	for (size_t i = n_names; i-- > 0;) {
		byte_buffer_clear(&tables->line);
		protobuf_field_number(&tables->line, LINE_FUNCTION,
				      names[i].function + UINT64_C(1));
		protobuf_field_number(&tables->line, LINE_NUMBER, names[i].line);
		protobuf_field_message(entry, LOCATION_LINE, &tables->line);
	}
	return pprof_tables_write(tables, PROFILE_LOCATION, entry);
}

int pprof_tables_location(struct pprof_tables *tables, const struct frame *frame,
			  uint64_t *number_ret)
{
	uint64_t key = (uint64_t)frame->part << 48 | (uint64_t)frame->kind << 32 | frame->module;
	uint32_t known = pair_map_find(&tables->locations, frame->offset, key);
	const struct frame_name *names;
	size_t n_names;

	*number_ret = known;
	if (known != PAIR_MAP_NONE)
		return 0;
	*number_ret = ++tables->n_locations;
	int err = pair_map_add(&tables->locations, frame->offset, key, tables->n_locations);
	if (!err)
		err = symbolizer_expand(tables->symbolizer, frame, &names, &n_names);
	return err ? err : write_location(tables, frame, *number_ret, names, n_names);
}

int pprof_tables_init(struct pprof_tables *tables)
{
	uint64_t none;

	tables->mappings = code_ranges_create(tables->profile, FIRST_START, 0);
	if (!tables->mappings)
		return -ENOMEM;
	int err = pprof_tables_string(tables, "", &none); /* the first string of each profile */
	if (err)
		return err;
	return write_mappings(tables);
}

void pprof_tables_deinit(struct pprof_tables *tables)
{
	string_ids_deinit(&tables->strings);
	free(tables->mappings);
	free(tables->has_function);
	pair_map_deinit(&tables->locations);
	byte_buffer_deinit(&tables->start);
	byte_buffer_deinit(&tables->text);
	byte_buffer_deinit(&tables->entry);
	byte_buffer_deinit(&tables->line);
}
