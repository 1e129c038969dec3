/* Parses lines into symbols and keeps the best symbol of each address. */
#include "kernel-merge/kallsyms_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/hex.h"
#include "cct/base/huge_pages.h"

#define LINE_SIZE 48 /* few lines are longer, and half of them are not of code */

static bool is_text_type(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* Parses up to 16 hexadecimal digits. Returns the first character after them, or NULL. */
static const char *parse_address(const char *text, const char *end, uint64_t *addr_ret)
{
	uint64_t addr = 0;
	const char *c = text;

	for (int digit; c < end && c - text < 16 && (digit = hex_digit(*c)) >= 0; c++)
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
	const char *tab = memchr(symbol->name, '\t', (size_t)(end - symbol->name));
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

static int append_symbol(struct kallsyms_text *parsed, const struct kallsyms_symbol *symbol)
{
	struct kallsyms_symbol *last =
		parsed->n_symbols ? &parsed->symbols[parsed->n_symbols - 1] : NULL;

	if (last && last->addr == symbol->addr) {
		if (is_better(symbol, last))
			*last = *symbol;
		return 0;
	}
	if (array_reserve(parsed->symbols, parsed->n_symbols, parsed->n_allocated, 1))
		return -ENOMEM;
	parsed->symbols[parsed->n_symbols++] = *symbol;
	return 0;
}

static int parse_lines(struct kallsyms_text *parsed, size_t size)
{
	for (char *line = parsed->text, *end = line + size, *next; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		struct kallsyms_symbol symbol;

		next = newline ? line + (newline - line) + 1 : end;
		if (!parse_line(line, newline ? newline : end, &symbol) || !symbol.addr)
			continue;
		line[symbol.name - line + symbol.name_size] = '\0';
		int err = append_symbol(parsed, &symbol);
		if (err)
			return err;
	}
	return parsed->n_symbols ? 0 : -EPERM;
}

int kallsyms_text_parse(char *text, size_t size, struct kallsyms_text **parsed_ret)
{
	struct kallsyms_text *parsed = calloc(1, sizeof(*parsed));

	if (!parsed) {
		free(text);
		return -ENOMEM;
	}
	parsed->text = text;
	/* More than there are, mostly: memory that is not used is not there. */
	int err = array_reserve(parsed->symbols, 0, parsed->n_allocated, size / LINE_SIZE);
	huge_pages_allow(parsed->symbols, parsed->n_allocated * sizeof(*parsed->symbols));
	if (!err)
		err = parse_lines(parsed, size);
	if (err) {
		kallsyms_text_destroy(parsed);
		return err;
	}
	*parsed_ret = parsed;
	return 0;
}

void kallsyms_text_destroy(struct kallsyms_text *parsed)
{
	if (!parsed)
		return;
	free(parsed->symbols);
	free(parsed->text);
	free(parsed);
}
