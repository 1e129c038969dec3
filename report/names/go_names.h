/*
 * Names, inlined functions and source lines of a Go program from its function table
 * (cct/object/go/go_pclntab.h), for programs without symbols or debug information. Names are as in
 * Go's tracebacks: those of generic functions end in [...]. Inlined functions are supported for Go
 * 1.16 and later. The file may be hostile.
 */
#ifndef REPORT_NAMES_GO_NAMES_H
#define REPORT_NAMES_GO_NAMES_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_function;
struct elf_symbol_match;
struct go_names;

/*
 * NULL: not a Go program, or out of memory. @elf must outlive the result, which borrows its
 * strings.
 */
struct go_names *go_names_open(Elf *elf);
void go_names_close(struct go_names *names);
bool go_names_knows_inlined(const struct go_names *names);
/*
 * Whether the tables were too large to read (made-up ones may be). Lines and inlined functions are
 * missing since then.
 */
bool go_names_gave_up(const struct go_names *names);
/* Finds the compiled function at @vaddr. false: there is none. */
bool go_names_function(struct go_names *names, uint64_t vaddr, struct elf_symbol_match *match_ret);
/* Finds all functions active at @vaddr, like debug_info_find(). */
size_t go_names_find(struct go_names *names, uint64_t vaddr, struct debug_function *functions,
		     size_t max_functions);

#endif
