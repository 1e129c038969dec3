/*
 * Frames -> names. A module's symbols are read once, when its first frame is asked for: captured
 * names (module->symbols) first, else .symtab, else .dynsym, and the PLT's. Code without a symbol
 * is module+0xoffset, where the offset is a virtual address of the file (what addr2line takes) and,
 * if the unwind table knows the function, its start: so stripped programs have functions too.
 * C++ and Rust names are demangled with libiberty.
 */
#ifndef REPORT_SYMBOLIZE_H
#define REPORT_SYMBOLIZE_H

#include "cct/frame.h"
#include "cct/module.h"
#include "cct/profile.h"

struct symbolizer;

struct frame_name {
	const char *name;   /* "main", "libc.so.6+0x29d90", "[stack deeper than the copy]", never
			       NULL; valid for the symbolizer's life */
	const char *module; /* "libc.so.6", "" */
	const char *module_path;
	uint64_t symbol_offset; /* from the start of the symbol; UINT64_MAX: no symbol */
	uint32_t function;      /* equal for all frames of one function; what views fold by */
};

/* @profile: borrowed. */
struct symbolizer *symbolizer_create(const struct profile *profile);
void symbolizer_destroy(struct symbolizer *symbolizer);
/* 0 or -ENOMEM. Cached per (module, offset). */
int symbolizer_name(struct symbolizer *symbolizer, const struct frame *frame,
		    struct frame_name *ret);
/* Modules without usable symbols: id and why (static text), for the end of a report. */
struct symbol_problem {
	uint32_t module;
	const char *text;
};
size_t symbolizer_problems(const struct symbolizer *symbolizer, struct symbol_problem *problems,
			   size_t max_problems);

#endif
