#include "collector/values/value_stack.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/hash.h"
#include "collector/values/pointer_name.h"
#include "collector/values/value_modules.h"
#include "perf/records/memory_record.h"
#include "report/demangle/demangle.h"
#include "report/values/value_variables.h"

/* A frame of the present walk. */
struct walked {
	struct regs regs;
	uint64_t left; /* in @regs, not known to have the caller's values: as the callee has them */
	struct stack_copy copy;
	struct frame frame;
	struct rule rule;
	uint64_t addr, cfa;
	bool has_cfa;
	bool is_made;             /* the rest: */
	struct debug_frame debug; /* to evaluate in */
	Dwarf_Die function;       /* the compiled one */
};

struct value_stack {
	struct elf_modules *elf_modules;
	struct unwinder *unwinder;
	struct value_modules modules;
	struct debug_process process;
	/* Of the present walk: */
	const struct arch *arch;
	const struct address_space *space;
	struct walked *walked; /* VALUE_FRAMES_MAX */
	size_t n_walked;
	struct stack_copy copy; /* as far as the frame that is evaluated knows it */
	/* Reads what is not there otherwise; NULL: nothing does. */
	bool (*read_later)(void *data, uint64_t addr, size_t size, uint8_t *bytes,
			   bool *is_at_sample_ret);
	void *later_data;
	struct memory_record later;
	struct value_used used;
};

static bool read_memory(void *data, uint64_t addr, size_t size, uint8_t *bytes);
static const struct debug_frame *find_caller(void *data, const struct debug_frame *frame);

struct value_stack *value_stack_create(const struct module_table *modules)
{
	struct value_stack *stack = calloc(1, sizeof(*stack));

	if (!stack)
		return NULL;
	stack->elf_modules = elf_modules_create(modules);
	if (stack->elf_modules)
		stack->unwinder = unwinder_create(stack->elf_modules);
	stack->walked = calloc(VALUE_FRAMES_MAX, sizeof(*stack->walked));
	value_modules_init(&stack->modules, modules);
	stack->process = (struct debug_process){ read_memory, find_caller, stack };
	if (stack->unwinder && stack->walked)
		return stack;
	value_stack_destroy(stack);
	return NULL;
}

void value_stack_destroy(struct value_stack *stack)
{
	if (!stack)
		return;
	value_modules_deinit(&stack->modules);
	unwinder_destroy(stack->unwinder);
	elf_modules_destroy(stack->elf_modules);
	free(stack->walked);
	free(stack);
}

/* Adds the registers that functions may change and CFI does not restore, as they are. */
static void add_left(struct walked *walked, const struct walked *callee, const struct arch *arch)
{
	const uint64_t kept = arch->callee_saved | 1ull << arch->sp | 1ull << arch->ra;

	walked->left = (callee->regs.valid | callee->left) & ~walked->regs.valid & ~kept;
	for (unsigned reg = 0; reg < REGS_MAX; reg++)
		if (walked->left >> reg & 1)
			walked->regs.values[reg] = callee->regs.values[reg];
}

static void keep_frame(struct value_stack *stack, const struct unwind_walk *walk)
{
	struct walked *walked = &stack->walked[stack->n_walked++];

	walked->regs = walk->regs;
	walked->copy = walk->stack;
	walked->frame = walk->frame;
	walked->rule = walk->rule ? *walk->rule : (struct rule){ .kind = RULE_NONE };
	walked->addr = walk->addr;
	walked->has_cfa = unwind_cfa(walk, &walked->cfa);
	walked->is_made = false;
	walked->left = 0;
	if (stack->n_walked > 1)
		add_left(walked, walked - 1, walk->arch);
}

bool value_stack_walk(struct value_stack *stack, const struct address_space *space,
		      const struct user_stack *sample)
{
	struct unwind_walk walk;

	stack->arch = sample->arch;
	stack->space = space;
	stack->n_walked = 0;
	stack->read_later = NULL;
	stack->used = (struct value_used){ 0 };
	unwind_begin(&walk, stack->unwinder, space, sample);
	while (unwind_frame(&walk)) {
		if (stack->n_walked == VALUE_FRAMES_MAX)
			return false;
		keep_frame(stack, &walk);
		if (!unwind_caller(&walk))
			break;
	}
	return walk.end == UNWIND_ROOT;
}

