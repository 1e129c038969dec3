/*
 * A recursive-descent parser. Back references (Q) lead to earlier text, which is parsed again for
 * each reference, so depth and number of steps are bounded.
 */
#include "report/demangle/demangle_d.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 100
#define MAX_STEPS 20000

struct parser {
	const char *name, *end;
	const char *at;
	char *text;
	size_t size, max_size;
	unsigned depth, n_steps;
	bool is_full;
};

static bool parse_type(struct parser *parser);
static bool parse_qualified(struct parser *parser, bool parameters);

static void put(struct parser *parser, const char *text, size_t size)
{
	if (size > parser->max_size - parser->size) {
		parser->is_full = true;
		return;
	}
	memcpy(parser->text + parser->size, text, size);
	parser->size += size;
}

static void put_text(struct parser *parser, const char *text)
{
	put(parser, text, strlen(text));
}

static char peek(const struct parser *parser, size_t ahead)
{
	return (size_t)(parser->end - parser->at) > ahead ? parser->at[ahead] : '\0';
}

static bool take(struct parser *parser, const char *text)
{
	size_t size = strlen(text);

	if ((size_t)(parser->end - parser->at) < size || memcmp(parser->at, text, size) != 0)
		return false;
	parser->at += size;
	return true;
}

/* Counts a level of nesting; leave() ends it. false: nested too deeply, or too many steps. */
static bool enter(struct parser *parser)
{
	return ++parser->depth <= MAX_DEPTH && ++parser->n_steps <= MAX_STEPS && !parser->is_full;
}

static bool leave(struct parser *parser, bool result)
{
	parser->depth--;
	return result;
}

static bool parse_number(struct parser *parser, size_t *number_ret)
{
	const char *start = parser->at;

	*number_ret = 0;
	while (peek(parser, 0) >= '0' && peek(parser, 0) <= '9') {
		*number_ret = *number_ret * 10 + (size_t)(*parser->at++ - '0');
		if (*number_ret > 1u << 24)
			return false;
	}
	return parser->at > start;
}

/*
 * The text that the Q at @at refers to. The distance follows the Q in base 26; its last digit is a
 * small letter.
 */
static const char *referred_to(const struct parser *parser, const char *at, const char **end_ret)
{
	size_t distance = 0;

	for (const char *digit = at + 1; digit < parser->end && distance < 1u << 24; digit++) {
		bool is_last = *digit >= 'a' && *digit <= 'z';

		if (!is_last && (*digit < 'A' || *digit > 'Z'))
			return NULL;
		distance = distance * 26 + (size_t)(*digit - (is_last ? 'a' : 'A'));
		if (!is_last)
			continue;
		*end_ret = digit + 1;
		return distance && distance <= (size_t)(at - parser->name) ? at - distance : NULL;
	}
	return NULL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_template(const struct parser *parser)
{
	return peek(parser, 0) == '_' && peek(parser, 1) == '_' &&
	       (peek(parser, 2) == 'T' || peek(parser, 2) == 'U');
}

/* Whether a part of a qualified name begins here. */
static bool at_symbol_name(const struct parser *parser)
{
	const char *end, *target;

	if (is_digit(peek(parser, 0)) || is_template(parser))
		return true;
	if (peek(parser, 0) != 'Q')
		return false;
	target = referred_to(parser, parser->at, &end);
	return target && is_digit(*target);
}

static void put_identifier(struct parser *parser, const char *text, size_t size)
{
	static const struct {
		const char *mangled, *name;
	} special[] = {
		{ "__ctor", "this" },
		{ "__dtor", "~this" },
		{ "__postblit", "this(this)" },
	};

	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
		if (strlen(special[i].mangled) == size &&
		    memcmp(special[i].mangled, text, size) == 0) {
			put_text(parser, special[i].name);
			return;
		}
	}
	put(parser, text, size);
}

