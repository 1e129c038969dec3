/*
 * Writes and reads the names at code addresses: texts, calls, addresses, and what is missing. Of
 * addresses there are columns; where they are is known from the tree's frames, and functions have
 * in common what their addresses have.
 */
#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/encoding/sorted_frames.h"
#include "cct/model/stored_names.h"
#include "cct/store/profile_parts.h"

/* The largest that are known of stored_code.start_kind and stored_lack.lack. */
#define START_KIND_MAX 2
#define LACK_MAX       2

/* What is written, in its order. */
struct writing {
	const struct stored_names *names;
	uint32_t *order;  /* of the addresses */
	uint32_t *frames; /* of the first addresses: their places among the sorted frames */
	uint32_t n_with_frame;
	uint32_t *texts;   /* numbers of texts, in the order in which they are written */
	uint32_t *numbers; /* by number of a text: its new number and 1; 0: it is not used */
	uint32_t n_texts;
};

static void writing_deinit(struct writing *writing)
{
	free(writing->order);
	free(writing->frames);
	free(writing->texts);
	free(writing->numbers);
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

/* First the addresses of the tree's frames, in their order, which tells where they are; then the
 * others, by module and offset. 0 or -ENOMEM. */
static int sort_codes(struct writing *writing, const struct cct *cct)
{
	const struct stored_names *names = writing->names;
	_cleanup_free_ bool *is_sorted = calloc((size_t)names->n_codes + 1, sizeof(*is_sorted));
	struct sorted_frames sorted;
	uint32_t n = 0;

	if (!is_sorted || sorted_frames_init(&sorted, cct))
		return -ENOMEM;
	for (uint32_t i = 0; i < sorted.n; i++) {
		const struct frame *frame = &cct->frames.frames[sorted.numbers[i]];
		const struct stored_code *code =
			stored_names_find(names, frame->module, frame->offset);

		if (!code || is_sorted[code - names->codes])
			continue;
		is_sorted[code - names->codes] = true;
		writing->frames[n] = i;
		writing->order[n++] = (uint32_t)(code - names->codes);
	}
	sorted_frames_deinit(&sorted);
	writing->n_with_frame = n;
	for (uint32_t i = 0; i < names->n_codes; i++) {
		if (!is_sorted[i])
			writing->order[n++] = i;
	}
	qsort_r(writing->order + writing->n_with_frame, n - writing->n_with_frame,
		sizeof(*writing->order), compare_codes, names->codes);
	return 0;
}

static void use_text(struct writing *writing, uint32_t text)
{
	if (text == STORED_NO_TEXT || writing->numbers[text])
		return;
	writing->texts[writing->n_texts++] = text;
	writing->numbers[text] = writing->n_texts;
}

/* Texts are numbered as they are used: first by functions, then by calls, then by what is missing.
 */
static void number_texts(struct writing *writing)
{
	const struct stored_names *names = writing->names;

	for (uint32_t i = 0; i < names->n_codes; i++)
		use_text(writing, names->codes[writing->order[i]].symbol);
	for (uint32_t i = 0; i < names->n_codes; i++) {
		const struct stored_code *code = &names->codes[writing->order[i]];

		for (uint32_t k = 0; k < code->n_calls; k++) {
			const struct stored_call *call = &names->calls[code->first_call + k];

			use_text(writing, call->name);
			use_text(writing, call->decl_file);
			use_text(writing, call->file);
			use_text(writing, call->directory);
		}
	}
	for (uint32_t i = 0; i < names->n_lacks; i++)
		use_text(writing, names->lacks[i].text);
}

/* 0 or -ENOMEM; it is to be deinitialized in any case. */
static int writing_init(struct writing *writing, const struct profile *profile)
{
	const struct stored_names *names = profile->names;
	const size_t n_codes = (size_t)names->n_codes + 1;
	const size_t n_texts = (size_t)names->texts.n_strings + 1;

	*writing = (struct writing){
		.names = names,
		.order = calloc(n_codes, sizeof(*writing->order)),
		.frames = calloc(n_codes, sizeof(*writing->frames)),
		.texts = calloc(n_texts, sizeof(*writing->texts)),
		.numbers = calloc(n_texts, sizeof(*writing->numbers)),
	};
	if (!writing->order || !writing->frames || !writing->texts || !writing->numbers ||
	    sort_codes(writing, profile->cct))
		return -ENOMEM;
	number_texts(writing);
	return 0;
}

static const struct stored_code *code_at(const struct writing *writing, uint32_t i)
{
	return &writing->names->codes[writing->order[i]];
}

static void write_text_number(struct byte_buffer *body, const struct writing *writing,
			      uint32_t text)
{
	byte_buffer_add_unsigned(body, text == STORED_NO_TEXT ? 0 : writing->numbers[text]);
}

static void write_texts(struct byte_buffer *body, const struct writing *writing)
{
	byte_buffer_add_unsigned(body, writing->n_texts);
	for (uint32_t i = 0; i < writing->n_texts; i++)
		byte_buffer_add_text(body, writing->names->texts.strings[writing->texts[i]]);
	byte_buffer_end_piece(body);
}

static void write_call(struct byte_buffer *body, const struct writing *writing,
		       const struct stored_call *call)
{
	write_text_number(body, writing, call->name);
	write_text_number(body, writing, call->decl_file);
	byte_buffer_add_unsigned(body, call->decl_line);
	write_text_number(body, writing, call->file);
	write_text_number(body, writing, call->directory);
	byte_buffer_add_unsigned(body, call->line);
}

static void write_calls(struct byte_buffer *body, const struct writing *writing)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < writing->names->n_codes; i++)
		n += writing->names->codes[i].n_calls;
	byte_buffer_add_unsigned(body, n);
	for (uint32_t i = 0; i < writing->names->n_codes; i++) {
		const struct stored_code *code = code_at(writing, i);

		for (uint32_t k = 0; k < code->n_calls; k++)
			write_call(body, writing, &writing->names->calls[code->first_call + k]);
	}
	byte_buffer_end_piece(body);
}

