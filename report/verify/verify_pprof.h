/* Checks a profile of pprof. Source: the comments of profile.proto (report/pprof/pprof_fields.h).
 */
#ifndef REPORT_VERIFY_VERIFY_PPROF_H
#define REPORT_VERIFY_VERIFY_PPROF_H

#include "report/verify/verification.h"

/* As path_format::verify. @bytes: compressed by gzip or not. */
void verify_pprof(struct verification *verification, const uint8_t *bytes, size_t size);

#endif