static bool parse_identifier(struct parser *parser)
{
	size_t size;

	if (!parse_number(parser, &size) || size > (size_t)(parser->end - parser->at))
		return false;
	if (!size)
		put_text(parser, "__anonymous");
	put_identifier(parser, parser->at, size);
	parser->at += size;
	return true;
}

/* Applies @parse to the text that a Q refers to. */
static bool parse_referred(struct parser *parser, bool (*parse)(struct parser *parser))
{
	const char *back;
	const char *target = referred_to(parser, parser->at, &back);
	bool done;

	if (!target)
		return false;
	parser->at = target;
	done = parse(parser);
	parser->at = back;
	return done;
}

static bool is_character_type(char type)
{
	return type == 'a' || type == 'u' || type == 'w';
}

static void put_integer(struct parser *parser, char type, bool is_negative, const char *digits,
			size_t size)
{
	char text[8];
	long value = strtol(digits, NULL, 10);

	if (type == 'b' && size == 1) {
		put_text(parser, *digits == '0' ? "false" : "true");
		return;
	}
	if (is_character_type(type) && size <= 3 && value >= ' ' && value <= '~') {
		snprintf(text, sizeof(text), "'%c'", (int)value);
		put_text(parser, text);
		return;
	}
	put_text(parser, is_negative ? "-" : "");
	put(parser, digits, size);
	put_text(parser, type && strchr("htk", type) ? "u"
			 : type == 'l'               ? "L"
			 : type == 'm'               ? "uL"
						     : "");
}

static bool parse_integer(struct parser *parser, char type)
{
	bool is_negative = take(parser, "N");
	const char *digits;
	size_t number;

	if (!is_negative)
		take(parser, "i");
	digits = parser->at;
	while (is_digit(peek(parser, 0)))
		parser->at++;
	number = (size_t)(parser->at - digits);
	if (number)
		put_integer(parser, type, is_negative, digits, number);
	return number > 0;
}

/* Digits, '_', and two hexadecimal digits for each byte. */
static bool parse_string(struct parser *parser)
{
	size_t size;

	parser->at++;
	if (!parse_number(parser, &size) || !take(parser, "_") ||
	    size > (size_t)(parser->end - parser->at) / 2)
		return false;
	put_text(parser, "\"");
	for (size_t i = 0; i < size; i++, parser->at += 2) {
		unsigned byte;

		if (sscanf(parser->at, "%2x", &byte) != 1)
			return false;
		char shown = byte >= ' ' && byte <= '~' ? (char)byte : '.';

		put(parser, &shown, 1);
	}
	put_text(parser, "\"");
	return true;
}

/* Copied as in the symbol: the number is in hexadecimal, or one of a few names. */
static bool parse_real(struct parser *parser)
{
	const char *start = parser->at;

	while (peek(parser, 0) && strchr("0123456789ABCDEFINPXc", peek(parser, 0)))
		parser->at++;
	put(parser, start, (size_t)(parser->at - start));
	return parser->at > start;
}

static bool parse_value(struct parser *parser, char type);

/* The elements of an array or a structure; their types are not part of the name. */
static bool parse_values(struct parser *parser, char open, char close)
{
	size_t n_values;

	parser->at++;
	if (!parse_number(parser, &n_values))
		return false;
	put(parser, &open, 1);
	for (size_t i = 0; i < n_values; i++) {
		put_text(parser, i ? ", " : "");
		if (!parse_value(parser, '\0'))
			return false;
	}
	put(parser, &close, 1);
	return true;
}

static bool parse_value_here(struct parser *parser, char type)
{
	switch (peek(parser, 0)) {
	case 'n':
		parser->at++;
		put_text(parser, "null");
		return true;
	case 'A':
		return parse_values(parser, '[', ']');
	case 'S':
		return parse_values(parser, '(', ')');
	case 'a':
	case 'w':
	case 'd':
		return parse_string(parser);
	case 'e':
	case 'c':
		parser->at++;
		return parse_real(parser);
	case 'f':
		parser->at++;
		return take(parser, "_D") && parse_qualified(parser, true);
	default:
		return parse_integer(parser, type);
	}
}

