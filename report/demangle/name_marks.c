#include "report/demangle/name_marks.h"

#include <string.h>

#define MAX_NEST (NAME_LEVEL - 1)

#define OPERATOR  "operator"
#define ANONYMOUS "(anonymous namespace)"

/* A bracket that is open. */
struct open_bracket {
	char close;
	bool is_list; /* it opens a list of arguments or parameters */
};

struct marking {
	const char *name;
	size_t size, at;
	uint8_t *marks;
	struct open_bracket open[MAX_NEST];
	unsigned n_open, level;
	/*
	 * A conversion operator's name contains the type that it converts to. The name ends here,
	 * at a depth of @n_around brackets.
	 */
	size_t conversion_end;
	unsigned n_around;
};

bool name_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool starts_with(const struct marking *marking, size_t at, const char *text)
{
	size_t size = strlen(text);

	return marking->size - at >= size && memcmp(marking->name + at, text, size) == 0;
}

static void mark(struct marking *marking, size_t n_bytes, uint8_t flags)
{
	uint8_t value = (uint8_t)(marking->level | flags | (marking->n_open ? NAME_INNER : 0));

	if (marking->at < marking->conversion_end && marking->n_open <= marking->n_around)
		value |= NAME_ATOM;
	memset(marking->marks + marking->at, value, n_bytes);
	marking->at += n_bytes;
}

static char character(const struct marking *marking, size_t at)
{
	return at < marking->size ? marking->name[at] : '\0';
}

/* The size of the type in the name of a conversion operator, up to its parameters. */
static size_t conversion_size(const struct marking *marking, size_t at)
{
	size_t start = at;

	for (unsigned depth = 0; at < marking->size; at++) {
		char c = marking->name[at];

		if (c == '<')
			depth++;
		else if (!depth && (c == '>' || c == '(' || c == ',' || c == '['))
			break;
		else if (c == '>')
			depth--;
	}
	return at - start;
}

/* The size of the symbol after "operator". */
static size_t operator_size(const struct marking *marking, size_t at)
{
	static const char *const names[] = {
		"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "&&", "||",
		"==", "!=", "++",  "--",  "+=",  "-=",  "*=", "/=", "%=", "^=", "&=", "|=", "+",
		"-",  "*",  "/",   "%",   "^",   "&",   "|",  "~",  "!",  "=",  "<",  ">",  ",",
	};
	static const char *const words[] = { " new[]", " new", " delete[]", " delete",
					     " co_await" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (starts_with(marking, at, words[i]) &&
		    !name_is_letter(character(marking, at + strlen(words[i]))))
			return strlen(words[i]);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (starts_with(marking, at, names[i]))
			return strlen(names[i]);
	}
	return starts_with(marking, at, "\"\" ") ? 3 : 0;
}

/* Marks "operator<<", with the space before its template arguments. */
static bool mark_operator(struct marking *marking)
{
	size_t at = marking->at, size;

	if ((at && name_is_letter(marking->name[at - 1])) || !starts_with(marking, at, OPERATOR))
		return false;
	at += strlen(OPERATOR);
	size = operator_size(marking, at);
	if (!size && character(marking, at) != ' ')
		return false;
	if (!size) {
		marking->conversion_end = at + conversion_size(marking, at);
		marking->n_around = marking->n_open;
	}
	at += size;
	if (size && starts_with(marking, at, " <"))
		at++;
	mark(marking, at - marking->at, NAME_ATOM);
	return true;
}

static bool mark_atom(struct marking *marking)
{
	char c = marking->name[marking->at];

	if (c == 'o' && mark_operator(marking))
		return true;
	if (c == '(' && starts_with(marking, marking->at, ANONYMOUS)) {
		mark(marking, strlen(ANONYMOUS), NAME_ATOM);
		return true;
	}
	if (c == '-' && starts_with(marking, marking->at, "->")) {
		mark(marking, 2, NAME_ATOM);
		return true;
	}
	return false;
}

static bool open_bracket(struct marking *marking, char close, bool is_list)
{
	mark(marking, 1, 0);
	if (marking->n_open == MAX_NEST)
		return false;
	marking->open[marking->n_open++] = (struct open_bracket){ close, is_list };
	marking->level += is_list;
	return true;
}

/* Whether the text before a bracket is part of a name. */
static bool follows_name(const struct marking *marking)
{
	size_t at = marking->at;

	return at && (marking->marks[at - 1] & NAME_ATOM || name_is_letter(marking->name[at - 1]) ||
		      strchr(">]}", marking->name[at - 1]));
}

static bool mark_angle(struct marking *marking)
{
	char before = marking->at ? marking->name[marking->at - 1] : ' ';

	if (follows_name(marking) || before == ':' || before == '!')
		return open_bracket(marking, '>', true);
	/* "<T as Trait>" is itself a part of the name; ")<(" compares. */
	if (strchr(" (<,&*[", before))
		return open_bracket(marking, '>', false);
	mark(marking, 1, 0);
	return true;
}

static bool close_bracket(struct marking *marking)
{
	const struct open_bracket *top =
		marking->n_open ? &marking->open[marking->n_open - 1] : NULL;
	char c = marking->name[marking->at];

	if (!top || top->close != c) {
		mark(marking, 1, 0);
		return top && c == '>'; /* a comparison */
	}
	marking->n_open--;
	marking->level -= top->is_list;
	mark(marking, 1, 0);
	return true;
}

static bool mark_next(struct marking *marking)
{
	bool is_type = !marking->at || marking->name[marking->at - 1] == '.';

	if (mark_atom(marking))
		return true;
	switch (marking->name[marking->at]) {
	case '<':
		return mark_angle(marking);
	case '(':
		return open_bracket(marking, ')', !is_type);
	case '[':
		return open_bracket(marking, ']', follows_name(marking));
	case '{':
		return open_bracket(marking, '}', false);
	case '>':
	case ')':
	case ']':
	case '}':
		return close_bracket(marking);
	default:
		mark(marking, 1, 0);
		return true;
	}
}

bool name_marks(const char *name, size_t size, uint8_t *marks)
{
	struct marking marking = { .name = name, .size = size };

	marking.marks = marks;
	if (size > NAME_MARKS_MAX_SIZE)
		return false;
	while (marking.at < size) {
		if (!mark_next(&marking))
			return false;
	}
	return !marking.n_open;
}
