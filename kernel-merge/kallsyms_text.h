/*
 * Reads the text symbols in the text of /proc/kallsyms, one by one. Of several symbols at one
 * address that follow each other the best is read.
 */
#ifndef KERNEL_MERGE_KALLSYMS_TEXT_H
#define KERNEL_MERGE_KALLSYMS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KALLSYMS_LINE_SIZE 40 /* few lines are shorter on average */

struct kallsyms_symbol {
	uint64_t addr;
	const char *name; /* in the text, and a NUL; "[module]" follows if it has a tag */
	uint32_t name_size;
	uint16_t tag_size; /* size of "[module]" */
	char type;
};

/* The caller fills in the first two: the text's bytes, with room for a NUL behind them. */
struct kallsyms_text {
	char *at, *end; /* what has not been read */
	bool has_ahead; /* @ahead is the next symbol */
	struct kallsyms_symbol ahead;
};

/*
 * Reads the next symbol; its name stays where it is in the text. Malformed lines, and symbols at
 * address zero, as all are where the kernel hides them (kptr_restrict), are skipped. false: there
 * is none.
 */
bool kallsyms_text_next(struct kallsyms_text *text, struct kallsyms_symbol *symbol_ret);
/* Whether the symbol's tag begins with @tag: "[bpf]". */
static inline bool kallsyms_symbol_has_tag(const struct kallsyms_symbol *symbol, const char *tag)
{
	size_t size = strlen(tag);

	return symbol->tag_size >= size &&
	       memcmp(symbol->name + symbol->name_size + 1, tag, size) == 0;
}

#endif
