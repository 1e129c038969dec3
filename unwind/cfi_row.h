/*
 * Executes an FDE's instructions up to an address: one row of the table that CFI stands for.
 *
 * DWARF 5, section 6.4.2. Nothing is evaluated; expressions are only told apart from what needs
 * none.
 */
#ifndef UNWIND_CFI_ROW_H
#define UNWIND_CFI_ROW_H

#include <assert.h>

#include "unwind/fde.h"
#include "unwind/regs.h"

enum row_how {
	ROW_UNSET, /* no instruction speaks of the register */
	ROW_UNDEFINED,
	ROW_SAME,
	ROW_AT_CFA, /* saved at CFA + offset */
	ROW_OTHER,  /* an expression, another register, CFA + offset itself */
};

struct row_reg {
	enum row_how how : 8;
	int32_t offset;
};
static_assert(sizeof(struct row_reg) == 8, "rows are copied for each address");

struct cfi_row {
	uint64_t start, end; /* addresses that the row is for */
	bool has_cfa_expression;
	uint64_t cfa_reg;
	int64_t cfa_offset;
	struct row_reg regs[REGS_MAX]; /* by DWARF number */
};

/* 0, or -EINVAL: an instruction is unknown, cut off or beyond reason. @vaddr is within @fde. */
int cfi_row_at(const struct fde *fde, uint64_t vaddr, struct cfi_row *row_ret);

#endif
