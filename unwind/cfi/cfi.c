/* Rows of CFI -> rules. */
#include "unwind/cfi/cfi.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"
#include "cct/object/module_file.h"
#include "cct/object/packed_elf.h"
#include "unwind/cfi/cfi_row.h"
#include "unwind/cfi/expression_parse.h"
#include "unwind/rules/rule_table.h"

/* A signal frame's row needs about 50 operations. */
#define OPS_MAX 1024

enum source { SOURCE_EH_FRAME, SOURCE_DEBUG_FRAME, SOURCE_PACKED, SOURCE_DEBUG_FILE, N_SOURCES };

/* Of one FDE's instructions: to read all of its rows takes some milliseconds. */
#define KEPT_MAX (128u << 10)
/* Length, CIE, two words of four bytes. */
#define FDE_SIZE_MIN 16

/* Every thread requests rows again for each address, so each row is translated once and kept. */
struct general_row {
	uint64_t start, end;
	const struct general_rule *rule;
};

struct cfi {
	Elf *elf;                    /* borrowed */
	const struct module *module; /* borrowed; NULL: not known */
	struct {
		const char *name;
		struct fde_table *fdes;
	} sections[N_SOURCES];
	size_t n_sections;
	enum source next_source; /* not looked at yet */
	Elf *packed;             /* of .gnu_debugdata; NULL: none, or not looked at yet */
	uint8_t *packed_bytes;
	struct module_file debug_file;
	struct general_row *rows; /* sorted, disjoint */
	size_t n_rows, n_rows_allocated;
	/* The rules read from the first section. General rules are only marked as RULE_GENERAL. */
	struct rule_table *rules;  /* NULL: nothing yet */
	struct rule_row *new_rows; /* of one function */
	size_t n_new_rows_allocated;
	const struct arch *arch; /* of @rules */
	size_t n_kept;           /* the number of the section's bytes that they were read from */
};

struct cfi *cfi_create(Elf *elf, const struct module *module)
{
	struct cfi *cfi = calloc(1, sizeof(*cfi));
	if (!cfi)
		return NULL;
	cfi->elf = elf;
	cfi->module = module;
	cfi->debug_file.fd = -1;
	return cfi;
}

void cfi_destroy(struct cfi *cfi)
{
	if (!cfi)
		return;
	for (size_t i = 0; i < cfi->n_rows; i++)
		free((void *)cfi->rows[i].rule);
	free(cfi->rows);
	for (size_t i = 0; i < cfi->n_sections; i++)
		fde_table_destroy(cfi->sections[i].fdes);
	rule_table_destroy(cfi->rules);
	free(cfi->new_rows);
	elf_end(cfi->packed);
	free(cfi->packed_bytes);
	module_file_close(&cfi->debug_file);
	free(cfi);
}

void cfi_set_module(struct cfi *cfi, const struct module *module)
{
	cfi->module = module;
}

size_t cfi_size(const struct cfi *cfi)
{
	size_t size = sizeof(*cfi) + cfi->n_rows_allocated * sizeof(cfi->rows[0]) +
		      cfi->n_rows * sizeof(struct general_rule) +
		      cfi->n_new_rows_allocated * sizeof(cfi->new_rows[0]);
	size_t packed_size = 0;

	for (size_t i = 0; i < cfi->n_sections; i++)
		size += fde_table_memory(cfi->sections[i].fdes);
	if (cfi->packed)
		elf_rawfile(cfi->packed, &packed_size);
	return size + packed_size + (cfi->rules ? rule_table_size(cfi->rules) : 0);
}

