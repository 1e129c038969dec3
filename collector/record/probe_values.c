#include "collector/record/probe_values.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "collector/values/value_modules.h"
#include "perf/kinds/probe_argument.h"
#include "report/code/machine_code.h"
#include "report/values/entry_value.h"
#include "report/values/value_types.h"

#define CODE_SIZE 4096 /* that is followed from a function's entry on */

/* The file of a probe. */
struct probed_file {
	struct module_table table;
	struct value_modules modules;
	struct value_module *module; /* NULL: it can't be read */
};

/* 0 or -ENOMEM; to be closed in any case. */
static int open_file(struct probed_file *file, const char *path)
{
	const struct module_key key = { .kind = MODULE_ELF, .path = path };
	int err = module_table_init(&file->table);

	file->module = NULL;
	value_modules_init(&file->modules, &file->table);
	if (err)
		return err;
	const uint32_t id = module_table_add(&file->table, &key);
	if (!id)
		return -ENOMEM;
	file->module = value_modules_get(&file->modules, id);
	return 0;
}

static void close_file(struct probed_file *file)
{
	value_modules_deinit(&file->modules);
	module_table_deinit(&file->table);
}

static enum event_value_kind kind_of(enum entry_value_kind kind)
{
	switch (kind) {
	case ENTRY_SIGNED:
		return EVENT_VALUE_SIGNED;
	case ENTRY_UNSIGNED:
		return EVENT_VALUE_UNSIGNED;
	case ENTRY_BOOL:
		return EVENT_VALUE_BOOL;
	case ENTRY_CHARACTER:
		return EVENT_VALUE_CHARACTER;
	case ENTRY_BYTE:
		return EVENT_VALUE_BYTE;
	case ENTRY_FLOAT:
		return EVENT_VALUE_FLOAT;
	case ENTRY_STRING:
		return EVENT_VALUE_STRING;
	case ENTRY_ADDRESS:
		break;
	}
	return EVENT_VALUE_ADDRESS;
}

static void set_fetch(struct entry_value *value, struct event_fetch *fetch)
{
	const bool is_signed = value->kind == ENTRY_SIGNED || value->kind == ENTRY_CHARACTER;

	*fetch = (struct event_fetch){
		.kind = kind_of(value->kind),
		.size = (uint8_t)(value->kind == ENTRY_STRING ? 4 : value->size),
		.n_bits = (uint8_t)value->n_bits,
	};
	if (value->kind == ENTRY_STRING)
		snprintf(fetch->argument, sizeof(fetch->argument), "%s:string", value->place);
	else if (value->n_bits)
		snprintf(fetch->argument, sizeof(fetch->argument), "%s:b%u@%u/%u", value->place,
			 value->n_bits, value->bit, 8 * value->size);
	else
		snprintf(fetch->argument, sizeof(fetch->argument), "%s:%s", value->place,
			 probe_argument_type(is_signed, value->size));
	if (value->may_fail && value->kind != ENTRY_STRING)
		snprintf(fetch->check, sizeof(fetch->check), "%s:string", value->place);
	if (dwarf_tag(&value->type) == DW_TAG_enumeration_type)
		value_type_enumerators(&value->type, fetch->names, sizeof(fetch->names));
}

/* The compiled function, into which others may be inlined there. */
static bool find_function(const struct value_module *module, uint64_t vaddr, Dwarf_Die *function)
{
	Dwarf_Die dies[DEBUG_INFO_MAX_INLINED];
	const size_t n = module->info ? debug_info_find_dies(module->info, vaddr, dies,
							     DEBUG_INFO_MAX_INLINED)
				      : 0;

	if (n)
		*function = dies[n - 1];
	return n;
}

/* Finds what to fetch at a place of a file. false: @reason says why not. */
static bool find_in_file(const struct value_module *module, const char *expression, uint64_t offset,
			 struct event_fetch *fetch, char *reason)
{
	struct value_expression parsed = { .n_steps = 0 };
	struct entry_value value;
	GElf_Ehdr header;
	struct entry_point entry = {
		.register_name = probe_argument_register,
		.offset = offset,
	};
	const char *wrong = value_expression_parse(&parsed, expression);

