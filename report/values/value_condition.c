#include "report/values/value_condition.h"

#include <dwarf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/values/value_types.h"

static const char no_function[] = "lacks the name of a function before a ':'";
static const char too_long[] = "is too long";
static const char no_operator[] = "lacks one of ==, !=, <, <=, > and >=";
static const char no_operand[] =
	"does not end in a number, a name, a character or a string behind the operator";
static const char too_large[] = "has a number that does not fit 64 bits";
static const char no_quote[] = "has a string or a character without its end";
static const char long_string[] = "has a string or a name of more characters than are read: 40";
static const char no_order[] = "asks for an order of what has none: use == or != for texts and "
			       "names";

/* The end of the function's name: the first colon that is not one of two. NULL: none. */
static const char *find_colon(const char *text)
{
	for (; *text; text++) {
		if (*text != ':')
			continue;
		if (text[1] != ':')
			return text;
		text++;
	}
	return NULL;
}

/* Leaves spaces at both ends out. Returns the length of what is between. */
static size_t trim(const char **from, const char *to)
{
	while (*from < to && **from == ' ')
		++*from;
	while (to > *from && to[-1] == ' ')
		to--;
	return (size_t)(to - *from);
}

static const char *parse_subject(struct value_subject *subject, const char *text, const char *end)
{
	const char *colon = find_colon(text), *from;
	char expression[VALUE_EXPRESSION_MAX + 1];

	if (!colon || colon >= end)
		return no_function;
	const size_t n_function = trim(&text, colon);
	from = colon + 1;
	const size_t n = trim(&from, end);
	if (!n_function)
		return no_function;
	if (n_function > VALUE_FUNCTION_MAX || n > VALUE_EXPRESSION_MAX)
		return too_long;
	memcpy(subject->function, text, n_function);
	subject->function[n_function] = 0;
	memcpy(expression, from, n);
	expression[n] = 0;
	return value_expression_parse(&subject->expression, expression);
}

const char *value_subject_parse(struct value_subject *subject, const char *text)
{
	return parse_subject(subject, text, text + strlen(text));
}

void value_subject_write(const struct value_subject *subject, char *text)
{
	sprintf(text, "%s:%s", subject->function, subject->expression.text);
}

/* Behind the function's name, which may have such characters, the first that is no arrow. */
static const char *find_operator(const char *text)
{
	const char *at = find_colon(text);

	while (at && *at && !strchr("=!<>", *at))
		at += strncmp(at, "->", 2) == 0 ? 2 : 1;
	return at && *at ? at : NULL;
}

/* Returns its length; 0: none. */
static size_t take_operator(const char *at, enum value_operator *operator_ret)
{
	static const struct {
		const char *text;
		enum value_operator operator;
	} operators[] = {
		{ "==", VALUE_EQUALS },      { "!=", VALUE_DIFFERS }, { "<=", VALUE_IS_AT_MOST },
		{ ">=", VALUE_IS_AT_LEAST }, { "<", VALUE_IS_LESS },  { ">", VALUE_IS_GREATER },
	};

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		const size_t n = strlen(operators[i].text);

		if (strncmp(at, operators[i].text, n) != 0)
			continue;
		*operator_ret = operators[i].operator;
		return n;
	}
	return 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int digit_of(char c, int base)
{
	const int digit = is_digit(c)            ? c - '0'
			  : c >= 'a' && c <= 'f' ? c - 'a' + 10
			  : c >= 'A' && c <= 'F' ? c - 'A' + 10
						 : base;

	return digit < base ? digit : -1;
}

/* Moves *@at over a number. */
static const char *parse_integer(struct value_condition *condition, const char **at)
{
	const bool is_hex = (*at)[0] == '0' && ((*at)[1] | 0x20) == 'x';
	const unsigned base = is_hex ? 16 : 10;
	const char *start = *at += is_hex ? 2 : 0;

	condition->operand = OPERAND_INTEGER;
	condition->amount = 0;
	for (int digit; (digit = digit_of(**at, (int)base)) >= 0; ++*at) {
		if (condition->amount > (UINT64_MAX - (unsigned)digit) / base)
			return too_large;
		condition->amount = condition->amount * base + (unsigned)digit;
	}
	if (condition->is_negative && condition->amount > (uint64_t)INT64_MAX + 1)
		return too_large;
	condition->is_negative &= condition->amount > 0;
	return *at == start ? no_operand : NULL;
}

static bool is_float(const char *text)
{
	const size_t n = strspn(text, "0123456789");

	return text[n] == '.' || (n && (text[n] | 0x20) == 'e');
}

static const char *parse_number(struct value_condition *condition, const char **at)
{
	condition->is_negative = **at == '-';
	if (**at == '-' || **at == '+')
		++*at;
	if (!is_float(*at))
		return parse_integer(condition, at);
	char *end;
	condition->operand = OPERAND_FLOAT;
	condition->number = strtod(*at, &end);
	if (end == *at || !isfinite(condition->number))
		return no_operand;
	if (condition->is_negative)
		condition->number = -condition->number;
	*at = end;
	return NULL;
}

