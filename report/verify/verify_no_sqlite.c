/* Stands for verify_sqlite.c where dendro is built without libsqlite3. */
#include "report/verify/verify_sqlite.h"

void verify_sqlite(struct verification *verification, const uint8_t *bytes, size_t size)
{
	(void)bytes;
	(void)size;
	verification_fail(verification, "it cannot be checked by this dendro, which was built "
					"without libsqlite3 (Debian's libsqlite3-dev)");
}
