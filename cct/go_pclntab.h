/*
 * Go's own table of functions, .gopclntab, which every Go program carries, stripped or not:
 * functions, their names, and the stack's depth at each instruction (Go 1.18 and later:
 * src/runtime/symtab.go, cmd/internal/objfile). The file may be hostile.
 */
#ifndef CCT_GO_PCLNTAB_H
#define CCT_GO_PCLNTAB_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct go_pclntab;

struct go_function {
	uint64_t start, end;   /* virtual addresses: up to the next function */
	const char *name;      /* as in the file; "": none */
	const uint8_t *record; /* the table's own */
};

/* NULL: no Go program, or of a version whose table is not known. @elf must outlive the result. */
struct go_pclntab *go_pclntab_create(Elf *elf);
void go_pclntab_destroy(struct go_pclntab *table);

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
 * The bytes of the file that tell function and depth at @vaddr, and as much of the name as matters
 * to unwinding. Returns how many ranges; 0: none of Go's functions.
 */
#define GO_PCLNTAB_RANGES_MAX 80
struct go_pclntab_range {
	uint64_t offset, size;
};
size_t go_pclntab_ranges(const struct go_pclntab *table, uint64_t vaddr,
			 struct go_pclntab_range ranges[GO_PCLNTAB_RANGES_MAX]);

#endif
