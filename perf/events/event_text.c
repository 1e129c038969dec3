#include "perf/events/event_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/printable.h"
#include "perf/events/weight_terms.h"

static int write_weight(FILE *out, const struct event_weight *weight)
{
	switch (weight->kind) {
	case WEIGHT_FIELD:
		fprintf(out, "weight field %u %u %s", weight->offset, weight->size,
			weight->is_signed ? "signed" : "unsigned");
		if (weight->check)
			fprintf(out, " check %u", weight->check);
		return fputc('\n', out);
	case WEIGHT_ARGUMENT:
		fprintf(out, "weight argument %u", weight->argument);
		if (weight->factor)
			fprintf(out, " times %u", weight->factor);
		if (weight->condition)
			fprintf(out, " unless-zero %u", weight->condition);
		return fputc('\n', out);
	case WEIGHT_OFF_CPU:
		return fputs("weight off-cpu\n", out);
	default:
		return 0;
	}
}

static void write_value(FILE *out, const struct event_value *value)
{
	if (value->kind != EVENT_VALUE_NONE)
		fprintf(out, "value %s %u %u %u %u %s\n", event_value_kind_name(value->kind),
			value->offset, value->size, value->n_bits, value->check, value->name);
	if (value->names[0])
		fprintf(out, "names %s\n", value->names);
}

char *event_text_write(const struct event *event)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (event->unit && strcmp(event->unit, event_unit(&event->attr)) != 0)
		fprintf(out, "unit %s\n", event->unit);
	write_weight(out, &event->weight);
	write_value(out, &event->value);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static void read_unit(const char *word, const char **unit)
{
	const char *known = weight_terms_find_unit(word, strlen(word));

	if (known)
		*unit = known;
}

static bool is_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool read_field(const char *words, struct event_weight *weight)
{
	unsigned offset, size, check = 0;
	char sign[9];
	const int n = sscanf(words, "%5u %1u %8s check %5u", &offset, &size, sign, &check);

	if (n < 3)
		return false;
	weight->kind = WEIGHT_FIELD;
	weight->offset = (uint16_t)offset;
	weight->size = (uint16_t)size;
	weight->is_signed = strcmp(sign, "signed") == 0;
	weight->check = (uint16_t)check;
	return offset <= UINT16_MAX && check <= UINT16_MAX && is_size(size) &&
	       (weight->is_signed || strcmp(sign, "unsigned") == 0);
}

/* Reads the number of an argument and advances *words. */
static bool read_argument(const char **words, uint8_t *ret)
{
	unsigned number;
	int length;

	if (sscanf(*words, "%3u%n", &number, &length) != 1 || !number ||
	    number > EVENT_ARGUMENT_MAX)
		return false;
	*ret = (uint8_t)number;
	*words += length;
	return true;
}

static bool skip_word(const char **words, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*words, word, length) != 0)
		return false;
	*words += length;
	return true;
}

static bool read_arguments(const char *words, struct event_weight *weight)
{
	weight->kind = WEIGHT_ARGUMENT;
	if (!read_argument(&words, &weight->argument))
		return false;
	if (skip_word(&words, " times ") && !read_argument(&words, &weight->factor))
		return false;
	if (skip_word(&words, " unless-zero ") && !read_argument(&words, &weight->condition))
		return false;
	return !*words;
}

static void read_weight(const char *words, struct event_weight *weight)
{
	struct event_weight read = { .kind = WEIGHT_UNKNOWN };
	bool is_known = skip_word(&words, "field ")      ? read_field(words, &read)
			: skip_word(&words, "argument ") ? read_arguments(words, &read)
							 : strcmp(words, "off-cpu") == 0;

	if (!is_known)
		read = (struct event_weight){ .kind = WEIGHT_UNKNOWN };
	else if (read.kind == WEIGHT_UNKNOWN)
		read.kind = WEIGHT_OFF_CPU;
	*weight = read;
}

static bool find_value_kind(const char *name, enum event_value_kind *kind_ret)
{
	for (int kind = EVENT_VALUE_NONE + 1; kind < EVENT_N_VALUE_KINDS; kind++) {
		if (strcmp(event_value_kind_name((enum event_value_kind)kind), name) == 0) {
			*kind_ret = (enum event_value_kind)kind;
			return true;
		}
	}
	return false;
}

/* The size says how many bytes there are: of a string 4, its place; and bits are in them. */
static bool fits(enum event_value_kind kind, unsigned size, unsigned n_bits)
{
	if (!is_size(size) || n_bits > 8 * size)
		return false;
	if (kind == EVENT_VALUE_STRING || kind == EVENT_VALUE_FLOAT)
		return !n_bits && (size == 4 || (size == 8 && kind == EVENT_VALUE_FLOAT));
	return true;
}

static void read_value(const char *words, struct event_value *value)
{
	unsigned offset, size, n_bits, check;
	enum event_value_kind kind;
	char name[16];
	int length = 0;

	if (sscanf(words, "%15s %5u %1u %2u %5u %n", name, &offset, &size, &n_bits, &check,
		   &length) != 5 ||
	    !length || !words[length] || strlen(words + length) > EVENT_EXPRESSION_MAX ||
	    !printable_is_safe(words + length) || !find_value_kind(name, &kind) ||
	    offset > UINT16_MAX || check > UINT16_MAX || !fits(kind, size, n_bits))
		return;
	*value = (struct event_value){
		.kind = kind,
		.offset = (uint16_t)offset,
		.size = (uint8_t)size,
		.n_bits = (uint8_t)n_bits,
		.check = (uint16_t)check,
	};
	strcpy(value->name, words + length);
}

static void read_names(const char *words, size_t length, struct event_value *value)
{
	if (value->kind == EVENT_VALUE_NONE || length >= sizeof(value->names))
		return;
	memcpy(value->names, words, length);
	value->names[length] = '\0';
	if (!printable_is_safe(value->names))
		value->names[0] = '\0';
}

void event_text_read(const char *text, struct event_weight *weight, struct event_value *value,
		     const char **unit)
{
	while (*text) {
		char line[EVENT_EXPRESSION_MAX + 128];
		size_t length = strcspn(text, "\n");
		const char *words = line;

		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		if (skip_word(&words, "unit "))
			read_unit(words, unit);
		else if (skip_word(&words, "weight "))
			read_weight(words, weight);
		else if (skip_word(&words, "value "))
			read_value(words, value);
		else if (skip_word(&words, "names "))
			read_names(text + (words - line), length - (size_t)(words - line), value);
		text += length + (text[length] == '\n');
	}
}
