#include "cct/base/stream.h"

#include <errno.h>

int stream_finish(FILE *stream)
{
	if (fflush(stream))
		return -errno;
	return ferror(stream) ? -EIO : 0;
}
