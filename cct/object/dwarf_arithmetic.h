/*
 * The arithmetic of DWARF expressions on values of the generic type (DWARF 5, 2.5.1.4). Where
 * addresses have 32 bits, values have their sign extended to 64.
 */
#ifndef CCT_OBJECT_DWARF_ARITHMETIC_H
#define CCT_OBJECT_DWARF_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

/* @operand: of DW_OP_plus_uconst. false: @atom is no operation on one value. */
bool dwarf_compute_unary(uint8_t atom, uint64_t operand, uint64_t *value);
/*
 * *@ret = @a @atom @b, where @b was on top of the stack. @is_32_bit: of addresses. false: @atom is
 * no operation on two values, or a division by zero.
 */
bool dwarf_compute_binary(uint8_t atom, bool is_32_bit, uint64_t a, uint64_t b, uint64_t *ret);

#endif
