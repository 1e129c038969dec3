/* Files that are checked: the first byte chooses the format. A sound one has no problem, any other
 * has one; neither may read beyond the bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/exchange/path_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct verification verification = { 0 };
	size_t n = 0, chosen;

	for (const struct path_format *format = path_formats; format->name; format++)
		n += format->verify != NULL;
	if (!size)
		return 0;
	chosen = data[0] % n;
	for (const struct path_format *format = path_formats; format->name; format++) {
		if (!format->verify || chosen--)
			continue;
		/* Without anything before or after it. */
		uint8_t *bytes = malloc(size - 1);
		if (size > 1)
			memcpy(bytes, data + 1, size - 1);
		format->verify(&verification, bytes, size - 1);
		free(bytes);
		break;
	}
	verification_deinit(&verification);
	return 0;
}
