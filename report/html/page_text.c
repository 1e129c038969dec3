#include "report/html/page_text.h"

#include <string.h>

void page_text_write(FILE *out, const char **at, const char *end, const char *mark)
{
	const size_t mark_size = mark ? strlen(mark) : 0;
	const char *stop = mark ? memmem(*at, (size_t)(end - *at), mark, mark_size) : end;

	fwrite(*at, 1, (size_t)(stop - *at), out);
	*at = stop + mark_size;
}
