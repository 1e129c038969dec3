/* Writes and reads the names at code addresses: texts, calls, addresses, and what is missing. */
#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/model/stored_names.h"
#include "cct/store/profile_parts.h"

/* The largest that are known of stored_code.start_kind and stored_lack.lack. */
#define START_KIND_MAX 2
#define LACK_MAX       2

static void write_text_number(struct byte_buffer *body, uint32_t text)
{
	byte_buffer_add_unsigned(body, text == STORED_NO_TEXT ? 0 : (uint64_t)text + 1);
}

static void write_texts(struct byte_buffer *body, const struct string_ids *texts)
{
	byte_buffer_add_unsigned(body, texts->n_strings);
	for (uint32_t i = 0; i < texts->n_strings; i++)
		byte_buffer_add_text(body, texts->strings[i]);
}

static int compare_codes(const void *a, const void *b, void *context)
{
	const struct stored_code *codes = context;
	const struct stored_code *x = &codes[*(const uint32_t *)a];
	const struct stored_code *y = &codes[*(const uint32_t *)b];

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Of addresses by module and offset: what is near has much in common, so it takes a third less than
 * in the order in which samples came. To free(); NULL: no memory. */
static uint32_t *sort_codes(const struct stored_names *names)
{
	uint32_t *order = calloc((size_t)names->n_codes + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < names->n_codes; i++)
		order[i] = i;
	if (order)
		qsort_r(order, names->n_codes, sizeof(*order), compare_codes, names->codes);
	return order;
}

static void write_call(struct byte_buffer *body, const struct stored_call *call)
{
	write_text_number(body, call->name);
	write_text_number(body, call->decl_file);
	byte_buffer_add_unsigned(body, call->decl_line);
	write_text_number(body, call->file);
	write_text_number(body, call->directory);
	byte_buffer_add_unsigned(body, call->line);
}

static void write_calls(struct byte_buffer *body, const struct stored_names *names,
			const uint32_t *order)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < names->n_codes; i++)
		n += names->codes[i].n_calls;
	byte_buffer_add_unsigned(body, n);
	for (uint32_t i = 0; i < names->n_codes; i++) {
		const struct stored_code *code = &names->codes[order[i]];

		for (uint32_t k = 0; k < code->n_calls; k++)
			write_call(body, &names->calls[code->first_call + k]);
	}
}

/* Calls are in the order of the addresses; starts and addresses are near offsets. */
static void write_codes(struct byte_buffer *body, const struct stored_names *names,
			const uint32_t *order)
{
	byte_buffer_add_unsigned(body, names->n_codes);
	for (uint32_t i = 0; i < names->n_codes; i++) {
		const struct stored_code *code = &names->codes[order[i]];

		byte_buffer_add_unsigned(body, code->module);
		byte_buffer_add_unsigned(body, code->offset);
		byte_buffer_add_signed(body, (int64_t)(code->addr - code->offset));
		byte_buffer_add_signed(body, (int64_t)(code->addr - code->start));
		write_text_number(body, code->symbol);
		byte_buffer_add_unsigned(body, code->start_kind);
		byte_buffer_add_unsigned(body, code->flags);
		byte_buffer_add_unsigned(body, code->n_calls);
	}
}

static void write_lacks(struct byte_buffer *body, const struct stored_names *names)
{
	byte_buffer_add_unsigned(body, names->n_lacks);
	for (uint32_t i = 0; i < names->n_lacks; i++) {
		const struct stored_lack *lack = &names->lacks[i];

		byte_buffer_add_unsigned(body, lack->module);
		byte_buffer_add_unsigned(body, lack->lack);
		write_text_number(body, lack->text);
		part_write_build_id(body, &lack->build_id);
		part_write_build_id(body, &lack->found);
		byte_buffer_add_unsigned(body, lack->is_changed);
		byte_buffer_add_signed(body, lack->error);
	}
}

void names_part_write(struct byte_buffer *body, const struct profile *profile)
{
	const struct stored_names *names = profile->names;
	_cleanup_free_ uint32_t *order = sort_codes(names);

	body->lacks_memory |= !order;
	if (!order)
		return;
	write_texts(body, &names->texts);
	write_calls(body, names, order);
	write_codes(body, names, order);
	write_lacks(body, names);
}

static int read_texts(struct dwarf_reader *body, struct stored_names *names)
{
	int64_t n = part_read_count(body, 1);

	if (n > 0 && stored_names_reserve_texts(names, (uint32_t)n))
		return -ENOMEM;
	for (int64_t i = 0; i < n; i++) {
		_cleanup_free_ char *text = NULL;
		uint32_t number = STORED_NO_TEXT;
		int err = part_read_text(body, &text);

		if (!err && text)
			err = stored_names_add_text(names, text, &number);
		if (err || !text || number != i)
			return err ? err : -EINVAL;
	}
	return n < 0 ? -EINVAL : 0;
}

