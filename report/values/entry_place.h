/*
 * Places at the entry of a function, as the kernel can fetch them: what the evaluation of a
 * description results in when registers and memory hold made-up numbers, each far from all others
 * (report/values/entry_value.h). The address shows from which register, or from which word that was
 * read, it was computed.
 */
#ifndef REPORT_VALUES_ENTRY_PLACE_H
#define REPORT_VALUES_ENTRY_PLACE_H

#include "report/code/entry_code.h"
#include "report/dwarf/debug_pieces.h"

#define ENTRY_PLACE_MAX     256
#define ENTRY_REGISTERS_MAX 32
#define ENTRY_BASES_MAX     80
#define ENTRY_FILE_BASE     ENTRY_REGISTERS_MAX /* the base of the file's own addresses */

/* A function that will be probed at its first instruction. Its code is borrowed. */
struct entry_point {
	Dwarf_Die function; /* the compiled one */
	uint64_t vaddr;
	uint16_t machine;    /* EM_X86_64 or EM_AARCH64 */
	const uint8_t *code; /* of the file, from @vaddr on */
	size_t code_size;
	/* The kernel's name of a register, by its DWARF number. NULL: it can't be fetched. */
	const char *(*register_name)(uint16_t machine, unsigned number);
	uint64_t offset; /* in the file, of @vaddr */
};

/* What an address can be computed from: a register, the file, or a word of memory. */
struct entry_base {
	unsigned parent; /* of a word: the base of its address, */
	int64_t offset;  /* and the distance from there */
};

/* A place relative to a base. */
struct entry_spot {
	unsigned base;
	int64_t offset;
};

/* One evaluation. It must stay where it is. */
struct entry_evaluation {
	struct debug_frame frame; /* to evaluate in */
	struct debug_process process;
	uint64_t registers[ENTRY_REGISTERS_MAX];
	const struct entry_point *entry;
	const struct entry_code *code; /* NULL: not followed */
	uint64_t seed;                 /* of the made-up numbers of bases */
	struct entry_base bases[ENTRY_BASES_MAX];
	unsigned n_bases;
	bool is_in_vector; /* an address was to be read from a register of that kind */
};

struct entry_place {
	enum debug_piece_kind kind; /* in memory, in a register, or a number */
	struct entry_spot spot;     /* DEBUG_IN_MEMORY; DEBUG_IS_VALUE: the base itself */
	unsigned reg, byte;         /* DEBUG_IN_REGISTER: and where in it */
	bool is_constant;           /* DEBUG_IS_VALUE: @constant */
	uint64_t constant;
	unsigned bit;                 /* of memory and registers: less than a byte */
	unsigned width;               /* of registers: the bits that count; 0: all */
	bool is_in_vector, is_beyond; /* it can't be fetched */
};

/* Parts of registers that are taken out by shifts and masks: a register's for each shift and
 * width. */
#define ENTRY_SHIFTS 4
#define ENTRY_WIDTHS 5
#define ENTRY_PARTS  (ENTRY_REGISTERS_MAX * ENTRY_SHIFTS * ENTRY_WIDTHS)

/* What several evaluations together have found. */
struct entry_findings {
	struct entry_place found; /* by the first one */
	bool is_same;             /* and by the others */
	bool parts[ENTRY_PARTS];  /* that all have found */
};

/*
 * Begins the @index-th evaluation, with other numbers than those before. @is_later: the description
 * is one of places after the function's first instructions.
 */
void entry_evaluation_begin(struct entry_evaluation *evaluation, struct entry_point *entry,
			    const struct entry_code *code, unsigned index, bool is_later);
/* The place of some bits of an object. A reason: it has none. */
enum debug_reason entry_place_find(const struct entry_evaluation *evaluation,
				   const struct debug_location *location, uint64_t bit,
				   uint64_t n_bits, struct entry_place *place_ret);
/* In the order of evaluations, from the first on. */
void entry_findings_add(struct entry_findings *findings, const struct entry_evaluation *evaluation,
			const struct entry_place *found);
/* What all have found is in ->found. */
void entry_findings_settle(struct entry_findings *findings);
/* "%di", "+8(%di)", "\5", "@+0x4028": @text has ENTRY_PLACE_MAX bytes; as many without the zero: it
 * is cut. *@may_fail_ret: it is in memory that the process may not have. */
void entry_place_write(const struct entry_evaluation *evaluation, const struct entry_place *place,
		       char *text, bool *may_fail_ret);

#endif
