#include "report/verify/verification.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/sentence.h"

void verification_deinit(struct verification *verification)
{
	free(verification->problem);
}

/* The first problem stays. */
__attribute__((format(printf, 3, 0))) static void
note(struct verification *verification, bool is_unchecked, const char *format, va_list args)
{
	if (verification->problem)
		return;
	verification->problem = sentence_v(format, args);
	verification->is_unchecked = is_unchecked;
	verification->lacks_memory |= !verification->problem;
}

bool verification_fail(struct verification *verification, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	note(verification, false, format, args);
	va_end(args);
	return false;
}

bool verification_refuse(struct verification *verification, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	note(verification, true, format, args);
	va_end(args);
	return false;
}

bool verification_lacks_memory(struct verification *verification)
{
	verification->lacks_memory = true;
	return false;
}

static bool is_utf8(const char *text)
{
	uint32_t code;
	size_t size;

	while (*text) {
		size = printable_decode_utf8(text, &code);
		if (!size)
			return false;
		text += size;
	}
	return true;
}

bool verification_text(struct verification *verification, const uint8_t *bytes, size_t size,
		       const char *what, size_t number)
{
	_cleanup_free_ char *text = strndup((const char *)bytes, size);

	if (!text)
		return verification_lacks_memory(verification);
	if (strlen(text) < size)
		return verification_fail(verification, "%s %zu has a zero byte", what, number);
	return is_utf8(text) ||
	       verification_fail(verification, "%s %zu is not UTF-8", what, number);
}
