/* Any text as a tracepoint's format, with the field's name in its first line; and as what a
 * recording says of an event. A field that is taken lies where raw data can have it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/events/event_text.h"
#include "perf/events/weight_terms.h"
#include "perf/kinds/tracepoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
const char *__lsan_default_suppressions(void);

/* It does not free all it has read of a format that it refuses. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

static void check(const struct event_weight *weight)
{
	if (weight->kind == WEIGHT_FIELD && weight->size != 1 && weight->size != 2 &&
	    weight->size != 4 && weight->size != 8)
		abort();
	if (weight->kind == WEIGHT_ARGUMENT &&
	    (!weight->argument || weight->argument > EVENT_ARGUMENT_MAX ||
	     weight->factor > EVENT_ARGUMENT_MAX || weight->condition > EVENT_ARGUMENT_MAX))
		abort();
}

static void check_value(const struct event_value *value)
{
	if (value->kind == EVENT_VALUE_NONE)
		return;
	size_t name_size;
	event_value_find_name(value, (uint64_t)-2, &name_size);
	if (!value->name[0] ||
	    (value->size != 1 && value->size != 2 && value->size != 4 && value->size != 8) ||
	    value->n_bits > 8 * value->size)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct event_weight weight = { .kind = WEIGHT_PERIOD };
	struct event_value value = { .kind = EVENT_VALUE_NONE };
	const char *unit = "events";
	struct weight_terms terms;
	char *error = NULL;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, bytes, size);
	text[size] = '\0';
	size_t line = strcspn(text, "\n");
	const char *format = text + line + (text[line] == '\n');
	char *field = strndup(text, line);

	if (field && !tracepoint_field(format, size - (size_t)(format - text), field, &weight))
		check(&weight);
	free(tracepoint_field_names(format, size - (size_t)(format - text)));
	event_text_read(text, &weight, &value, &unit);
	check(&weight);
	check_value(&value);
	weight_terms_cut(field ? field : "", &line, &terms, &error);
	free(error);
	free(field);
	free(text);
	return 0;
}
