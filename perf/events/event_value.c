#include "perf/events/event_value.h"

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
