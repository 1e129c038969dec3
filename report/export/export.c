#include "report/export/export.h"

#include <string.h>

#include "report/export/export_csv.h"
#include "report/export/export_json.h"
#include "report/export/export_text.h"

static const struct export_format formats[] = {
	{ "text", export_text },
	{ "json", export_json },
	{ "csv", export_csv },
};

const struct export_format *export_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	}
	return NULL;
}

char *export_format_names(void)
{
	const size_t n_formats = sizeof(formats) / sizeof(formats[0]);
	char *names = NULL;
	size_t size;
	FILE *out = open_memstream(&names, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < n_formats; i++)
		fprintf(out, "%s%s", !i ? "" : i + 1 < n_formats ? ", " : " or ", formats[i].name);
	fclose(out);
	return names;
}
