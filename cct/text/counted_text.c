#include "cct/text/counted_text.h"

#include <stdbool.h>
#include <stddef.h>

const char *counted_text(const char *text, uint64_t count, char buffer[static COUNTED_TEXT_SIZE])
{
	bool is_shown = true;
	size_t size = 0;

	for (; *text && size < COUNTED_TEXT_SIZE - 1; text++) {
		if (*text == '{')
			is_shown = count == 1;
		else if (*text == '|')
			is_shown = count != 1;
		else if (*text == '}')
			is_shown = true;
		else if (is_shown)
			buffer[size++] = *text;
	}
	buffer[size] = '\0';
	return buffer;
}
