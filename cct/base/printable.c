#include "cct/base/printable.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define CUT_MARK_WIDTH 3 /* "..." */

static bool is_continuation(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

/* The length that the first byte announces. */
static size_t sequence_size(unsigned char first)
{
	if (first < 0x80)
		return first ? 1 : 0;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

size_t printable_decode_utf8(const char *text, uint32_t *code_ret)
{
	static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *bytes = (const unsigned char *)text;
	size_t size = sequence_size(bytes[0]);
	uint32_t code;

	if (size <= 1) {
		*code_ret = bytes[0];
		return size;
	}
	code = bytes[0] & (0x7fu >> size);
	for (size_t i = 1; i < size; i++) {
		if (!is_continuation(bytes[i]))
			return 0;
		code = code << 6 | (bytes[i] & 0x3f);
	}
	if (code < lowest[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	*code_ret = code;
	return size;
}

bool printable_is_hostile(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ||
	       (code >= 0x2028 && code <= 0x202e) || /* line ends, embeddings, overrides */
	       (code >= 0x2066 && code <= 0x2069) || /* isolates */
	       code == 0x200e || code == 0x200f || code == 0x061c || code == 0xfeff;
}

/* A character that isn't ASCII, in a terminal that shows UTF-8. */
static unsigned character_width(uint32_t code)
{
	int width = wcwidth((wchar_t)code);

	return width < 0 ? 1 : (unsigned)width;
}

/* Most are: they are shown as they are. */
static bool is_plain(char c)
{
	return c >= ' ' && c <= '~';
}

bool printable_is_safe(const char *text)
{
	while (*text) {
		uint32_t code;
		const size_t n = printable_decode_utf8(text, &code);

		if (!n || printable_is_hostile(code))
			return false;
		text += n;
	}
	return true;
}

size_t printable_next(const char **text, bool utf8, char out[PRINTABLE_MAX], unsigned *columns)
{
	if (is_plain(**text)) {
		out[0] = *(*text)++;
		*columns = 1;
		return 1;
	}

	uint32_t code;
	size_t size = printable_decode_utf8(*text, &code);

	if (!**text)
		return 0;
	if (!size || printable_is_hostile(code)) {
		int n = snprintf(out, PRINTABLE_MAX, size > 1 ? "\\u%04x" : "\\x%02x",
				 size ? code : (unsigned char)**text);

		*text += size ? size : 1;
		*columns = (unsigned)n;
		return (size_t)n;
	}
	memcpy(out, *text, size);
	*text += size;
	if (code < 0x80 || utf8) {
		*columns = code < 0x80 ? 1 : character_width(code);
		return size;
	}
	out[0] = '?';
	*columns = 1;
	return 1;
}

unsigned printable_width(const char *text, bool utf8)
{
	char bytes[PRINTABLE_MAX];
	unsigned width = 0, columns = 0;

	do {
		const char *plain = text;

		while (is_plain(*text))
			text++;
		width += (unsigned)(text - plain) + columns;
	} while (printable_next(&text, utf8, bytes, &columns));
	return width;
}

/* How many of the first characters stay as they are. */
static size_t plain_size(const char *text)
{
	size_t size = 0;

	while (is_plain(text[size]))
		size++;
	return size;
}

void printable_put(FILE *out, const char *text)
{
	char bytes[PRINTABLE_MAX];
	unsigned columns;
	size_t size = plain_size(text);

	fwrite(text, 1, size, out);
	text += size;
	while ((size = printable_next(&text, true, bytes, &columns)))
		fwrite(bytes, 1, size, out);
}

char *printable_copy(const char *text)
{
	char *copy = NULL;
	size_t size;

	if (!text[plain_size(text)])
		return strdup(text);
	FILE *out = open_memstream(&copy, &size);
	if (!out)
		return NULL;
	printable_put(out, text);
	if (!fclose(out))
		return copy;
	free(copy);
	return NULL;
}

/* Writes what fits in @max_width; *@text is then at what does not. */
static unsigned write_part(FILE *out, const char **text, unsigned max_width, bool utf8)
{
	unsigned width = 0;

	for (;;) {
		const char *next = *text;
		char bytes[PRINTABLE_MAX];
		unsigned columns = 0;
		size_t size = printable_next(&next, utf8, bytes, &columns);

		if (!size || width + columns > max_width)
			return width;
		fwrite(bytes, 1, size, out);
		width += columns;
		*text = next;
	}
}

unsigned printable_write(FILE *out, const char *text, unsigned max_width, bool utf8)
{
	unsigned width = printable_width(text, utf8), head, written;

	if (width <= max_width || max_width <= CUT_MARK_WIDTH)
		return write_part(out, &text, max_width, utf8);
	/* The end of a name says more than its beginning: "ns::Class<T>::method". */
	head = (max_width - CUT_MARK_WIDTH) * 2 / 5;
	written = write_part(out, &text, head, utf8);
	fputs("...", out);
	written += CUT_MARK_WIDTH;
	for (width = printable_width(text, utf8); width > max_width - written;) {
		char bytes[PRINTABLE_MAX];
		unsigned columns = 0;

		printable_next(&text, utf8, bytes, &columns);
		width -= columns;
	}
	return written + write_part(out, &text, max_width - written, utf8);
}
