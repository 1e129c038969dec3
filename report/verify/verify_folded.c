#include "report/verify/verify_folded.h"

#include <string.h>

#include "cct/base/numbers.h"

/* The stack is before the last blank, the cost after it. */
static bool check_cost(struct verification *verification, const char *line, size_t size,
		       const char *blank, size_t number)
{
	char cost[32];
	uint64_t value;
	const size_t length = (size_t)(line + size - blank) - 1;

	if (length < sizeof(cost)) {
		memcpy(cost, blank + 1, length);
		cost[length] = '\0';
	}
	if (length >= sizeof(cost) || numbers_parse(cost, UINT64_MAX, &value))
		return verification_fail(verification, "line %zu does not end in a number", number);
	return true;
}

static bool check_stack(struct verification *verification, const char *stack, size_t size,
			size_t number)
{
	for (size_t i = 0; i < size; i++) {
		if ((unsigned char)stack[i] < ' ' || stack[i] == 0x7f)
			return verification_fail(verification, "line %zu has a control character",
						 number);
		if (stack[i] == ';' && (!i || i + 1 == size || stack[i + 1] == ';'))
			return verification_fail(verification,
						 "line %zu has a frame without a name", number);
	}
	return size || verification_fail(verification, "line %zu has no stack", number);
}

static bool check_line(struct verification *verification, const char *line, size_t size,
		       size_t number)
{
	const char *blank = memrchr(line, ' ', size);

	if (!blank)
		return verification_fail(verification, "line %zu has no cost", number);
	return verification_text(verification, (const uint8_t *)line, size, "line", number) &&
	       check_cost(verification, line, size, blank, number) &&
	       check_stack(verification, line, (size_t)(blank - line), number);
}

void verify_folded(struct verification *verification, const uint8_t *bytes, size_t size)
{
	const char *line = (const char *)bytes, *end = line + size;

	for (size_t number = 1; line < end; number++) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		if (!newline) {
			verification_fail(verification, "line %zu does not end: the file is cut",
					  number);
			return;
		}
		if (!check_line(verification, line, (size_t)(newline - line), number))
			return;
		line = newline + 1;
	}
}
