/* Names that look like functions'. Input: columns, whether the terminal shows UTF-8, the name. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/printable.h"
#include "report/demangle/clone_name.h"
#include "report/demangle/short_name.h"
#include "report/demangle/simple_name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *name, unsigned columns, bool utf8)
{
	char *fitted = short_name_fit(name, columns, utf8);

	if (!fitted)
		return;
	/* What is wide enough stays as it is; nothing gets wider. */
	if (printable_width(name, utf8) <= columns)
		assert(strcmp(fitted, name) == 0);
	else
		assert(printable_width(fitted, utf8) <= printable_width(name, utf8));
	free(fitted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	char *name = strndup((const char *)data + 2, size - 2);
	char *base = clone_base_name(name);

	for (int parameters = 0; parameters < 2; parameters++) {
		char *simple = simple_name_make(name, parameters);

		if (!simple)
			continue;
		assert(strlen(simple) <= strlen(name));
		check(simple, data[0], data[1] & 1);
		free(simple);
	}
	check(name, data[0], data[1] & 1);
	free(base);
	free(name);
	return 0;
}
