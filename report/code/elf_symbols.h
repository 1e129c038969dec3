/*
 * The functions of one ELF file by address, from .symtab or else .dynsym, and its PLT entries
 * ("foo@plt"). For code without a symbol, .eh_frame gives the start of the function. Names are
 * valid as long as the elf_symbols and the Elf, which must stay open. The file may be hostile.
 */
#ifndef REPORT_CODE_ELF_SYMBOLS_H
#define REPORT_CODE_ELF_SYMBOLS_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct elf_symbols;

struct elf_symbol_match {
	const char *name; /* as in the file, not demangled, but without a version */
	uint64_t start;   /* virtual address */
	uint64_t end;
	bool plt; /* the function is the PLT entry that jumps to @name */
};

/* Reads the symbols of @elf; unreadable ones are skipped. 0 or -ENOMEM. */
int elf_symbols_create(Elf *elf, struct elf_symbols **symbols_ret);
void elf_symbols_destroy(struct elf_symbols *symbols);
/* Whether the file has any function symbols. */
bool elf_symbols_any(const struct elf_symbols *symbols);
/* Whether those are in it that it does not export. */
bool elf_symbols_are_all(const struct elf_symbols *symbols);
/* Translates a file offset to a virtual address. False: no segment contains the offset. */
bool elf_symbols_vaddr(const struct elf_symbols *symbols, uint64_t offset, uint64_t *vaddr_ret);
/* Translates a virtual address to a file offset. False: the file contains no bytes for @vaddr. */
bool elf_symbols_offset(const struct elf_symbols *symbols, uint64_t vaddr, uint64_t *offset_ret);
bool elf_symbols_find(struct elf_symbols *symbols, uint64_t vaddr,
		      struct elf_symbol_match *match_ret);
/*
 * The start of the function whose FDE contains @vaddr. False if there is no FDE, or if
 * elf_symbols_find() finds a symbol there.
 */
bool elf_symbols_function_start(struct elf_symbols *symbols, uint64_t vaddr, uint64_t *start_ret);
/* The start of the first function above @vaddr in the unwind table. */
bool elf_symbols_next_function(struct elf_symbols *symbols, uint64_t vaddr, uint64_t *start_ret);

#endif
