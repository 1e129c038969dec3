/* Rows of CFI into rules: plain ones by our own reading, the others through libdw's. */
#include "unwind/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>

#include "cct/cleanup.h"
#include "unwind/cfi_row.h"

/* A signal frame's row needs about 50 operations. */
#define OPS_MAX 1024

/* Rows with expressions: each is translated once. */
struct general_row {
	uint64_t start, end;
	const struct general_rule *rule;
};

/* One section, read by us, and by libdw where expressions are. */
struct cfi_section {
	struct fde_table *fdes; /* NULL: no such section, or unreadable */
	bool is_known;          /* looked for */
	Dwarf_CFI *libdw;       /* NULL: none, or not needed yet */
	bool is_libdw_known;
};

struct cfi {
	Elf *elf;
	struct cfi_section sections[2]; /* by enum fde_section */
	Dwarf *dwarf;                   /* owns .debug_frame's libdw */
	struct general_row *rows;       /* sorted, disjoint */
	size_t n_rows, n_rows_allocated;
};

struct cfi *cfi_create(Elf *elf)
{
	struct cfi *cfi = calloc(1, sizeof(*cfi));
	if (!cfi)
		return NULL;
	cfi->elf = elf;
	return cfi;
}

void cfi_destroy(struct cfi *cfi)
{
	if (!cfi)
		return;
	for (size_t i = 0; i < cfi->n_rows; i++)
		free((void *)cfi->rows[i].rule);
	free(cfi->rows);
	for (size_t i = 0; i < 2; i++)
		fde_table_destroy(cfi->sections[i].fdes);
	if (cfi->sections[FDE_EH_FRAME].libdw)
		dwarf_cfi_end(cfi->sections[FDE_EH_FRAME].libdw);
	dwarf_end(cfi->dwarf);
	free(cfi);
}

/* .debug_frame is looked for only where .eh_frame lacks an address. */
static int find_fde_in(struct cfi *cfi, enum fde_section which, uint64_t vaddr, struct fde *fde)
{
	struct cfi_section *section = &cfi->sections[which];

	if (!section->is_known)
		fde_table_create(cfi->elf, which, &section->fdes);
	section->is_known = true;
	return section->fdes ? fde_find(section->fdes, vaddr, fde) : -ENOENT;
}

static int find_fde(struct cfi *cfi, uint64_t vaddr, struct fde *fde, enum fde_section *section_ret)
{
	int err = find_fde_in(cfi, FDE_EH_FRAME, vaddr, fde);

	*section_ret = FDE_EH_FRAME;
	if (!err || !find_fde_in(cfi, FDE_DEBUG_FRAME, vaddr, fde)) {
		if (err)
			*section_ret = FDE_DEBUG_FRAME;
		return 0;
	}
	return err;
}

/* libdw reads all debug sections to get at .debug_frame. */
static Dwarf_CFI *open_libdw(struct cfi *cfi, enum fde_section which)
{
	struct cfi_section *section = &cfi->sections[which];

	if (section->is_libdw_known)
		return section->libdw;
	section->is_libdw_known = true;
	if (which == FDE_EH_FRAME) {
		section->libdw = dwarf_getcfi_elf(cfi->elf);
	} else {
		cfi->dwarf = dwarf_begin_elf(cfi->elf, DWARF_C_READ, NULL);
		section->libdw = cfi->dwarf ? dwarf_getcfi(cfi->dwarf) : NULL;
	}
	return section->libdw;
}

/* Bytes to words that fit [@min, @max]. */
static bool to_words(const struct arch *arch, int64_t bytes, int64_t min, int64_t max, int64_t *ret)
{
	*ret = bytes / arch->pointer_size;
	return bytes % arch->pointer_size == 0 && *ret >= min && *ret <= max;
}

