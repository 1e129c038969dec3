#include "cct/text/decimal.h"

#define DIGITS_MAX 20

void decimal_write(FILE *out, uint64_t number)
{
	char digits[DIGITS_MAX], *first = digits + sizeof(digits);

	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	fwrite(first, 1, (size_t)(digits + sizeof(digits) - first), out);
}

void decimal_write_thousandths(FILE *out, uint64_t number)
{
	unsigned rest = (unsigned)(number % 1000);
	char digits[] = { '.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
			  (char)('0' + rest % 10) };
	size_t size = sizeof(digits);

	decimal_write(out, number / 1000);
	while (size > 1 && digits[size - 1] == '0')
		size--;
	if (size > 1)
		fwrite(digits, 1, size, out);
}
