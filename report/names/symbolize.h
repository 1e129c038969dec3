/*
 * Names for frames. A module's symbols are read once, when its first frame is named: .symtab, else
 * .dynsym, and PLT entries, then captured symbols (module->symbols). Code
 * without a symbol is shown as module+0xoffset. The offset is a virtual address of the file, as
 * addr2line accepts it; if the unwind table contains the function, it is the function's start, so
 * stripped programs have functions, too. Mangled names are demangled (report/demangle/demangle.h).
 * Inlined functions and source lines come from debug information in the file or in a separate debug
 * file (cct/object/module_file.h), whose symbols also name the functions of a stripped file.
 */
#ifndef REPORT_NAMES_SYMBOLIZE_H
#define REPORT_NAMES_SYMBOLIZE_H

#include <libelf.h>
#include <stdbool.h>

#include "cct/base/work_done.h"
#include "cct/model/frame.h"
#include "cct/model/module.h"
#include "cct/model/profile.h"
#include "report/names/function_table.h"
#include "report/names/name_problems.h"

struct active_functions; /* report/names/active_functions.h */
struct symbolizer;

struct frame_name {
	const char *name;      /* "main", "libc.so.6+0x29d90", "[stack deeper than the copy]", never
				  NULL; valid for the symbolizer's life */
	const char *base_name; /* the original function's name if this is a clone; else NULL */
	const char *symbol;    /* as in the file, possibly mangled; NULL: none */
	const char *module;    /* "libc.so.6", "" */
	const char *module_path;
	uint64_t symbol_offset; /* from the start of the symbol; UINT64_MAX: no symbol */
	uint32_t function;      /* equal for all frames of one function; views fold by it */
	const char *file;       /* source file of the instruction, if lines are requested, or of the
				   inlined call; NULL: not known */
	const char *directory;  /* the folder of a relative @file; NULL: not known */
	uint32_t line;          /* 0: not known */
	bool is_inlined;        /* into the function before it */
};

struct symbolizer_options {
	enum symbol_names names; /* whole, without parameters, or as in the file */
	bool no_inlines;         /* compiled functions only; no debug information is read */
	bool lines;          /* source lines of instructions; debug information is read for them */
	const char *vmlinux; /* file with the kernel's debug information; NULL: search for it */
};

/* @profile: borrowed. */
struct symbolizer *symbolizer_create(const struct profile *profile,
				     const struct symbolizer_options *options);
void symbolizer_destroy(struct symbolizer *symbolizer);
/* From now on counts the frames that have names in *@work, which expects those of all code in the
 * profile's tree; NULL: no more. */
void symbolizer_count(struct symbolizer *symbolizer, struct work_done *work);
/*
 * From now on finds source lines, too: of a frame that is named already when it is named again, so
 * names stay as they are. Not for a symbolizer with no_inlines, which has opened no debug
 * information.
 */
void symbolizer_want_lines(struct symbolizer *symbolizer);
/* Names the compiled function of a frame. Cached by (module, offset). 0 or -ENOMEM. */
int symbolizer_name(struct symbolizer *symbolizer, const struct frame *frame,
		    struct frame_name *ret);
/* Leaves a function, by its number, out of what symbolizer_expand() finds from now on. */
void symbolizer_hide(struct symbolizer *symbolizer, uint32_t function);
/*
 * Names all functions active at a frame: the compiled one, then the inlined ones, outermost first;
 * of a frame's part those that are in it; at least one, unless all are hidden or in the other
 * part. 0 or -ENOMEM. *@names_ret is valid until the next call.
 */
int symbolizer_expand(struct symbolizer *symbolizer, const struct frame *frame,
		      const struct frame_name **names_ret, size_t *n_names_ret);
/*
 * Finds the functions at a frame of code, not cached, as their sources have them. The frame's
 * module must exist. 0 or -ENOMEM. Strings are valid for the symbolizer's life.
 */
int symbolizer_find_functions(struct symbolizer *symbolizer, const struct frame *frame,
			      struct active_functions *active_ret);
/* The code of the compiled function that contains a frame. */
struct frame_code {
	const uint8_t *bytes; /* from @start on; valid for the symbolizer's life; NULL: none */
	size_t n_bytes;       /* fewer than up to @end if the file lacks some */
	uint16_t machine;     /* of @bytes: EM_X86_64, EM_386, EM_AARCH64, EM_NONE */
	const char *problem;  /* why @bytes is NULL; static text */
	uint64_t vaddr;      /* of the frame in the file; without a file, the frame's own address */
	uint64_t start, end; /* of the function according to the file, which may be wrong */
};
/* 0 or -ENOMEM. */
int symbolizer_code(struct symbolizer *symbolizer, const struct frame *frame,
		    struct frame_code *code_ret);
/*
 * Makes the frame of another address of the file or memory that contains @frame's code. false: the
 * address is not in it.
 */
bool symbolizer_frame_at(struct symbolizer *symbolizer, const struct frame *frame, uint64_t vaddr,
			 struct frame *frame_ret);
/*
 * To be called before most frames of the profile's tree are named: opens their files in several
 * threads, which are over when it returns. Names are the same without.
 */
void symbolizer_open_ahead(struct symbolizer *symbolizer);
/*
 * Expands every frame of the profile's tree, which opens all files that any report of the profile
 * opens. 0 or -ENOMEM.
 */
int symbolizer_expand_all(struct symbolizer *symbolizer);
/*
 * Checks that the file @vmlinux belongs to the recorded kernel. NULL: it does; else why not (static
 * text).
 */
const char *symbolizer_refuses_vmlinux(const struct profile *profile, const char *vmlinux);
/*
 * Lists what is missing for each module, by id; at most NAME_PROBLEMS_MAX problems per module.
 * Returns their number.
 */
size_t symbolizer_problems(const struct symbolizer *symbolizer, struct symbol_problem *problems,
			   size_t max_problems);
/* Likewise, of one module. */
size_t symbolizer_problems_of(const struct symbolizer *symbolizer, uint32_t module,
			      struct symbol_problem problems[static NAME_PROBLEMS_MAX]);
/* One of them; @problem_ret is filled in, whether the module has it or not. */
bool symbolizer_problem(const struct symbolizer *symbolizer, uint32_t module, enum symbol_lack lack,
			struct symbol_problem *problem_ret);
/* Whether the module's file was opened, for a name, and is the one that ran, whole. */
bool symbolizer_has_file(const struct symbolizer *symbolizer, uint32_t module);
/* Closes the files of a module, for which no name is asked, nor used, any more. */
void symbolizer_close(struct symbolizer *symbolizer, uint32_t module);

#endif
