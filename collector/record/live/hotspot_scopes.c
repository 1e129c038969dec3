/* Numbers are compressed: code/compressedStream.hpp of OpenJDK 17. JDK 20 and later add 1 to each
 * byte, so that none is 0: the sender of an outermost scope, which is 0, is never read there. */
#include "collector/record/live/hotspot_scopes.h"

#include <errno.h>
#include <string.h>

#define NUMBER_MAX 5   /* bytes */
#define SINGLE     192 /* bytes below it end a number */
#define SHIFT      6
#define WORD       8u

/* Of one nmethod. */
struct tables {
	const struct process_memory *memory;
	const struct hotspot_vm *vm;
	uint64_t code, method;
	uint64_t metadata, scopes, pcs; /* addresses, one after the other */
	uint32_t n_pcs;
};

struct pc_desc {
	int32_t pc, scope;
};

struct scope {
	uint64_t method;
	uint32_t bci;
};

/* Innermost first. */
struct chain {
	uint32_t n;
	struct scope scopes[HOTSPOT_SCOPES_MAX];
};

static int read_field(const struct tables *tables, uint64_t object, enum hotspot_field field,
		      void *to, size_t size)
{
	return tables->memory->read(tables->memory, object + tables->vm->fields[field], to, size);
}

static bool are_in_order(const struct tables *tables, uint64_t object, int32_t metadata,
			 int32_t pcs, int32_t pcs_end)
{
	return metadata > 0 && pcs > metadata && pcs_end > pcs &&
	       (uint32_t)pcs_end <= RUNTIME_CODE_SIZE_MAX &&
	       tables->scopes - object >= (uint32_t)metadata &&
	       tables->scopes - object < (uint32_t)pcs;
}

static int read_tables(struct tables *tables, uint64_t object)
{
	const uint64_t desc_size = tables->vm->fields[HOTSPOT_PC_SIZE];
	int32_t metadata, pcs, pcs_end;

	int err = read_field(tables, object, HOTSPOT_BLOB_CODE_BEGIN, &tables->code, WORD);
	if (!err)
		err = read_field(tables, object, HOTSPOT_NMETHOD_METHOD, &tables->method, WORD);
	if (!err)
		err = read_field(tables, object, HOTSPOT_NMETHOD_SCOPES, &tables->scopes, WORD);
	if (!err)
		err = read_field(tables, object, HOTSPOT_NMETHOD_METADATA, &metadata, 4);
	if (!err)
		err = read_field(tables, object, HOTSPOT_NMETHOD_PCS, &pcs, 4);
	if (!err)
		err = read_field(tables, object, HOTSPOT_NMETHOD_PCS_END, &pcs_end, 4);
	if (err)
		return err;
	if (!are_in_order(tables, object, metadata, pcs, pcs_end) || !desc_size)
		return -ENOENT;
	tables->metadata = object + (uint32_t)metadata;
	tables->pcs = object + (uint32_t)pcs;
	tables->n_pcs = (uint32_t)((uint32_t)(pcs_end - pcs) / desc_size);
	return 0;
}

static int read_desc(const struct tables *tables, uint32_t i, struct pc_desc *desc_ret)
{
	uint64_t at = tables->pcs + i * tables->vm->fields[HOTSPOT_PC_SIZE];

	int err = read_field(tables, at, HOTSPOT_PC_OFFSET, &desc_ret->pc, 4);
	return err ? err : read_field(tables, at, HOTSPOT_PC_SCOPE, &desc_ret->scope, 4);
}

/* The last place at or before @pc, and the first one after it. The first and the last of all are
 * before and after all code. */
static int find_descs(const struct tables *tables, int32_t pc, struct pc_desc *before,
		      struct pc_desc *after)
{
	uint32_t low = 0, high = tables->n_pcs - 1;
	struct pc_desc desc;

	if (tables->n_pcs < 2)
		return -ENOENT;
	int err = read_desc(tables, low, before);
	if (!err)
		err = read_desc(tables, high, after);
	while (!err && high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		err = read_desc(tables, middle, &desc);
		if (desc.pc <= pc) {
			low = middle;
			*before = desc;
		} else {
			high = middle;
			*after = desc;
		}
	}
	if (err)
		return err;
	return before->pc <= pc && after->pc > pc ? 0 : -ENOENT;
}

/* false: the bytes end before the number does. */
static bool take_number(const uint8_t **at, const uint8_t *end, uint32_t *number_ret)
{
	uint32_t number = 0;

	for (unsigned i = 0; i < NUMBER_MAX && *at < end; i++) {
		uint8_t byte = *(*at)++;

		number += (uint32_t)byte << i * SHIFT;
		if (byte < SINGLE || i == NUMBER_MAX - 1) {
			*number_ret = number;
			return true;
		}
	}
	return false;
}

