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
