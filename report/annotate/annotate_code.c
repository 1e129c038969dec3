#include "report/annotate/annotate_code.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"
#include "report/code/disassembly.h"

#define MAX_SYMBOL_SIZE 8192

void annotated_instructions_free(struct annotated_instructions *list)
{
	free(list->all);
	free(list->by_line);
	*list = (struct annotated_instructions){ 0 };
}

static int add(struct annotated_instructions *list, const struct annotated_instruction *instruction)
{
	if (array_reserve(list->all, list->n, list->n_allocated, 1))
		return -ENOMEM;
	list->all[list->n++] = *instruction;
	return 0;
}

static uint32_t instruction_size(const struct annotated_code *code, uint64_t vaddr)
{
	if (!code->bytes || vaddr < code->start || vaddr - code->start >= code->n_bytes)
		return 0;
	/* The first one begins with the code. */
	size_t next =
		1 + sorted_count(code->n_starts - 1, i, code->starts[i + 1] <= vaddr - code->start);
	uint64_t end = next < code->n_starts ? code->starts[next] : code->n_bytes;
	return (uint32_t)(end - (vaddr - code->start));
}

static int add_at(struct annotation *annotation, const struct annotated_function *function,
		  uint32_t code, uint64_t vaddr, bool is_known_to_belong,
		  struct annotated_instructions *list)
{
	struct annotated_instruction instruction = {
		.code = code,
		.vaddr = vaddr,
		.size = instruction_size(&annotation->codes[code], vaddr),
		.slot = annotation_slot_at(annotation, function, vaddr),
		.place = { .path = ANNOTATE_NONE, .inlined_path = ANNOTATE_NONE },
	};
	bool belongs;
	int err = annotation_place(annotation, function, &annotation->codes[code], vaddr, &belongs,
				   &instruction.place);

	return err || (!belongs && !is_known_to_belong) ? err : add(list, &instruction);
}

static int add_costly(struct annotation *annotation, const struct annotated_function *function,
		      uint32_t code, bool only_outside, struct annotated_instructions *list)
{
	int err = 0;

	for (uint32_t i = 0; i < function->n_addresses && !err; i++) {
		const struct annotated_address *address =
			&annotation->addresses[function->first_address + i];
		bool is_inside = instruction_size(&annotation->codes[code], address->vaddr);

		if (address->code == code && !(only_outside && is_inside))
			err = add_at(annotation, function, code, address->vaddr, true, list);
	}
	return err;
}

static int add_all(struct annotation *annotation, const struct annotated_function *function,
		   uint32_t code, struct annotated_instructions *list)
{
	const struct annotated_code *at = &annotation->codes[code];
	int err = 0;

	for (uint32_t i = 0; i < at->n_starts && !err; i++)
		err = add_at(annotation, function, code, at->start + at->starts[i],
			     !function->is_inlined, list);
	if (at->n_bytes < at->size)
		list->is_cut = true;
	/* Instructions with cost after the decoded part. */
	return err ? err : add_costly(annotation, function, code, true, list);
}

static int compare_codes(const void *a, const void *b, void *annotation)
{
	const struct annotated_code *codes = ((struct annotation *)annotation)->codes;
	uint64_t x = codes[*(const uint32_t *)a].start, y = codes[*(const uint32_t *)b].start;

	return (x > y) - (x < y);
}

/*
 * The compiled functions that contain instructions of the function, each once, sorted by address.
 * NULL: out of memory.
 */
static uint32_t *list_codes(struct annotation *annotation,
			    const struct annotated_function *function, uint32_t *n_ret)
{
	uint32_t *codes = calloc((size_t)function->n_addresses + 1, sizeof(*codes)), n = 0;

	if (!codes)
		return NULL;
	for (uint32_t i = 0; i < function->n_addresses; i++)
		codes[i] = annotation->addresses[function->first_address + i].code;
	qsort_r(codes, function->n_addresses, sizeof(*codes), compare_codes, annotation);
	for (uint32_t i = 0; i < function->n_addresses; i++) {
		if (!n || codes[n - 1] != codes[i])
			codes[n++] = codes[i];
	}
	*n_ret = n;
	return codes;
}

static int compare_places(const struct annotated_place *a, uint32_t path, uint32_t line)
{
	if (a->path != path)
		return a->path < path ? -1 : 1;
	return (a->line > line) - (a->line < line);
}

static int compare_numbers(const void *a, const void *b, void *list)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct annotated_instruction *all = ((struct annotated_instructions *)list)->all;
	const int order = compare_places(&all[x].place, all[y].place.path, all[y].place.line);

	return order ? order : (x > y) - (x < y);
}

static int sort_by_line(struct annotated_instructions *list)
{
	list->by_line = calloc((size_t)list->n + 1, sizeof(*list->by_line));
	if (!list->by_line)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->n; i++)
		list->by_line[i] = i;
	if (list->n)
		qsort_r(list->by_line, list->n, sizeof(*list->by_line), compare_numbers, list);
	return 0;
}

