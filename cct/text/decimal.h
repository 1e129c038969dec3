/* Numbers as decimal text: like printf("%" PRIu64), but many times as fast. */
#ifndef CCT_TEXT_DECIMAL_H
#define CCT_TEXT_DECIMAL_H

#include <stdint.h>
#include <stdio.h>

#define DECIMAL_MAX 22 /* bytes of a number, also of one with a fraction: "0.", and 20 digits */

void decimal_write(FILE *out, uint64_t number);
/* A number of units of 10^-@n_digits, at most 9: of 3, 1234 is 1.234, 1500 is 1.5, 2000 is 2. */
void decimal_write_fraction(FILE *out, uint64_t number, unsigned n_digits);
/* Likewise, to @text, which has room for DECIMAL_MAX bytes and gets no zero at its end. Their
 * number. */
size_t decimal_format(char *text, uint64_t number);
size_t decimal_format_fraction(char *text, uint64_t number, unsigned n_digits);

#endif
