/* Mangled names of D. Input: whether with parameters, and the text after "_D". */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/demangle/demangle_d.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[4096];
	size_t text_size;

	if (!size)
		return 0;
	char *name = malloc(size + 2);

	memcpy(name, "_D", 2);
	memcpy(name + 2, data + 1, size - 1);
	name[size + 1] = '\0';
	if (demangle_d(name, data[0] & 1, text, sizeof(text), &text_size))
		assert(text_size <= sizeof(text));
	free(name);
	return 0;
}