static int open_source(struct cfi *cfi, enum source source, struct fde_table **ret)
{
	switch (source) {
	case SOURCE_EH_FRAME:
		return fde_table_create(cfi->elf, EH_FRAME, ret);
	case SOURCE_DEBUG_FRAME:
		return fde_table_create(cfi->elf, DEBUG_FRAME, ret);
	case SOURCE_PACKED:
		cfi->packed = packed_elf_open(cfi->elf, &cfi->packed_bytes);
		return cfi->packed ? fde_table_create(cfi->packed, DEBUG_FRAME, ret) : -ENOENT;
	case SOURCE_DEBUG_FILE:
		module_file_open_debug(cfi->module, cfi->elf, &cfi->debug_file);
		return cfi->debug_file.state == MODULE_FILE_OK
			       ? fde_table_create(cfi->debug_file.elf, DEBUG_FRAME, ret)
			       : -ENOENT;
	case N_SOURCES:
		break;
	}
	return -ENOENT;
}

/* The entries of section @i, which is opened if it is the next one. NULL: the section does not
 * exist. */
static const struct fde_table *section_at(struct cfi *cfi, size_t i)
{
	static const char *const names[N_SOURCES] = {
		[SOURCE_EH_FRAME] = ".eh_frame",
		[SOURCE_DEBUG_FRAME] = ".debug_frame",
		[SOURCE_PACKED] = ".debug_frame in .gnu_debugdata",
		[SOURCE_DEBUG_FILE] = ".debug_frame of the debug file",
	};

	while (i == cfi->n_sections && cfi->next_source < N_SOURCES) {
		enum source source = cfi->next_source++;

		if (open_source(cfi, source, &cfi->sections[i].fdes) == 0)
			cfi->sections[cfi->n_sections++].name = names[source];
	}
	return i < cfi->n_sections ? cfi->sections[i].fdes : NULL;
}

/* 0; -ENOENT: no FDE for @vaddr; -EINVAL: it is broken. *@name_ret: of the section. */
static int find_fde(struct cfi *cfi, uint64_t vaddr, struct fde *fde, const char **name_ret)
{
	const struct fde_table *fdes;
	int result = -ENOENT;

	for (size_t i = 0; (fdes = section_at(cfi, i)); i++) {
		int err = fde_find(fdes, vaddr, fde);
		if (!err) {
			*name_ret = cfi->sections[i].name;
			return 0;
		}
		if (err != -ENOENT)
			result = err;
	}
	return result;
}

const char *cfi_section(struct cfi *cfi, uint64_t vaddr)
{
	const char *name = NULL;
	struct fde fde;

	find_fde(cfi, vaddr, &fde, &name);
	return name;
}

bool cfi_find_function(struct cfi *cfi, uint64_t vaddr, struct cfi_function *ret)
{
	const char *name;
	struct fde fde;

	if (find_fde(cfi, vaddr, &fde, &name))
		return false;
	*ret = (struct cfi_function){ fde.start, fde.end, fde.has_landing_pads };
	return true;
}

bool cfi_has_any(struct cfi *cfi, uint64_t start, uint64_t end)
{
	const struct fde_table *fdes;

	for (size_t i = 0; (fdes = section_at(cfi, i)); i++)
		if (fde_has_any(fdes, start, end))
			return true;
	return false;
}

/* If the CIE and FDE have no rule for a register, the ABI decides whether callees preserve it. */
static enum row_how reg_how(const struct arch *arch, const struct cfi_row *row, unsigned reg)
{
	enum row_how how = row->regs[reg].how;

	if (how != ROW_UNSET)
		return how;
	return arch->callee_saved >> reg & 1 ? ROW_SAME : ROW_UNDEFINED;
}

/* Bytes to words that fit [@min, @max]. */
static bool to_words(const struct arch *arch, int64_t bytes, int64_t min, int64_t max, int64_t *ret)
{
	/* A division by a variable would take longer than everything else here. */
	*ret = arch->pointer_size == 8 ? bytes / 8 : bytes / 4;
	return *ret * arch->pointer_size == bytes && *ret >= min && *ret <= max;
}