/* A register without a rule keeps its value if the ABI says that callees save it. */
static bool row_slot(const struct arch *arch, const struct row_reg *saved, unsigned reg,
		     int64_t pushed, uint8_t *slot_ret)
{
	bool is_callee_saved = arch->callee_saved >> reg & 1;
	int64_t words;

	switch (saved->how) {
	case ROW_UNSET:
		*slot_ret = is_callee_saved ? SLOT_SAME : SLOT_UNDEFINED;
		return true;
	case ROW_SAME:
	case ROW_UNDEFINED:
		*slot_ret = saved->how == ROW_SAME ? SLOT_SAME : SLOT_UNDEFINED;
		return true;
	case ROW_AT_CFA:
		*slot_ret = 0;
		if (!to_words(arch, saved->offset - pushed, -(SLOT_UNDEFINED - 1), -1, &words))
			return false;
		*slot_ret = (uint8_t)-words;
		return true;
	case ROW_OTHER:
		break;
	}
	return false;
}

/*
 * How many bytes the caller's stack pointer is above the CFA of CFI that has a return address
 * there. glibc's _dl_runtime_resolve on arm64 leaves out the two words that its callers, PLTs,
 * push.
 */
static int64_t pushed_above_cfa(const struct arch *arch, const struct cfi_row *row)
{
	const struct row_reg *ra = &row->regs[arch->ra];

	return ra->how == ROW_AT_CFA && ra->offset >= 0 ? ((int64_t)ra->offset + 8 + 15) & ~15 : 0;
}

/* The row as our reading has it: saved registers in words below CFA = register + n, and no more. */
static bool compact_row(const struct arch *arch, const struct cfi_row *row, struct rule *rule)
{
	int64_t words, pushed = pushed_above_cfa(arch, row);
	size_t n_slots = 0;

	if (row->has_cfa_expression || row->cfa_reg > 31 || row->regs[arch->sp].how != ROW_UNSET ||
	    !to_words(arch, row->cfa_offset + pushed, INT16_MIN, INT16_MAX, &words))
		return false;
	rule->kind = RULE_CFA_REGISTER;
	rule->cfa_reg = row->cfa_reg & 31;
	rule->cfa_offset = (int16_t)words;
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(left);

		if (n_slots == RULE_SLOTS ||
		    !row_slot(arch, &row->regs[reg], reg, pushed, &rule->slots[n_slots++]))
			return false;
	}
	return true;
}

/* Where and how libdw says a register is saved. */
struct saved {
	enum saved_how how;
	Dwarf_Op *ops;
	size_t n_ops;
};

/*
 * @memory: room for the operations that libdw makes up; lives as long as the result is used.
 *
 * A register without a rule keeps its value if the ABI says that callees save it. libdw 0.188 has
 * defaults of its own and counts rax among those on x86-64, but not rbx.
 */
static bool read_saved(const struct arch *arch, Dwarf_Frame *frame, unsigned reg,
		       Dwarf_Op memory[3], struct saved *ret)
{
	bool is_callee_saved = arch->callee_saved >> reg & 1;

	if (dwarf_frame_register(frame, (int)reg, memory, &ret->ops, &ret->n_ops))
		return false;
	if (ret->n_ops == 0) {
		ret->how = is_callee_saved ? SAVED_SAME : SAVED_UNDEFINED;
		return true;
	}
	ret->how = SAVED_AT;
	if (ret->ops[ret->n_ops - 1].atom == DW_OP_stack_value) {
		ret->how = SAVED_VALUE;
		ret->n_ops--;
	} else if (ret->n_ops == 1 && ret->ops[0].atom == DW_OP_regx) {
		ret->how = SAVED_REGISTER;
	}
	return true;
}

