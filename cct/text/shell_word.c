#include "cct/text/shell_word.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *word, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!isalnum((unsigned char)word[i]) && !strchr("_@%+=:,./-", word[i]))
			return false;
	}
	return length;
}

void shell_word_write(FILE *out, const char *word, size_t length)
{
	if (is_plain(word, length)) {
		fwrite(word, 1, length, out);
		return;
	}
	putc('\'', out);
	for (size_t i = 0; i < length; i++) {
		if (word[i] == '\'')
			fputs("'\\''", out);
		else
			putc(word[i], out);
	}
	putc('\'', out);
}

size_t shell_list_next(const char *list, const char **rest_ret)
{
	const size_t separator = strlen(SHELL_LIST_SEPARATOR);
	bool is_quoted = false;
	size_t at = 0;

	for (; list[at]; at++) {
		if (!is_quoted && strncmp(list + at, SHELL_LIST_SEPARATOR, separator) == 0) {
			*rest_ret = list + at + separator;
			return at;
		}
		if (list[at] == '\'')
			is_quoted = !is_quoted;
		else if (list[at] == '\\' && !is_quoted && list[at + 1])
			at++;
	}
	*rest_ret = NULL;
	return at;
}
