/*
 * Where the value of an expression is when a function is entered, for the kernel to fetch it there
 * (the arguments of uprobe_events, Documentation/trace/uprobetracer.rst).
 *
 * The expression is evaluated as in a frame of a sample (report/values/value_expression.h), but
 * with made-up numbers for what registers and memory hold, each far from all others. The address
 * that comes out shows which of them it was computed from. This is done many times with different
 * numbers; what is not always the same sum of a register or a word and a distance, or the same part
 * of a register, the kernel cannot fetch.
 *
 * Without optimization the compiler's description is true only after the function's first
 * instructions, which these follow (report/code/entry_code.h).
 */
#ifndef REPORT_VALUES_ENTRY_VALUE_H
#define REPORT_VALUES_ENTRY_VALUE_H

#include "report/values/entry_place.h"
#include "report/values/value_expression.h"

#define ENTRY_REASON_MAX 512

enum entry_value_kind {
	ENTRY_SIGNED,
	ENTRY_UNSIGNED,
	ENTRY_ADDRESS,
	ENTRY_BOOL,
	ENTRY_CHARACTER,
	ENTRY_BYTE,
	ENTRY_FLOAT,
	ENTRY_STRING, /* at the place; of no size */
};

struct entry_value {
	enum entry_value_kind kind;
	char place[ENTRY_PLACE_MAX]; /* "%di", "+8(%di)", "\5", "@+0x4028" */
	bool may_fail;               /* it is in memory that the process may not have */
	unsigned size;               /* bytes that are read: 1, 2, 4, 8 */
	unsigned bit, n_bits;        /* of a bit-field in them; 0 bits: all */
	Dwarf_Die type;              /* plain */
};

/* false: it can't be fetched; @reason, of ENTRY_REASON_MAX bytes, is a sentence that says why. */
bool entry_value_find(struct entry_point *entry, const struct value_expression *expression,
		      struct entry_value *value_ret, char *reason);

#endif
