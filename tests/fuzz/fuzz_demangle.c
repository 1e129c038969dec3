/* Symbol names from hostile files: C++, Rust (legacy and v0), D. Input: the name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/demangle/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* The text that report/demangle/demangle.c has for decoded identifiers that are too long. */
const char *__lsan_default_suppressions(void)
{
	return "leak:print_ident\n";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = strndup((const char *)data, size);
	char *plain = name ? demangle_symbol(name) : NULL;
	char *brief = name ? demangle_without_parameters(name) : NULL;

	/* What is refused is shown as it is; what is not has a name. */
	if ((plain && !*plain) || (brief && !*brief))
		abort();
	free(plain);
	free(brief);
	free(name);
	return 0;
}
