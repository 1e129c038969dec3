/*
 * Go's own table of functions, .gopclntab, which every Go program carries, stripped or not: for
 * each instruction the function, the functions inlined there, file and line, and the depth of the
 * stack (src/runtime/symtab.go, src/cmd/link/internal/ld/pcln.go, src/debug/gosym; layouts of Go
 * 1.2, 1.16, 1.18 and 1.20, little endian). The file may be hostile: references outside the table
 * are ignored.
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
 * How far the stack pointer at @vaddr is below its value at the first instruction of @function,
 * which contains @vaddr. false: not known.
 */
bool go_pclntab_depth(const struct go_pclntab *table, const struct go_function *function,
		      uint64_t vaddr, int64_t *depth_ret);

/*
 * The functions below read tables from a function's beginning to the address. @budget is counted
 * down at each row; when it is used up, they find nothing more.
 *
 * The end of the code of @function; padding may precede the start of the next function.
 */
uint64_t go_pclntab_end(const struct go_pclntab *table, const struct go_function *function,
			uint64_t *budget);
/* File and line of the instruction, in the innermost function there. NULL and 0: not known. */
void go_pclntab_line(const struct go_pclntab *table, const struct go_function *function,
		     uint64_t vaddr, uint64_t *budget, const char **file_ret, uint32_t *line_ret);
/*
 * Finds the tables for go_pclntab_inlined(). Inlined calls are stored apart from the function
 * table, at an address found in a way that depends on Go's version. It is only used if the calls of
 * many functions can be read there without contradiction. false: inlined calls are not known.
 */
bool go_pclntab_open_inlined(struct go_pclntab *table);
/*
 * The innermost function inlined at @vaddr, and an address that represents the call:
 * go_pclntab_line() and this function describe the caller at that address. false: nothing is
 * inlined there.
 */
bool go_pclntab_inlined(const struct go_pclntab *table, const struct go_function *function,
			uint64_t vaddr, uint64_t *budget, const char **name_ret,
			uint64_t *call_ret);

/*
 * The ranges of the file that contain function and stack depth for @vaddr, and the part of the name
 * that unwinding needs. Returns their number; 0: not a Go function.
 */
#define GO_PCLNTAB_RANGES_MAX 160
struct go_pclntab_range {
	uint64_t offset, size;
};
size_t go_pclntab_ranges(const struct go_pclntab *table, uint64_t vaddr,
			 struct go_pclntab_range ranges[GO_PCLNTAB_RANGES_MAX]);

#endif