const uint32_t *annotated_instructions_of_line(const struct annotated_instructions *list,
					       uint32_t path, uint32_t line, uint32_t *n_ret)
{
	const size_t first = sorted_count(
		list->n, i, compare_places(&list->all[list->by_line[i]].place, path, line) < 0);
	const size_t end = sorted_count(
		list->n, i, compare_places(&list->all[list->by_line[i]].place, path, line) <= 0);

	*n_ret = (uint32_t)(end - first);
	return list->by_line + first;
}

int annotated_instructions_list(struct annotation *annotation,
				const struct annotated_function *function, bool only_costly,
				struct annotated_instructions *list_ret)
{
	uint32_t n_codes, *codes = list_codes(annotation, function, &n_codes);
	uint64_t n_bytes = 0;
	int err = codes ? 0 : -ENOMEM;

	*list_ret = (struct annotated_instructions){ 0 };
	for (uint32_t i = 0; codes && i < n_codes && !err; i++) {
		const struct annotated_code *code = &annotation->codes[codes[i]];
		bool is_too_long = n_bytes > ANNOTATE_MAX_INLINED_CODE;

		n_bytes += code->n_bytes;
		if (only_costly || is_too_long || !code->bytes)
			err = add_costly(annotation, function, codes[i], false, list_ret);
		else
			err = add_all(annotation, function, codes[i], list_ret);
		list_ret->is_cut |= is_too_long && !only_costly;
	}
	free(codes);
	if (!err)
		err = sort_by_line(list_ret);
	if (err)
		annotated_instructions_free(list_ret);
	return err;
}

const struct annotated_part *annotated_parts_of_line(const struct annotation *annotation,
						     const struct annotated_function *function,
						     const struct annotated_line *line,
						     uint32_t *n_ret)
{
	*n_ret = 0;
	if (!function->n_parts)
		return NULL;
	const struct annotated_part *parts = annotation->parts + function->first_part;
	const size_t first = sorted_count(function->n_parts, i, parts[i].line_slot < line->slot);
	const size_t end = sorted_count(function->n_parts, i, parts[i].line_slot <= line->slot);

	*n_ret = (uint32_t)(end - first);
	return parts + first;
}

const uint8_t *annotated_bytes(const struct annotation *annotation,
			       const struct annotated_instruction *instruction)
{
	const struct annotated_code *code = &annotation->codes[instruction->code];

	return instruction->size ? code->bytes + (instruction->vaddr - code->start) : NULL;
}

int annotated_text(struct annotation *annotation, struct disassembler *disassembler,
		   const struct annotated_instruction *instruction, char *buffer, size_t size)
{
	const struct annotated_code *code = &annotation->codes[instruction->code];
	const uint8_t *bytes = annotated_bytes(annotation, instruction);
	struct instruction decoded;
	char symbol[MAX_SYMBOL_SIZE];
	int err = 0;

	buffer[0] = '\0';
	if (!bytes || !disassembler)
		return 0;
	disassembler_next(disassembler, bytes, instruction->size, instruction->vaddr, &decoded);
	symbol[0] = '\0';
	if (decoded.has_target || decoded.has_operand)
		err = annotation_symbol(annotation, code, decoded.target, symbol, sizeof(symbol));
	if (err)
		return err;
	if (decoded.has_operand && !decoded.has_target)
		snprintf(buffer, size, "%s  # 0x%" PRIx64 "%s%s%s", decoded.text, decoded.target,
			 *symbol ? " <" : "", symbol, *symbol ? ">" : "");
	else
		snprintf(buffer, size, "%s%s%s%s", decoded.text, *symbol ? " <" : "", symbol,
			 *symbol ? ">" : "");
	return 0;
}

struct executed_counts annotated_executed(const struct annotation *annotation,
					  const struct annotated_function *function,
					  const struct executed_code *executed,
					  const struct annotated_instruction *instruction)
{
	const struct annotated_code *code = &annotation->codes[instruction->code];
	const struct executed_function *found =
		executed_code_find(executed, function->module_path, code->start);

	return found ? executed_code_at(executed, found, instruction->vaddr)
		     : (struct executed_counts){ 0 };
}

struct executed_counts annotated_line_executed(const struct annotation *annotation,
					       const struct annotated_function *function,
					       const struct executed_code *executed,
					       const struct annotated_instructions *list,
					       uint32_t path, uint32_t line)
{
	struct executed_counts sum = { 0 };
	uint32_t n;
	const uint32_t *numbers = annotated_instructions_of_line(list, path, line, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct executed_counts counts =
			annotated_executed(annotation, function, executed, &list->all[numbers[i]]);
		if (counts.executed > sum.executed)
			sum.executed = counts.executed;
		sum.taken += counts.taken;
		sum.mispredicted += counts.mispredicted;
	}
	return sum;
}
