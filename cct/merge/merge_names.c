#include "cct/merge/merge_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/compare.h"
#include "cct/base/hash.h"
#include "cct/merge/merge_modules.h"

#define NOT_MAPPED (UINT32_MAX - 1) /* a text that has no number in the sum yet */

struct texts {
	struct stored_names *into;
	const struct stored_names *from;
	uint32_t *numbers; /* in the sum, by number in @from */
};

static int map_text(struct texts *texts, uint32_t text, uint32_t *number_ret)
{
	int err = 0;

	*number_ret = STORED_NO_TEXT;
	if (text >= texts->from->texts.n_strings)
		return 0;
	if (texts->numbers[text] == NOT_MAPPED)
		err = stored_names_add_text(texts->into, texts->from->texts.strings[text],
					    &texts->numbers[text]);
	*number_ret = texts->numbers[text];
	return err;
}

static int map_call(struct texts *texts, const struct stored_call *call,
		    struct stored_call *mapped_ret)
{
	struct stored_call mapped = *call;
	int err = map_text(texts, call->name, &mapped.name);

	if (!err)
		err = map_text(texts, call->decl_file, &mapped.decl_file);
	if (!err)
		err = map_text(texts, call->file, &mapped.file);
	if (!err)
		err = map_text(texts, call->directory, &mapped.directory);
	*mapped_ret = mapped;
	return err;
}

/* No text is the smallest. */
static int compare_texts(const struct stored_names *names, uint32_t a, uint32_t b)
{
	const char *x = stored_names_text(names, a), *y = stored_names_text(names, b);

	if (a == b)
		return 0;
	return x && y ? strcmp(x, y) : compare_numbers(!!x, !!y);
}

static int compare_calls(const struct stored_names *names, const struct stored_call *a,
			 const struct stored_call *b)
{
	int order = compare_texts(names, a->name, b->name);

	if (!order)
		order = compare_texts(names, a->decl_file, b->decl_file);
	if (!order)
		order = compare_numbers(a->decl_line, b->decl_line);
	if (!order)
		order = compare_texts(names, a->file, b->file);
	if (!order)
		order = compare_texts(names, a->directory, b->directory);
	return order ? order : compare_numbers(a->line, b->line);
}

/* Both in the terms of @names; their calls are given apart. */
static int compare_contents(const struct stored_names *names, const struct stored_code *a,
			    const struct stored_call *calls_a, const struct stored_code *b,
			    const struct stored_call *calls_b)
{
	int order = compare_numbers(a->n_calls, b->n_calls);

	if (!order)
		order = compare_numbers(a->symbol != STORED_NO_TEXT, b->symbol != STORED_NO_TEXT);
	if (!order)
		order = compare_numbers(a->flags, b->flags);
	if (!order)
		order = compare_numbers(a->start_kind, b->start_kind);
	if (!order)
		order = compare_numbers(a->start, b->start);
	if (!order)
		order = compare_numbers(a->addr, b->addr);
	if (!order)
		order = compare_texts(names, a->symbol, b->symbol);
	for (uint32_t i = 0; !order && i < a->n_calls; i++)
		order = compare_calls(names, &calls_a[i], &calls_b[i]);
	return order;
}

/* Names without any call have no array of them. */
static const struct stored_call *calls_of(const struct stored_names *names,
					  const struct stored_code *code)
{
	return code->n_calls ? &names->calls[code->first_call] : NULL;
}

int merge_compare_codes(const struct stored_names *names, const struct stored_code *a,
			const struct stored_code *b)
{
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return compare_contents(names, a, calls_of(names, a), b, calls_of(names, b));
}

/* Calls that are replaced by more of them stay where they are, unused. */
static int set_calls(struct stored_names *names, struct stored_code *code,
		     const struct stored_call *calls, uint32_t n_before)
{
	if (code->n_calls <= n_before) {
		for (uint32_t i = 0; i < code->n_calls; i++)
			names->calls[code->first_call + i] = calls[i];
		return 0;
	}
	code->first_call = names->n_calls;
	for (uint32_t i = 0; i < code->n_calls; i++) {
		if (stored_names_add_call(names, &calls[i]))
			return -ENOMEM;
	}
	return 0;
}

/* Keeps the fuller of two descriptions of one address. */
static int improve_code(struct stored_names *names, struct stored_code *known,
			const struct stored_code *code, const struct stored_call *calls)
{
	struct stored_code better = *code;

	better.first_call = known->first_call;
	int err = set_calls(names, &better, calls, known->n_calls);
	if (!err)
		*known = better;
	return err;
}

