/*
 * Executes an FDE's instructions up to an address, which gives one row of the table that CFI
 * encodes.
 *
 * DWARF 5, section 6.4.2. Nothing is evaluated here; expressions are only recognized.
 */
#ifndef UNWIND_CFI_CFI_ROW_H
#define UNWIND_CFI_CFI_ROW_H

#include <assert.h>

#include "cct/object/dwarf_reader.h"
#include "unwind/cfi/fde.h"
#include "unwind/rules/regs.h"

enum row_how {
	ROW_UNSET, /* no instruction mentions the register */
	ROW_UNDEFINED,
	ROW_SAME,
	ROW_AT_CFA,        /* saved at CFA + offset */
	ROW_CFA_PLUS,      /* the value is CFA + offset */
	ROW_IN_REGISTER,   /* whose number is @offset */
	ROW_AT_EXPRESSION, /* saved at the address of an expression: cfi_row_block() */
	ROW_EXPRESSION,    /* the value is the expression's */
};

struct row_reg {
	enum row_how how : 8;
	int32_t offset; /* of expressions: their position, from fde->instructions */
};
static_assert(sizeof(struct row_reg) == 8, "rows are copied for each address");

struct cfi_row {
	uint64_t start, end; /* addresses that the row is for */
	bool has_cfa;
	bool has_cfa_expression;
	int32_t cfa_block; /* place of the expression */
	uint64_t cfa_reg;
	int64_t cfa_offset;
	struct row_reg regs[REGS_MAX]; /* by DWARF number */
};

/* Compilers nest one deep. */
#define CFI_REMEMBERED_MAX 8

/* Iterates over all rows of an FDE. */
struct cfi_rows {
	struct cfi_row row; /* the present one */
	/* The rest is for cfi_row.c. */
	const struct fde *fde;
	struct dwarf_reader reader;
	struct cfi_row initial;
	struct cfi_row remembered[CFI_REMEMBERED_MAX];
	size_t n_remembered, n_instructions;
	bool is_initial;  /* the CIE's instructions are executed */
	bool is_complete; /* an instruction has ended the row */
	bool is_bad;
};

/* @fde is borrowed. Before the first row. */
void cfi_rows_begin(struct cfi_rows *rows, const struct fde *fde);
/* Advances to the next row. false: this row and the following ones cannot be read. The last row
 * ends with the FDE or later; do not advance past it. */
bool cfi_rows_next(struct cfi_rows *rows);
/* 0, or -EINVAL: an instruction is unknown, truncated or exceeds the limits. @vaddr is within @fde.
 */
int cfi_row_at(const struct fde *fde, uint64_t vaddr, struct cfi_row *row_ret);
/* The bytes of the expression at position @place of a row of @fde. */
const uint8_t *cfi_row_block(const struct fde *fde, int32_t place, size_t *size_ret);

#endif
