#include "cct/model/stored_names.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"

struct stored_names *stored_names_create(void)
{
	return calloc(1, sizeof(struct stored_names));
}

void stored_names_destroy(struct stored_names *names)
{
	if (!names)
		return;
	string_ids_deinit(&names->texts);
	free(names->calls);
	free(names->codes);
	free(names->lacks);
	pair_map_deinit(&names->codes_by_offset);
	pair_map_deinit(&names->lacks_by_module);
	free(names);
}

int stored_names_reserve_texts(struct stored_names *names, uint32_t n_more)
{
	return string_ids_reserve(&names->texts, n_more);
}

int stored_names_reserve_calls(struct stored_names *names, uint32_t n_more)
{
	return array_reserve(names->calls, names->n_calls, names->n_calls_allocated, n_more);
}

int stored_names_reserve_codes(struct stored_names *names, uint32_t n_more)
{
	if (array_reserve(names->codes, names->n_codes, names->n_codes_allocated, n_more))
		return -ENOMEM;
	return pair_map_reserve(&names->codes_by_offset, n_more);
}

int stored_names_add_text(struct stored_names *names, const char *text, uint32_t *text_ret)
{
	bool is_new;

	*text_ret = STORED_NO_TEXT;
	return text ? string_ids_add(&names->texts, text, text_ret, &is_new) : 0;
}

const char *stored_names_text(const struct stored_names *names, uint32_t text)
{
	return text < names->texts.n_strings ? names->texts.strings[text] : NULL;
}

int stored_names_add_call(struct stored_names *names, const struct stored_call *call)
{
	if (stored_names_reserve_calls(names, 1))
		return -ENOMEM;
	names->calls[names->n_calls++] = *call;
	return 0;
}

int stored_names_add_code(struct stored_names *names, const struct stored_code *code)
{
	if (stored_names_find(names, code->module, code->offset))
		return -EEXIST;
	if (stored_names_reserve_codes(names, 1) ||
	    pair_map_add(&names->codes_by_offset, code->offset, code->module, names->n_codes))
		return -ENOMEM;
	names->codes[names->n_codes++] = *code;
	return 0;
}

int stored_names_add_lack(struct stored_names *names, const struct stored_lack *lack)
{
	if (stored_names_find_lack(names, lack->module, lack->lack))
		return -EEXIST;
	if (array_reserve(names->lacks, names->n_lacks, names->n_lacks_allocated, 1) ||
	    pair_map_add(&names->lacks_by_module, lack->module, lack->lack, names->n_lacks))
		return -ENOMEM;
	names->lacks[names->n_lacks++] = *lack;
	return 0;
}

const struct stored_code *stored_names_find(const struct stored_names *names, uint32_t module,
					    uint64_t offset)
{
	uint32_t index = pair_map_find(&names->codes_by_offset, offset, module);

	return index == PAIR_MAP_NONE ? NULL : &names->codes[index];
}

const struct stored_lack *stored_names_find_lack(const struct stored_names *names, uint32_t module,
						 uint8_t lack)
{
	uint32_t index = pair_map_find(&names->lacks_by_module, module, lack);

	return index == PAIR_MAP_NONE ? NULL : &names->lacks[index];
}
