/*
 * The functions of a program by the names that BOLT gives them. It takes the symbols in the order
 * of their addresses; of several at one address, functions first and then as in the table, the
 * first one names the function. A local name is followed by the number that it has among the equal
 * local names, "f/2". Entries of the procedure linkage table are "f@PLT".
 * Source: LLVM 16, bolt/lib/Rewrite/RewriteInstance.cpp, discoverFileObjects().
 *
 * The file may be hostile. What has no symbol belongs to the function before it, as for BOLT,
 * which however knows functions in .eh_frame that no symbol names.
 */
#ifndef REPORT_FEEDBACK_BOLT_SYMBOLS_H
#define REPORT_FEEDBACK_BOLT_SYMBOLS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct bolt_function {
	uint64_t start, end; /* virtual addresses; the end is that of the section or before it */
	const char *name;    /* borrowed from the Elf */
	uint32_t number;     /* among local functions of this name, from 1 on; 0: it is global */
	bool is_plt;
};

struct bolt_symbols {
	struct bolt_function *functions; /* by start */
	size_t n;
};

/* 0; -ENOENT: the file has no symbol table of its own; -ENOMEM. */
int bolt_symbols_init(struct bolt_symbols *symbols, Elf *elf);
void bolt_symbols_deinit(struct bolt_symbols *symbols);
/* The function that an address belongs to. NULL: none. */
const struct bolt_function *bolt_symbols_find(const struct bolt_symbols *symbols, uint64_t vaddr);
/* Whether a file of BOLT's can have the function's name. */
bool bolt_symbols_can_name(const struct bolt_function *function);
/* "1 f/2 ", as a place begins in BOLT's files. */
void bolt_symbols_write(FILE *out, const struct bolt_function *function);

#endif
