/* Symbol names from hostile files: C++, Rust (legacy and v0), D. Input: the name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = strndup((const char *)data, size), *plain;

	if (!name)
		return 0;
	plain = demangle_symbol(name);
	/* What is refused is shown as it is; what is not has a name. */
	if (plain && !*plain)
		abort();
	free(plain);
	free(name);
	return 0;
}
