/* The machine that executes call frame instructions. */
#include "unwind/cfi/cfi_row.h"

#include <dwarf.h>
#include <errno.h>

/* Far more than any architecture has. */
#define REG_MAX 4096
/* Of one FDE: some milliseconds. */
#define INSTRUCTIONS_MAX (1u << 20)

static uint64_t uleb(struct cfi_rows *machine)
{
	return dwarf_read_uleb(&machine->reader);
}

static int64_t data_offset(struct cfi_rows *machine, bool is_signed)
{
	uint64_t factored = is_signed ? (uint64_t)dwarf_read_sleb(&machine->reader) : uleb(machine);

	return (int64_t)(factored * (uint64_t)machine->fde->data_alignment);
}

static uint64_t reg_operand(struct cfi_rows *machine)
{
	uint64_t reg = uleb(machine);

	machine->is_bad |= reg > REG_MAX;
	return reg;
}

static void set_reg(struct cfi_rows *machine, uint64_t reg, enum row_how how, int64_t offset)
{
	/* No frame is that large. */
	machine->is_bad |= offset != (int32_t)offset;
	if (reg < REGS_MAX)
		machine->row.regs[reg] = (struct row_reg){ how, (int32_t)offset };
}

/* The position of the expression, which is skipped. */
static int64_t block(struct cfi_rows *machine)
{
	int64_t place = machine->reader.at - machine->fde->instructions;

	dwarf_read_block(&machine->reader, uleb(machine));
	return place;
}

static void advance_to(struct cfi_rows *machine, uint64_t vaddr)
{
	machine->is_bad |= machine->is_initial || vaddr < machine->row.start;
	machine->is_complete = vaddr > machine->row.start;
	machine->row.end = vaddr;
}

static void advance_by(struct cfi_rows *machine, size_t operand_size)
{
	uint64_t delta = dwarf_read_unsigned(&machine->reader, operand_size);

	advance_to(machine, machine->row.start + delta * machine->fde->code_alignment);
}

static void restore(struct cfi_rows *machine, uint64_t reg)
{
	machine->is_bad |= machine->is_initial;
	if (reg < REGS_MAX)
		machine->row.regs[reg] = machine->initial.regs[reg];
}

static void define_cfa(struct cfi_rows *machine, uint64_t reg, int64_t offset)
{
	machine->row.has_cfa = true;
	machine->row.has_cfa_expression = false;
	machine->row.cfa_reg = reg;
	machine->row.cfa_offset = offset;
}

/* Half of "register + offset" needs the other half. */
static void redefine_cfa(struct cfi_rows *machine, uint64_t reg, int64_t offset)
{
	machine->is_bad |= !machine->row.has_cfa || machine->row.has_cfa_expression;
	define_cfa(machine, reg, offset);
}

static void define_cfa_expression(struct cfi_rows *machine)
{
	int64_t place = block(machine);

	machine->is_bad |= place != (int32_t)place;
	machine->row.has_cfa = machine->row.has_cfa_expression = true;
	machine->row.cfa_block = (int32_t)place;
}

static void remember(struct cfi_rows *machine)
{
	if (machine->n_remembered == CFI_REMEMBERED_MAX) {
		machine->is_bad = true;
		return;
	}
	machine->remembered[machine->n_remembered++] = machine->row;
}

static void recall(struct cfi_rows *machine)
{
	uint64_t start = machine->row.start;

	if (!machine->n_remembered) {
		machine->is_bad = true;
		return;
	}
	machine->row = machine->remembered[--machine->n_remembered];
	machine->row.start = start;
}

/* Instructions that begin the next row. false: another one. */
static bool execute_advance(struct cfi_rows *machine, uint8_t instruction)
{
	switch (instruction) {
	case DW_CFA_advance_loc1:
		advance_by(machine, 1);
		return true;
	case DW_CFA_advance_loc2:
		advance_by(machine, 2);
		return true;
	case DW_CFA_advance_loc4:
		advance_by(machine, 4);
		return true;
	default:
		return false;
	}
}

/* Instructions that set the rule of the CFA. false: another one. */
static bool execute_cfa(struct cfi_rows *machine, uint8_t instruction)
{
	uint64_t reg;

	switch (instruction) {
	case DW_CFA_def_cfa:
		reg = reg_operand(machine);
		define_cfa(machine, reg, (int64_t)uleb(machine));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = reg_operand(machine);
		define_cfa(machine, reg, data_offset(machine, true));
		return true;
	case DW_CFA_def_cfa_register:
		redefine_cfa(machine, reg_operand(machine), machine->row.cfa_offset);
		return true;
	case DW_CFA_def_cfa_offset:
		redefine_cfa(machine, machine->row.cfa_reg, (int64_t)uleb(machine));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		redefine_cfa(machine, machine->row.cfa_reg, data_offset(machine, true));
		return true;
	case DW_CFA_def_cfa_expression:
		define_cfa_expression(machine);
		return true;
	default:
		return false;
	}
}