/* Finds or makes the place of an address whose texts are those of the sum. Sets code->module. */
static int place_code(struct merge_state *state, struct stored_code *code,
		      const struct stored_call *calls)
{
	struct stored_names *names = state->into->names;

	for (uint32_t variant = 1;; variant++) {
		const struct stored_code *known =
			stored_names_find(names, code->module, code->offset);
		if (!known) {
			int err = set_calls(names, code, calls, 0);

			return err ? err : stored_names_add_code(names, code);
		}
		int order = compare_contents(names, code, calls, known, calls_of(names, known));
		const struct module_key key = state->keys[code->module - 1];
		if (key.build_id.size && order > 0)
			return improve_code(names, &names->codes[known - names->codes], code,
					    calls);
		if (key.build_id.size || !order)
			return 0;
		code->module = merge_module(state, &key, variant);
		if (!code->module)
			return -ENOMEM;
	}
}

/* Lets the code be where code with its names is, whatever it was compiled to. */
static int move_by_name(struct merge_state *state, const struct module_key *key,
			struct stored_code *code, struct stored_call *calls)
{
	const struct stored_names *names = state->into->names;
	const char *slash = strrchr(key->path, '/');
	const struct module_key named = {
		.kind = key->kind,
		.path = slash && slash[1] ? slash + 1 : key->path,
	};

	code->start_kind = 0;
	code->start = hash_text(HASH_START, stored_names_text(names, code->symbol));
	code->offset = code->start;
	for (uint32_t i = 0; i < code->n_calls; i++) {
		const char *name = stored_names_text(names, calls[i].name);

		calls[i] = (struct stored_call){
			.name = calls[i].name,
			.decl_file = STORED_NO_TEXT,
			.file = STORED_NO_TEXT,
			.directory = STORED_NO_TEXT,
		};
		code->offset = hash_text(hash_text(code->offset, "/"), name ? name : "");
	}
	/* Without calls it has nothing of the debug information that another build may lack. */
	if (!code->n_calls)
		code->flags &= (uint8_t)~STORED_FROM_DEBUG_INFO;
	code->addr = code->start;
	code->module = merge_module(state, &named, 0);
	return code->module ? 0 : -ENOMEM;
}

static int merge_code(struct merge_state *state, const struct merge_maps *maps, uint32_t index,
		      struct texts *texts)
{
	const struct stored_code *from = &texts->from->codes[index];
	struct stored_call calls[STORED_CALLS_MAX];
	struct stored_code code = *from;
	int err = map_text(texts, from->symbol, &code.symbol);

	for (uint32_t i = 0; !err && i < code.n_calls; i++)
		err = map_call(texts, &texts->from->calls[from->first_call + i], &calls[i]);
	code.module = maps->modules[from->module];
	if (err || !code.module)
		return err;
	if (state->by_name && code.symbol != STORED_NO_TEXT)
		err = move_by_name(state, &maps->from->modules.modules[from->module]->key, &code,
				   calls);
	if (!err)
		err = place_code(state, &code, calls);
	maps->code_modules[index] = code.module;
	maps->code_offsets[index] = code.offset;
	return err;
}

static int compare_lacks(const struct stored_names *names, const struct stored_lack *a,
			 const struct stored_lack *b)
{
	int order = compare_texts(names, a->text, b->text);

	if (!order)
		order = memcmp(&a->build_id, &b->build_id, sizeof(a->build_id));
	if (!order)
		order = memcmp(&a->found, &b->found, sizeof(a->found));
	if (!order)
		order = compare_numbers(a->is_changed, b->is_changed);
	return order ? order : (a->error > b->error) - (a->error < b->error);
}

/* What one profile lacks, the sum may lack. Of different reasons, the smallest is kept. */
static int merge_lack(struct merge_state *state, const struct merge_maps *maps,
		      const struct stored_lack *from, struct texts *texts)
{
	struct stored_names *names = state->into->names;
	struct stored_lack lack = *from;
	int err = map_text(texts, from->text, &lack.text);

	lack.module = maps->modules[from->module];
	if (err || !lack.module)
		return err;
	const struct stored_lack *known = stored_names_find_lack(names, lack.module, lack.lack);
	if (!known)
		return stored_names_add_lack(names, &lack);
	if (compare_lacks(names, &lack, known) < 0)
		names->lacks[known - names->lacks] = lack;
	return 0;
}

static int merge_all(struct merge_state *state, const struct merge_maps *maps,
		     const struct merge_order *order, struct texts *texts)
{
	const uint32_t n_codes = order ? order->n_codes : texts->from->n_codes;
	int err = 0;

	for (uint32_t i = 0; !err && i < n_codes; i++)
		err = merge_code(state, maps, order ? order->codes[i] : i, texts);
	for (uint32_t i = 0; !err && i < texts->from->n_lacks; i++)
		err = merge_lack(state, maps, &texts->from->lacks[order ? order->lacks[i] : i],
				 texts);
	return err;
}

int merge_names(struct merge_state *state, const struct merge_maps *maps,
		const struct merge_order *order)
{
	struct texts texts = { .into = state->into->names, .from = maps->from->names };

	if (!texts.from)
		return 0;
	size_t n = texts.from->texts.n_strings;
	_cleanup_free_ uint32_t *numbers = calloc(n + 1, sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		numbers[i] = NOT_MAPPED;
	texts.numbers = numbers;
	return merge_all(state, maps, order, &texts);
}
