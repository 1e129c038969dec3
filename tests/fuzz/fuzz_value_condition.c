/*
 * The text of a condition, and its answers for values: where both are known, == is the contrary of
 * !=, < of >=, and > of <=.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/values/value_condition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(struct value_condition *condition, const struct value_text *value)
{
	static const enum value_operator contrary[] = {
		[VALUE_EQUALS] = VALUE_DIFFERS,        [VALUE_DIFFERS] = VALUE_EQUALS,
		[VALUE_IS_LESS] = VALUE_IS_AT_LEAST,   [VALUE_IS_AT_MOST] = VALUE_IS_GREATER,
		[VALUE_IS_GREATER] = VALUE_IS_AT_MOST, [VALUE_IS_AT_LEAST] = VALUE_IS_LESS,
	};
	const enum value_operator operator= condition->operator;
	bool is = false, is_contrary = false;
	Dwarf_Die type = { 0 };

	enum debug_reason reason = value_condition_test(condition, value, &type, &is);
	condition->operator= contrary[operator];
	if (value_condition_test(condition, value, &type, &is_contrary) != reason ||
	    (!reason && is == is_contrary))
		abort();
	condition->operator= operator;
}

static void check(struct value_condition *condition)
{
	static const struct value_text values[] = {
		{ .scalar = SCALAR_NONE },
		{ .scalar = SCALAR_SIGNED, .word = UINT64_MAX },
		{ .scalar = SCALAR_SIGNED, .word = 1ull << 63 },
		{ .scalar = SCALAR_UNSIGNED, .word = UINT64_MAX },
		{ .scalar = SCALAR_UNSIGNED, .word = 0 },
		{ .scalar = SCALAR_FLOAT, .number = -0.25 },
		{ .text = "0x1 \"warm\"",
		  .n = 10,
		  .scalar = SCALAR_UNSIGNED,
		  .word = 1,
		  .string = STRING_WHOLE,
		  .string_at = 5,
		  .n_string = 4 },
		{ .text = "\"w\"...",
		  .n = 6,
		  .string = STRING_UNREAD,
		  .string_at = 1,
		  .n_string = 1 },
	};

	if (!*condition->subject.function || !*condition->subject.expression.variable ||
	    memchr(condition->text, 0, sizeof(condition->text)) == NULL)
		abort();
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		check_value(condition, &values[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct value_condition condition;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	if (!value_condition_parse(&condition, text))
		check(&condition);
	free(text);
	return 0;
}
