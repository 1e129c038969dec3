#include "report/findings/path_ends.h"

#include <stdlib.h>

char *path_ends_explain(const struct profile *profile, enum marker marker)
{
	const char *known = profile->info.why[marker];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (known)
		fputs(known, out);
	if (marker == MARKER_STACK_CUT)
		quality_print_rests(out, known ? ", not read beyond it: " : "not read beyond it: ",
				    &profile->quality.counts[QUALITY_UNREAD_RESTS]);
	if (fclose(out) == 0 && size)
		return text;
	free(text);
	return NULL;
}