/* The first of the addresses from @i on that is not in the function of @i. */
static uint32_t end_of_function(const struct writing *writing, uint32_t i)
{
	const struct stored_code *code = code_at(writing, i), *next = code;

	while (next->start == code->start && next->symbol == code->symbol &&
	       next->start_kind == code->start_kind) {
		if (++i == writing->names->n_codes)
			break;
		next = code_at(writing, i);
	}
	return i;
}

/* Functions have their first use of a name in the order in which the texts are. */
static void write_symbols(struct byte_buffer *body, const struct writing *writing)
{
	uint32_t n_used = 0, next;

	for (uint32_t i = 0; i < writing->names->n_codes; i = next) {
		const uint32_t text = code_at(writing, i)->symbol;
		const uint32_t number = text == STORED_NO_TEXT ? 0 : writing->numbers[text];

		next = end_of_function(writing, i);
		if (number > n_used)
			byte_buffer_add_unsigned(body, 0);
		else
			byte_buffer_add_unsigned(body, (uint64_t)number + 1);
		n_used = number > n_used ? number : n_used;
	}
}

static void write_functions(struct byte_buffer *body, const struct writing *writing)
{
	const uint32_t n_codes = writing->names->n_codes;
	uint32_t n = 0, next;

	for (uint32_t i = 0; i < n_codes; i = end_of_function(writing, i))
		n++;
	byte_buffer_add_unsigned(body, n);
	for (uint32_t i = 0; i < n_codes; i = next) {
		next = end_of_function(writing, i);
		byte_buffer_add_unsigned(body, next - i);
	}
	byte_buffer_end_piece(body);
	write_symbols(body, writing);
	byte_buffer_end_piece(body);
	for (uint32_t i = 0; i < n_codes; i = end_of_function(writing, i)) {
		const struct stored_code *code = code_at(writing, i);

		byte_buffer_add_signed(body, (int64_t)(code->addr - code->start));
	}
	byte_buffer_end_piece(body);
	for (uint32_t i = 0; i < n_codes; i = end_of_function(writing, i))
		byte_buffer_add_unsigned(body, code_at(writing, i)->start_kind);
	byte_buffer_end_piece(body);
}

/* Addresses that no frame tells. */
static void write_others(struct byte_buffer *body, const struct writing *writing)
{
	byte_buffer_add_unsigned(body, writing->names->n_codes - writing->n_with_frame);
	for (uint32_t i = writing->n_with_frame; i < writing->names->n_codes; i++) {
		byte_buffer_add_unsigned(body, code_at(writing, i)->module);
		byte_buffer_add_unsigned(body, code_at(writing, i)->offset);
	}
}