static bool read_record(void *data, uint64_t addr, size_t size, uint8_t *bytes,
			bool *is_at_sample_ret)
{
	const uint8_t *found = memory_record_find(data, addr, size, is_at_sample_ret);

	if (found)
		memcpy(bytes, found, size);
	return found;
}

void value_stack_use_record(struct value_stack *stack, const struct perf_event_header *record)
{
	if (record && memory_record_decode(record, &stack->later))
		value_stack_use_process(stack, read_record, &stack->later);
}

void value_stack_use_process(struct value_stack *stack,
			     bool (*read)(void *data, uint64_t addr, size_t size, uint8_t *bytes,
					  bool *is_at_sample_ret),
			     void *data)
{
	stack->read_later = read;
	stack->later_data = data;
}

struct value_used value_stack_used(struct value_stack *stack)
{
	const struct value_used used = stack->used;

	stack->used = (struct value_used){ 0 };
	return used;
}

size_t value_stack_n(const struct value_stack *stack)
{
	return stack->n_walked;
}

const struct frame *value_stack_frame(const struct value_stack *stack, size_t i)
{
	return &stack->walked[i].frame;
}

uint64_t value_stack_addr(const struct value_stack *stack, size_t i)
{
	return stack->walked[i].addr;
}

/* The address in its file of an address of the process, as a frame has it. */
static bool vaddr_of(struct value_stack *stack, uint32_t id, uint64_t offset,
		     struct value_module **module_ret, uint64_t *vaddr_ret)
{
	struct value_module *module = value_modules_get(&stack->modules, id);

	*module_ret = module;
	return module && elf_segments_to_vaddr(&module->segments, offset, vaddr_ret);
}

/* Mappings that are looked at on each side: a file has about five. */
#define NEAR_MAPPINGS 8

static bool is_of_file(const struct value_stack *stack, const struct mapping *mapping)
{
	const struct module *module = module_table_get(stack->modules.modules, mapping->module);

	return module && (module->key.kind == MODULE_ELF || module->key.kind == MODULE_VDSO);
}

/*
 * Mappings without code tell no module, and may not be recorded: the nearest with code on both
 * sides may be of the same file. @side: 0: before the address or at it, 1: behind it. NULL: there
 * is none.
 */
static const struct mapping *nearest_of_file(const struct value_stack *stack, uint64_t addr,
					     unsigned side)
{
	const struct address_space *space = stack->space;
	size_t at = address_space_first(space, addr) + side;

	for (unsigned i = 0; i < NEAR_MAPPINGS; i++, at += side ? 1 : SIZE_MAX) {
		if (at < space->n_mappings && is_of_file(stack, &space->mappings[at]))
			return &space->mappings[at];
	}
	return NULL;
}

/* A file that may lie at an address of the process, and the address in it. NULL: none on this side.
 */
static struct value_module *near_file(struct value_stack *stack, uint64_t addr, unsigned side,
				      uint64_t *vaddr_ret)
{
	const struct mapping *mapping = nearest_of_file(stack, addr, side);
	struct value_module *module =
		mapping ? value_modules_get(&stack->modules, mapping->module) : NULL;
	uint64_t vaddr;

	if (!module || !value_module_mapped(module, mapping->offset, mapping->is_exec, &vaddr))
		return NULL;
	*vaddr_ret = addr - mapping->start + vaddr;
	return module;
}

static bool read_file(struct value_stack *stack, uint64_t addr, size_t size, uint8_t *bytes)
{
	uint64_t vaddr;

	for (unsigned side = 0; side < 2; side++) {
		const struct value_module *module = near_file(stack, addr, side, &vaddr);

		if (module && value_module_read(module, vaddr, size, bytes))
			return true;
	}
	return false;
}

static bool read_memory(void *data, uint64_t addr, size_t size, uint8_t *bytes)
{
	struct value_stack *stack = data;
	const uint8_t *in_copy = stack_find(&stack->copy, addr, size);
	bool is_at_sample = false;

	if (in_copy)
		memcpy(bytes, in_copy, size);
	if (in_copy || read_file(stack, addr, size, bytes))
		return true;
	if (!stack->read_later ||
	    !stack->read_later(stack->later_data, addr, size, bytes, &is_at_sample))
		return false;
	stack->used.at_sample |= is_at_sample;
	stack->used.later |= !is_at_sample;
	return true;
}

