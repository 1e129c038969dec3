#include "cct/text/decimal.h"

#include <string.h>

#define FRACTION_MAX 9

size_t decimal_format(char *text, uint64_t number)
{
	char digits[DECIMAL_MAX], *first = digits + sizeof(digits);

	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	const size_t size = (size_t)(digits + sizeof(digits) - first);
	memcpy(text, first, size);
	return size;
}

size_t decimal_format_fraction(char *text, uint64_t number, unsigned n_digits)
{
	char digits[FRACTION_MAX + 1] = ".";
	unsigned size = n_digits + 1;
	uint64_t whole = number;

	for (unsigned i = n_digits; i > 0; i--) {
		digits[i] = (char)('0' + whole % 10);
		whole /= 10;
	}
	const size_t n_whole = decimal_format(text, whole);
	while (size > 1 && digits[size - 1] == '0')
		size--;
	if (size == 1)
		return n_whole;
	memcpy(text + n_whole, digits, size);
	return n_whole + size;
}

void decimal_write(FILE *out, uint64_t number)
{
	char text[DECIMAL_MAX];

	const size_t size = decimal_format(text, number);
	fwrite(text, 1, size, out);
}

void decimal_write_fraction(FILE *out, uint64_t number, unsigned n_digits)
{
	char text[DECIMAL_MAX];

	const size_t size = decimal_format_fraction(text, number, n_digits);
	fwrite(text, 1, size, out);
}
