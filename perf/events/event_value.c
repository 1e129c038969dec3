#include "perf/events/event_value.h"

#include <stdlib.h>
#include <string.h>

const char *event_value_kind_name(enum event_value_kind kind)
{
	static const char *const names[EVENT_N_VALUE_KINDS] = {
		[EVENT_VALUE_NONE] = "none",         [EVENT_VALUE_SIGNED] = "signed",
		[EVENT_VALUE_UNSIGNED] = "unsigned", [EVENT_VALUE_ADDRESS] = "address",
		[EVENT_VALUE_BOOL] = "bool",         [EVENT_VALUE_CHARACTER] = "character",
		[EVENT_VALUE_BYTE] = "byte",         [EVENT_VALUE_FLOAT] = "float",
		[EVENT_VALUE_STRING] = "string",
	};

	return names[kind];
}

const char *event_value_find_name(const struct event_value *value, uint64_t number,
				  size_t *size_ret)
{
	const unsigned n_bits = value->n_bits ? value->n_bits : 8u * value->size;
	const uint64_t mask = n_bits < 64 ? (1ull << n_bits) - 1 : UINT64_MAX;
	const char *text = value->names;

	while (*text) {
		char *end;
		const uint64_t named = (uint64_t)strtoll(text, &end, 10);

		if (*end != '=')
			return NULL;
		*size_ret = strcspn(end + 1, " ");
		if (!((named ^ number) & mask))
			return end + 1;
		text = end + 1 + *size_ret;
		text += *text == ' ';
	}
	return NULL;
}