static bool parse_value(struct parser *parser, char type)
{
	return leave(parser, enter(parser) && parse_value_here(parser, type));
}

/* Parsed, but not shown. */
static bool skip_type(struct parser *parser)
{
	size_t size = parser->size;
	bool done = parse_type(parser);

	parser->size = size;
	return done;
}

/* The type of the function ends a mangled name. */
static bool parse_alias(struct parser *parser)
{
	bool is_mangled = take(parser, "_D");

	if (!parse_qualified(parser, true))
		return false;
	return !is_mangled || take(parser, "Z") || skip_type(parser);
}

static bool parse_argument(struct parser *parser)
{
	size_t size;
	char type;

	take(parser, "H");
	if (take(parser, "T"))
		return parse_type(parser);
	if (take(parser, "S"))
		return parse_alias(parser);
	if (take(parser, "V")) {
		type = peek(parser, 0);
		return skip_type(parser) && parse_value(parser, type);
	}
	if (!take(parser, "X") || !parse_number(parser, &size) ||
	    size > (size_t)(parser->end - parser->at))
		return false;
	put(parser, parser->at, size);
	parser->at += size;
	return true;
}

static bool parse_template(struct parser *parser)
{
	bool is_first = true;

	parser->at += strlen("__T");
	if (is_digit(peek(parser, 0)) ? !parse_identifier(parser)
				      : !parse_referred(parser, parse_identifier))
		return false;
	put_text(parser, "!(");
	while (!take(parser, "Z")) {
		put_text(parser, is_first ? "" : ", ");
		is_first = false;
		if (!parse_argument(parser))
			return false;
	}
	put_text(parser, ")");
	return true;
}

static bool parse_symbol_name(struct parser *parser)
{
	bool done;

	if (!enter(parser))
		done = false;
	else if (is_template(parser))
		done = parse_template(parser);
	else if (peek(parser, 0) == 'Q')
		done = parse_referred(parser, parse_identifier);
	else
		done = parse_identifier(parser);
	return leave(parser, done);
}

static const char *modifier_name(struct parser *parser)
{
	return take(parser, "x")    ? "const"
	       : take(parser, "y")  ? "immutable"
	       : take(parser, "O")  ? "shared"
	       : take(parser, "Ng") ? "inout"
				    : NULL;
}

/* Storage classes of parameters: scope, return, in, out, ref, lazy. */
static void parse_storage(struct parser *parser)
{
	for (;;) {
		if (take(parser, "M"))
			put_text(parser, "scope ");
		else if (take(parser, "Nk"))
			put_text(parser, "return ");
		else if (take(parser, "I"))
			put_text(parser, "in ");
		else if (take(parser, "J"))
			put_text(parser, "out ");
		else if (take(parser, "K"))
			put_text(parser, "ref ");
		else if (take(parser, "L"))
			put_text(parser, "lazy ");
		else
			return;
	}
}

static bool parse_parameters(struct parser *parser)
{
	bool is_first = true;

	put_text(parser, "(");
	for (;;) {
		bool is_typed = take(parser, "X"), is_open = !is_typed && take(parser, "Y");

		if (is_typed || is_open || take(parser, "Z")) {
			put_text(parser, is_typed   ? "..."
					 : !is_open ? ""
					 : is_first ? "..."
						    : ", ...");
			put_text(parser, ")");
			return true;
		}
		put_text(parser, is_first ? "" : ", ");
		is_first = false;
		parse_storage(parser);
		if (!parse_type(parser))
			return false;
	}
}

static bool at_call_convention(const struct parser *parser)
{
	char c = peek(parser, 0);

	return c && strchr("FUWRY", c);
}