/* If @saved is at, or has the value, CFA + offset. */
static bool is_cfa_offset(const struct saved *saved, int64_t *offset_ret)
{
	if (saved->n_ops < 1 || saved->n_ops > 2 || saved->ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	if (saved->n_ops == 2 && saved->ops[1].atom != DW_OP_plus_uconst)
		return false;
	*offset_ret = saved->n_ops == 2 ? (int64_t)saved->ops[1].number : 0;
	return true;
}

static bool is_breg(const Dwarf_Op *op, struct expression_op *ret)
{
	bool is_numbered = op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31;
	if (!is_numbered && op->atom != DW_OP_bregx)
		return false;
	Dwarf_Word reg = is_numbered ? (Dwarf_Word)op->atom - DW_OP_breg0 : op->number;
	if (reg >= REGS_MAX)
		return false;
	*ret = (struct expression_op){
		.atom = DW_OP_bregx,
		.reg = (uint8_t)reg,
		.value = (int64_t)(is_numbered ? op->number : op->number2),
	};
	return true;
}

/* `breg n` or `breg n, deref [, plus_uconst m]`. */
static bool compact_cfa(const struct arch *arch, const Dwarf_Op *ops, size_t n_ops,
			struct rule *rule)
{
	struct expression_op base;
	int64_t offset, addend;
	bool has_addend = n_ops == 3;

	if (n_ops < 1 || n_ops > 3 || !is_breg(&ops[0], &base) || base.reg > 31)
		return false;
	if (n_ops > 1 && ops[1].atom != DW_OP_deref)
		return false;
	if (has_addend && ops[2].atom != DW_OP_plus_uconst)
		return false;
	if (!to_words(arch, base.value, INT16_MIN, INT16_MAX, &offset) ||
	    !to_words(arch, has_addend ? (int64_t)ops[2].number : 0, INT8_MIN, INT8_MAX, &addend))
		return false;
	rule->kind = n_ops == 1 ? RULE_CFA_REGISTER : RULE_CFA_MEMORY;
	rule->cfa_reg = base.reg & 31;
	rule->cfa_offset = (int16_t)offset;
	rule->cfa_addend = (int8_t)addend;
	return true;
}

static bool compact_slot(const struct arch *arch, const struct saved *saved, uint8_t *slot_ret)
{
	int64_t offset, words;

	if (saved->how == SAVED_SAME || saved->how == SAVED_UNDEFINED) {
		*slot_ret = saved->how == SAVED_SAME ? SLOT_SAME : SLOT_UNDEFINED;
		return true;
	}
	if (saved->how != SAVED_AT || !is_cfa_offset(saved, &offset) ||
	    !to_words(arch, offset, -(SLOT_UNDEFINED - 1), -1, &words))
		return false;
	*slot_ret = (uint8_t)-words;
	return true;
}

/* A rule of 16 bytes, if the row has that form. Call-clobbered registers matter to no caller. */
static bool compact_rule(const struct arch *arch, Dwarf_Frame *frame, struct rule *rule)
{
	Dwarf_Op memory[3], *ops;
	struct saved saved;
	size_t n_ops, n_slots = 0;
	int64_t offset;

	if (dwarf_frame_cfa(frame, &ops, &n_ops) || !compact_cfa(arch, ops, n_ops, rule))
		return false;
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1)
		if (n_slots == RULE_SLOTS ||
		    !read_saved(arch, frame, (unsigned)__builtin_ctzll(left), memory, &saved) ||
		    !compact_slot(arch, &saved, &rule->slots[n_slots++]))
			return false;
	if (!read_saved(arch, frame, arch->sp, memory, &saved))
		return false;
	return saved.how == SAVED_UNDEFINED ||
	       (saved.how == SAVED_VALUE && is_cfa_offset(&saved, &offset) && offset == 0);
}

static bool is_constant(uint8_t atom)
{
	switch (atom) {
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return true;
	default:
		return false;
	}
}

