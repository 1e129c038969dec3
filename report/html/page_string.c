#include "report/html/page_string.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/text/json_string.h"

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
