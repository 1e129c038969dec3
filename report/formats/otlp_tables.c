#include "report/formats/otlp_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/sentence.h"
#include "report/formats/otlp_fields.h"
#include "report/pprof/protobuf.h"

#define FIRST_START UINT64_C(0x10000)
#define TRACE_SIZE  16
#define SPAN_SIZE   8

static void fail(struct otlp_tables *tables, int err)
{
	if (!tables->err)
		tables->err = err;
}

static void add_entry(struct otlp_tables *tables, enum otlp_dictionary_field table,
		      const struct byte_buffer *entry)
{
	protobuf_field_message(&tables->dictionary, table, entry);
	if (tables->dictionary.lacks_memory)
		fail(tables, -ENOMEM);
}

/* -- strings and attributes ----------------------------------------------------------------- */

void otlp_tables_add_text(struct otlp_tables *tables, struct byte_buffer *message, unsigned field,
			  const char *text)
{
	_cleanup_free_ char *shown = text ? printable_copy(text) : NULL;

	if (shown)
		protobuf_field_bytes(message, field, shown, strlen(shown));
	else if (text)
		fail(tables, -ENOMEM);
}

uint32_t otlp_tables_string(struct otlp_tables *tables, const char *text)
{
	_cleanup_free_ char *shown = printable_copy(text ? text : "");
	uint32_t number = 0;
	bool is_new = false;

	if (!shown || string_ids_add(&tables->strings, shown, &number, &is_new))
		fail(tables, -ENOMEM);
	if (is_new)
		protobuf_field_bytes(&tables->dictionary, OTLP_STRING_TABLE, shown, strlen(shown));
	return number;
}

/* The attribute with this identity, which is freed, and with the value in tables->value. */
static uint32_t enter_attribute(struct otlp_tables *tables, const char *key, char *identity)
{
	uint32_t number = 0;
	bool is_new = false;

	if (!identity || string_ids_add(&tables->attributes, identity, &number, &is_new))
		fail(tables, -ENOMEM);
	free(identity);
	if (!is_new)
		return number;
	byte_buffer_clear(&tables->part);
	protobuf_field_number(&tables->part, OTLP_ATTRIBUTE_KEY, otlp_tables_string(tables, key));
	protobuf_field_message(&tables->part, OTLP_ATTRIBUTE_VALUE, &tables->value);
	add_entry(tables, OTLP_ATTRIBUTE_TABLE, &tables->part);
	return number;
}

uint32_t otlp_tables_text(struct otlp_tables *tables, const char *key, const char *value)
{
	_cleanup_free_ char *shown = printable_copy(value);

	byte_buffer_clear(&tables->value);
	otlp_tables_add_text(tables, &tables->value, OTLP_TEXT, shown);
	return enter_attribute(tables, key, shown ? sentence("text %s %s", key, shown) : NULL);
}

uint32_t otlp_tables_number(struct otlp_tables *tables, const char *key, int64_t value)
{
	byte_buffer_clear(&tables->value);
	protobuf_field_choice(&tables->value, OTLP_INTEGER, (uint64_t)value);
	return enter_attribute(tables, key, sentence("number %s %" PRId64, key, value));
}

/* -- code ----------------------------------------------------------------------------------- */

static void add_index(struct byte_buffer *message, unsigned field, uint32_t index)
{
	struct byte_buffer list = { 0 };

	byte_buffer_add_unsigned(&list, index);
	protobuf_field_message(message, field, &list);
	byte_buffer_deinit(&list);
}

static uint32_t enter_mapping(struct otlp_tables *tables, uint32_t id)
{
	const struct module *module = module_table_get(&tables->profile->modules, id);
	const struct code_range *range = &tables->ranges[id];
	struct byte_buffer *entry = &tables->entry;
	char build_id[BUILD_ID_TEXT_SIZE];

	if (!module || !range->size || tables->mappings[id])
		return tables->mappings[id];
	build_id_format(&module->key.build_id, build_id);
	const uint32_t file = otlp_tables_string(tables, module->key.path);
	const uint32_t attribute =
		module->key.build_id.size
			? otlp_tables_text(tables, "process.executable.build_id.gnu", build_id)
			: 0;
	byte_buffer_clear(entry);
	protobuf_field_number(entry, OTLP_MAPPING_START, range->start);
	protobuf_field_number(entry, OTLP_MAPPING_LIMIT, range->start + range->size);
	protobuf_field_number(entry, OTLP_MAPPING_OFFSET, range->offset);
	protobuf_field_number(entry, OTLP_MAPPING_FILE, file);
	if (attribute)
		add_index(entry, OTLP_MAPPING_ATTRIBUTES, attribute);
	add_entry(tables, OTLP_MAPPING_TABLE, entry);
	tables->mappings[id] = tables->n_mappings++;
	return tables->mappings[id];
}

