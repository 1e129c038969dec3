#include "report/demangle/simple_name.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/demangle/name_marks.h"

#define MAX_ARGUMENTS 8 /* of templates of std that have default arguments */
#define MAX_STD_NAME  64

/* A name that is being simplified. Bytes are first marked, then all removed at the end. */
struct simple_name {
	char *text;
	size_t size;
	uint8_t *marks;
	uint8_t *dropped;
};

struct span {
	size_t start, end;
};

/* A list of template arguments whose end was not reached yet. */
struct argument_list {
	size_t start; /* after the '<' */
	size_t arguments[MAX_ARGUMENTS];
	unsigned n_arguments; /* may exceed MAX_ARGUMENTS */
};

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The size of the inline namespace of the standard library or the ABI tag at @text, or 0. */
static size_t noise_size(const char *name, const char *text)
{
	static const char *const namespaces[] = { "__cxx11::", "__1::", "_V2::" };

	if (*text == '[' && has_prefix(text, "[abi:")) {
		const char *end = text + strlen("[abi:");

		while (name_is_letter(*end))
			end++;
		return *end == ']' ? (size_t)(end + 1 - text) : 0;
	}
	if (*text != '_' || text - name < 2 || text[-1] != ':' || text[-2] != ':')
		return 0;
	for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
		if (has_prefix(text, namespaces[i]))
			return strlen(namespaces[i]);
	}
	return 0;
}

static size_t copy_without_noise(const char *name, char *copy)
{
	size_t size = 0;

	for (const char *text = name; *text;) {
		size_t noise = noise_size(name, text);

		if (noise)
			text += noise;
		else
			copy[size++] = *text++;
	}
	copy[size] = '\0';
	return size;
}

static void drop(struct simple_name *name, size_t start, size_t end)
{
	memset(name->dropped + start, 1, end - start);
}

static bool ends_with(const struct simple_name *name, size_t end, const char *text)
{
	size_t size = strlen(text);

	return end >= size && memcmp(name->text + end - size, text, size) == 0;
}

/* Drops the default version, "@@GLIBC_2.34", which all users of the function get. */
static void drop_version(struct simple_name *name)
{
	const char *version = strstr(name->text, "@@");

	if (version && version != name->text)
		drop(name, (size_t)(version - name->text), name->size);
}

/*
 * Drops " [clone .llvm.123]" and ".llvm.123", by which LLVM keeps apart the static functions of one
 * name that become visible to other units.
 */
static void drop_unit(struct simple_name *name)
{
	static const char *const starts[] = { " [clone .llvm.", ".llvm." };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		const char *start = strstr(name->text, starts[i]);
		const char *end = start ? start + strlen(starts[i]) : NULL;

		if (!start || start == name->text || !isdigit((unsigned char)*end))
			continue;
		while (isdigit((unsigned char)*end))
			end++;
		if (i == 0 && *end++ != ']')
			continue;
		drop(name, (size_t)(start - name->text), (size_t)(end - name->text));
		return;
	}
}

/* The size without suffixes: "@plt", "@GLIBC_2.2.5", " [clone .cold]". */
static size_t without_suffix(const struct simple_name *name)
{
	for (size_t i = 0; i < name->size; i++) {
		if (!name_is_outer(name->marks[i]))
			continue;
		if (name->text[i] == '@' || has_prefix(name->text + i, " [clone "))
			return i;
	}
	return name->size;
}

static size_t without_qualifiers(const struct simple_name *name, size_t end)
{
	static const char *const qualifiers[] = { " const", " volatile", " &&", " &", " noexcept" };

	size_t i = 0;

	while (i < sizeof(qualifiers) / sizeof(qualifiers[0])) {
		if (ends_with(name, end, qualifiers[i])) {
			end -= strlen(qualifiers[i]);
			i = 0;
		} else {
			i++;
		}
	}
	return end;
}

/* The start of the list of parameters that ends at @end; @end: there is none. */
static size_t find_parameters(const struct simple_name *name, size_t end)
{
	size_t start = end ? end - 1 : 0;
	char before;

	if (end < 3 || name->text[start] != ')' || !name_is_outer(name->marks[start]))
		return end;
	do
		start--;
	while (start && !name_is_outer(name->marks[start]));
	if (!start || name->text[start] != '(')
		return end;
	/* Not the parameters of a returned function pointer, as in "int (*f())(int)". */
	before = name->text[start - 1];
	if (name->marks[start - 1] & NAME_ATOM || name_is_letter(before) || strchr(">]}", before))
		return start;
	return end;
}

/* The start of the function's name, after its return type. */
static size_t find_own_name(const struct simple_name *name, size_t end)
{
	size_t start = end;

	while (start && !(name->text[start - 1] == ' ' && name_is_outer(name->marks[start - 1])))
		start--;
	if (!start || ends_with(name, start, " to ") || ends_with(name, start, " for "))
		return 0;
	return start;
}

static void drop_signature(struct simple_name *name, bool parameters)
{
	size_t suffix = without_suffix(name);
	size_t end = without_qualifiers(name, suffix);
	size_t start = find_parameters(name, end);

	if (start == end)
		return;
	if (!parameters)
		drop(name, start, suffix);
	drop(name, 0, find_own_name(name, start));
}

static struct span argument_span(const struct simple_name *name, const struct argument_list *list,
				 unsigned i, size_t close)
{
	struct span span = { list->arguments[i], close };

	if (i + 1 < list->n_arguments)
		span.end = list->arguments[i + 1] - 2;
	else if (name->text[close - 1] == ' ')
		span.end--;
	return span;
}