/* Calling convention, attributes and parameters; the return type comes next. */
static bool parse_function_start(struct parser *parser)
{
	if (!at_call_convention(parser))
		return false;
	parser->at++;
	while (peek(parser, 0) == 'N' && peek(parser, 1) && strchr("abcdefijlm", peek(parser, 1)))
		parser->at += 2;
	return parse_parameters(parser);
}

/* "int function(long)" */
static bool parse_function_type(struct parser *parser, const char *word)
{
	char parameters[512];
	size_t start = parser->size, size;

	if (!parse_function_start(parser))
		return false;
	size = parser->size - start;
	if (size > sizeof(parameters))
		return false;
	memcpy(parameters, parser->text + start, size);
	parser->size = start;
	if (!parse_type(parser))
		return false;
	put_text(parser, word);
	put(parser, parameters, size);
	return true;
}

static bool parse_function_pointer(struct parser *parser)
{
	return parse_function_type(parser, " function");
}

static bool parse_delegate(struct parser *parser)
{
	return parse_function_type(parser, " delegate");
}

static bool parse_suffixed(struct parser *parser, const char *suffix)
{
	bool done = parse_type(parser);

	put_text(parser, suffix);
	return done;
}

static bool parse_static_array(struct parser *parser)
{
	const char *digits = parser->at;
	size_t n, size;

	if (!parse_number(parser, &n))
		return false;
	size = (size_t)(parser->at - digits);
	if (!parse_type(parser))
		return false;
	put_text(parser, "[");
	put(parser, digits, size);
	put_text(parser, "]");
	return true;
}

/* "value[key]"; in the mangled name the key comes first. */
static bool parse_associative_array(struct parser *parser)
{
	char key[512];
	size_t start = parser->size, size;

	if (!parse_type(parser))
		return false;
	size = parser->size - start;
	if (size > sizeof(key))
		return false;
	memcpy(key, parser->text + start, size);
	parser->size = start;
	if (!parse_type(parser))
		return false;
	put_text(parser, "[");
	put(parser, key, size);
	put_text(parser, "]");
	return true;
}

static bool parse_tuple(struct parser *parser)
{
	bool is_first = true;

	put_text(parser, "tuple(");
	while (!take(parser, "Z")) {
		put_text(parser, is_first ? "" : ", ");
		is_first = false;
		if (!parse_type(parser))
			return false;
	}
	put_text(parser, ")");
	return true;
}

static bool parse_wrapped(struct parser *parser, const char *word)
{
	put_text(parser, word);
	put_text(parser, "(");
	return parse_suffixed(parser, ")");
}

static const char *basic_type(struct parser *parser)
{
	static const struct {
		const char *mangled, *name;
	} types[] = {
		{ "n", "typeof(null)" }, { "v", "void" },      { "g", "byte" },
		{ "h", "ubyte" },        { "s", "short" },     { "t", "ushort" },
		{ "i", "int" },          { "k", "uint" },      { "l", "long" },
		{ "m", "ulong" },        { "zi", "cent" },     { "zk", "ucent" },
		{ "f", "float" },        { "d", "double" },    { "e", "real" },
		{ "o", "ifloat" },       { "p", "idouble" },   { "j", "ireal" },
		{ "q", "cfloat" },       { "r", "cdouble" },   { "c", "creal" },
		{ "b", "bool" },         { "a", "char" },      { "u", "wchar" },
		{ "w", "dchar" },        { "Nn", "noreturn" },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (take(parser, types[i].mangled))
			return types[i].name;
	}
	return NULL;
}

/* Types composed of other types. */
static bool parse_compound(struct parser *parser)
{
	if (take(parser, "A"))
		return parse_suffixed(parser, "[]");
	if (take(parser, "G"))
		return parse_static_array(parser);
	if (take(parser, "H"))
		return parse_associative_array(parser);
	if (take(parser, "Nh"))
		return parse_wrapped(parser, "__vector");
	if (take(parser, "B"))
		return parse_tuple(parser);
	if (take(parser, "D")) {
		while (modifier_name(parser))
			;
		return peek(parser, 0) == 'Q' ? parse_referred(parser, parse_delegate)
					      : parse_delegate(parser);
	}
	if (take(parser, "P"))
		return at_call_convention(parser) ? parse_function_pointer(parser)
						  : parse_suffixed(parser, "*");
	return at_call_convention(parser) && parse_function_pointer(parser);
}

