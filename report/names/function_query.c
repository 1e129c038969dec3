#include "report/names/function_query.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/demangle/demangle.h"
#include "report/demangle/jit_name.h"
#include "report/demangle/simple_name.h"

#define ELLIPSIS "…"

struct function_query {
	const char *wanted;
	bool has_parameters;
	char *packed; /* the name without blanks, because demanglers place them differently */
};

static char *without_blanks(const char *text)
{
	char *packed = strdup(text), *to = packed;

	for (const char *from = text; packed && *from; from++) {
		if (!isspace((unsigned char)*from))
			*to++ = *from;
	}
	if (packed)
		*to = '\0';
	return packed;
}

struct function_query *function_query_create(const char *wanted)
{
	struct function_query *query = calloc(1, sizeof(*query));
	size_t length = strlen(wanted);

	if (!query)
		return NULL;
	query->wanted = wanted;
	query->has_parameters = length > 2 && strchr(wanted, '(') &&
				(wanted[length - 1] == ')' || strstr(wanted, ") const"));
	query->packed = without_blanks(wanted);
	if (!query->packed) {
		free(query);
		return NULL;
	}
	return query;
}

void function_query_destroy(struct function_query *query)
{
	if (!query)
		return;
	free(query->packed);
	free(query);
}

/* The size without suffixes for clones and split-off parts, and without a symbol's version. */
static size_t size_without_suffix(const char *name)
{
	static const char *const suffixes[] = {
		".cold",  ".part.",      ".constprop.", ".isra.", ".lto_priv",
		".llvm.", ".localalias", " [clone ",    "@",
	};
	size_t size = strlen(name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *found = strstr(name, suffixes[i]);

		if (found && found > name && (size_t)(found - name) < size &&
		    strcmp(found, "@plt") != 0)
			size = (size_t)(found - name);
	}
	return size;
}

/*
 * The size without the template arguments at the end. Angle brackets may also be part of an
 * operator's name.
 */
static size_t size_without_arguments(const char *name, size_t size)
{
	size_t depth = 0, at = size;

	if (!size || name[size - 1] != '>')
		return size;
	while (at) {
		at--;
		if (name[at] == '>')
			depth++;
		else if (name[at] == '<' && !--depth)
			break;
	}
	bool is_operator = at >= strlen("operator") &&
			   strncmp(name + at - strlen("operator"), "operator", 8) == 0;
	return depth || !at || is_operator ? size : at;
}

const char *function_base_name(const char *name, size_t *size_ret)
{
	const char *function = jit_name_function(name, size_ret);
	size_t size = size_without_suffix(name), start;
	unsigned depth = 0;

	if (function)
		return function;
	size = size_without_arguments(name, size);
	for (start = size; start > 0; start--) {
		char before = name[start - 1];

		if (before == '>' || before == ')')
			depth++;
		else if ((before == '<' || before == '(') && depth)
			depth--;
		else if (!depth && before == ':')
			break;
	}
	*size_ret = size - start;
	return name + start;
}

static bool is_text(const char *text, size_t size, const char *wanted)
{
	return strlen(wanted) == size && memcmp(text, wanted, size) == 0;
}

static bool has_parameters_wanted(const struct function_query *query, const char *symbol)
{
	_cleanup_free_ char *demangled = demangle_symbol(symbol);
	_cleanup_free_ char *packed = demangled ? without_blanks(demangled) : NULL;

	return packed && strcmp(packed, query->packed) == 0;
}

/*
 * Whether @name has @wanted at its beginning or after "::", followed only by arguments and
 * suffixes.
 */
static bool is_similar(const char *wanted, const char *name)
{
	size_t size = size_without_suffix(name), length = strlen(wanted);

	for (int without = 0; without < 2; without++) {
		bool is_part = size >= length && memcmp(name + size - length, wanted, length) == 0;

		if (is_part && (size == length || (size - length >= 2 &&
						   memcmp(name + size - length - 2, "::", 2) == 0)))
			return true;
		size = size_without_arguments(name, size);
	}
	return false;
}

static enum function_match match_text(const char *wanted, const char *name)
{
	if (strcmp(name, wanted) == 0 || is_text(name, size_without_suffix(name), wanted))
		return FUNCTION_MATCHES;
	return is_similar(wanted, name) ? FUNCTION_SIMILAR : FUNCTION_DIFFERS;
}

/* Whether @name, of Java, Go or Python, ends with @wanted after a dot. */
static bool is_dotted(const char *wanted, const char *name)
{
	size_t size = size_without_suffix(name), length = strlen(wanted);

	return size > length && name[size - length - 1] == '.' &&
	       memcmp(name + size - length, wanted, length) == 0;
}

/* Whether @shown is @name with parts of it replaced by an ellipsis, as texts for people fold it. */
static bool is_folded(const char *shown, const char *name)
{
	const char *piece = shown, *at = name, *fold = strstr(shown, ELLIPSIS);

	if (!fold || strncmp(name, shown, (size_t)(fold - shown)) != 0)
		return false;
	for (at += fold - shown; fold; fold = strstr(piece, ELLIPSIS)) {
		piece = fold + strlen(ELLIPSIS);
		const char *end = strstr(piece, ELLIPSIS);
		if (!end)
			break;
		_cleanup_free_ char *middle = strndup(piece, (size_t)(end - piece));
		at = middle ? strstr(at, middle) : NULL;
		if (!at)
			return false;
		at += end - piece;
	}
	return strlen(at) >= strlen(piece) && strcmp(at + strlen(at) - strlen(piece), piece) == 0;
}

/* As reports for people show a name: without a return type and parameters, maybe folded. */
static enum function_match match_shown(const char *wanted, const char *name)
{
	_cleanup_free_ char *simple = simple_name_make(name, false);

	if (!simple)
		return FUNCTION_DIFFERS;
	enum function_match match = match_text(wanted, simple);
	if (match != FUNCTION_DIFFERS)
		return match;
	return jit_name_is_of(name, wanted) || is_dotted(wanted, simple) ||
			       is_folded(wanted, simple)
		       ? FUNCTION_SIMILAR
		       : FUNCTION_DIFFERS;
}

enum function_match function_query_match(const struct function_query *query,
					 const struct frame_name *name)
{
	if (!*query->wanted)
		return FUNCTION_DIFFERS;
	if (name->symbol && strcmp(name->symbol, query->wanted) == 0)
		return FUNCTION_MATCHES;
	if (query->has_parameters && name->symbol && has_parameters_wanted(query, name->symbol))
		return FUNCTION_MATCHES;
	enum function_match match = match_text(query->wanted, name->name);
	if (match == FUNCTION_DIFFERS && !name->symbol)
		return match_shown(query->wanted, name->name);
	if (match != FUNCTION_DIFFERS)
		return match;
	/* The shown name may be mangled or have parameters, so the plain name counts, too. */
	_cleanup_free_ char *plain = demangle_without_parameters(name->symbol);
	match = plain ? match_text(query->wanted, plain) : match;
	return match == FUNCTION_DIFFERS ? match_shown(query->wanted, name->name) : match;
}
