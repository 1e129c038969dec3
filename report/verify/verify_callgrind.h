/* Checks a profile of Callgrind. Source: report/formats/callgrind.c names its description. */
#ifndef REPORT_VERIFY_VERIFY_CALLGRIND_H
#define REPORT_VERIFY_VERIFY_CALLGRIND_H

#include "report/verify/verification.h"

/* As path_format::verify. @bytes: compressed by gzip or not. */
void verify_callgrind(struct verification *verification, const uint8_t *bytes, size_t size);

#endif