static bool parse_type_here(struct parser *parser)
{
	const char *word = modifier_name(parser);

	if (word)
		return parse_wrapped(parser, word);
	if (peek(parser, 0) == 'Q')
		return parse_referred(parser, parse_type);
	word = basic_type(parser);
	if (word) {
		put_text(parser, word);
		return true;
	}
	if (peek(parser, 0) && strchr("CSETI", peek(parser, 0))) {
		parser->at++;
		return parse_qualified(parser, true);
	}
	return parse_compound(parser);
}

static bool parse_type(struct parser *parser)
{
	return leave(parser, enter(parser) && parse_type_here(parser));
}

/*
 * The type of the named function, or of one that contains the next part of the name. It is
 * optional: text that looks like it may belong to the next part.
 */
static void parse_own_type(struct parser *parser, bool parameters)
{
	const char *start = parser->at;
	size_t size = parser->size;
	const char *modifiers[4];
	size_t n_modifiers = 0;

	if (take(parser, "M")) {
		while (n_modifiers < 4 && (modifiers[n_modifiers] = modifier_name(parser)))
			n_modifiers++;
	}
	if (!parse_function_start(parser)) {
		parser->at = start;
		parser->size = size;
		return;
	}
	if (!parameters) {
		parser->size = size;
		return;
	}
	for (size_t i = 0; i < n_modifiers; i++) {
		put_text(parser, " ");
		put_text(parser, modifiers[i]);
	}
}

static bool parse_qualified(struct parser *parser, bool parameters)
{
	bool is_first = true;

	if (!enter(parser))
		return leave(parser, false);
	do {
		put_text(parser, is_first ? "" : ".");
		is_first = false;
		while (peek(parser, 0) == '0')
			parser->at++;
		if (!parse_symbol_name(parser))
			return leave(parser, false);
		if (peek(parser, 0) == 'M' || at_call_convention(parser))
			parse_own_type(parser, parameters);
	} while (at_symbol_name(parser));
	return leave(parser, true);
}

/* "_D3foo3Bar6__initZ" is the initializer for foo.Bar. */
static void rename_special(struct parser *parser)
{
	static const struct {
		const char *end, *name;
	} special[] = {
		{ ".__init", "initializer for " },      { ".__vtbl", "vtable for " },
		{ ".__Class", "ClassInfo for " },       { ".__Interface", "Interface for " },
		{ ".__ModuleInfo", "ModuleInfo for " },
	};

	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
		size_t end = strlen(special[i].end), size = strlen(special[i].name);

		if (parser->size < end || parser->size - end + size > parser->max_size ||
		    memcmp(parser->text + parser->size - end, special[i].end, end) != 0)
			continue;
		parser->size -= end;
		memmove(parser->text + size, parser->text, parser->size);
		memcpy(parser->text, special[i].name, size);
		parser->size += size;
		return;
	}
}

bool demangle_d(const char *name, bool parameters, char *text, size_t max_size, size_t *size_ret)
{
	struct parser parser = {
		.name = name,
		.end = name + strlen(name),
		.at = name,
		.max_size = max_size,
	};

	parser.text = text;
	if (strcmp(name, "_Dmain") == 0) {
		put_text(&parser, "D main");
		*size_ret = parser.size;
		return !parser.is_full;
	}
	if (!take(&parser, "_D") || !parse_qualified(&parser, parameters))
		return false;
	if (take(&parser, "Z"))
		rename_special(&parser);
	else if (!skip_type(&parser))
		return false;
	if (parser.is_full || parser.at != parser.end)
		return false;
	*size_ret = parser.size;
	return true;
}
