#include "cct/text/valid_utf8.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/printable.h"

static const char replacement[] = "\xef\xbf\xbd";

char *valid_utf8(const char *text)
{
	const size_t max = strlen(text) * (sizeof(replacement) - 1) + 1;
	char *copy = malloc(max), *to = copy;
	uint32_t code;

	while (copy && *text) {
		const size_t size = printable_decode_utf8(text, &code);

		memcpy(to, size ? text : replacement, size ? size : sizeof(replacement) - 1);
		to += size ? size : sizeof(replacement) - 1;
		text += size ? size : 1;
	}
	if (copy)
		*to = '\0';
	return copy;
}
