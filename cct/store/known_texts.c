#include "cct/store/known_texts.h"

#include <errno.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/store/profile_parts.h"

void known_texts_deinit(struct known_texts *known)
{
	string_ids_deinit(&known->ids);
}

void known_texts_write(struct byte_buffer *body, struct known_texts *known, const char *text,
		       const char *expected)
{
	bool is_new = false;
	uint32_t id;

	if (expected && strcmp(text, expected) == 0) {
		byte_buffer_add_unsigned(body, 0);
		return;
	}
	if (string_ids_add(&known->ids, text, &id, &is_new)) {
		body->lacks_memory = true;
		return;
	}
	byte_buffer_add_unsigned(body, id + 1ull);
	if (is_new)
		byte_buffer_add_text(body, text);
}

static int read_new(struct dwarf_reader *body, struct known_texts *known)
{
	_cleanup_free_ char *text = NULL;
	bool is_new;
	uint32_t id;
	int err = part_read_text(body, &text);

	if (err || !text)
		return err ? err : -EINVAL;
	err = string_ids_add(&known->ids, text, &id, &is_new);
	return err || is_new ? err : -EINVAL;
}

int known_texts_read(struct dwarf_reader *body, struct known_texts *known, const char *expected,
		     const char **text_ret)
{
	const uint64_t number = dwarf_read_uleb(body), n_known = known->ids.n_strings;
	int err = 0;

	*text_ret = expected;
	if (!number)
		return expected && !body->is_broken ? 0 : -EINVAL;
	if (number > n_known + 1)
		return -EINVAL;
	if (number > n_known)
		err = read_new(body, known);
	if (!err)
		*text_ret = known->ids.strings[number - 1];
	return err;
}