/* `breg n, deref [, plus_uconst m]`. */
static bool is_memory(const struct expression_op *ops, size_t n_ops)
{
	return (n_ops == 2 || n_ops == 3) && ops[0].atom == DW_OP_bregx &&
	       ops[1].atom == DW_OP_deref && (n_ops == 2 || ops[2].atom == DW_OP_plus_uconst);
}

/*
 * The distance in bytes from the CFA up to the caller's stack pointer, for CFI in which the return
 * address is at the CFA. The CFI of glibc's _dl_runtime_resolve on arm64 omits the two words that
 * its callers, PLTs, push.
 */
static int64_t pushed_above_cfa(const struct arch *arch, const struct cfi_row *row)
{
	const struct row_reg *ra = &row->regs[arch->ra];

	return ra->how == ROW_AT_CFA && ra->offset >= 0 ? ((int64_t)ra->offset + 8 + 15) & ~15 : 0;
}

static bool compact_cfa(const struct arch *arch, const struct fde *fde, const struct cfi_row *row,
			int64_t pushed, struct rule *rule)
{
	struct expression_op ops[3];
	uint64_t reg = row->cfa_reg;
	int64_t bytes = row->cfa_offset + pushed, offset, more = 0, addend;

	if (row->has_cfa_expression) {
		size_t size, n_ops;
		const uint8_t *block = cfi_row_block(fde, row->cfa_block, &size);

		if (expression_parse(block, size, ops, 3, &n_ops) || !is_memory(ops, n_ops))
			return false;
		reg = ops[0].reg;
		bytes = ops[0].value;
		more = (n_ops == 3 ? ops[2].value : 0) + pushed;
	}
	if (reg > 31 || !to_words(arch, bytes, INT16_MIN, INT16_MAX, &offset) ||
	    !to_words(arch, more, INT8_MIN, INT8_MAX, &addend))
		return false;
	rule->kind = row->has_cfa_expression ? RULE_CFA_MEMORY : RULE_CFA_REGISTER;
	rule->cfa_reg = reg & 31;
	rule->cfa_offset = (int16_t)offset;
	rule->cfa_addend = (int8_t)addend;
	return true;
}

static bool compact_slot(const struct arch *arch, const struct cfi_row *row, unsigned reg,
			 int64_t pushed, uint8_t *slot_ret)
{
	int64_t words;

	switch (reg_how(arch, row, reg)) {
	case ROW_SAME:
		*slot_ret = SLOT_SAME;
		return true;
	case ROW_UNDEFINED:
		*slot_ret = SLOT_UNDEFINED;
		return true;
	case ROW_AT_CFA:
		if (!to_words(arch, row->regs[reg].offset - pushed, -(SLOT_UNDEFINED - 1), -1,
			      &words))
			return false;
		*slot_ret = (uint8_t)-words;
		return true;
	default:
		return false;
	}
}

/* A rule of 16 bytes, if the row has that form. Call-clobbered registers matter to no caller. */
static bool compact_rule(const struct arch *arch, const struct fde *fde, const struct cfi_row *row,
			 struct rule *rule)
{
	enum row_how sp = row->regs[arch->sp].how;
	int64_t pushed = pushed_above_cfa(arch, row);
	size_t n_slots = 0;

	if (!compact_cfa(arch, fde, row, pushed, rule))
		return false;
	for (uint64_t left = rule_saved_regs(arch); left; left &= left - 1)
		if (n_slots == RULE_SLOTS ||
		    !compact_slot(arch, row, (unsigned)__builtin_ctzll(left), pushed,
				  &rule->slots[n_slots++]))
			return false;
	return sp == ROW_UNSET || (sp == ROW_CFA_PLUS && row->regs[arch->sp].offset == 0);
}

/* The operations of a row's expressions, one after the other. */
struct op_list {
	const struct fde *fde; /* of the row */
	struct expression_op ops[OPS_MAX];
	size_t n;
};

