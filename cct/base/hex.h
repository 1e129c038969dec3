/* Bytes as hexadecimal text: two lower-case digits for each byte, and nothing between them. */
#ifndef CCT_BASE_HEX_H
#define CCT_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* 0 to 15, or -1 for what is not a hexadecimal digit of either case. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Writes 2 * @n_bytes digits and a zero. */
void hex_format(const void *bytes, size_t n_bytes, char *text);
void hex_write(FILE *out, const void *bytes, size_t n_bytes);
/*
 * The bytes of the first 2 * @n_bytes characters. false: one of them, maybe the end of the text, is
 * not a digit; @bytes_ret may be written in part.
 */
bool hex_parse(const char *text, size_t n_bytes, void *bytes_ret);

#endif