size_t value_stack_functions(struct value_stack *stack, size_t i, Dwarf_Die *dies)
{
	const struct frame *frame = &stack->walked[i].frame;
	struct value_module *module;
	uint64_t vaddr;

	if (!vaddr_of(stack, frame->module, frame->offset, &module, &vaddr) || !module->info)
		return 0;
	return debug_info_find_dies(module->info, vaddr, dies, DEBUG_INFO_MAX_INLINED);
}

/*
 * gcc ends the ranges of a register's values one byte before the return address if the call may
 * change it, so a range that goes on says that it knows of all functions below that they do not
 * (-fipa-ra; dwarf2out.cc, NOTE_DURING_CALL_P). Others' ranges end behind the call in any case.
 */
static bool tells_left_registers(Dwarf_Die *function)
{
	Dwarf_Attribute found;
	Dwarf_Die unit;
	const char *producer = dwarf_diecu(function, &unit, NULL, NULL) &&
					       dwarf_attr(&unit, DW_AT_producer, &found)
				       ? dwarf_formstring(&found)
				       : NULL;

	return producer && strncmp(producer, "GNU ", 4) == 0;
}

static void make_frame(struct value_stack *stack, size_t i)
{
	struct walked *walked = &stack->walked[i];
	struct debug_frame *frame = &walked->debug;
	Dwarf_Die dies[DEBUG_INFO_MAX_INLINED];
	struct value_module *module;
	uint64_t vaddr;

	walked->is_made = true;
	*frame = (struct debug_frame){ .process = &stack->process,
				       .registers = walked->regs.values,
				       .known = walked->regs.valid,
				       .cfa = walked->cfa,
				       .has_cfa = walked->has_cfa };
	if (!vaddr_of(stack, walked->frame.module, walked->frame.offset, &module, &vaddr))
		return;
	frame->vaddr = vaddr;
	frame->bias = walked->addr - vaddr;
	frame->next_vaddr = walked->regs.pc - frame->bias;
	frame->call_sites = module->call_sites;
	const size_t n = value_stack_functions(stack, i, dies);
	if (!n)
		return;
	walked->function = dies[n - 1];
	frame->function = &walked->function;
	if (walked->left && tells_left_registers(&walked->function))
		frame->known |= walked->left;
}

static const struct debug_frame *find_caller(void *data, const struct debug_frame *frame)
{
	struct value_stack *stack = data;
	const struct walked *walked =
		(const void *)((const char *)frame - offsetof(struct walked, debug));
	const size_t i = (size_t)(walked - stack->walked) + 1;

	if (i >= stack->n_walked)
		return NULL;
	if (!stack->walked[i].is_made)
		make_frame(stack, i);
	return &stack->walked[i].debug;
}

const struct debug_frame *value_stack_debug_frame(struct value_stack *stack, size_t i)
{
	struct walked *walked = &stack->walked[i];

	/* The walk may have learnt more of the stack since then, or have left it. */
	stack->copy = stack->walked[stack->n_walked - 1].copy;
	if (stack->copy.bytes != walked->copy.bytes)
		stack->copy = walked->copy;
	if (!walked->is_made)
		make_frame(stack, i);
	return &walked->debug;
}

bool value_stack_shape(const struct value_stack *stack, size_t i, uint64_t *shape_ret)
{
	const struct rule *rule = &stack->walked[i].rule;

	*shape_ret = hash_bytes(HASH_START, rule, sizeof(*rule));
	return rule->kind == RULE_CFA_REGISTER || rule->kind == RULE_CFA_MEMORY;
}

/* The walk may have found the caller by other means than the rule. */
static bool is_saved_at(const struct value_stack *stack, size_t i, unsigned reg, uint64_t addr)
{
	const struct walked *walked = &stack->walked[i];
	uint64_t word;

	if (!stack_read_word(&walked->copy, addr, stack->arch->pointer_size, &word))
		return false;
	if (reg == stack->arch->ra)
		word = stack->arch->strip_return_address(word);
	return walked->regs.valid >> reg & 1 && walked->regs.values[reg] == word;
}

