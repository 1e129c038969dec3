/*
 * What can be said of a variable of a function, as on the command line: `parse:p->kind` names the
 * value, `parse:p->kind == STRING` is a condition, which holds for a sample or not. On the right of
 * the operator are a number (5, -1, 0x1f, 2.5), a character ('a'), a string ("text"), or a name: an
 * enumerator's, true, false, NULL, or that of the function that a pointer leads to.
 *
 * Texts come from the command line, types from files.
 */
#ifndef REPORT_VALUES_VALUE_CONDITION_H
#define REPORT_VALUES_VALUE_CONDITION_H

#include "report/values/value_expression.h"
#include "report/values/value_text.h"

#define VALUE_FUNCTION_MAX 1024 /* bytes of a function's name */

/* An expression in the frames of a function. */
struct value_subject {
	char function[VALUE_FUNCTION_MAX + 1];
	struct value_expression expression; /* so the struct must stay where it is */
};

enum value_operator {
	VALUE_EQUALS,
	VALUE_DIFFERS,
	VALUE_IS_LESS,
	VALUE_IS_AT_MOST,
	VALUE_IS_GREATER,
	VALUE_IS_AT_LEAST,
};

enum value_operand {
	OPERAND_INTEGER,
	OPERAND_FLOAT,
	OPERAND_NAME,
	OPERAND_STRING,
};

struct value_condition {
	struct value_subject subject;
	enum value_operator operator;
	enum value_operand operand;
	bool is_negative;
	uint64_t amount; /* of OPERAND_INTEGER, without its sign */
	double number;   /* of OPERAND_FLOAT */
	/* The name; or the string's bytes, escaped as in a value's text. */
	char text[4 * VALUE_STRING_MAX + 1];
};

#define VALUE_SUBJECT_MAX (VALUE_FUNCTION_MAX + 1 + VALUE_EXPRESSION_MAX)
/* As it is parsed, without needless spaces. @text: VALUE_SUBJECT_MAX bytes and a zero. */
void value_subject_write(const struct value_subject *subject, char *text);

/* NULL, or what is wrong with @text, as a part of a sentence. */
const char *value_subject_parse(struct value_subject *subject, const char *text);
const char *value_condition_parse(struct value_condition *condition, const char *text);

/*
 * Whether the condition holds for a value of the type @type. DEBUG_NO_SUCH_PART: it has no value
 * that could be compared so, or its type no such enumerator. Other reasons: too little of a string
 * is known.
 */
enum debug_reason value_condition_test(const struct value_condition *condition,
				       const struct value_text *value, Dwarf_Die *type,
				       bool *holds_ret);

#endif
