#include "cct/store/profile_parts.h"

#include <errno.h>
#include <string.h>

int part_read_text(struct dwarf_reader *body, char **text_ret)
{
	uint64_t size = dwarf_read_uleb(body);

	*text_ret = NULL;
	if (!size || body->is_broken)
		return body->is_broken ? -EINVAL : 0;
	const uint8_t *text = dwarf_read_block(body, size - 1);
	if (!text || memchr(text, 0, (size_t)size - 1)) {
		dwarf_break(body);
		return -EINVAL;
	}
	*text_ret = strndup((const char *)text, (size_t)size - 1);
	return *text_ret ? 0 : -ENOMEM;
}

int64_t part_read_count(struct dwarf_reader *body, size_t min_size)
{
	uint64_t n = dwarf_read_uleb(body);

	if (n > dwarf_left(body) / min_size || n > UINT32_MAX - 1)
		dwarf_break(body);
	return body->is_broken ? -1 : (int64_t)n;
}

void part_write_build_id(struct byte_buffer *body, const struct build_id *build_id)
{
	byte_buffer_add_unsigned(body, build_id->size);
	byte_buffer_add(body, build_id->bytes, build_id->size);
}

void part_read_build_id(struct dwarf_reader *body, struct build_id *build_id_ret)
{
	uint64_t size = dwarf_read_uleb(body);
	const uint8_t *bytes = size > BUILD_ID_MAX_SIZE ? NULL : dwarf_read_block(body, size);

	*build_id_ret = (struct build_id){ 0 };
	if (bytes && !body->is_broken)
		build_id_set(build_id_ret, bytes, (size_t)size);
	else
		dwarf_break(body);
}
