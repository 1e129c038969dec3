#include "report/demangle/clone_name.h"

#include <stddef.h>
#include <string.h>

#define CLONE "[clone "

static bool ends_with(const char *name, size_t size, const char *text)
{
	size_t text_size = strlen(text);

	return size >= text_size && memcmp(name + size - text_size, text, text_size) == 0;
}

/* The size without numbers at the end: ".12.3". */
static size_t without_numbers(const char *name, size_t size)
{
	for (;;) {
		size_t shorter = size;

		while (shorter && name[shorter - 1] >= '0' && name[shorter - 1] <= '9')
			shorter--;
		if (shorter == size || !shorter || name[shorter - 1] != '.')
			return size;
		size = shorter - 1;
	}
}

/*
 * The size without one ".cold" or ".part.0" at the end, bare or as " [clone .cold]". @size: no such
 * suffix.
 */
static size_t without_suffix(const char *name, size_t size)
{
	static const char *const suffixes[] = { ".cold", ".part", ".constprop", ".isra",
						".specialized" };
	bool is_demangled = ends_with(name, size, "]");
	size_t end = without_numbers(name, size - is_demangled);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t start = end - strlen(suffixes[i]);

		if (!ends_with(name, end, suffixes[i]))
			continue;
		if (!is_demangled)
			return start;
		return ends_with(name, start, " " CLONE) ? start - strlen(" " CLONE) : size;
	}
	return size;
}

char *clone_base_name(const char *name)
{
	size_t size = strlen(name), base = size, shorter;

	while (base && (shorter = without_suffix(name, base)) < base)
		base = shorter;
	return base && base < size ? strndup(name, base) : NULL;
}

bool clone_is_part(const char *name)
{
	return strstr(name, ".part.") != NULL;
}
