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
