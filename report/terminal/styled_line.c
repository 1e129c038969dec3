#include "report/terminal/styled_line.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"

void styled_line_init(struct styled_line *line, unsigned max_columns, bool utf8)
{
	line->size = 0;
	line->text[0] = '\0';
	line->columns = 0;
	line->max_columns = max_columns;
	line->utf8 = utf8;
	line->parts[0] = (struct styled_part){ .start = 0, .style = STYLE_PLAIN };
	line->n_parts = 1;
}

static void begin_part(struct styled_line *line, enum text_style style, bool is_filled)
{
	struct styled_part *last = &line->parts[line->n_parts - 1];

	if (last->style == style && last->is_filled == is_filled)
		return;
	if (last->start != line->size) {
		if (line->n_parts == STYLED_LINE_STYLES)
			return;
		last = &line->parts[line->n_parts++];
	}
	*last = (struct styled_part){ line->size, style, is_filled };
}

void styled_line_set(struct styled_line *line, enum text_style style)
{
	begin_part(line, style, line->parts[line->n_parts - 1].is_filled);
}

void styled_line_fill(struct styled_line *line, bool is_filled)
{
	begin_part(line, line->parts[line->n_parts - 1].style, is_filled);
}

void styled_line_add(struct styled_line *line, const char *text)
{
	char bytes[PRINTABLE_MAX];
	unsigned columns = 0;
	size_t size;

	while ((size = printable_next(&text, line->utf8, bytes, &columns))) {
		if (line->columns + columns > line->max_columns ||
		    line->size + size >= sizeof(line->text))
			break;
		memcpy(line->text + line->size, bytes, size);
		line->size += size;
		line->columns += columns;
	}
	line->text[line->size] = '\0';
}

void styled_line_addf(struct styled_line *line, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	int n = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (n < 0)
		text = NULL;
	if (text)
		styled_line_add(line, text);
}

void styled_line_add_whole(struct styled_line *line, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	int n = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (n < 0)
		text = NULL;
	if (text && line->columns + printable_width(text, line->utf8) <= line->max_columns)
		styled_line_add(line, text);
}

void styled_line_add_sign(struct styled_line *line, const char *utf8, const char *ascii)
{
	styled_line_add(line, line->utf8 ? utf8 : ascii);
}

void styled_line_pad(struct styled_line *line, unsigned column)
{
	while (line->columns < column && line->columns < line->max_columns &&
	       line->size + 1 < sizeof(line->text)) {
		line->text[line->size++] = ' ';
		line->columns++;
	}
	line->text[line->size] = '\0';
}

void styled_line_add_cut(struct styled_line *line, const char *text, unsigned columns)
{
	_cleanup_free_ char *cut = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&cut, &size);

	if (!out)
		return;
	printable_write(out, text, columns, line->utf8);
	if (fclose(out) == 0)
		styled_line_add(line, cut);
}
