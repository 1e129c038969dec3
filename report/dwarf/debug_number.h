/*
 * The values on the stack of a DWARF expression, which have types (DWARF 5, 2.5.1): the generic
 * one, which is as large as an address, or a base type of the program.
 */
#ifndef REPORT_DWARF_DEBUG_NUMBER_H
#define REPORT_DWARF_DEBUG_NUMBER_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct debug_number_type {
	uint8_t encoding; /* DW_ATE_*; 0: generic */
	uint8_t size;     /* bytes: 1 to 8 */
};

struct debug_number {
	/* Of integers, extended to 64 bits by their sign, or by zeros if they have none; a generic
	 * value has a sign. Of other types the bytes as in memory, low bits first. */
	uint64_t bits;
	struct debug_number_type type;
};

/* The type that the DIE of a base type describes. false: there are no such values. */
bool debug_number_type_init(struct debug_number_type *type, Dwarf_Die *die);
/* A value from its low bits: those beyond its size do not count. */
struct debug_number debug_number(struct debug_number_type type, uint64_t bits);
/* Of integers and floating-point numbers: the value that comes nearest. false: there is none. */
bool debug_number_convert(struct debug_number *number, struct debug_number_type type);
/* false: @atom is no operation on one value of this type. @operand: of DW_OP_plus_uconst. */
bool debug_number_unary(struct debug_number *number, uint8_t atom, uint64_t operand);
/*
 * @number = @number @atom @other, where @other was on top. false: @atom is no operation on two such
 * values, which must be of one type but for the number of bits of a shift; or a division by zero.
 * Comparisons have a generic result.
 */
bool debug_number_binary(struct debug_number *number, uint8_t atom, struct debug_number other,
			 struct debug_number_type generic);

/*
 * An attribute that is a constant. One of a fixed size has no sign, whatever its highest bit is:
 * gcc has 200 as DW_FORM_data1, and -1 as DW_FORM_sdata. false: it is no constant.
 */
bool debug_number_constant(Dwarf_Attribute *attribute, uint64_t *bits_ret);

/* A floating-point number of 4 or 8 bytes. */
bool debug_number_is_float(struct debug_number_type type);
double debug_number_float(struct debug_number number);

#endif
