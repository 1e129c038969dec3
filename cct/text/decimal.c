#include "cct/text/decimal.h"

#define DIGITS_MAX   20
#define FRACTION_MAX 9

void decimal_write(FILE *out, uint64_t number)
{
	char digits[DIGITS_MAX], *first = digits + sizeof(digits);

	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	fwrite(first, 1, (size_t)(digits + sizeof(digits) - first), out);
}

void decimal_write_fraction(FILE *out, uint64_t number, unsigned n_digits)
{
	char digits[FRACTION_MAX + 1] = ".";
	unsigned size = n_digits + 1;
	uint64_t whole = number;

	for (unsigned i = n_digits; i > 0; i--) {
		digits[i] = (char)('0' + whole % 10);
		whole /= 10;
	}
	decimal_write(out, whole);
	while (size > 1 && digits[size - 1] == '0')
		size--;
	if (size > 1)
		fwrite(digits, 1, size, out);
}