/* Instructions that set the rule of a register. false: another one. */
static bool execute_register(struct cfi_rows *machine, uint8_t instruction)
{
	uint64_t reg;

	switch (instruction) {
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
		reg = reg_operand(machine);
		set_reg(machine, reg, ROW_AT_CFA,
			data_offset(machine, instruction == DW_CFA_offset_extended_sf));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = reg_operand(machine);
		set_reg(machine, reg, ROW_AT_CFA,
			(int64_t)(0 - (uint64_t)data_offset(machine, false)));
		return true;
	case DW_CFA_restore_extended:
		restore(machine, reg_operand(machine));
		return true;
	case DW_CFA_undefined:
		set_reg(machine, reg_operand(machine), ROW_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_reg(machine, reg_operand(machine), ROW_SAME, 0);
		return true;
	case DW_CFA_register:
		reg = reg_operand(machine);
		set_reg(machine, reg, ROW_IN_REGISTER, (int64_t)reg_operand(machine));
		return true;
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		reg = reg_operand(machine);
		set_reg(machine, reg, ROW_CFA_PLUS,
			data_offset(machine, instruction == DW_CFA_val_offset_sf));
		return true;
	case DW_CFA_expression:
		reg = reg_operand(machine);
		set_reg(machine, reg, ROW_AT_EXPRESSION, block(machine));
		return true;
	case DW_CFA_val_expression:
		reg = reg_operand(machine);
		set_reg(machine, reg, ROW_EXPRESSION, block(machine));
		return true;
	default:
		return false;
	}
}

/* Instructions without an operand in their first byte. false: unknown. */
static bool execute_extended(struct cfi_rows *machine, uint8_t instruction)
{
	switch (instruction) {
	case DW_CFA_nop:
	case DW_CFA_AARCH64_negate_ra_state:
		return true;
	case DW_CFA_remember_state:
		remember(machine);
		return true;
	case DW_CFA_restore_state:
		recall(machine);
		return true;
	case DW_CFA_GNU_args_size:
		uleb(machine);
		return true;
	default:
		return execute_advance(machine, instruction) || execute_cfa(machine, instruction) ||
		       execute_register(machine, instruction);
	}
}

static void execute(struct cfi_rows *machine)
{
	uint8_t byte = (uint8_t)dwarf_read_byte(&machine->reader), operand = byte & 0x3f;

	switch (byte & 0xc0) {
	case DW_CFA_advance_loc:
		advance_to(machine, machine->row.start + operand * machine->fde->code_alignment);
		break;
	case DW_CFA_offset:
		set_reg(machine, operand, ROW_AT_CFA, data_offset(machine, false));
		break;
	case DW_CFA_restore:
		restore(machine, operand);
		break;
	default:
		machine->is_bad |= !execute_extended(machine, byte);
		break;
	}
}

/* Executes instructions up to the end of a row, or to the last instruction. */
static void run(struct cfi_rows *machine)
{
	while (dwarf_left(&machine->reader) && !machine->is_complete && !machine->is_bad) {
		execute(machine);
		machine->is_bad |=
			machine->reader.is_broken || ++machine->n_instructions > INSTRUCTIONS_MAX;
	}
}

void cfi_rows_begin(struct cfi_rows *rows, const struct fde *fde)
{
	/* The remembered states are set before they are used. */
	rows->fde = fde;
	rows->n_remembered = rows->n_instructions = 0;
	rows->is_complete = rows->is_bad = false;
	memset(&rows->row, 0, sizeof(rows->row));
	rows->row.start = rows->row.end = fde->start;
	rows->is_initial = true;
	rows->reader = dwarf_reader(fde->initial_instructions, fde->n_initial_instructions);
	run(rows);
	rows->is_initial = false;
	rows->initial = rows->row;
	rows->reader = dwarf_reader(fde->instructions, fde->n_instructions);
}

bool cfi_rows_next(struct cfi_rows *rows)
{
	rows->is_complete = false;
	rows->row.start = rows->row.end;
	run(rows);
	if (!rows->is_complete)
		rows->row.end = rows->fde->end;
	return !rows->is_bad;
}

int cfi_row_at(const struct fde *fde, uint64_t vaddr, struct cfi_row *row_ret)
{
	struct cfi_rows rows;
	bool is_read;

	cfi_rows_begin(&rows, fde);
	do
		is_read = cfi_rows_next(&rows);
	while (is_read && rows.row.end <= vaddr);
	if (!is_read || !rows.row.has_cfa)
		return -EINVAL;
	*row_ret = rows.row;
	return 0;
}

const uint8_t *cfi_row_block(const struct fde *fde, int32_t place, size_t *size_ret)
{
	/* Its length was checked when the row was read. */
	struct dwarf_reader reader = dwarf_reader(fde->instructions + place, SIZE_MAX / 2);

	*size_ret = dwarf_read_uleb(&reader);
	return reader.at;
}
