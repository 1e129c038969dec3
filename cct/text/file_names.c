#include "cct/text/file_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/sentence.h"
#include "cct/text/name_pattern.h"

#define SEPARATOR '/'

void file_names_deinit(struct file_names *names)
{
	free(names->text);
	*names = (struct file_names){ .n = 0 };
}

int file_names_add(struct file_names *names, const char *name)
{
	const size_t size = strnlen(name, FILE_NAME_SIZE - 1), before = names->size != 0;

	if (!size)
		return 0;
	if (names->size + before + size >= FILE_NAMES_SIZE_MAX) {
		names->n++;
		return 0;
	}
	if (array_reserve(names->text, names->size, names->n_allocated, before + size + 1))
		return -ENOMEM;
	if (before)
		names->text[names->size++] = SEPARATOR;
	memcpy(names->text + names->size, name, size);
	names->size += size;
	names->text[names->size] = '\0';
	names->n++;
	return 0;
}

const char *file_names_text(const struct file_names *names)
{
	return names->text ? names->text : "";
}

/* Texts of stored profiles may have empty names, and names of any length. */
bool file_names_next(const char **rest, char name[static FILE_NAME_SIZE])
{
	while (**rest == SEPARATOR)
		++*rest;
	const char *end = strchrnul(*rest, SEPARATOR);
	size_t size = (size_t)(end - *rest);

	if (size >= FILE_NAME_SIZE)
		size = FILE_NAME_SIZE - 1;
	memcpy(name, *rest, size);
	name[size] = '\0';
	*rest = end;
	return size != 0;
}

bool file_names_match(const char *text, const char *pattern)
{
	char name[FILE_NAME_SIZE];

	while (file_names_next(&text, name)) {
		if (name_pattern_matches(pattern, name))
			return true;
	}
	return false;
}

char *file_names_describe(const char *text, uint32_t n, uint32_t n_shown)
{
	char *described = strdup(""), name[FILE_NAME_SIZE];
	uint32_t i = 0;

	for (; described && i < n_shown && file_names_next(&text, name); i++) {
		char *longer = sentence("%s%s%s", described, i ? ", " : "", name);

		free(described);
		described = longer;
	}
	if (!described || i >= n)
		return described;
	char *whole =
		sentence("%s%s%u %s", described, i ? " and " : "", n - i, i ? "more" : "files");
	free(described);
	return whole;
}