static bool equal_spans(const struct simple_name *name, struct span a, struct span b)
{
	return a.end - a.start == b.end - b.start &&
	       memcmp(name->text + a.start, name->text + b.start, a.end - a.start) == 0;
}

/* Whether @argument is a default argument of a template whose first argument is @first. */
static bool is_default(const struct simple_name *name, struct span argument, struct span first)
{
	static const struct {
		const char *name;
		bool of_first; /* the default depends on the first argument */
	} defaults[] = {
		{ "std::allocator<", false }, { "std::char_traits<", false },
		{ "std::less<", true },       { "std::hash<", true },
		{ "std::equal_to<", true },   { "std::default_delete<", true },
	};
	unsigned level = name_level(name->marks[argument.start]);

	if (argument.end <= argument.start || name->text[argument.end - 1] != '>')
		return false;
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
		struct span inside = { argument.start + strlen(defaults[i].name),
				       argument.end - 1 };

		if (inside.start >= inside.end ||
		    !has_prefix(name->text + argument.start, defaults[i].name))
			continue;
		for (size_t at = inside.start; at < inside.end; at++) {
			if (name_level(name->marks[at]) <= level)
				return false;
		}
		inside.end -= name->text[inside.end - 1] == ' ';
		return !defaults[i].of_first || equal_spans(name, inside, first);
	}
	return false;
}

/* Finds the start of the template's name if it is in std. */
static bool find_std_name(const struct simple_name *name, size_t open, size_t *start_ret)
{
	size_t start = open;

	while (start && open - start < MAX_STD_NAME &&
	       (name_is_letter(name->text[start - 1]) || name->text[start - 1] == ':'))
		start--;
	*start_ret = start;
	return has_prefix(name->text + start, "std::");
}

/* "std::basic_string<char>" is std::string. */
static void drop_basic(struct simple_name *name, size_t start, struct span argument, size_t close)
{
	static const char prefix[] = "std::basic_";
	const char *type = name->text + argument.start;
	size_t size = argument.end - argument.start;
	bool is_wide = size == 7 && memcmp(type, "wchar_t", size) == 0;

	if (!has_prefix(name->text + start, prefix) ||
	    (!is_wide && (size != 4 || memcmp(type, "char", size) != 0)))
		return;
	drop(name, start + strlen("std::"), start + strlen(prefix));
	if (is_wide) {
		name->dropped[start + strlen(prefix) - 1] = 0;
		name->text[start + strlen(prefix) - 1] = 'w';
	}
	drop(name, argument.start - 1, close + 1);
}

static void drop_defaults(struct simple_name *name, const struct argument_list *list, size_t close)
{
	struct span first;
	unsigned n_kept = list->n_arguments;
	size_t start;

	if (n_kept > MAX_ARGUMENTS || !find_std_name(name, list->start - 1, &start))
		return;
	first = argument_span(name, list, 0, close);
	while (n_kept > 1 && is_default(name, argument_span(name, list, n_kept - 1, close), first))
		n_kept--;
	if (n_kept < list->n_arguments)
		drop(name, list->arguments[n_kept] - 2, close);
	if (n_kept == 1)
		drop_basic(name, start, first, close);
}

static void open_list(struct argument_list *list, size_t start)
{
	list->start = start;
	list->arguments[0] = start;
	list->n_arguments = 1;
}

static void add_argument(struct argument_list *list, size_t start)
{
	if (list->n_arguments < MAX_ARGUMENTS)
		list->arguments[list->n_arguments] = start;
	list->n_arguments += list->n_arguments <= MAX_ARGUMENTS;
}

/* Each list of arguments is simplified at its end, so inner lists come first. */
static void simplify_std(struct simple_name *name)
{
	struct argument_list lists[NAME_LEVEL + 1];
	unsigned level = 0;

	for (size_t i = 0; i < name->size; i++) {
		unsigned now = name_level(name->marks[i]);

		if (now > level)
			open_list(&lists[now], i);
		else if (now < level && name->text[i] == '>')
			drop_defaults(name, &lists[level], i);
		else if (now && name->text[i] == ',' && name->text[i + 1] == ' ')
			add_argument(&lists[now], i + 2);
		level = now;
	}
}

/* "> >" was needed before C++11. */
static void close_up(struct simple_name *name)
{
	for (size_t i = 1; i + 1 < name->size; i++) {
		if (name->text[i] == ' ' && name->text[i - 1] == '>' && name->text[i + 1] == '>' &&
		    !((name->marks[i - 1] | name->marks[i + 1]) & NAME_ATOM))
			name->dropped[i] = 1;
	}
}

static void compact(struct simple_name *name)
{
	size_t size = 0;

	for (size_t i = 0; i < name->size; i++) {
		if (!name->dropped[i])
			name->text[size++] = name->text[i];
	}
	if (size)
		name->text[size] = '\0';
}

char *simple_name_make(const char *text, bool parameters)
{
	size_t size = strlen(text);
	char *copy = malloc(size + 1);
	struct simple_name name = { .text = copy };

	if (!copy || size > NAME_MARKS_MAX_SIZE)
		return copy ? memcpy(copy, text, size + 1) : NULL;
	name.size = copy_without_noise(text, copy);
	_cleanup_free_ uint8_t *bytes = calloc(2, name.size + 1);
	if (!bytes) {
		free(copy);
		return NULL;
	}
	name.marks = bytes;
	name.dropped = bytes + name.size + 1;
	if (!name_marks(copy, name.size, name.marks))
		return memcpy(copy, text, size + 1);
	drop_signature(&name, parameters);
	drop_version(&name);
	drop_unit(&name);
	simplify_std(&name);
	close_up(&name);
	compact(&name);
	return copy;
}