/* A byte of a string or a character, with C's escapes. false: the text ends. */
static bool take_byte(const char **at, uint8_t *byte_ret)
{
	static const char names[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";
	unsigned byte = 0;

	if (!**at)
		return false;
	if (**at != '\\') {
		*byte_ret = (uint8_t) * (*at)++;
		return true;
	}
	++*at;
	const char *name = **at ? strchr(names, **at) : NULL;
	const int base = **at == 'x' ? 16 : 8, n_max = **at == 'x' ? 2 : 3;
	if (name) {
		byte = (unsigned char)bytes[name - names];
		++*at;
	} else if (**at == 'x' || digit_of(**at, 8) >= 0) {
		*at += **at == 'x';
		for (int i = 0; i < n_max && digit_of(**at, base) >= 0; i++)
			byte = byte * (unsigned)base + (unsigned)digit_of(*(*at)++, base);
	} else if (**at) {
		byte = (unsigned char)*(*at)++;
	} else {
		return false;
	}
	*byte_ret = (uint8_t)byte;
	return true;
}

static const char *parse_string(struct value_condition *condition, const char **at)
{
	size_t n = 0;
	uint8_t byte;

	condition->operand = OPERAND_STRING;
	*condition->text = 0;
	for (++*at; **at != '"';) {
		if (!take_byte(at, &byte))
			return no_quote;
		if (n++ == VALUE_STRING_MAX)
			return long_string;
		value_text_escape(condition->text + strlen(condition->text), byte);
	}
	++*at;
	return NULL;
}

static const char *parse_character(struct value_condition *condition, const char **at)
{
	uint8_t byte;

	++*at;
	if (**at == '\'' || !take_byte(at, &byte) || **at != '\'')
		return no_quote;
	++*at;
	condition->operand = OPERAND_INTEGER;
	condition->amount = byte;
	return NULL;
}

static bool is_in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
	       is_digit(c) || (unsigned char)c >= 0x80;
}

/* Of Colour::RED, the last part: so the debug information calls it. */
static const char *parse_name(struct value_condition *condition, const char **at)
{
	size_t n = 0;

	for (;; *at += n + 2) {
		for (n = 0; is_in_name((*at)[n]);)
			n++;
		if (!n)
			return no_operand;
		if (strncmp(*at + n, "::", 2) != 0)
			break;
	}
	if (n >= sizeof(condition->text))
		return long_string;
	condition->operand = OPERAND_NAME;
	memcpy(condition->text, *at, n);
	condition->text[n] = 0;
	*at += n;
	if (strcmp(condition->text, "NULL") == 0 || strcmp(condition->text, "nullptr") == 0) {
		condition->operand = OPERAND_INTEGER;
		condition->amount = 0;
	}
	return NULL;
}

static const char *skip_spaces(const char *at)
{
	return at + strspn(at, " ");
}

static const char *parse_operand(struct value_condition *condition, const char *at)
{
	const char *wrong;

	condition->is_negative = false;
	*condition->text = 0;
	if (*at == '"')
		wrong = parse_string(condition, &at);
	else if (*at == '\'')
		wrong = parse_character(condition, &at);
	else if (is_digit(*at) || *at == '-' || *at == '+' || *at == '.')
		wrong = parse_number(condition, &at);
	else
		wrong = parse_name(condition, &at);
	if (wrong)
		return wrong;
	return *skip_spaces(at) ? no_operand : NULL;
}

const char *value_condition_parse(struct value_condition *condition, const char *text)
{
	const char *at = find_operator(text);
	const size_t n = at ? take_operator(at, &condition->operator) : 0;

	if (!find_colon(text))
		return no_function;
	if (!n)
		return no_operator;
	const char *wrong = parse_subject(&condition->subject, text, at);
	if (!wrong)
		wrong = parse_operand(condition, skip_spaces(at + n));
	if (!wrong && condition->operator> VALUE_DIFFERS &&(condition->operand == OPERAND_NAME ||
							    condition->operand == OPERAND_STRING))
		wrong = no_order;
	return wrong;
}

static bool holds(enum value_operator operator, int order)
{
	switch (operator) {
	case VALUE_EQUALS:
		return order == 0;
	case VALUE_DIFFERS:
		return order != 0;
	case VALUE_IS_LESS:
		return order < 0;
	case VALUE_IS_AT_MOST:
		return order <= 0;
	case VALUE_IS_GREATER:
		return order > 0;
	case VALUE_IS_AT_LEAST:
		return order >= 0;
	}
	return false;
}

static int compare_integers(const struct value_condition *condition, const struct value_text *value)
{
	const bool is_below = value->scalar == SCALAR_SIGNED && (int64_t)value->word < 0;

	if (is_below != condition->is_negative)
		return is_below ? -1 : condition->amount || value->word ? 1 : 0;
	const uint64_t wanted = is_below ? 0 - condition->amount : condition->amount;
	return (value->word > wanted) - (value->word < wanted);
}

