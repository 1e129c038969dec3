#include "report/dwarf/debug_number.h"

#include <dwarf.h>
#include <math.h>
#include <string.h>

#include "cct/object/dwarf_arithmetic.h"

bool debug_number_type_init(struct debug_number_type *type, Dwarf_Die *die)
{
	Dwarf_Attribute found;
	Dwarf_Word encoding;
	int size = dwarf_bytesize(die);

	if (dwarf_tag(die) != DW_TAG_base_type || size < 1 || size > 8 ||
	    !dwarf_attr(die, DW_AT_encoding, &found) || dwarf_formudata(&found, &encoding) != 0 ||
	    !encoding || encoding > DW_ATE_hi_user)
		return false;
	*type = (struct debug_number_type){ (uint8_t)encoding, (uint8_t)size };
	return encoding != DW_ATE_float || debug_number_is_float(*type);
}

bool debug_number_is_float(struct debug_number_type type)
{
	return type.encoding == DW_ATE_float && (type.size == 4 || type.size == 8);
}

static bool has_sign(struct debug_number_type type)
{
	return !type.encoding || type.encoding == DW_ATE_signed ||
	       type.encoding == DW_ATE_signed_char;
}

struct debug_number debug_number(struct debug_number_type type, uint64_t bits)
{
	const unsigned shift = 64 - 8u * type.size;

	bits <<= shift;
	bits = has_sign(type) ? (uint64_t)((int64_t)bits >> shift) : bits >> shift;
	return (struct debug_number){ bits, type };
}

