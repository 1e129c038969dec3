#include "cct/text/json_string.h"

#include <inttypes.h>

#include "cct/base/printable.h"

/* The bytes from @text on that mean themselves in a string. */
static size_t plain_size(const char *text)
{
	size_t size = 0;

	while (text[size] >= ' ' && text[size] <= '~' && text[size] != '"' && text[size] != '\\')
		size++;
	return size;
}

void json_write_string(FILE *out, const char *text)
{
	putc('"', out);
	for (;;) {
		size_t size = plain_size(text);
		uint32_t code;

		fwrite(text, 1, size, out);
		text += size;
		if (!*text)
			break;
		size = printable_decode_utf8(text, &code);
		if (!size)
			fputs("\\ufffd", out);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else if (printable_is_hostile(code))
			fprintf(out, "\\u%04" PRIx32, code);
		else
			fwrite(text, 1, size, out);
		text += size ? size : 1;
	}
	putc('"', out);
}

void json_write_printable(FILE *out, const char *text)
{
	char bytes[PRINTABLE_MAX];
	unsigned columns;
	size_t size;

	putc('"', out);
	for (;;) {
		size = plain_size(text);
		fwrite(text, 1, size, out);
		text += size;
		size = printable_next(&text, true, bytes, &columns);
		if (!size)
			break;
		if (bytes[0] == '"' || bytes[0] == '\\')
			putc('\\', out);
		fwrite(bytes, 1, size, out);
	}
	putc('"', out);
}
