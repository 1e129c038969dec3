/*
 * Names, inlined functions and lines of a Go program by its own table (cct/object/go/go_pclntab.h),
 * for programs without symbols or debug information. Names are as Go's tracebacks have them: those
 * of generic functions end in [...]. Inlined functions are known of Go 1.16 and later. The file may
 * be hostile.
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

/* NULL: no Go program, or out of memory. @elf must outlive the result, which has strings of it. */
struct go_names *go_names_open(Elf *elf);
void go_names_close(struct go_names *names);
bool go_names_knows_inlined(const struct go_names *names);
/* The tables are longer than any program's: lines and inlined functions are missing from then on.
 */
bool go_names_gave_up(const struct go_names *names);
/* The compiled function at @vaddr. */
bool go_names_function(struct go_names *names, uint64_t vaddr, struct elf_symbol_match *match_ret);
/* As debug_info_find(). */
size_t go_names_find(struct go_names *names, uint64_t vaddr, struct debug_function *functions,
		     size_t max_functions);

#endif
