/* Checks a database that dendro export has written (docs/FORMAT.md, "Databases"). */
#ifndef REPORT_VERIFY_VERIFY_SQLITE_H
#define REPORT_VERIFY_VERIFY_SQLITE_H

#include "report/verify/verification.h"

/* As path_format::verify. Fails with what is missing where dendro is built without libsqlite3. */
void verify_sqlite(struct verification *verification, const uint8_t *bytes, size_t size);

#endif