static bool add_op(struct op_list *list, struct expression_op op)
{
	if (list->n == OPS_MAX)
		return false;
	list->ops[list->n++] = op;
	return true;
}

static bool add_block(struct op_list *list, int32_t place)
{
	size_t size, n_ops, first = list->n;
	const uint8_t *block = cfi_row_block(list->fde, place, &size);

	if (expression_parse(block, size, list->ops + first, OPS_MAX - first, &n_ops))
		return false;
	list->n += n_ops;
	return true;
}

static bool add_cfa(struct op_list *list, const struct cfi_row *row)
{
	if (row->has_cfa_expression)
		return add_block(list, row->cfa_block);
	return row->cfa_reg < REGS_MAX && add_op(list, (struct expression_op){
							       .atom = DW_OP_bregx,
							       .reg = (uint8_t)row->cfa_reg,
							       .value = row->cfa_offset,
						       });
}

/* An expression of a saved register begins with the CFA on the stack (DWARF 5, 6.4.2.3). */
static bool add_reg(struct op_list *list, const struct row_reg *reg)
{
	size_t first = list->n;

	if (!add_op(list, (struct expression_op){ .atom = DW_OP_call_frame_cfa }))
		return false;
	if (reg->how == ROW_AT_CFA || reg->how == ROW_CFA_PLUS)
		return !reg->offset || add_op(list, (struct expression_op){
							    .atom = DW_OP_plus_uconst,
							    .value = reg->offset,
						    });
	if (!add_block(list, reg->offset))
		return false;
	for (size_t i = first; i < list->n; i++)
		if (list->ops[i].atom == DW_OP_bra || list->ops[i].atom == DW_OP_skip)
			list->ops[i].value++;
	return true;
}

/* Fills everything except the positions of the operations. @n_ops[0] is the number of the CFA's
 * operations, followed by the number of each register. false: the row cannot be evaluated. */
static bool read_general(const struct arch *arch, const struct cfi_row *row, struct op_list *list,
			 size_t n_ops[1 + REGS_MAX], struct general_rule *rule)
{
	if (!add_cfa(list, row))
		return false;
	n_ops[0] = list->n;
	for (unsigned reg = 0; reg < arch->n_regs; reg++) {
		const struct row_reg *from = &row->regs[reg];
		size_t first = list->n;

		rule->regs[reg].how = SAVED_UNDEFINED;
		switch (reg_how(arch, row, reg)) {
		case ROW_SAME:
			rule->regs[reg].how = SAVED_SAME;
			break;
		case ROW_IN_REGISTER:
			rule->regs[reg].how = SAVED_REGISTER;
			rule->regs[reg].reg = from->offset >= 0 && from->offset < REGS_MAX
						      ? (uint8_t)from->offset
						      : REGS_MAX;
			break;
		case ROW_AT_CFA:
		case ROW_AT_EXPRESSION:
			if (add_reg(list, from))
				rule->regs[reg].how = SAVED_AT;
			else
				list->n = first;
			break;
		case ROW_CFA_PLUS:
		case ROW_EXPRESSION:
			if (add_reg(list, from))
				rule->regs[reg].how = SAVED_VALUE;
			else
				list->n = first;
			break;
		default:
			break;
		}
		n_ops[1 + reg] = list->n - first;
	}
	return true;
}

/* One block for free(): the rule, followed by the operations of its expressions. */
static struct general_rule *general_rule_create(const struct arch *arch, const struct fde *fde,
						const struct cfi_row *row)
{
	struct general_rule read = { .is_signal_frame = fde->is_signal_frame };
	struct op_list list;
	size_t n_ops[1 + REGS_MAX];

	list.fde = fde;
	list.n = 0;
	if (!read_general(arch, row, &list, n_ops, &read))
		return NULL;
	size_t size = list.n * sizeof(struct expression_op);
	struct general_rule *rule = malloc(sizeof(*rule) + size);
	if (!rule)
		return NULL;
	const struct expression_op *next = (const struct expression_op *)(rule + 1);
	memcpy(rule + 1, list.ops, size);
	*rule = read;
	rule->cfa = (struct expression){ .ops = next, .n_ops = n_ops[0] };
	next += n_ops[0];
	for (unsigned reg = 0; reg < arch->n_regs; reg++) {
		rule->regs[reg].expression =
			(struct expression){ .ops = next, .n_ops = n_ops[1 + reg] };
		next += n_ops[1 + reg];
	}
	return rule;
}