static void write_codes(struct byte_buffer *body, const struct writing *writing)
{
	const uint32_t n_codes = writing->names->n_codes;
	uint32_t next = 0;

	byte_buffer_add_unsigned(body, writing->n_with_frame);
	for (uint32_t i = 0; i < writing->n_with_frame; i++) {
		byte_buffer_add_unsigned(body, writing->frames[i] - next);
		next = writing->frames[i] + 1;
	}
	write_others(body, writing);
	byte_buffer_end_piece(body);
	for (uint32_t i = 0; i < n_codes; i++) {
		const struct stored_code *code = code_at(writing, i);

		byte_buffer_add_signed(body, (int64_t)(code->addr - code->offset));
	}
	byte_buffer_end_piece(body);
	for (uint32_t i = 0; i < n_codes; i++)
		byte_buffer_add_unsigned(body, code_at(writing, i)->flags);
	byte_buffer_end_piece(body);
	for (uint32_t i = 0; i < n_codes; i++)
		byte_buffer_add_unsigned(body, code_at(writing, i)->n_calls);
	byte_buffer_end_piece(body);
	write_functions(body, writing);
}

static void write_lacks(struct byte_buffer *body, const struct writing *writing)
{
	const struct stored_names *names = writing->names;

	byte_buffer_add_unsigned(body, names->n_lacks);
	for (uint32_t i = 0; i < names->n_lacks; i++) {
		const struct stored_lack *lack = &names->lacks[i];

		byte_buffer_add_unsigned(body, lack->module);
		byte_buffer_add_unsigned(body, lack->lack);
		write_text_number(body, writing, lack->text);
		part_write_build_id(body, &lack->build_id);
		part_write_build_id(body, &lack->found);
		byte_buffer_add_unsigned(body, lack->is_changed);
		byte_buffer_add_signed(body, lack->error);
	}
}

void names_part_write(struct byte_buffer *body, const struct profile *profile)
{
	struct writing writing;

	if (writing_init(&writing, profile)) {
		body->lacks_memory = true;
	} else {
		write_texts(body, &writing);
		write_calls(body, &writing);
		write_codes(body, &writing);
		write_lacks(body, &writing);
	}
	writing_deinit(&writing);
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

/* Adds an address, whose calls are the next of the list. */
static int add_code(struct stored_code *code, uint64_t module, uint64_t n_calls,
		    const struct profile *profile, uint32_t *n_calls_used)
{
	if (module >= profile->modules.n_modules || n_calls > STORED_CALLS_MAX ||
	    n_calls > profile->names->n_calls - *n_calls_used)
		return -EINVAL;
	code->module = (uint32_t)module;
	code->first_call = *n_calls_used;
	code->n_calls = (uint32_t)n_calls;
	*n_calls_used += code->n_calls;
	int err = stored_names_add_code(profile->names, code);
	return err == -EEXIST ? -EINVAL : err;
}

/* Columns that are read side by side: of addresses, and of functions. */
struct code_columns {
	int64_t n_with_frame, n_others, n_functions;
	struct dwarf_reader distances, others, addrs, flags, n_calls;
	struct dwarf_reader n_codes, symbols, starts, start_kinds;
	uint64_t frame;     /* among the tree's, where the next distance begins */
	uint64_t n_symbols; /* texts that functions have used */
};

/* A column of @n numbers, which is passed over. */
static struct dwarf_reader read_column(struct dwarf_reader *body, int64_t n)
{
	const struct dwarf_reader column = *body;

	for (int64_t i = 0; i < n; i++)
		dwarf_read_uleb(body);
	return column;
}

static int code_columns_init(struct code_columns *columns, struct dwarf_reader *body)
{
	*columns = (struct code_columns){ .n_with_frame = part_read_count(body, 4) };
	columns->distances = read_column(body, columns->n_with_frame);
	columns->n_others = part_read_count(body, 5);
	columns->others = read_column(body, 2 * columns->n_others);
	const int64_t n = columns->n_with_frame + columns->n_others;
	columns->addrs = read_column(body, n);
	columns->flags = read_column(body, n);
	columns->n_calls = read_column(body, n);
	columns->n_functions = part_read_count(body, 4);
	columns->n_codes = read_column(body, columns->n_functions);
	columns->symbols = read_column(body, columns->n_functions);
	columns->starts = read_column(body, columns->n_functions);
	columns->start_kinds = read_column(body, columns->n_functions);
	return body->is_broken ? -EINVAL : 0;
}

/* The tree was read before, so its frames are numbered in the order of the file, after the root's.
 * NULL: there is no such frame. */
static const struct frame *next_frame(struct code_columns *columns, const struct cct *cct)
{
	const uint64_t left = cct->frames.n_frames - 1 - columns->frame;
	const uint64_t distance = dwarf_read_uleb(&columns->distances);

	if (distance >= left)
		return NULL;
	columns->frame += distance + 1;
	return &cct->frames.frames[columns->frame];
}

/* Where the next address is. 0 or -EINVAL. */
static int read_place(struct code_columns *columns, const struct cct *cct, uint64_t *module_ret,
		      uint64_t *offset_ret)
{
	if (!columns->n_with_frame) {
		*module_ret = dwarf_read_uleb(&columns->others);
		*offset_ret = dwarf_read_uleb(&columns->others);
		return columns->n_others-- > 0 ? 0 : -EINVAL;
	}
	const struct frame *frame = next_frame(columns, cct);
	columns->n_with_frame--;
	if (!frame)
		return -EINVAL;
	*module_ret = frame->module;
	*offset_ret = frame->offset;
	return 0;
}

/* Of the next function. */
static uint32_t read_symbol(struct code_columns *columns, const struct stored_names *names)
{
	const uint64_t number = dwarf_read_uleb(&columns->symbols);
	const uint64_t text = number ? number - 1 : columns->n_symbols + 1;

	if (text > names->texts.n_strings)
		dwarf_break(&columns->symbols);
	if (!text || columns->symbols.is_broken)
		return STORED_NO_TEXT;
	if (text > columns->n_symbols)
		columns->n_symbols = text;
	return (uint32_t)text - 1;
}

/* The addresses of the next function. */
static int read_function(struct code_columns *columns, const struct profile *profile,
			 uint32_t *n_calls_used)
{
	const uint64_t n = dwarf_read_uleb(&columns->n_codes);
	struct stored_code code = { .symbol = read_symbol(columns, profile->names) };
	const uint64_t start = (uint64_t)dwarf_read_sleb(&columns->starts);

	code.start_kind = read_small(&columns->start_kinds, START_KIND_MAX);
	if (columns->symbols.is_broken || columns->start_kinds.is_broken)
		return -EINVAL;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t module;
		int err = read_place(columns, profile->cct, &module, &code.offset);

		if (err)
			return err;
		code.addr = code.offset + (uint64_t)dwarf_read_sleb(&columns->addrs);
		code.start = i ? code.start : code.addr - start;
		code.flags = read_small(&columns->flags, STORED_FROM_DEBUG_INFO | STORED_PLT);
		err = columns->flags.is_broken
			      ? -EINVAL
			      : add_code(&code, module, dwarf_read_uleb(&columns->n_calls), profile,
					 n_calls_used);
		if (err)
			return err;
	}
	return 0;
}