/* long double has all integers of 64 bits on the processors that values are read on. */
static bool compare_floats(const struct value_condition *condition, const struct value_text *value)
{
	const long double is = value->scalar == SCALAR_FLOAT    ? (long double)value->number
			       : value->scalar == SCALAR_SIGNED ? (long double)(int64_t)value->word
								: (long double)value->word;
	const long double amount = (long double)condition->amount;
	const long double wanted = condition->operand == OPERAND_FLOAT
					   ? (long double)condition->number
				   : condition->is_negative ? -amount
							    : amount;

	if (isnan(is))
		return condition->operator== VALUE_DIFFERS;
	return holds(condition->operator,(is > wanted) - (is < wanted));
}

static bool has_enumerator(Dwarf_Die *type, const char *name)
{
	unsigned n = 0;
	Dwarf_Die die;

	for (int err = dwarf_child(type, &die); err == 0 && n++ < VALUE_CHILDREN_MAX;
	     err = dwarf_siblingof(&die, &die)) {
		if (dwarf_tag(&die) == DW_TAG_enumerator && dwarf_diename(&die) &&
		    strcmp(dwarf_diename(&die), name) == 0)
			return true;
	}
	return false;
}

/* What a reference refers to, without typedefs. */
static bool find_plain(Dwarf_Die *type)
{
	if (!value_type_plain(type))
		return false;
	if (dwarf_tag(type) != DW_TAG_reference_type &&
	    dwarf_tag(type) != DW_TAG_rvalue_reference_type)
		return true;
	Dwarf_Die referring = *type;
	return value_type_of(&referring, type) && value_type_plain(type);
}

/* The text may stand behind that of a reference. */
static bool ends_in_name(const struct value_text *value, const char *name)
{
	const size_t n = strlen(name);

	if (value->n < n || strcmp(value->text + value->n - n, name) != 0)
		return false;
	return value->n == n || value->text[value->n - n - 1] == ' ';
}

static bool ends_in_function(const struct value_text *value, const char *name)
{
	char text[sizeof(value->text) + 3] = "";

	if (strlen(name) > VALUE_TEXT_MAX)
		return false;
	strcat(strcat(strcat(text, "<"), name), ">");
	return ends_in_name(value, text);
}

static enum debug_reason compare_name(const struct value_condition *condition,
				      const struct value_text *value, Dwarf_Die *type,
				      bool *is_equal_ret)
{
	const bool is_true = strcmp(condition->text, "true") == 0;
	Dwarf_Die plain = *type;

	if (value->scalar == SCALAR_NONE || value->scalar == SCALAR_FLOAT || !find_plain(&plain))
		return DEBUG_NO_SUCH_PART;
	if (dwarf_tag(&plain) == DW_TAG_enumeration_type) {
		*is_equal_ret = ends_in_name(value, condition->text);
		return *is_equal_ret || has_enumerator(&plain, condition->text)
			       ? DEBUG_KNOWN
			       : DEBUG_NO_SUCH_PART;
	}
	if (dwarf_tag(&plain) == DW_TAG_pointer_type) {
		*is_equal_ret = ends_in_function(value, condition->text);
		return DEBUG_KNOWN;
	}
	*is_equal_ret = is_true == (value->word != 0);
	return is_true || strcmp(condition->text, "false") == 0 ? DEBUG_KNOWN : DEBUG_NO_SUCH_PART;
}

static enum debug_reason compare_string(const struct value_condition *condition,
					const struct value_text *value, bool *is_equal_ret)
{
	const char *wanted = condition->text;
	const size_t n = strlen(wanted), n_known = value->n_string;

	if (value->string == STRING_NONE)
		return DEBUG_NO_SUCH_PART;
	*is_equal_ret = false;
	if (value->scalar == SCALAR_UNSIGNED && !value->word)
		return DEBUG_KNOWN; /* a pointer to nothing */
	if (strncmp(wanted, value->text + value->string_at, n < n_known ? n : n_known) != 0 ||
	    n < n_known)
		return DEBUG_KNOWN;
	if (value->string == STRING_UNREAD)
		return DEBUG_NO_MEMORY;
	*is_equal_ret = value->string == STRING_WHOLE && n == n_known;
	return DEBUG_KNOWN;
}

enum debug_reason value_condition_test(const struct value_condition *condition,
				       const struct value_text *value, Dwarf_Die *type,
				       bool *holds_ret)
{
	enum debug_reason reason = DEBUG_KNOWN;
	bool is_equal = false;

	switch (condition->operand) {
	case OPERAND_NAME:
		reason = compare_name(condition, value, type, &is_equal);
		break;
	case OPERAND_STRING:
		reason = compare_string(condition, value, &is_equal);
		break;
	case OPERAND_INTEGER:
	case OPERAND_FLOAT:
		if (value->scalar == SCALAR_NONE)
			return DEBUG_NO_SUCH_PART;
		if (condition->operand == OPERAND_FLOAT || value->scalar == SCALAR_FLOAT)
			*holds_ret = compare_floats(condition, value);
		else
			*holds_ret = holds(condition->operator, compare_integers(condition, value));
		return DEBUG_KNOWN;
	}
	*holds_ret = is_equal == (condition->operator== VALUE_EQUALS);
	return reason;
}