/* The first row that ends above @vaddr. */
static size_t general_row_index(const struct cfi *cfi, uint64_t vaddr)
{
	return sorted_count(cfi->n_rows, i, cfi->rows[i].end <= vaddr);
}

static int general_row_insert(struct cfi *cfi, size_t at, const struct general_row *row)
{
	if (array_reserve(cfi->rows, cfi->n_rows, cfi->n_rows_allocated, 1))
		return -ENOMEM;
	memmove(cfi->rows + at + 1, cfi->rows + at, (cfi->n_rows - at) * sizeof(*cfi->rows));
	cfi->rows[at] = *row;
	cfi->n_rows++;
	return 0;
}

/* The general rule of the row that contains @vaddr. NULL: the row cannot be evaluated. */
static const struct general_rule *general_rule_get(struct cfi *cfi, const struct arch *arch,
						   uint64_t vaddr, const struct fde *fde,
						   const struct cfi_row *row)
{
	size_t at = general_row_index(cfi, vaddr);
	if (at < cfi->n_rows && cfi->rows[at].start <= vaddr)
		return cfi->rows[at].rule;

	/* Rows of broken CFI may overlap: the rule of such a row is kept for this address only. */
	struct general_row new = { .start = vaddr, .end = vaddr + 1 };
	bool is_disjoint = (at == 0 || cfi->rows[at - 1].end <= row->start) &&
			   (at == cfi->n_rows || row->end <= cfi->rows[at].start);
	if (row->start <= vaddr && vaddr < row->end && is_disjoint) {
		new.start = row->start;
		new.end = row->end;
	}
	struct general_rule *rule = general_rule_create(arch, fde, row);
	new.rule = rule;
	if (!rule || general_row_insert(cfi, at, &new)) {
		free(rule);
		return NULL;
	}
	return rule;
}

/* The rule of a row; RULE_GENERAL if the row needs a separate general rule. */
static struct rule row_rule(const struct arch *arch, const struct fde *fde,
			    const struct cfi_row *row)
{
	struct rule rule = { .kind = RULE_BAD };

	if (!row->has_cfa)
		return rule;
	if (reg_how(arch, row, arch->ra) == ROW_UNDEFINED) {
		/* A return address that is explicitly undefined means the outermost frame. A row
		 * without any rule for it is broken. */
		if (row->regs[arch->ra].how == ROW_UNDEFINED)
			rule.kind = RULE_ROOT;
		return rule;
	}
	if (!fde->is_signal_frame && compact_rule(arch, fde, row, &rule))
		return rule;
	return (struct rule){ .general_kind = RULE_GENERAL };
}

static int add_new_row(struct cfi *cfi, size_t n, const struct rule_row *row)
{
	if (array_reserve(cfi->new_rows, n, cfi->n_new_rows_allocated, 1))
		return -ENOMEM;
	cfi->new_rows[n] = *row;
	return 0;
}

/* All rows of a function of @size bytes. Their number; 0: out of memory. */
static uint32_t read_rows(struct cfi *cfi, const struct arch *arch, const struct fde *fde,
			  uint32_t size)
{
	struct cfi_rows rows;
	uint32_t n = 0;
	bool is_read;

	cfi_rows_begin(&rows, fde);
	do {
		is_read = cfi_rows_next(&rows);
		struct rule_row row = {
			.start = (uint32_t)(rows.row.start - fde->start),
			.rule = is_read ? row_rule(arch, fde, &rows.row)
					: (struct rule){ .kind = RULE_BAD },
		};
		if (add_new_row(cfi, n++, &row))
			return 0;
	} while (is_read && rows.row.end - fde->start < size);
	return n;
}