	if (wrong) {
		snprintf(reason, ENTRY_REASON_MAX, "'%s' %s.", expression, wrong);
		return false;
	}
	if (!elf_segments_to_vaddr(&module->segments, offset, &entry.vaddr) ||
	    !find_function(module, entry.vaddr, &entry.function)) {
		snprintf(reason, ENTRY_REASON_MAX,
			 "there is no debug information of the function, which says where '%s' is; "
			 "arg1 to arg%d, by their numbers, need none.",
			 parsed.variable, EVENT_ARGUMENT_MAX);
		return false;
	}
	if (gelf_getehdr(module->file.elf, &header) && header.e_ident[EI_CLASS] == ELFCLASS64)
		entry.machine = header.e_machine;
	if (entry.machine != EM_X86_64 && entry.machine != EM_AARCH64) {
		snprintf(reason, ENTRY_REASON_MAX,
			 "values are fetched from 64-bit programs for x86-64 and arm64 only.");
		return false;
	}
	entry.code = machine_code_bytes(module->file.elf, entry.vaddr, entry.vaddr + CODE_SIZE,
					&entry.code_size);
	if (!entry.code)
		entry.code_size = 0;
	if (!entry_value_find(&entry, &parsed, &value, reason))
		return false;
	set_fetch(&value, fetch);
	return true;
}

/* As a weight, a value must be a number without a part of one with a sign. */
static bool is_weight(const struct event_fetch *fetch, char *reason)
{
	switch (fetch->kind) {
	case EVENT_VALUE_STRING:
		snprintf(reason, ENTRY_REASON_MAX, "a text is no weight; it can be a value.");
		return false;
	case EVENT_VALUE_FLOAT:
		snprintf(reason, ENTRY_REASON_MAX,
			 "a floating-point number is no weight; it can be a value.");
		return false;
	case EVENT_VALUE_SIGNED:
	case EVENT_VALUE_CHARACTER:
		if (!fetch->n_bits)
			return true;
		snprintf(reason, ENTRY_REASON_MAX,
			 "a part of a number with a sign is no weight; it can be a value.");
		return false;
	default:
		return true;
	}
}

static bool is_missing(const char *expression, const struct event_fetch *fetch)
{
	return expression && fetch->kind == EVENT_VALUE_NONE;
}

static bool find_fetches(const struct value_module *module, const struct event *event,
			 struct probe_site *site, char *reason)
{
	if (!module) {
		snprintf(reason, ENTRY_REASON_MAX, "'%s' can't be read.", event->probed_path);
		return false;
	}
	if (is_missing(event->weight_expression, &site->weight) &&
	    (!find_in_file(module, event->weight_expression, site->offset, &site->weight, reason) ||
	     !is_weight(&site->weight, reason)))
		return false;
	return !is_missing(event->value_expression, &site->value) ||
	       find_in_file(module, event->value_expression, site->offset, &site->value, reason);
}

static int find_values(struct event *event, struct recording_notes *notes)
{
	char reason[ENTRY_REASON_MAX] = "";
	struct probed_file file;
	bool is_found = true;

	int err = open_file(&file, event->probed_path);
	for (size_t i = 0; i < event->n_sites && !err && is_found; i++)
		is_found = find_fetches(file.module, event, &event->sites[i], reason);
	close_file(&file);
	if (err || is_found)
		return err;
	return recording_notes_explain(notes, -EINVAL, "cannot record '%s': %s", event->name,
				       reason);
}

static bool needs_values(const struct event *event)
{
	for (size_t i = 0; i < event->n_sites; i++)
		if (is_missing(event->weight_expression, &event->sites[i].weight) ||
		    is_missing(event->value_expression, &event->sites[i].value))
			return true;
	return false;
}

int probe_values_find(struct event *events, size_t n_events, struct recording_notes *notes)
{
	int err = 0;

	for (size_t i = 0; i < n_events && !err; i++)
		if (needs_values(&events[i]))
			err = find_values(&events[i], notes);
	return err;
}
