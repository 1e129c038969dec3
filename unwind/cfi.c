/* Translates libdw's rows into rules. */
#include "unwind/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>

#include "cct/cleanup.h"

/* A signal frame's row needs about 50 operations. */
#define OPS_MAX 1024

/* Rows are asked for again by every thread and for every address: each is translated once. */
struct general_row {
	uint64_t start, end;
	const struct general_rule *rule;
};

struct cfi {
	Elf *elf;
	Dwarf_CFI *eh_frame;    /* NULL: none; owned */
	Dwarf_CFI *debug_frame; /* NULL: none, or not looked for yet; owned by @dwarf */
	Dwarf *dwarf;
	bool debug_frame_known;
	struct general_row *rows; /* sorted, disjoint */
	size_t n_rows, n_rows_allocated;
};

struct cfi *cfi_create(Elf *elf)
{
	struct cfi *cfi = calloc(1, sizeof(*cfi));
	if (!cfi)
		return NULL;
	cfi->elf = elf;
	cfi->eh_frame = dwarf_getcfi_elf(elf);
	return cfi;
}

void cfi_destroy(struct cfi *cfi)
{
	if (!cfi)
		return;
	for (size_t i = 0; i < cfi->n_rows; i++)
		free((void *)cfi->rows[i].rule);
	free(cfi->rows);
	if (cfi->eh_frame)
		dwarf_cfi_end(cfi->eh_frame);
	dwarf_end(cfi->dwarf);
	free(cfi);
}

static bool has_debug_frame(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && (!strcmp(name, ".debug_frame") || !strcmp(name, ".zdebug_frame")))
			return true;
	}
	return false;
}

/* Only when .eh_frame lacks an address: libdw reads all debug sections to get at this one. */
static void open_debug_frame(struct cfi *cfi)
{
	cfi->debug_frame_known = true;
	if (!has_debug_frame(cfi->elf))
		return;
	cfi->dwarf = dwarf_begin_elf(cfi->elf, DWARF_C_READ, NULL);
	if (cfi->dwarf)
		cfi->debug_frame = dwarf_getcfi(cfi->dwarf);
}

/* 0; -ENOENT: no row for @vaddr; -EINVAL: the CFI is broken. @frame_ret is for free(). */
static int find_frame(Dwarf_CFI *cfi, uint64_t vaddr, Dwarf_Frame **frame_ret)
{
	if (!cfi)
		return -ENOENT;
	dwarf_errno(); /* forget an older error */
	if (!dwarf_cfi_addrframe(cfi, vaddr, frame_ret))
		return 0;
	/* libdw keeps the numbers of its errors to itself. */
	const char *message = dwarf_errmsg(0);
	return message && strcmp(message, "no matching address range") != 0 ? -EINVAL : -ENOENT;
}

static int find_any_frame(struct cfi *cfi, uint64_t vaddr, Dwarf_Frame **frame_ret)
{
	int err = find_frame(cfi->eh_frame, vaddr, frame_ret);
	if (!err)
		return 0;
	if (!cfi->debug_frame_known)
		open_debug_frame(cfi);
	if (cfi->debug_frame && !find_frame(cfi->debug_frame, vaddr, frame_ret))
		return 0;
	return err;
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

/* Bytes to words that fit [@min, @max]. */
static bool to_words(int64_t bytes, int64_t min, int64_t max, int64_t *ret)
{
	*ret = bytes / RULE_WORD;
	return bytes % RULE_WORD == 0 && *ret >= min && *ret <= max;
}

/* `breg n` or `breg n, deref [, plus_uconst m]`. */
static bool compact_cfa(const Dwarf_Op *ops, size_t n_ops, struct rule *rule)
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
	if (!to_words(base.value, INT16_MIN, INT16_MAX, &offset) ||
	    !to_words(has_addend ? (int64_t)ops[2].number : 0, INT8_MIN, INT8_MAX, &addend))
		return false;
	rule->kind = n_ops == 1 ? RULE_CFA_REGISTER : RULE_CFA_MEMORY;
	rule->cfa_reg = base.reg & 31;
	rule->cfa_offset = (int16_t)offset;
	rule->cfa_addend = (int8_t)addend;
	return true;
}

static bool compact_slot(const struct saved *saved, uint8_t *slot_ret)
{
	int64_t offset, words;

	if (saved->how == SAVED_SAME || saved->how == SAVED_UNDEFINED) {
		*slot_ret = saved->how == SAVED_SAME ? SLOT_SAME : SLOT_UNDEFINED;
		return true;
	}
	if (saved->how != SAVED_AT || !is_cfa_offset(saved, &offset) ||
	    !to_words(offset, -(SLOT_UNDEFINED - 1), -1, &words))
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

	if (dwarf_frame_cfa(frame, &ops, &n_ops) || !compact_cfa(ops, n_ops, rule))
		return false;
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1)
		if (n_slots == RULE_SLOTS ||
		    !read_saved(arch, frame, (unsigned)__builtin_ctzll(left), memory, &saved) ||
		    !compact_slot(&saved, &rule->slots[n_slots++]))
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

/* The general rule of the row that holds @vaddr. NULL: the row can't be read. */
static const struct general_rule *general_rule_get(struct cfi *cfi, const struct arch *arch,
						   uint64_t vaddr, Dwarf_Frame *frame,
						   bool is_signal_frame)
{
	size_t at = general_row_index(cfi, vaddr);
	if (at < cfi->n_rows && cfi->rows[at].start <= vaddr)
		return cfi->rows[at].rule;

	/* Broken CFI may describe overlapping rows; one address is a row of its own, always. */
	struct general_row row = { .start = vaddr, .end = vaddr + 1 };
	Dwarf_Addr start, end;
	dwarf_frame_info(frame, &start, &end, NULL);
	bool is_disjoint = (at == 0 || cfi->rows[at - 1].end <= start) &&
			   (at == cfi->n_rows || end <= cfi->rows[at].start);
	if (start <= vaddr && vaddr < end && is_disjoint) {
		row.start = start;
		row.end = end;
	}
	struct general_rule *rule = general_rule_create(arch, frame, is_signal_frame);
	row.rule = rule;
	if (!rule || general_row_insert(cfi, at, &row)) {
		free(rule);
		return NULL;
	}
	return rule;
}

void cfi_find_rule(struct cfi *cfi, const struct arch *arch, uint64_t vaddr, struct rule *rule_ret)
{
	_cleanup_free_ Dwarf_Frame *frame = NULL;
	struct rule rule = { .kind = RULE_BAD };
	bool is_signal_frame = false;
	Dwarf_Op memory[3];
	struct saved ra;

	*rule_ret = rule;
	int err = find_any_frame(cfi, vaddr, &frame);
	if (err) {
		rule_ret->kind = err == -ENOENT ? RULE_NONE : RULE_BAD;
		return;
	}
	if (dwarf_frame_info(frame, NULL, NULL, &is_signal_frame) != arch->ra ||
	    !read_saved(arch, frame, arch->ra, memory, &ra))
		return;
	if (ra.n_ops == 0 && ra.ops) {
		rule_ret->kind = RULE_ROOT;
		return;
	}
	if (!is_signal_frame && compact_rule(arch, frame, &rule)) {
		*rule_ret = rule;
		return;
	}
	const struct general_rule *general =
		general_rule_get(cfi, arch, vaddr, frame, is_signal_frame);
	if (general) {
		rule_ret->kind = RULE_GENERAL;
		rule_ret->general = general;
	}
}