static int read_codes(struct dwarf_reader *body, const struct profile *profile)
{
	struct code_columns columns;
	uint32_t n_calls_used = 0;
	int err = code_columns_init(&columns, body);

	if (!err)
		err = stored_names_reserve_codes(
			profile->names, (uint32_t)(columns.n_with_frame + columns.n_others));
	for (int64_t i = 0; !err && i < columns.n_functions; i++)
		err = read_function(&columns, profile, &n_calls_used);
	return !err && columns.n_with_frame + columns.n_others ? -EINVAL : err;
}

/* As version 1 of the format has it: each address by itself. */
static int read_first_code(struct dwarf_reader *body, const struct profile *profile,
			   uint32_t *n_calls_used)
{
	const uint64_t module = dwarf_read_uleb(body);
	struct stored_code code = { .offset = dwarf_read_uleb(body) };

	code.addr = code.offset + (uint64_t)dwarf_read_sleb(body);
	code.start = code.addr - (uint64_t)dwarf_read_sleb(body);
	code.symbol = read_text_number(body, profile->names);
	code.start_kind = read_small(body, START_KIND_MAX);
	code.flags = read_small(body, STORED_FROM_DEBUG_INFO | STORED_PLT);
	const uint64_t n_calls = dwarf_read_uleb(body);
	return body->is_broken ? -EINVAL : add_code(&code, module, n_calls, profile, n_calls_used);
}

static int read_first_codes(struct dwarf_reader *body, const struct profile *profile)
{
	int64_t n = part_read_count(body, 8);
	uint32_t n_calls_used = 0;
	int err = n < 0 ? -EINVAL : stored_names_reserve_codes(profile->names, (uint32_t)n);

	for (int64_t i = 0; !err && i < n; i++)
		err = read_first_code(body, profile, &n_calls_used);
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

static int read_names(struct dwarf_reader *body, struct profile *profile,
		      int (*read_addresses)(struct dwarf_reader *, const struct profile *))
{
	struct stored_names *names = profile->names = stored_names_create();
	int err = names ? read_texts(body, names) : -ENOMEM;

	if (!err)
		err = read_calls(body, names);
	if (!err)
		err = read_addresses(body, profile);
	return err ? err : read_lacks(body, profile, names);
}

int names_part_read(struct dwarf_reader *body, struct profile *profile)
{
	return read_names(body, profile, read_codes);
}

int names_part_read_first(struct dwarf_reader *body, struct profile *profile)
{
	return read_names(body, profile, read_first_codes);
}
