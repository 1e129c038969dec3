/* DWARF 5, section 7.7.1: operands by operation; branch distances become indices. */
#include "unwind/cfi/expression_parse.h"

#include <dwarf.h>
#include <errno.h>

#include "cct/object/dwarf_reader.h"

static bool parse_constant(uint8_t atom, struct dwarf_reader *reader, int64_t *ret)
{
	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
		*ret = atom - DW_OP_lit0;
		return true;
	}
	switch (atom) {
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
		*ret = (int64_t)dwarf_read_unsigned(reader, 1u << ((atom - DW_OP_const1u) / 2));
		return true;
	case DW_OP_const1s:
	case DW_OP_const2s:
	case DW_OP_const4s:
	case DW_OP_const8s:
		*ret = dwarf_read_signed(reader, 1u << ((atom - DW_OP_const1s) / 2));
		return true;
	case DW_OP_constu:
		*ret = (int64_t)dwarf_read_uleb(reader);
		return true;
	case DW_OP_consts:
		*ret = dwarf_read_sleb(reader);
		return true;
	default:
		return false;
	}
}

static bool parse_breg(uint8_t atom, struct dwarf_reader *reader, struct expression_op *ret)
{
	uint64_t reg = (uint64_t)atom - DW_OP_breg0;

	if (atom == DW_OP_bregx)
		reg = dwarf_read_uleb(reader);
	else if (atom < DW_OP_breg0 || atom > DW_OP_breg31)
		return false;
	*ret = (struct expression_op){ .atom = DW_OP_bregx,
				       .reg = reg < REGS_MAX ? (uint8_t)reg : REGS_MAX,
				       .value = dwarf_read_sleb(reader) };
	return true;
}

/* At this point a branch's value is the distance in bytes. */
static bool parse_op(struct dwarf_reader *reader, struct expression_op *ret)
{
	uint8_t atom = (uint8_t)dwarf_read_byte(reader);
	int64_t constant;

	if (parse_breg(atom, reader, ret))
		return true;
	*ret = (struct expression_op){ .atom = atom };
	if (parse_constant(atom, reader, &constant)) {
		*ret = (struct expression_op){ .atom = DW_OP_const8s, .value = constant };
		return true;
	}
	switch (atom) {
	case DW_OP_bra:
	case DW_OP_skip:
		ret->value = dwarf_read_signed(reader, 2);
		return true;
	case DW_OP_pick:
	case DW_OP_deref_size:
		ret->value = (int64_t)dwarf_read_byte(reader);
		return true;
	case DW_OP_plus_uconst:
		ret->value = (int64_t)dwarf_read_uleb(reader);
		return true;
	case DW_OP_nop:
	case DW_OP_call_frame_cfa:
	case DW_OP_deref:
	case DW_OP_dup:
	case DW_OP_over:
	case DW_OP_swap:
	case DW_OP_rot:
	case DW_OP_drop:
	case DW_OP_abs:
	case DW_OP_neg:
	case DW_OP_not:
		return true;
	default:
		return (atom >= DW_OP_and && atom <= DW_OP_xor) ||
		       (atom >= DW_OP_eq && atom <= DW_OP_ne);
	}
}

/* Where operations begin, counted again: branches are rare, and expressions short. */
static bool find_target(const uint8_t *block, size_t size, int64_t target, size_t *index_ret)
{
	struct dwarf_reader reader = dwarf_reader(block, size);
	struct expression_op op;
	size_t index = 0;

	while (dwarf_left(&reader) && reader.at - block < target) {
		parse_op(&reader, &op);
		index++;
	}
	*index_ret = index;
	return reader.at - block == target;
}

int expression_parse(const uint8_t *block, size_t size, struct expression_op *ops, size_t max,
		     size_t *n_ret)
{
	struct dwarf_reader reader = dwarf_reader(block, size);
	size_t n = 0, to;

	while (dwarf_left(&reader)) {
		if (n == max || !parse_op(&reader, &ops[n]) || reader.is_broken)
			return -EINVAL;
		if (ops[n].atom == DW_OP_bra || ops[n].atom == DW_OP_skip) {
			if (!find_target(block, size, reader.at - block + ops[n].value, &to))
				return -EINVAL;
			ops[n].value = (int64_t)to;
		}
		n++;
	}
	*n_ret = n;
	return 0;
}
