#include "perf/events/event_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/events/weight_terms.h"

static int write_weight(FILE *out, const struct event_weight *weight)
{
	switch (weight->kind) {
	case WEIGHT_FIELD:
		return fprintf(out, "weight field %u %u %s\n", weight->offset, weight->size,
			       weight->is_signed ? "signed" : "unsigned");
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

static bool read_field(const char *words, struct event_weight *weight)
{
	unsigned offset, size;
	char sign[9];

	if (sscanf(words, "%5u %1u %8s", &offset, &size, sign) != 3)
		return false;
	weight->kind = WEIGHT_FIELD;
	weight->offset = (uint16_t)offset;
	weight->size = (uint16_t)size;
	weight->is_signed = strcmp(sign, "signed") == 0;
	return offset <= UINT16_MAX && (size == 1 || size == 2 || size == 4 || size == 8) &&
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

void event_text_read(const char *text, struct event_weight *weight, const char **unit)
{
	while (*text) {
		char line[128];
		size_t length = strcspn(text, "\n");
		const char *words = line;

		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		if (skip_word(&words, "unit "))
			read_unit(words, unit);
		else if (skip_word(&words, "weight "))
			read_weight(words, weight);
		text += length + (text[length] == '\n');
	}
}