/* Whether all rows of a function may be kept. In broken CFI many FDEs may share the same bytes:
 * together they must not exceed the size of the section. */
static bool is_kept(struct cfi *cfi, const struct arch *arch, const struct fde *fde, uint64_t size)
{
	if (!cfi->rules) {
		cfi->rules = rule_table_create();
		cfi->arch = arch;
	}
	return cfi->rules && cfi->arch == arch && size <= UINT32_MAX &&
	       fde->n_instructions <= KEPT_MAX &&
	       cfi->n_kept < fde_table_size(cfi->sections[0].fdes);
}

/* The rule at @vaddr, after reading all rows of the function. NULL: the rows are not kept. */
static const struct rule *read_function(struct cfi *cfi, const struct arch *arch,
					const struct fde *fde, uint64_t vaddr)
{
	uint64_t end = fde->end < fde->next_start ? fde->end : fde->next_start;
	uint64_t size = end - fde->start;
	const struct rule *rule =
		cfi->rules ? rule_table_find(cfi->rules, fde->start, vaddr) : NULL;

	if (rule || !is_kept(cfi, arch, fde, size))
		return rule;
	uint32_t n_rows = read_rows(cfi, arch, fde, (uint32_t)size);
	if (!n_rows ||
	    rule_table_add(cfi->rules, fde->start, (uint32_t)size, cfi->new_rows, n_rows))
		return NULL;
	cfi->n_kept += fde->n_instructions + FDE_SIZE_MIN;
	return rule_table_find(cfi->rules, fde->start, vaddr);
}

static void read_row(struct cfi *cfi, const struct arch *arch, const struct fde *fde,
		     uint64_t vaddr, struct rule *rule_ret)
{
	struct cfi_row row;

	if (cfi_row_at(fde, vaddr, &row))
		return;
	*rule_ret = row_rule(arch, fde, &row);
	if (rule_ret->kind != RULE_GENERAL)
		return;
	rule_ret->general = general_rule_get(cfi, arch, vaddr, fde, &row);
	if (!rule_ret->general)
		*rule_ret = (struct rule){ .kind = RULE_BAD };
}

/* From the table of rules. false: it does not have the rule. */
static bool find_kept_rule(struct cfi *cfi, const struct rule *kept, uint64_t vaddr,
			   struct rule *rule_ret, bool *follows_stack_ret)
{
	if (!kept || kept->kind == RULE_GENERAL)
		return false;
	*rule_ret = *kept;
	*follows_stack_ret = rule_table_follows_stack(cfi->rules, vaddr);
	return true;
}

bool cfi_find_rule(struct cfi *cfi, const struct arch *arch, uint64_t vaddr, struct rule *rule_ret)
{
	const struct rule *rule =
		cfi->rules && cfi->arch == arch ? rule_table_guess(cfi->rules, vaddr) : NULL;
	bool follows_stack = false;
	const char *name = NULL;
	struct fde fde;

	if (find_kept_rule(cfi, rule, vaddr, rule_ret, &follows_stack))
		return follows_stack;
	*rule_ret = (struct rule){ .kind = RULE_BAD };
	int err = find_fde(cfi, vaddr, &fde, &name);
	if (err == -ENOENT)
		rule_ret->kind = RULE_NONE;
	if (err || fde.ra_reg != arch->ra)
		return false;
	rule = name == cfi->sections[0].name ? read_function(cfi, arch, &fde, vaddr) : NULL;
	if (!find_kept_rule(cfi, rule, vaddr, rule_ret, &follows_stack))
		read_row(cfi, arch, &fde, vaddr, rule_ret);
	return follows_stack;
}
