#include "report/html/page_string.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/text/json_string.h"
#include "report/html/page_column.h"

int page_string_write(FILE *out, const char *before, const char *text)
{
	_cleanup_free_ char *shown = NULL;
	size_t size;
	FILE *stream = open_memstream(&shown, &size);

	if (!stream)
		return -ENOMEM;
	printable_put(stream, text);
	if (fclose(stream))
		return -ENOMEM;
	fputs(before, out);
	json_write_string(out, shown);
	return 0;
}

void page_strings_write(const struct string_ids *strings, struct byte_buffer *out)
{
	struct byte_buffer bytes = { 0 };
	struct page_column sizes = { 0 };

	byte_buffer_add_unsigned(out, strings->n_strings);
	for (uint32_t i = 0; i < strings->n_strings; i++) {
		const char *text = strings->strings[i];
		const size_t before = bytes.size;
		char character[PRINTABLE_MAX];
		unsigned columns;

		for (size_t size; (size = printable_next(&text, true, character, &columns));)
			byte_buffer_add(&bytes, character, size);
		page_column_add(&sizes, bytes.size - before);
	}
	page_column_write(&sizes, out);
	byte_buffer_add(out, bytes.bytes, bytes.size);
	out->lacks_memory |= bytes.lacks_memory;
	page_column_deinit(&sizes);
	byte_buffer_deinit(&bytes);
}
