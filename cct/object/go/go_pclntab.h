/*
 * Go's own table of functions, .gopclntab, which every Go program carries, stripped or not: by
 * instruction the function and what was inlined there, file and line, and the stack's depth
 * (src/runtime/symtab.go, src/cmd/link/internal/ld/pcln.go, src/debug/gosym; layouts of Go 1.2,
 * 1.16, 1.18 and 1.20, little endian). The file may be hostile: whatever leads outside the table
 * says nothing.
 */
#ifndef CCT_OBJECT_GO_GO_PCLNTAB_H
#define CCT_OBJECT_GO_GO_PCLNTAB_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct go_pclntab;

enum go_version {
	GO_1_2, /* to 1.15 */
	GO_1_16,
	GO_1_18,
	GO_1_20, /* and later */
};

struct go_function {
	uint64_t start, end; /* virtual addresses: up to the next function */
	const char *name;    /* as in the file; "": none */
	uint64_t record;     /* the table's own */
};

/* NULL: no Go program, or of a version whose table is not known. @elf must outlive the result. */
struct go_pclntab *go_pclntab_create(Elf *elf);
void go_pclntab_destroy(struct go_pclntab *table);
enum go_version go_pclntab_version(const struct go_pclntab *table);
uint64_t go_pclntab_size(const struct go_pclntab *table);
/* Of the program's pointers, in bytes. */
unsigned go_pclntab_pointer_size(const struct go_pclntab *table);

/* The function at @vaddr. false: none of Go's. */
bool go_pclntab_find(const struct go_pclntab *table, uint64_t vaddr,
		     struct go_function *function_ret);
/*
 * How far the stack pointer lies at @vaddr below where it was at the first instruction of
 * @function, which holds @vaddr. false: nothing is said.
 */
bool go_pclntab_depth(const struct go_pclntab *table, const struct go_function *function,
		      uint64_t vaddr, int64_t *depth_ret);

/*
 * The rest reads tables from a function's beginning to the address. @budget is counted down at each
 * row, and nothing more is said when it is used up.
 *
 * Where the code of @function ends: the next one's start may be behind padding.
 */
uint64_t go_pclntab_end(const struct go_pclntab *table, const struct go_function *function,
			uint64_t *budget);
/* File and line of the instruction, in the innermost function there. NULL and 0: not known. */
void go_pclntab_line(const struct go_pclntab *table, const struct go_function *function,
		     uint64_t vaddr, uint64_t *budget, const char **file_ret, uint32_t *line_ret);
/*
 * Finds what go_pclntab_inlined() reads. Inlined calls lie apart from the table, and how to get
 * there is the version's own business: it is used only if many functions' calls can be read there
 * without a contradiction. false: they are not known.
 */
bool go_pclntab_open_inlined(struct go_pclntab *table);
/*
 * The innermost function inlined at @vaddr, and an address that stands for the call: what
 * go_pclntab_line() and this say of it is true of the caller. false: nothing is inlined there.
 */
bool go_pclntab_inlined(const struct go_pclntab *table, const struct go_function *function,
			uint64_t vaddr, uint64_t *budget, const char **name_ret,
			uint64_t *call_ret);

/*
 * The bytes of the file that tell function and depth at @vaddr, and as much of the name as matters
 * to unwinding. Returns how many ranges; 0: none of Go's functions.
 */
#define GO_PCLNTAB_RANGES_MAX 160
struct go_pclntab_range {
	uint64_t offset, size;
};
size_t go_pclntab_ranges(const struct go_pclntab *table, uint64_t vaddr,
			 struct go_pclntab_range ranges[GO_PCLNTAB_RANGES_MAX]);

#endif
