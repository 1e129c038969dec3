/* The text of dendro.conf: each setting has a section, a name and a value without ends of lines. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/configuration/configuration_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text)
{
	if (!*text || strchr(text, '\n'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct configuration_file file = { 0 };
	char *text = malloc(size + 1);
	const char *wrong;
	unsigned line;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	int err = configuration_file_parse(&file, text, size, &line, &wrong);
	if (err && !*wrong)
		abort();
	for (size_t i = 0; i < file.n_settings; i++) {
		check(file.settings[i].section);
		check(file.settings[i].name);
		check(file.settings[i].value);
	}
	configuration_file_deinit(&file);
	return 0;
}
