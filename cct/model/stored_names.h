/*
 * The names that a stored profile carries: for each sampled code address what naming found when the
 * profile was built, and what it missed, so that reports need no files. Names are as in the files,
 * mangled; they are demangled when they are shown.
 *
 * Texts are numbers, STORED_NO_TEXT for none. One thread adds; then any thread may look up.
 */
#ifndef CCT_MODEL_STORED_NAMES_H
#define CCT_MODEL_STORED_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/base/pair_map.h"
#include "cct/model/build_id.h"
#include "cct/text/string_ids.h"

#define STORED_NO_TEXT   UINT32_MAX
#define STORED_CALLS_MAX 128 /* at one address */

/* A function that is active at an address: the compiled one, or one inlined into it. */
struct stored_call {
	uint32_t name;                 /* of the compiled function: STORED_NO_TEXT */
	uint32_t decl_file, decl_line; /* of its declaration */
	/* Where the instruction, or the call of the function inlined into it, comes from. */
	uint32_t file, directory, line;
};

/* Facts about how the calls at an address were found, which decide what options show of them. */
enum {
	STORED_FROM_DEBUG_INFO = 1, /* shown only if inlined functions or lines are requested */
	STORED_PLT = 2,             /* the code is the symbol's entry in the linkage table */
};

struct stored_code {
	uint32_t module;
	uint64_t offset;      /* as in frames */
	uint64_t start, addr; /* of the function and of the code, in terms of @start_kind */
	uint32_t symbol;
	uint8_t start_kind; /* enum start_kind of report/names/module_names.h: part of the format */
	uint8_t flags;
	uint32_t first_call, n_calls; /* innermost first; 0: only the symbol is known */
};

/* What is missing for a module; the numbers are enum symbol_lack of report/names/name_problems.h.
 */
struct stored_lack {
	uint32_t module;
	uint8_t lack;
	uint32_t text;
	struct build_id build_id, found;
	bool is_changed;
	int32_t error;
};

struct stored_names {
	struct string_ids texts;
	struct stored_call *calls;
	uint32_t n_calls, n_calls_allocated;
	struct stored_code *codes;
	uint32_t n_codes, n_codes_allocated;
	struct stored_lack *lacks;
	uint32_t n_lacks, n_lacks_allocated;
	struct pair_map codes_by_offset; /* (offset, module) */
	struct pair_map lacks_by_module; /* (module, lack) */
};

/* NULL: out of memory. */
struct stored_names *stored_names_create(void);
void stored_names_destroy(struct stored_names *names);
/* Make room for as many texts, calls and addresses more, whose adding then moves no others. 0 or
 * -ENOMEM. */
int stored_names_reserve_texts(struct stored_names *names, uint32_t n_more);
int stored_names_reserve_calls(struct stored_names *names, uint32_t n_more);
int stored_names_reserve_codes(struct stored_names *names, uint32_t n_more);
/* The number of a text, which may be NULL. 0 or -ENOMEM. */
int stored_names_add_text(struct stored_names *names, const char *text, uint32_t *text_ret);
/* The text of a number; NULL for STORED_NO_TEXT. */
const char *stored_names_text(const struct stored_names *names, uint32_t text);
int stored_names_add_call(struct stored_names *names, const struct stored_call *call);
/* Adds an address, whose calls must be there and at most STORED_CALLS_MAX. 0, -EEXIST: it is known
 * already; -ENOMEM. */
int stored_names_add_code(struct stored_names *names, const struct stored_code *code);
int stored_names_add_lack(struct stored_names *names, const struct stored_lack *lack);
/* NULL: not known. */
const struct stored_code *stored_names_find(const struct stored_names *names, uint32_t module,
					    uint64_t offset);
const struct stored_lack *stored_names_find_lack(const struct stored_names *names, uint32_t module,
						 uint8_t lack);

#endif