/* A number of a text that is there, or none. */
static uint32_t read_text_number(struct dwarf_reader *body, const struct stored_names *names)
{
	uint64_t number = dwarf_read_uleb(body);

	if (number > names->texts.n_strings)
		dwarf_break(body);
	return number && !body->is_broken ? (uint32_t)number - 1 : STORED_NO_TEXT;
}

/* A number up to @max. */
static uint8_t read_small(struct dwarf_reader *body, uint8_t max)
{
	uint64_t number = dwarf_read_uleb(body);

	if (number > max)
		dwarf_break(body);
	return body->is_broken ? 0 : (uint8_t)number;
}

static int read_calls(struct dwarf_reader *body, struct stored_names *names)
{
	int64_t n = part_read_count(body, 6);

	if (n > 0 && stored_names_reserve_calls(names, (uint32_t)n))
		return -ENOMEM;
	for (int64_t i = 0; i < n; i++) {
		struct stored_call call = { .name = read_text_number(body, names) };

		call.decl_file = read_text_number(body, names);
		call.decl_line = (uint32_t)dwarf_read_uleb(body);
		call.file = read_text_number(body, names);
		call.directory = read_text_number(body, names);
		call.line = (uint32_t)dwarf_read_uleb(body);
		if (stored_names_add_call(names, &call))
			return -ENOMEM;
	}
	return n < 0 || body->is_broken ? -EINVAL : 0;
}

static int read_code(struct dwarf_reader *body, const struct profile *profile,
		     struct stored_names *names, uint32_t *n_calls_used)
{
	struct stored_code code = { .first_call = *n_calls_used };
	uint64_t module = dwarf_read_uleb(body);

	code.offset = dwarf_read_uleb(body);
	code.addr = code.offset + (uint64_t)dwarf_read_sleb(body);
	code.start = code.addr - (uint64_t)dwarf_read_sleb(body);
	code.symbol = read_text_number(body, names);
	code.start_kind = read_small(body, START_KIND_MAX);
	code.flags = read_small(body, STORED_FROM_DEBUG_INFO | STORED_PLT);
	uint64_t n_calls = dwarf_read_uleb(body);
	if (body->is_broken || module >= profile->modules.n_modules || n_calls > STORED_CALLS_MAX ||
	    n_calls > names->n_calls - *n_calls_used)
		return -EINVAL;
	code.module = (uint32_t)module;
	code.n_calls = (uint32_t)n_calls;
	*n_calls_used += code.n_calls;
	int err = stored_names_add_code(names, &code);
	return err == -EEXIST ? -EINVAL : err;
}

static int read_codes(struct dwarf_reader *body, const struct profile *profile,
		      struct stored_names *names)
{
	int64_t n = part_read_count(body, 8);
	uint32_t n_calls_used = 0;
	int err = n < 0 ? -EINVAL : stored_names_reserve_codes(names, (uint32_t)n);

	for (int64_t i = 0; !err && i < n; i++)
		err = read_code(body, profile, names, &n_calls_used);
	return err;
}

static int read_lack(struct dwarf_reader *body, const struct profile *profile,
		     struct stored_names *names)
{
	uint64_t module = dwarf_read_uleb(body);
	struct stored_lack lack = { .lack = read_small(body, LACK_MAX) };

	lack.text = read_text_number(body, names);
	part_read_build_id(body, &lack.build_id);
	part_read_build_id(body, &lack.found);
	lack.is_changed = dwarf_read_uleb(body);
	lack.error = (int32_t)dwarf_read_sleb(body);
	if (body->is_broken || module >= profile->modules.n_modules)
		return -EINVAL;
	lack.module = (uint32_t)module;
	int err = stored_names_add_lack(names, &lack);
	return err == -EEXIST ? -EINVAL : err;
}

static int read_lacks(struct dwarf_reader *body, const struct profile *profile,
		      struct stored_names *names)
{
	int64_t n = part_read_count(body, 7);
	int err = n < 0 ? -EINVAL : 0;

	for (int64_t i = 0; !err && i < n; i++)
		err = read_lack(body, profile, names);
	return err;
}

int names_part_read(struct dwarf_reader *body, struct profile *profile)
{
	struct stored_names *names = profile->names = stored_names_create();
	int err = names ? read_texts(body, names) : -ENOMEM;

	if (!err)
		err = read_calls(body, names);
	if (!err)
		err = read_codes(body, profile, names);
	return err ? err : read_lacks(body, profile, names);
}
