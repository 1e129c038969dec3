#include "collector/values/fetched_values.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "collector/replay/sample_weight.h"
#include "collector/values/pointer_name.h"
#include "collector/values/value_rows.h"

/* The rows of one event. */
struct event_rows {
	const struct data_file_event *event;
	struct value_rows rows;
};

struct fetched_values {
	struct event_rows *events;
	size_t n, n_allocated;
	struct symbolizer *symbolizer; /* made with the first event */
};

struct fetched_values *fetched_values_create(void)
{
	return calloc(1, sizeof(struct fetched_values));
}

void fetched_values_destroy(struct fetched_values *values)
{
	if (!values)
		return;
	symbolizer_destroy(values->symbolizer);
	free(values->events);
	free(values);
}

static uint64_t encoding_of(enum event_value_kind kind)
{
	switch (kind) {
	case EVENT_VALUE_SIGNED:
		return DW_ATE_signed;
	case EVENT_VALUE_UNSIGNED:
		return DW_ATE_unsigned;
	case EVENT_VALUE_BOOL:
		return DW_ATE_boolean;
	case EVENT_VALUE_CHARACTER:
		return DW_ATE_signed_char;
	case EVENT_VALUE_BYTE:
		return DW_ATE_unsigned_char;
	case EVENT_VALUE_FLOAT:
		return DW_ATE_float;
	default:
		return DW_ATE_unsigned;
	}
}

/* Its last byte is a zero. */
static enum debug_reason read_string(const struct sample_record *sample, uint16_t at,
				     struct value_text *text_ret)
{
	const uint8_t *bytes;
	size_t size;

	if (!sample_raw_string(sample, at, &bytes, &size))
		return DEBUG_NO_MEMORY;
	const size_t n = strnlen((const char *)bytes, size);
	value_text_of_string(text_ret, bytes, n, n < size);
	return DEBUG_KNOWN;
}

static void write_number(const struct sample *sample, struct symbolizer *symbolizer, uint64_t word,
			 struct value_text *text_ret)
{
	const struct event_value *value = &sample->event->value;
	char function[VALUE_TEXT_MAX] = "";
	size_t size;
	const char *name = event_value_find_name(value, word, &size);

	if (name) {
		value_text_of_enumerator(text_ret, word, name, size);
	} else if (value->kind == EVENT_VALUE_ADDRESS) {
		if (sample->space)
			pointer_name_write(symbolizer, sample->space, word, function,
					   sizeof(function));
		value_text_of_address(text_ret, word, function);
	} else {
		value_text_of_number(text_ret, encoding_of(value->kind), word,
				     value->n_bits ? value->n_bits : 8u * value->size);
	}
}

enum debug_reason fetched_value_read(const struct sample *sample, struct symbolizer *symbolizer,
				     struct value_text *text_ret)
{
	const struct sample_record *record = &sample->record.sample;
	const struct event_value *value = &sample->event->value;
	const uint8_t *checked;
	uint64_t word = 0;
	size_t size;

	if (value->kind == EVENT_VALUE_STRING)
		return read_string(record, value->offset, text_ret);
	if (value->check && !sample_raw_string(record, value->check, &checked, &size))
		return DEBUG_NO_MEMORY;
	if (value->size > record->raw_size || value->offset > record->raw_size - value->size)
		return DEBUG_NO_MEMORY;
	memcpy(&word, record->raw + value->offset, value->size);
	write_number(sample, symbolizer, word, text_ret);
	return DEBUG_KNOWN;
}

/* Of an event with values. 0 or -ENOMEM. */
static int find_rows(struct fetched_values *values, const struct data_file_event *event,
		     struct profile *profile, struct value_rows **rows_ret)
{
	const struct symbolizer_options names = { .names = NAMES_WITHOUT_PARAMETERS };
	uint32_t id;
	bool is_new;

	for (size_t i = 0; i < values->n; i++) {
		if (values->events[i].event == event) {
			*rows_ret = &values->events[i].rows;
			return 0;
		}
	}
	if (!values->symbolizer)
		values->symbolizer = symbolizer_create(profile, &names);
	if (!values->symbolizer || array_reserve(values->events, values->n, values->n_allocated, 1))
		return -ENOMEM;
	struct event_rows *added = &values->events[values->n++];
	*added = (struct event_rows){ .event = event, .rows.name = event->value.name };
	*rows_ret = &added->rows;
	return string_ids_add(&profile->splits, event->name, &id, &is_new);
}

int fetched_values_split(struct fetched_values *values, struct sample *sample,
			 struct profile *profile)
{
	struct value_rows *rows;
	struct value_text text;

	if (!sample->raw.header || sample->event->value.kind == EVENT_VALUE_NONE ||
	    sample->value.is_there)
		return 0;
	int err = find_rows(values, sample->event, profile, &rows);
	if (err)
		return err;
	const enum debug_reason reason = fetched_value_read(sample, values->symbolizer, &text);
	const uint32_t row =
		reason ? value_rows_unknown(rows, "memory that could not be read", profile)
		       : value_rows_find(rows, value_text_without_address(&text), false, profile);
	if (!row)
		return -ENOMEM;
	sample->value = (struct path_value){ .is_there = true, .text = row - 1 };
	sample->is_value_unknown = reason;
	sample->is_value_open = false;
	return 0;
}