static uint32_t enter_function(struct otlp_tables *tables, const struct frame_name *name)
{
	const uint32_t text = otlp_tables_string(tables, name->name);
	const uint32_t symbol = otlp_tables_string(tables, name->symbol);
	const uint32_t file = otlp_tables_string(tables, name->file);
	const uint64_t names = (uint64_t)text << 32 | symbol;
	const uint32_t known = pair_map_find(&tables->functions, names, file);

	if (known != PAIR_MAP_NONE)
		return known;
	if (pair_map_add(&tables->functions, names, file, tables->n_functions))
		fail(tables, -ENOMEM);
	byte_buffer_clear(&tables->entry);
	protobuf_field_number(&tables->entry, OTLP_FUNCTION_NAME, text);
	protobuf_field_number(&tables->entry, OTLP_FUNCTION_SYMBOL, symbol);
	protobuf_field_number(&tables->entry, OTLP_FUNCTION_FILE, file);
	add_entry(tables, OTLP_FUNCTION_TABLE, &tables->entry);
	return tables->n_functions++;
}

/* By the conventions of OpenTelemetry for profile.frame.type, which have none for other code. */
static const char *type_of(const struct otlp_tables *tables, const struct frame *frame)
{
	const struct module *module = module_table_get(&tables->profile->modules, frame->module);

	if (frame->kind == FRAME_KERNEL)
		return "kernel";
	return frame->kind == FRAME_USER && module &&
			       (module->key.kind == MODULE_ELF || module->key.kind == MODULE_VDSO)
		       ? "native"
		       : NULL;
}

/* Lines, the innermost first, as they are in a location. */
static void add_lines(struct otlp_tables *tables, const struct frame_name *names, size_t n_names,
		      struct byte_buffer *lines)
{
	struct byte_buffer line = { 0 };

	for (size_t i = n_names; i-- > 0;) {
		byte_buffer_clear(&line);
		protobuf_field_number(&line, OTLP_LINE_FUNCTION, enter_function(tables, &names[i]));
		protobuf_field_number(&line, OTLP_LINE_NUMBER, names[i].line);
		protobuf_field_message(lines, OTLP_LOCATION_LINES, &line);
	}
	byte_buffer_deinit(&line);
}

static void write_location(struct otlp_tables *tables, const struct frame *frame,
			   const struct byte_buffer *lines)
{
	const uint32_t mapping = code_ranges_have(frame) ? enter_mapping(tables, frame->module) : 0;
	const char *type = type_of(tables, frame);
	const uint32_t attribute = type ? otlp_tables_text(tables, "profile.frame.type", type) : 0;
	struct byte_buffer *entry = &tables->entry;

	byte_buffer_clear(entry);
	if (mapping) {
		protobuf_field_number(entry, OTLP_LOCATION_MAPPING, mapping);
		protobuf_field_number(
			entry, OTLP_LOCATION_ADDRESS,
			code_range_address(&tables->ranges[frame->module], frame->offset));
	}
	entry->lacks_memory |= lines->lacks_memory;
	byte_buffer_add(entry, lines->bytes, lines->size);
	if (attribute)
		add_index(entry, OTLP_LOCATION_ATTRIBUTES, attribute);
	add_entry(tables, OTLP_LOCATION_TABLE, entry);
}

/* 0: the frame is not part of paths. */
static uint32_t enter_location(struct otlp_tables *tables, uint32_t number)
{
	const struct frame *frame = &tables->profile->cct->frames.frames[number];
	struct byte_buffer lines = { 0 };
	const struct frame_name *names;
	size_t n_names;

	if (frame_is_above_code(frame) || tables->locations[number] ||
	    (frame->kind == FRAME_MARKER && frame->offset == MARKER_KERNEL))
		return tables->locations[number];
	const int err = symbolizer_expand(tables->symbolizer, frame, &names, &n_names);
	if (err)
		fail(tables, err);
	if (err || !n_names)
		return 0;
	add_lines(tables, names, n_names, &lines);
	write_location(tables, frame, &lines);
	byte_buffer_deinit(&lines);
	tables->locations[number] = tables->n_locations++;
	return tables->locations[number];
}

/* -- stacks --------------------------------------------------------------------------------- */

static struct node_array steps_of(const struct otlp_tables *tables)
{
	return (struct node_array){ tables->path_steps, sizeof(*tables->path_steps),
				    tables->n_paths };
}

