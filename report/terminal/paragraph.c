#include "report/terminal/paragraph.h"

#include <string.h>

#include "cct/base/printable.h"

#define MIN_TEXT_COLUMNS 24 /* in narrower terminals lines are not wrapped */

unsigned paragraph_put(FILE *out, const char *text, size_t size, bool utf8)
{
	const char *end = text + size;
	unsigned width = 0, columns;
	char bytes[PRINTABLE_MAX];

	while (text < end) {
		size_t n = printable_next(&text, utf8, bytes, &columns);

		if (out)
			fwrite(bytes, 1, n, out);
		width += columns;
	}
	return width;
}

struct paragraph paragraph_begin(FILE *out, unsigned width, unsigned indent, bool utf8)
{
	return (struct paragraph){
		.out = out,
		.indent = indent,
		.width = width < indent + MIN_TEXT_COLUMNS ? 0 : width,
		.column = indent,
		.utf8 = utf8,
	};
}

void paragraph_add(struct paragraph *paragraph, const char *text)
{
	const unsigned indent = paragraph->indent, width = paragraph->width;

	while (*(text += strspn(text, " "))) {
		size_t size = strcspn(text, " ");
		unsigned columns = paragraph_put(NULL, text, size, paragraph->utf8);

		if (paragraph->column > indent && width &&
		    paragraph->column + 1 + columns > width) {
			fprintf(paragraph->out, "\n%*s", (int)indent, "");
			paragraph->column = indent;
		} else if (paragraph->column > indent) {
			putc(' ', paragraph->out);
			paragraph->column++;
		}
		paragraph_put(paragraph->out, text, size, paragraph->utf8);
		paragraph->column += columns;
		text += size;
	}
}
