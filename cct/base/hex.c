#include "cct/base/hex.h"

#include <stdint.h>

static const char digits[] = "0123456789abcdef";

void hex_format(const void *bytes, size_t n_bytes, char *text)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < n_bytes; i++) {
		*text++ = digits[at[i] >> 4];
		*text++ = digits[at[i] & 15];
	}
	*text = '\0';
}

void hex_write(FILE *out, const void *bytes, size_t n_bytes)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < n_bytes; i++) {
		putc(digits[at[i] >> 4], out);
		putc(digits[at[i] & 15], out);
	}
}

bool hex_parse(const char *text, size_t n_bytes, void *bytes_ret)
{
	uint8_t *to = bytes_ret;

	for (size_t i = 0; i < n_bytes; i++, text += 2) {
		int high = hex_digit(text[0]);
		int low = high < 0 ? -1 : hex_digit(text[1]);

		if (low < 0)
			return false;
		to[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}