static uint32_t enter_path(struct otlp_tables *tables, uint32_t callers, uint32_t location)
{
	struct node_array steps = steps_of(tables);
	const uint32_t known =
		node_index_find(&tables->steps, &steps, (struct node_key){ callers, location });

	if (known != NODE_NONE)
		return known;
	if (array_reserve(tables->path_steps, tables->n_paths, tables->n_paths_allocated, 1)) {
		fail(tables, -ENOMEM);
		return 0;
	}
	tables->path_steps[tables->n_paths++] =
		(struct otlp_step){ .callers = callers, .location = location };
	steps = steps_of(tables);
	if (node_index_add_last(&tables->steps, &steps))
		fail(tables, -ENOMEM);
	return tables->n_paths - 1;
}

uint32_t otlp_tables_stack(struct otlp_tables *tables, uint32_t node)
{
	const uint32_t path = tables->paths[node];
	struct byte_buffer *list = &tables->part;

	if (!path || tables->path_steps[path].stack)
		return path ? tables->path_steps[path].stack : 0;
	byte_buffer_clear(list);
	for (uint32_t at = path; at; at = tables->path_steps[at].callers)
		byte_buffer_add_unsigned(list, tables->path_steps[at].location);
	byte_buffer_clear(&tables->entry);
	protobuf_field_message(&tables->entry, OTLP_STACK_LOCATIONS, list);
	add_entry(tables, OTLP_STACK_TABLE, &tables->entry);
	tables->path_steps[path].stack = tables->n_stacks++;
	return tables->path_steps[path].stack;
}

/* Parents come before their children. */
static void find_paths(struct otlp_tables *tables)
{
	const struct cct *cct = tables->profile->cct;

	for (uint32_t i = CCT_ROOT + 1; i < cct->n_nodes && !tables->err; i++) {
		const uint32_t location = enter_location(tables, cct->nodes[i].frame);
		const uint32_t callers = tables->paths[cct->nodes[i].parent];

		tables->paths[i] = location ? enter_path(tables, callers, location) : callers;
	}
	node_index_deinit(&tables->steps);
}

/* The entries 0. */
static void add_zeros(struct otlp_tables *tables)
{
	static const uint8_t zeros[TRACE_SIZE];
	struct byte_buffer *entry = &tables->entry;
	bool is_new;
	uint32_t number;

	byte_buffer_clear(entry);
	for (unsigned table = OTLP_MAPPING_TABLE; table <= OTLP_STACK_TABLE; table++) {
		if (table == OTLP_LINK_TABLE || table == OTLP_STRING_TABLE)
			continue;
		add_entry(tables, (enum otlp_dictionary_field)table, entry);
	}
	protobuf_field_bytes(entry, OTLP_LINK_TRACE, zeros, TRACE_SIZE);
	protobuf_field_bytes(entry, OTLP_LINK_SPAN, zeros, SPAN_SIZE);
	add_entry(tables, OTLP_LINK_TABLE, entry);
	otlp_tables_string(tables, "");
	if (string_ids_add(&tables->attributes, "", &number, &is_new))
		fail(tables, -ENOMEM);
	tables->n_mappings = tables->n_locations = tables->n_functions = tables->n_stacks = 1;
	enter_path(tables, NODE_NONE, 0);
}

int otlp_tables_init(struct otlp_tables *tables, const struct profile *profile,
		     struct symbolizer *symbolizer)
{
	*tables = (struct otlp_tables){
		.profile = profile,
		.symbolizer = symbolizer,
		.ranges = code_ranges_create(profile, FIRST_START, 0),
		.mappings = calloc(profile->modules.n_modules + 1u, sizeof(*tables->mappings)),
		.locations = calloc(profile->cct->frames.n_frames + 1u, sizeof(*tables->locations)),
		.paths = calloc(profile->cct->n_nodes, sizeof(*tables->paths)),
	};
	if (!tables->ranges || !tables->mappings || !tables->locations || !tables->paths)
		return -ENOMEM;
	add_zeros(tables);
	find_paths(tables);
	return tables->err;
}

void otlp_tables_deinit(struct otlp_tables *tables)
{
	byte_buffer_deinit(&tables->dictionary);
	byte_buffer_deinit(&tables->entry);
	byte_buffer_deinit(&tables->part);
	byte_buffer_deinit(&tables->value);
	string_ids_deinit(&tables->strings);
	string_ids_deinit(&tables->attributes);
	pair_map_deinit(&tables->functions);
	node_index_deinit(&tables->steps);
	free(tables->ranges);
	free(tables->mappings);
	free(tables->locations);
	free(tables->path_steps);
	free(tables->paths);
}
