#include "cct/object/dwarf_arithmetic.h"

#include <dwarf.h>

bool dwarf_compute_unary(uint8_t atom, uint64_t operand, uint64_t *value)
{
	switch (atom) {
	case DW_OP_plus_uconst:
		*value += operand;
		return true;
	case DW_OP_neg:
		*value = -*value;
		return true;
	case DW_OP_not:
		*value = ~*value;
		return true;
	case DW_OP_abs:
		*value = (int64_t)*value < 0 ? -*value : *value;
		return true;
	default:
		return false;
	}
}

/* Without the sign. */
static uint64_t to_unsigned(bool is_32_bit, uint64_t value)
{
	return is_32_bit ? (uint32_t)value : value;
}

static bool divide(uint8_t atom, bool is_32_bit, uint64_t a, uint64_t b, uint64_t *ret)
{
	if (to_unsigned(is_32_bit, b) == 0)
		return false;
	if (atom == DW_OP_mod)
		*ret = to_unsigned(is_32_bit, a) % to_unsigned(is_32_bit, b);
	else if (b == UINT64_MAX) /* INT64_MIN / -1 overflows */
		*ret = -a;
	else
		*ret = (uint64_t)((int64_t)a / (int64_t)b);
	return true;
}

/* Copies the sign into what becomes free. */
static uint64_t shift_arithmetic(uint64_t value, uint64_t n_bits)
{
	uint64_t sign = -(value >> 63);

	if (n_bits == 0 || n_bits >= 64)
		return n_bits ? sign : value;
	return value >> n_bits | sign << (64 - n_bits);
}

/* The operations that compare two values. false: another one. */
static bool compare(uint8_t atom, int64_t a, int64_t b, uint64_t *ret)
{
	switch (atom) {
	case DW_OP_eq:
		*ret = a == b;
		return true;
	case DW_OP_ne:
		*ret = a != b;
		return true;
	case DW_OP_ge:
		*ret = a >= b;
		return true;
	case DW_OP_gt:
		*ret = a > b;
		return true;
	case DW_OP_le:
		*ret = a <= b;
		return true;
	case DW_OP_lt:
		*ret = a < b;
		return true;
	default:
		return false;
	}
}

bool dwarf_compute_binary(uint8_t atom, bool is_32_bit, uint64_t a, uint64_t b, uint64_t *ret)
{
	switch (atom) {
	case DW_OP_and:
		*ret = a & b;
		return true;
	case DW_OP_or:
		*ret = a | b;
		return true;
	case DW_OP_xor:
		*ret = a ^ b;
		return true;
	case DW_OP_plus:
		*ret = a + b;
		return true;
	case DW_OP_minus:
		*ret = a - b;
		return true;
	case DW_OP_mul:
		*ret = a * b;
		return true;
	case DW_OP_div:
	case DW_OP_mod:
		return divide(atom, is_32_bit, a, b, ret);
	case DW_OP_shl:
		*ret = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*ret = b < 64 ? to_unsigned(is_32_bit, a) >> b : 0;
		return true;
	case DW_OP_shra:
		*ret = shift_arithmetic(a, b);
		return true;
	default:
		return compare(atom, (int64_t)a, (int64_t)b, ret);
	}
}
