/*
 * What a function's first instructions store of the registers that it was entered with. Without
 * optimization, compilers describe parameters by their places on the stack, where they are only
 * once these instructions have run.
 *
 * Code of x86-64, decoded by libcapstone and followed in a straight line, up to the first call or
 * jump, or to where the function leaves its frame. Code may be any bytes.
 */
#ifndef REPORT_CODE_ENTRY_CODE_H
#define REPORT_CODE_ENTRY_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENTRY_STORES_MAX 128
#define ENTRY_REGISTERS  16 /* DWARF numbers of x86-64: 0 to 15 */

/* A register's content in terms of what registers had at entry. */
struct entry_register {
	bool is_known;
	uint8_t reg; /* DWARF number: it is that register's low @n_bytes, plus @offset */
	uint8_t n_bytes;
	int64_t offset;
};

struct entry_store {
	int64_t at;   /* from the stack pointer at entry on */
	uint8_t size; /* bytes */
	bool is_known, is_vector;
	uint8_t reg;
};

struct entry_code {
	struct entry_store stores[ENTRY_STORES_MAX]; /* in their order */
	size_t n_stores;
	struct entry_register registers[ENTRY_REGISTERS]; /* after the instructions */
};

enum entry_stored {
	ENTRY_STORED,        /* a part of a register */
	ENTRY_STORED_VECTOR, /* of a register of floating-point numbers */
	ENTRY_NOT_STORED,    /* as far as the code shows */
};

/* 0, -ENOMEM, or -ELIBACC: libcapstone is not here. */
int entry_code_follow(const uint8_t *code, size_t size, struct entry_code *ret);
/* What was first stored in the @size bytes at @at. *@byte_ret: where in the register they begin. */
enum entry_stored entry_code_find(const struct entry_code *code, int64_t at, size_t size,
				  unsigned *reg_ret, unsigned *byte_ret);

#endif
