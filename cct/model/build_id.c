#include "cct/model/build_id.h"

#include <string.h>

#include "cct/base/hex.h"

void build_id_set(struct build_id *build_id, const void *bytes, size_t size)
{
	*build_id = (struct build_id){ 0 };
	build_id->size = (uint8_t)(size > BUILD_ID_MAX_SIZE ? BUILD_ID_MAX_SIZE : size);
	memcpy(build_id->bytes, bytes, build_id->size);
}

void build_id_format(const struct build_id *build_id, char text[static BUILD_ID_TEXT_SIZE])
{
	size_t size = build_id->size < BUILD_ID_MAX_SIZE ? build_id->size : BUILD_ID_MAX_SIZE;

	hex_format(build_id->bytes, size, text);
	if (!size)
		strcpy(text, "-");
}

bool build_id_parse(const char *text, struct build_id *build_id_ret)
{
	struct build_id build_id = { 0 };
	size_t length = strcmp(text, "-") == 0 ? 0 : strlen(text);

	*build_id_ret = build_id;
	if (length % 2 || length / 2 > BUILD_ID_MAX_SIZE ||
	    !hex_parse(text, length / 2, build_id.bytes))
		return false;
	build_id.size = (uint8_t)(length / 2);
	*build_id_ret = build_id;
	return true;
}

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	const struct build_id *longer = a->size > b->size ? a : b;
	uint8_t common = a->size < b->size ? a->size : b->size;

	if (memcmp(a->bytes, b->bytes, common) != 0)
		return false;
	for (uint8_t i = common; i < longer->size; i++)
		if (longer->bytes[i])
			return false;
	return true;
}

bool build_id_equal_exact(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}