double debug_number_float(struct debug_number number)
{
	const uint32_t low = (uint32_t)number.bits;
	double wide;
	float narrow;

	if (number.type.size == 8) {
		memcpy(&wide, &number.bits, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, &low, sizeof(narrow));
	return (double)narrow;
}

static struct debug_number from_float(struct debug_number_type type, double value)
{
	struct debug_number number = { 0, type };
	float narrow = (float)value;
	uint32_t low;

	if (type.size == 8) {
		memcpy(&number.bits, &value, sizeof(value));
		return number;
	}
	memcpy(&low, &narrow, sizeof(low));
	number.bits = low;
	return number;
}

/* false: the integer type has no value near it. */
static bool integer_of_float(double value, struct debug_number_type type, uint64_t *bits_ret)
{
	double low = has_sign(type) ? -0x1p63 : 0, high = has_sign(type) ? 0x1p63 : 0x1p64;

	value = trunc(value);
	if (!(value >= low && value < high))
		return false;
	*bits_ret = has_sign(type) ? (uint64_t)(int64_t)value : (uint64_t)value;
	return true;
}

bool debug_number_convert(struct debug_number *number, struct debug_number_type type)
{
	bool from = debug_number_is_float(number->type), to = debug_number_is_float(type);
	uint64_t bits = number->bits;

	if (from && to) {
		*number = from_float(type, debug_number_float(*number));
	} else if (from) {
		if (!integer_of_float(debug_number_float(*number), type, &bits))
			return false;
		*number = debug_number(type, bits);
	} else if (to) {
		*number = from_float(type,
				     has_sign(number->type) ? (double)(int64_t)bits : (double)bits);
	} else {
		*number = debug_number(type, bits);
	}
	return true;
}

static bool float_unary(struct debug_number *number, uint8_t atom)
{
	double value = debug_number_float(*number);

	if (atom != DW_OP_neg && atom != DW_OP_abs)
		return false;
	*number = from_float(number->type, atom == DW_OP_neg ? -value : fabs(value));
	return true;
}

bool debug_number_unary(struct debug_number *number, uint8_t atom, uint64_t operand)
{
	if (debug_number_is_float(number->type))
		return float_unary(number, atom);
	/* The greatest numbers without a sign are not negative. */
	bool is_same = atom == DW_OP_abs && !has_sign(number->type);
	bool ok = is_same || dwarf_compute_unary(atom, operand, &number->bits);

	*number = debug_number(number->type, number->bits);
	return ok;
}

/* false: no comparison. */
static bool compare_floats(uint8_t atom, double a, double b, uint64_t *ret)
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

static bool float_binary(struct debug_number *number, uint8_t atom, struct debug_number other,
			 struct debug_number_type generic)
{
	double a = debug_number_float(*number), b = debug_number_float(other), result;
	uint64_t is_true;

	if (compare_floats(atom, a, b, &is_true)) {
		*number = debug_number(generic, is_true);
		return true;
	}
	switch (atom) {
	case DW_OP_plus:
		result = a + b;
		break;
	case DW_OP_minus:
		result = a - b;
		break;
	case DW_OP_mul:
		result = a * b;
		break;
	case DW_OP_div:
		result = a / b;
		break;
	default:
		return false;
	}
	*number = from_float(number->type, result);
	return true;
}

/* The operations whose result depends on whether the numbers have a sign; of those without. false:
 * another one. */
static bool unsigned_binary(uint8_t atom, uint64_t a, uint64_t b, uint64_t *ret)
{
	const uint64_t sign = 1ull << 63;

	switch (atom) {
	case DW_OP_div:
		*ret = b ? a / b : 0;
		return true;
	case DW_OP_ge:
	case DW_OP_gt:
	case DW_OP_le:
	case DW_OP_lt:
		return dwarf_compute_binary(atom, false, a ^ sign, b ^ sign, ret);
	default:
		return false;
	}
}

static bool is_comparison(uint8_t atom)
{
	return atom == DW_OP_eq || atom == DW_OP_ne || atom == DW_OP_ge || atom == DW_OP_gt ||
	       atom == DW_OP_le || atom == DW_OP_lt;
}

static bool is_shift(uint8_t atom)
{
	return atom == DW_OP_shl || atom == DW_OP_shr || atom == DW_OP_shra;
}

static bool integer_binary(struct debug_number *number, uint8_t atom, struct debug_number other,
			   struct debug_number_type generic)
{
	const struct debug_number_type type = number->type;
	uint64_t a = number->bits, bits;
	bool is_zero = (atom == DW_OP_div || atom == DW_OP_mod) && !other.bits;

	/* Zeros come in from the left. */
	if (atom == DW_OP_shr && type.size < 8)
		a &= (1ull << 8 * type.size) - 1;
	/* The generic type is the only one that divides with a sign and has a remainder without. */
	if (atom == DW_OP_mod && type.encoding && has_sign(type)) {
		if (is_zero)
			return false;
		bits = other.bits == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)other.bits);
	} else if (is_zero || ((has_sign(type) || !unsigned_binary(atom, a, other.bits, &bits)) &&
			       !dwarf_compute_binary(atom, type.size == 4 && !type.encoding, a,
						     other.bits, &bits))) {
		return false;
	}
	*number = debug_number(is_comparison(atom) ? generic : type, bits);
	return true;
}

bool debug_number_binary(struct debug_number *number, uint8_t atom, struct debug_number other,
			 struct debug_number_type generic)
{
	bool is_one_type = number->type.encoding == other.type.encoding &&
			   number->type.size == other.type.size;

	if (debug_number_is_float(number->type))
		return is_one_type && float_binary(number, atom, other, generic);
	return (is_one_type || is_shift(atom)) && integer_binary(number, atom, other, generic);
}

bool debug_number_constant(Dwarf_Attribute *attribute, uint64_t *bits_ret)
{
	Dwarf_Sword with_sign;
	Dwarf_Word bits;

	switch (dwarf_whatform(attribute)) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
		if (dwarf_formudata(attribute, &bits) != 0)
			return false;
		*bits_ret = bits;
		return true;
	default:
		if (dwarf_formsdata(attribute, &with_sign) != 0)
			return false;
		*bits_ret = (uint64_t)with_sign;
		return true;
	}
}
