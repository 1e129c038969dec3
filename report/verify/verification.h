/*
 * Checks of exported files for what lenient readers let pass. A check that finds a problem notes
 * it, naming the place, and returns false; the first problem stays.
 */
#ifndef REPORT_VERIFY_VERIFICATION_H
#define REPORT_VERIFY_VERIFICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct verification {
	char *problem;     /* heap: "sample 3: there is no location 7"; NULL: none so far */
	bool is_unchecked; /* the problem is why the file was not checked, and what to do */
	bool lacks_memory;
};

void verification_deinit(struct verification *verification);
/* Notes a problem. Returns false. */
__attribute__((format(printf, 2, 3))) bool verification_fail(struct verification *verification,
							     const char *format, ...);
/* Notes why the file cannot be checked. Returns false. */
__attribute__((format(printf, 2, 3))) bool verification_refuse(struct verification *verification,
							       const char *format, ...);
/* Memory is lacking. Returns false. */
bool verification_lacks_memory(struct verification *verification);
/* Whether the text is UTF-8 without zeros; @what and @number name it. */
bool verification_text(struct verification *verification, const uint8_t *bytes, size_t size,
		       const char *what, size_t number);

#endif