/* libdw keeps a branch's distance in bytes, and each operation's byte offset. */
static bool branch_target(const Dwarf_Op *ops, size_t n_ops, size_t i, int64_t *ret)
{
	Dwarf_Word target = ops[i].offset + 3 + (Dwarf_Word)(int16_t)ops[i].number;

	for (size_t to = 0; to < n_ops; to++) {
		if (ops[to].offset == target) {
			*ret = (int64_t)to;
			return true;
		}
	}
	/* To the end: just after the last operation, whose size is not told. */
	*ret = (int64_t)n_ops;
	return target > ops[n_ops - 1].offset;
}

static bool translate_op(const Dwarf_Op *ops, size_t n_ops, size_t i, struct expression_op *ret)
{
	const Dwarf_Op *op = &ops[i];

	if (is_breg(op, ret))
		return true;
	*ret = (struct expression_op){ .atom = op->atom, .value = (int64_t)op->number };
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		*ret = (struct expression_op){ .atom = DW_OP_const8s,
					       .value = op->atom - DW_OP_lit0 };
		return true;
	}
	if (is_constant(op->atom)) {
		ret->atom = DW_OP_const8s;
		return true;
	}
	if (op->atom == DW_OP_bra || op->atom == DW_OP_skip)
		return branch_target(ops, n_ops, i, &ret->value);
	/* Addresses would need the load bias, and have no place in CFI. */
	return op->atom != DW_OP_addr;
}

static bool translate(const Dwarf_Op *ops, size_t n_ops, struct expression_op **next,
		      struct expression *ret)
{
	*ret = (struct expression){ .ops = *next, .n_ops = n_ops };
	for (size_t i = 0; i < n_ops; i++)
		if (!translate_op(ops, n_ops, i, (*next)++))
			return false;
	return true;
}

/* How many operations the row's expressions have together. 0: it can't be read, or is no CFI. */
static size_t count_ops(const struct arch *arch, Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *ops;
	struct saved saved;
	size_t n_ops;

	if (dwarf_frame_cfa(frame, &ops, &n_ops))
		return 0;
	for (unsigned reg = 0; reg < arch->n_regs; reg++) {
		if (!read_saved(arch, frame, reg, memory, &saved))
			return 0;
		n_ops += saved.n_ops;
	}
	return n_ops <= OPS_MAX ? n_ops : 0;
}

/* @next: room for all operations of the row. */
static bool general_rule_fill(const struct arch *arch, Dwarf_Frame *frame,
			      struct general_rule *rule, struct expression_op *next)
{
	Dwarf_Op memory[3], *ops;
	struct saved saved;
	size_t n_ops;

	if (dwarf_frame_cfa(frame, &ops, &n_ops) || !translate(ops, n_ops, &next, &rule->cfa))
		return false;
	for (unsigned reg = 0; reg < arch->n_regs; reg++) {
		if (!read_saved(arch, frame, reg, memory, &saved))
			return false;
		rule->regs[reg].how = saved.how;
		if (saved.how == SAVED_REGISTER)
			rule->regs[reg].reg = saved.ops[0].number < REGS_MAX
						      ? (uint8_t)saved.ops[0].number
						      : REGS_MAX;
		else if (!translate(saved.ops, saved.n_ops, &next, &rule->regs[reg].expression))
			rule->regs[reg].how = SAVED_UNDEFINED;
	}
	return true;
}

/* One block for free(): the rule, and behind it the operations of its expressions. */
static struct general_rule *general_rule_create(const struct arch *arch, Dwarf_Frame *frame,
						bool is_signal_frame)
{
	size_t n_ops = count_ops(arch, frame);
	if (!n_ops)
		return NULL;
	struct general_rule *rule = calloc(1, sizeof(*rule) + n_ops * sizeof(struct expression_op));
	if (!rule)
		return NULL;
	rule->is_signal_frame = is_signal_frame;
	if (!general_rule_fill(arch, frame, rule, (struct expression_op *)(rule + 1))) {
		free(rule);
		return NULL;
	}
	return rule;
}

