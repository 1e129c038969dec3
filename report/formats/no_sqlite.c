/* Stands for sqlite.c where dendro is built without libsqlite3. */
#include <errno.h>

#include "report/formats/sqlite.h"

const char *sqlite_lacks(void)
{
	return "libsqlite3 (Debian's libsqlite3-dev), without which this dendro was built";
}

int sqlite_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		 const struct path_options *options)
{
	(void)out;
	(void)profile;
	(void)symbolizer;
	(void)options;
	return -ENOSYS;
}
