/*
 * Parses the text of /proc/kallsyms into its text symbols. Of several symbols at one address the
 * best is kept.
 */
#ifndef KERNEL_MERGE_KALLSYMS_TEXT_H
#define KERNEL_MERGE_KALLSYMS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct kallsyms_symbol {
	uint64_t addr;
	const char *name; /* in the text, and a NUL; "[module]" follows if it has a tag */
	uint32_t name_size;
	uint16_t tag_size; /* size of "[module]" */
	char type;
};

struct kallsyms_text {
	struct kallsyms_symbol *symbols; /* sorted by address if the text is */
	size_t n_symbols, n_allocated;
	char *text; /* NULL: given away */
};

/*
 * Parses @text, which has room for a NUL after @size bytes, and which is taken, also in case of
 * error: names stay where they are in it, and whoever keeps them takes it out of the result.
 * Malformed lines are skipped. 0; -EPERM: all addresses are zero (kptr_restrict); -ENOMEM. Any
 * thread.
 */
int kallsyms_text_parse(char *text, size_t size, struct kallsyms_text **parsed_ret);
void kallsyms_text_destroy(struct kallsyms_text *parsed);
/* Whether the symbol's tag begins with @tag: "[bpf]". */
static inline bool kallsyms_symbol_has_tag(const struct kallsyms_symbol *symbol, const char *tag)
{
	size_t size = strlen(tag);

	return symbol->tag_size >= size &&
	       memcmp(symbol->name + symbol->name_size + 1, tag, size) == 0;
}

#endif