/* The first row that ends above @vaddr. */
static size_t general_row_index(const struct cfi *cfi, uint64_t vaddr)
{
	size_t low = 0, high = cfi->n_rows;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cfi->rows[middle].end > vaddr)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static int general_row_insert(struct cfi *cfi, size_t at, const struct general_row *row)
{
	if (cfi->n_rows == cfi->n_rows_allocated) {
		size_t n = cfi->n_rows ? cfi->n_rows * 2 : 8;
		struct general_row *rows = reallocarray(cfi->rows, n, sizeof(*rows));
		if (!rows)
			return -ENOMEM;
		cfi->rows = rows;
		cfi->n_rows_allocated = n;
	}
	memmove(cfi->rows + at + 1, cfi->rows + at, (cfi->n_rows - at) * sizeof(*cfi->rows));
	cfi->rows[at] = *row;
	cfi->n_rows++;
	return 0;
}

/* The general rule of @plain, the row that holds @vaddr. NULL: it can't be read. */
static const struct general_rule *general_rule_get(struct cfi *cfi, const struct arch *arch,
						   uint64_t vaddr, const struct cfi_row *plain,
						   Dwarf_Frame *frame, bool is_signal_frame)
{
	size_t at = general_row_index(cfi, vaddr);
	if (at < cfi->n_rows && cfi->rows[at].start <= vaddr)
		return cfi->rows[at].rule;

	/* Broken CFI may describe overlapping rows; one address is a row of its own, always. */
	struct general_row row = { .start = vaddr, .end = vaddr + 1 };
	if ((at == 0 || cfi->rows[at - 1].end <= plain->start) &&
	    (at == cfi->n_rows || plain->end <= cfi->rows[at].start)) {
		row.start = plain->start;
		row.end = plain->end;
	}
	struct general_rule *rule = general_rule_create(arch, frame, is_signal_frame);
	row.rule = rule;
	if (!rule || general_row_insert(cfi, at, &row)) {
		free(rule);
		return NULL;
	}
	return rule;
}

/* What needs an expression, or is a signal frame: as libdw reads it. */
static void find_rule_by_libdw(struct cfi *cfi, const struct arch *arch, uint64_t vaddr,
			       enum fde_section section, const struct cfi_row *row,
			       struct rule *rule_ret)
{
	_cleanup_free_ Dwarf_Frame *frame = NULL;
	struct rule rule = { .kind = RULE_BAD };
	bool is_signal_frame = false;
	Dwarf_CFI *libdw = open_libdw(cfi, section);

	if (!libdw || dwarf_cfi_addrframe(libdw, vaddr, &frame))
		return;
	dwarf_frame_info(frame, NULL, NULL, &is_signal_frame);
	if (!is_signal_frame && compact_rule(arch, frame, &rule)) {
		*rule_ret = rule;
		return;
	}
	const struct general_rule *general =
		general_rule_get(cfi, arch, vaddr, row, frame, is_signal_frame);
	if (general) {
		rule_ret->kind = RULE_GENERAL;
		rule_ret->general = general;
	}
}

void cfi_find_rule(struct cfi *cfi, const struct arch *arch, uint64_t vaddr, struct rule *rule_ret)
{
	struct rule rule = { .kind = RULE_BAD };
	enum fde_section section;
	struct cfi_row row;
	struct fde fde;

	*rule_ret = rule;
	int err = find_fde(cfi, vaddr, &fde, &section);
	if (err) {
		rule_ret->kind = err == -ENOENT ? RULE_NONE : RULE_BAD;
		return;
	}
	/* libdw sees only what was found to be in order here. */
	if (fde.ra_reg != arch->ra || cfi_row_at(&fde, vaddr, &row))
		return;
	if (row.regs[arch->ra].how == ROW_UNDEFINED)
		rule_ret->kind = RULE_ROOT;
	else if (!fde.is_signal_frame && compact_row(arch, &row, &rule))
		*rule_ret = rule;
	else
		find_rule_by_libdw(cfi, arch, vaddr, section, &row, rule_ret);
}