/* Each scope comes after its sender, whose place is *@sender_ret; 0: it is the outermost. */
static int read_scope(const struct tables *tables, uint32_t offset, struct scope *scope_ret,
		      uint32_t *sender_ret)
{
	const uint64_t left = tables->pcs - tables->scopes - offset;
	uint8_t bytes[3 * NUMBER_MAX];
	const size_t size = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);
	const uint8_t *at = bytes, *end = bytes + size;
	uint32_t index;

	int err = tables->memory->read(tables->memory, tables->scopes + offset, bytes, size);
	if (err)
		return err;
	if (!take_number(&at, end, sender_ret) || !take_number(&at, end, &index) ||
	    !take_number(&at, end, &scope_ret->bci))
		return -ENOENT;
	if (*sender_ret >= offset || !index || index > (tables->scopes - tables->metadata) / WORD)
		return -ENOENT;
	return tables->memory->read(tables->memory, tables->metadata + (index - 1) * WORD,
				    &scope_ret->method, WORD);
}

/* A place without a scope has an empty chain. */
static int read_chain(const struct tables *tables, int32_t offset, struct chain *chain)
{
	uint32_t at = (uint32_t)offset;

	chain->n = 0;
	while (at) {
		if (at >= tables->pcs - tables->scopes || chain->n == HOTSPOT_SCOPES_MAX)
			return -ENOENT;
		int err = read_scope(tables, at, &chain->scopes[chain->n++], &at);
		if (err)
			return err;
	}
	return !chain->n || chain->scopes[chain->n - 1].method == tables->method ? 0 : -ENOENT;
}

/* The number of scopes from the outermost on that are the same: inlined by the same call. */
static uint32_t count_common(const struct chain *a, const struct chain *b)
{
	uint32_t n = 0;

	for (; n < a->n && n < b->n; n++) {
		const struct scope *of_a = &a->scopes[a->n - 1 - n],
				   *of_b = &b->scopes[b->n - 1 - n];

		if (of_a->method != of_b->method)
			return n;
		if (of_a->bci != of_b->bci)
			return n + 1;
	}
	return n;
}

/* @n: scopes of @chain, the outermost of which is the compiled method itself. */
static void set_inlined(struct hotspot_scopes *scopes, const struct chain *chain, uint32_t n)
{
	scopes->n_inlined = n ? n - 1 : 0;
	for (uint32_t i = 0; i < scopes->n_inlined; i++)
		scopes->inlined[i] = chain->scopes[chain->n - 2 - i].method;
}

int hotspot_scopes_read(const struct process_memory *memory, const struct hotspot_vm *vm,
			uint64_t object, uint64_t addr, struct hotspot_scopes *scopes_ret)
{
	struct tables tables = { .memory = memory, .vm = vm };
	struct pc_desc before, after;
	struct chain last, next;

	if (!vm->has_scopes)
		return -ENOENT;
	int err = read_tables(&tables, object);
	if (err)
		return err;
	if (addr - tables.code >= RUNTIME_CODE_SIZE_MAX)
		return -ENOENT;
	const int32_t pc = (int32_t)(addr - tables.code);
	err = find_descs(&tables, pc, &before, &after);
	if (!err)
		err = read_chain(&tables, after.scope, &next);
	if (!err)
		err = read_chain(&tables, before.scope, &last);
	if (err)
		return err;
	const bool is_call = pc + 1 == after.pc;
	set_inlined(scopes_ret, &next, is_call ? next.n : count_common(&last, &next));
	scopes_ret->start = tables.code + (uint32_t)(is_call ? pc : before.pc < 0 ? 0 : before.pc);
	scopes_ret->end = tables.code + (uint32_t)(is_call ? after.pc : after.pc - 1);
	return 0;
}

/* -ENOSPC: there is no room. */
static int append_name(const struct process_memory *memory, const struct hotspot_vm *vm,
		       uint64_t method, struct hotspot_code *code)
{
	uint32_t *size = &code->header.name_size;
	struct hotspot_code one;

	int err = hotspot_method_read(memory, vm, method, &one);
	if (err)
		return err;
	if (one.header.name_size + 1 > sizeof(code->name) - *size)
		return -ENOSPC;
	if (*size)
		code->name[(*size)++] = '\0';
	memcpy(code->name + *size, one.name, one.header.name_size);
	*size += one.header.name_size;
	return 0;
}

int hotspot_inlined_read(const struct process_memory *memory, const struct hotspot_vm *vm,
			 uint64_t object, uint64_t addr, struct hotspot_code *code_ret)
{
	struct hotspot_scopes scopes;

	int err = hotspot_scopes_read(memory, vm, object, addr, &scopes);
	if (err)
		return err;
	code_ret->object = object;
	code_ret->mark = 0;
	code_ret->has_scopes = false;
	code_ret->header = (struct runtime_record_header){
		.kind = RUNTIME_INLINED,
		.start = scopes.start,
		.size = (uint32_t)(scopes.end - scopes.start),
	};
	for (uint32_t i = 0; i < scopes.n_inlined && !err; i++)
		err = append_name(memory, vm, scopes.inlined[i], code_ret);
	return err == -ENOSPC ? 0 : err;
}
