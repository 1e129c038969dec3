/* Reads lines as symbols and keeps the best symbol of each address. */
#include "kernel-merge/kallsyms_text.h"

#include <endian.h>
#include <string.h>

#include "cct/base/hex.h"

enum { N_ADDRESS_DIGITS = 16, N_DIGITS_AT_ONCE = 8 };

static bool is_text_type(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/*
 * The value of eight lower-case digits, each in a byte of one number. false: others are among them.
 */
static bool parse_eight_digits(const char *text, uint64_t *value_ret)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t digits;

	memcpy(&digits, text, sizeof(digits));
	digits = be64toh(digits);
	uint64_t values = (digits & 0x0f * ones) + 9 * (digits >> 6 & ones);
	uint64_t is_letter = (values + 6 * ones) >> 4 & ones;
	if (values & 0x10 * ones || values + '0' * ones + ('a' - '0' - 10) * is_letter != digits)
		return false;
	values = (values | values >> 4) & 0x00ff00ff00ff00ff;
	values = (values | values >> 8) & 0x0000ffff0000ffff;
	*value_ret = (values | values >> 16) & 0xffffffff;
	return true;
}

/* Parses up to 16 hexadecimal digits. Returns the first character after them, or NULL. */
static const char *parse_address(const char *text, const char *end, uint64_t *addr_ret)
{
	uint64_t addr = 0, low;
	const char *c = text;

	if (end - text > N_ADDRESS_DIGITS && parse_eight_digits(text, &addr) &&
	    parse_eight_digits(text + N_DIGITS_AT_ONCE, &low)) {
		*addr_ret = addr << 32 | low;
		return text + N_ADDRESS_DIGITS;
	}
	addr = 0;
	for (int digit; c < end && c - text < N_ADDRESS_DIGITS && (digit = hex_digit(*c)) >= 0; c++)
		addr = addr << 4 | (uint64_t)digit;
	*addr_ret = addr;
	return c > text ? c : NULL;
}

/* "ffffffffc0201000 t name\t[module]"; false: not a text symbol, or the "$x" that marks code in
 * arm64's modules. */
static bool parse_line(const char *line, const char *end, struct kallsyms_symbol *symbol)
{
	const char *c = parse_address(line, end, &symbol->addr);

	if (!c || end - c < 4 || c[0] != ' ' || c[2] != ' ' || !is_text_type(c[1]))
		return false;
	symbol->type = c[1];
	symbol->name = c + 3;
	const char *tab =
		end[-1] == ']' ? memchr(symbol->name, '\t', (size_t)(end - symbol->name)) : NULL;
	ptrdiff_t tag_size = tab ? end - tab - 1 : 0;
	symbol->name_size = (uint32_t)((tab ? tab : end) - symbol->name);
	symbol->tag_size = tag_size > UINT16_MAX ? 0 : (uint16_t)tag_size;
	return symbol->name_size > 0 && *symbol->name != '$';
}

static bool begins(const struct kallsyms_symbol *symbol, const char *text)
{
	size_t size = strlen(text);

	return symbol->name_size > size && memcmp(symbol->name, text, size) == 0;
}

static size_t leading_underscores(const struct kallsyms_symbol *symbol)
{
	size_t n = 0;

	while (n < symbol->name_size && symbol->name[n] == '_')
		n++;
	return n;
}

/*
 * How well a name describes the code at its address. The padding before a function, labels, and
 * weak symbols, which another definition could have replaced, rank low.
 */
static int symbol_rank(const struct kallsyms_symbol *symbol)
{
	if (begins(symbol, "__pfx_") || begins(symbol, ".L"))
		return 0;
	/* System calls without arguments are one function for all ABIs. */
	if (begins(symbol, "__ia32_"))
		return 1;
	if (symbol->type == 'T')
		return 3;
	return symbol->type == 't' ? 2 : 1;
}

/*
 * Whether @a is the name to show of two names of one address. The result does not depend on their
 * order.
 */
static bool is_better(const struct kallsyms_symbol *a, const struct kallsyms_symbol *b)
{
	int rank = symbol_rank(a) - symbol_rank(b);

	if (rank)
		return rank > 0;
	size_t underscores_a = leading_underscores(a), underscores_b = leading_underscores(b);
	if (underscores_a != underscores_b)
		return underscores_a < underscores_b;
	size_t common = a->name_size < b->name_size ? a->name_size : b->name_size;
	int order = memcmp(a->name, b->name, common);
	return order ? order < 0 : a->name_size < b->name_size;
}

/* The next text symbol, whatever its address. */
static bool read_symbol(struct kallsyms_text *text, struct kallsyms_symbol *symbol_ret)
{
	while (text->at < text->end) {
		char *line = text->at;
		char *newline = memchr(line, '\n', (size_t)(text->end - line));

		text->at = newline ? newline + 1 : text->end;
		if (parse_line(line, newline ? newline : text->end, symbol_ret) &&
		    symbol_ret->addr) {
			line[symbol_ret->name - line + symbol_ret->name_size] = '\0';
			return true;
		}
	}
	return false;
}

bool kallsyms_text_next(struct kallsyms_text *text, struct kallsyms_symbol *symbol_ret)
{
	if (!text->has_ahead && !read_symbol(text, &text->ahead))
		return false;
	*symbol_ret = text->ahead;
	while ((text->has_ahead = read_symbol(text, &text->ahead)) &&
	       text->ahead.addr == symbol_ret->addr) {
		if (is_better(&text->ahead, symbol_ret))
			*symbol_ret = text->ahead;
	}
	return true;
}
