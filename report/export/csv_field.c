#include "report/export/csv_field.h"

#include "cct/base/printable.h"

void csv_write_field(FILE *out, const char *text, const char *suffix)
{
	char bytes[PRINTABLE_MAX];
	unsigned columns;
	size_t size;

	putc('"', out);
	while ((size = printable_next(&text, true, bytes, &columns))) {
		if (bytes[0] == '"')
			putc('"', out);
		fwrite(bytes, 1, size, out);
	}
	fprintf(out, "%s\"", suffix);
}
