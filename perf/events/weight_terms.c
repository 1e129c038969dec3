#include "perf/events/weight_terms.h"

#include <string.h>

#include "cct/base/sentence.h"

const char *weight_terms_find_unit(const char *name, size_t length)
{
	static const char *const units[] = { "ns", "bytes", "events" };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i]) == length && memcmp(units[i], name, length) == 0)
			return units[i];
	return NULL;
}

static bool has_prefix(const char *text, size_t length, const char *prefix)
{
	return length >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

/* The text after the '='. false: nothing, or too much. */
static bool copy_value(const char *value, size_t length, char *text)
{
	if (!length || length > EVENT_EXPRESSION_MAX)
		return false;
	memcpy(text, value, length);
	text[length] = '\0';
	return true;
}

static bool read_term(const char *term, size_t length, struct weight_terms *terms)
{
	static const char weight[] = "weight=", value[] = "value=", unit[] = "unit=";

	if (has_prefix(term, length, weight))
		return copy_value(term + strlen(weight), length - strlen(weight), terms->weight);
	if (has_prefix(term, length, value))
		return copy_value(term + strlen(value), length - strlen(value), terms->value);
	if (!has_prefix(term, length, unit))
		return false;
	terms->unit = weight_terms_find_unit(term + strlen(unit), length - strlen(unit));
	return terms->unit;
}

static bool read_terms(const char *text, size_t length, struct weight_terms *terms)
{
	const char *end = text + length;

	while (text < end) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		size_t size = (size_t)((comma ? comma : end) - text);

		if (!read_term(text, size, terms))
			return false;
		text += size + !!comma;
	}
	return true;
}

bool weight_terms_cut(const char *name, size_t *length, struct weight_terms *terms,
		      char **error_ret)
{
	size_t end = *length;

	*terms = (struct weight_terms){ .unit = NULL };
	*error_ret = NULL;
	if (!end || name[end - 1] != '/')
		return true;
	const char *slash = end > 1 ? memrchr(name, '/', end - 1) : NULL;
	if (slash && read_terms(slash + 1, (size_t)(name + end - 1 - (slash + 1)), terms)) {
		*length = (size_t)(slash - name);
		return true;
	}
	*error_ret = sentence("'%.*s' has terms other than weight=..., unit=bytes (or ns, "
			      "events) and, of a probe, value=....",
			      (int)end, name);
	return false;
}
