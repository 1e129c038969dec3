/*
 * Frames -> names. A module's symbols are read once, when its first frame is asked for: captured
 * names (module->symbols) first, else .symtab, else .dynsym, and the PLT's. Code without a symbol
 * is module+0xoffset, where the offset is a virtual address of the file (what addr2line takes) and,
 * if the unwind table knows the function, its start: so stripped programs have functions too.
 * Mangled names are demangled (report/demangle/demangle.h). Inlined functions and source lines come
 * from debug information, in the file or a separate one (cct/object/module_file.h); that one's
 * symbols name the functions of a stripped file, too.
 */
#ifndef REPORT_NAMES_SYMBOLIZE_H
#define REPORT_NAMES_SYMBOLIZE_H

#include <libelf.h>
#include <stdbool.h>

#include "cct/model/frame.h"
#include "cct/model/module.h"
#include "cct/model/profile.h"
#include "report/names/function_table.h"
#include "report/names/name_problems.h"

struct symbolizer;

struct frame_name {
	const char *name;      /* "main", "libc.so.6+0x29d90", "[stack deeper than the copy]", never
				  NULL; valid for the symbolizer's life */
	const char *base_name; /* of the function that a clone is of; NULL: it is none */
	const char *symbol;    /* as in the file, maybe mangled; NULL: none */
	const char *module;    /* "libc.so.6", "" */
	const char *module_path;
	uint64_t symbol_offset; /* from the start of the symbol; UINT64_MAX: no symbol */
	uint32_t function;      /* equal for all frames of one function; what views fold by */
	const char *file;      /* the source of the instruction, if lines are wanted, or of the call
				  that is inlined there; NULL: not known */
	const char *directory; /* that a relative @file is relative to; NULL: not known */
	uint32_t line;         /* 0: not known */
	bool is_inlined;       /* into the function before it */
};

struct symbolizer_options {
	enum symbol_names names; /* raw: as in the file */
	bool no_inlines;         /* compiled functions only; no debug information is read */
	bool lines;              /* source lines of instructions, too; it is read for these */
	const char *vmlinux;     /* the kernel's debug information; NULL: looked for */
};

/* @profile: borrowed. */
struct symbolizer *symbolizer_create(const struct profile *profile,
				     const struct symbolizer_options *options);
void symbolizer_destroy(struct symbolizer *symbolizer);
/* The function that was compiled. 0 or -ENOMEM. Cached per (module, offset). */
int symbolizer_name(struct symbolizer *symbolizer, const struct frame *frame,
		    struct frame_name *ret);
/*
 * All functions active at a frame: the compiled one, then what is inlined, outermost first.
 * At least one. 0 or -ENOMEM. *@names_ret is valid until the next call.
 */
int symbolizer_expand(struct symbolizer *symbolizer, const struct frame *frame,
		      const struct frame_name **names_ret, size_t *n_names_ret);
/* The code of a frame's compiled function, where the file with its bytes is. */
struct frame_code {
	const uint8_t *bytes; /* from @start on; valid for the symbolizer's life; NULL: none */
	size_t n_bytes;       /* no more than there are up to @end */
	uint16_t machine;     /* what they are code for: EM_X86_64, EM_386, EM_AARCH64, EM_NONE */
	const char *problem;  /* why there are no bytes; static text */
	uint64_t vaddr;       /* the frame's, in the file; without one, the address known */
	uint64_t start, end;  /* of the function: as the file says, which may not be true */
};
/* 0 or -ENOMEM. */
int symbolizer_code(struct symbolizer *symbolizer, const struct frame *frame,
		    struct frame_code *code_ret);
/* The frame of another such address, in the file or memory that @frame's code is in. */
bool symbolizer_frame_at(struct symbolizer *symbolizer, const struct frame *frame, uint64_t vaddr,
			 struct frame *frame_ret);
/* Expands every frame of the profile's tree: opens all files that any report of it opens. 0 or
 * -ENOMEM. */
int symbolizer_expand_all(struct symbolizer *symbolizer);
/* NULL: the file @vmlinux is of the kernel that was recorded. Else why not: static text. */
const char *symbolizer_refuses_vmlinux(const struct profile *profile, const char *vmlinux);
/* What is missing of all modules, by id; at most NAME_PROBLEMS_MAX of each module. */
size_t symbolizer_problems(const struct symbolizer *symbolizer, struct symbol_problem *problems,
			   size_t max_problems);

#endif