enum saved_where value_stack_find_saved(const struct value_stack *stack, size_t i, unsigned reg,
					uint64_t *addr_ret)
{
	const struct arch *arch = stack->arch;

	/* Others are as the leaf has left them. */
	if (!(rule_saved_regs(arch) >> reg & 1))
		return SAVED_IN_PLACE;
	for (size_t callee = i; callee-- > 0;) {
		const struct walked *walked = &stack->walked[callee];
		const enum saved_where where =
			walked->has_cfa ? rule_find_saved(&walked->rule, arch, &walked->regs,
							  walked->cfa, reg, addr_ret)
					: SAVED_NOT_KNOWN;

		if (where == SAVED_IN_MEMORY)
			return is_saved_at(stack, i, reg, *addr_ret) ? where : SAVED_NOT_KNOWN;
		/* Each call has a return address of its own. */
		if (where == SAVED_NOT_KNOWN || reg == arch->ra)
			return SAVED_NOT_KNOWN;
	}
	return SAVED_IN_PLACE;
}

/* What pointers are named with. */
struct naming {
	struct value_stack *stack;
	struct symbolizer *symbolizer;
};

static void name_function(void *data, uint64_t addr, char *name, size_t size)
{
	const struct naming *naming = data;

	pointer_name_write(naming->symbolizer, naming->stack->space, addr, name, size);
}

/* "table", "table+0x10" */
static void name_data(void *data, uint64_t addr, char *name, size_t size)
{
	const struct naming *naming = data;
	const struct symbol *symbol = NULL;
	uint64_t vaddr;

	for (unsigned side = 0; side < 2 && !symbol; side++) {
		struct value_module *module = near_file(naming->stack, addr, side, &vaddr);

		symbol = module ? value_module_data(module, vaddr) : NULL;
	}
	if (!symbol)
		return;
	_cleanup_free_ char *plain = demangle_symbol(symbol->name);
	int n = snprintf(name, size, "%s", plain ? plain : symbol->name);
	if (vaddr != symbol->offset && n > 0 && (size_t)n < size)
		snprintf(name + n, size - (size_t)n, "+0x%" PRIx64, vaddr - symbol->offset);
}

enum debug_reason value_stack_write(struct value_stack *stack, size_t i, struct value_place *place,
				    struct symbolizer *symbolizer, struct value_text *text_ret)
{
	struct naming naming = { stack, symbolizer };
	const struct value_object object = { value_stack_debug_frame(stack, i), &place->location,
					     name_function, name_data, &naming };

	return value_text_write(text_ret, &object, &place->type, place->bit, place->n_bits);
}

enum debug_reason value_stack_variable(struct value_stack *stack, size_t i, size_t depth,
				       const struct value_expression *expression,
				       Dwarf_Die *variable_ret)
{
	Dwarf_Die dies[DEBUG_INFO_MAX_INLINED];
	const size_t n_dies = value_stack_functions(stack, i, dies);
	struct value_variable variable;

	if (depth >= n_dies)
		return DEBUG_NO_INFORMATION;
	if (!value_variables_find(&dies[n_dies - 1 - depth],
				  value_stack_debug_frame(stack, i)->vaddr, expression->variable,
				  &variable))
		return DEBUG_NO_SUCH_PART;
	*variable_ret = variable.die;
	return DEBUG_KNOWN;
}

/* Where the variable is. */
static enum debug_reason find_place(struct value_stack *stack, size_t i, size_t depth,
				    const struct value_expression *expression,
				    struct value_place *place)
{
	Dwarf_Die variable;
	const enum debug_reason reason =
		value_stack_variable(stack, i, depth, expression, &variable);

	return reason ? reason
		      : value_expression_find(expression, &variable,
					      value_stack_debug_frame(stack, i), place);
}

enum debug_reason value_stack_evaluate(struct value_stack *stack, size_t i, size_t depth,
				       const struct value_expression *expression,
				       struct symbolizer *symbolizer, struct value_text *text_ret,
				       Dwarf_Die *type_ret)
{
	struct value_place place = { .bit = 0 };
	enum debug_reason reason = find_place(stack, i, depth, expression, &place);

	if (!reason)
		reason = value_stack_write(stack, i, &place, symbolizer, text_ret);
	*type_ret = place.type;
	return reason;
}
