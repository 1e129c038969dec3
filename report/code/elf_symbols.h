/*
 * The functions of one ELF file by address: .symtab, else .dynsym; PLT entries as "foo@plt"; and,
 * for code without a symbol, where the function begins that holds it (.eh_frame). Names are
 * valid as long as this and the Elf, which must stay open. The file may be hostile.
 */
#ifndef REPORT_CODE_ELF_SYMBOLS_H
#define REPORT_CODE_ELF_SYMBOLS_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct elf_symbols;

struct elf_symbol_match {
	const char *name; /* as in the file but for a version, not demangled */
	uint64_t start;   /* virtual address */
	uint64_t end;
	bool plt; /* the entry of the procedure linkage table that jumps to @name */
};

/* 0 or -ENOMEM; what can't be read is left out. */
int elf_symbols_create(Elf *elf, struct elf_symbols **symbols_ret);
void elf_symbols_destroy(struct elf_symbols *symbols);
/* The file has function symbols at all. */
bool elf_symbols_any(const struct elf_symbols *symbols);
/* File offset -> virtual address. False: no segment holds the offset. */
bool elf_symbols_vaddr(const struct elf_symbols *symbols, uint64_t offset, uint64_t *vaddr_ret);
/* The other way; where @vaddr has bytes in the file. */
bool elf_symbols_offset(const struct elf_symbols *symbols, uint64_t vaddr, uint64_t *offset_ret);
bool elf_symbols_find(struct elf_symbols *symbols, uint64_t vaddr,
		      struct elf_symbol_match *match_ret);
/*
 * Where the function begins whose FDE holds @vaddr: not where elf_symbols_find() finds a symbol of
 * this file.
 */
bool elf_symbols_function_start(struct elf_symbols *symbols, uint64_t vaddr, uint64_t *start_ret);
/* The first function above @vaddr that the unwind table knows. */
bool elf_symbols_next_function(struct elf_symbols *symbols, uint64_t vaddr, uint64_t *start_ret);

#endif
