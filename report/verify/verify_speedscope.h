/* Checks a profile of speedscope. Source: report/formats/speedscope.c names its schema. */
#ifndef REPORT_VERIFY_VERIFY_SPEEDSCOPE_H
#define REPORT_VERIFY_VERIFY_SPEEDSCOPE_H

#include "report/verify/verification.h"

/* As path_format::verify. @bytes: compressed by gzip or not. */
void verify_speedscope(struct verification *verification, const uint8_t *bytes, size_t size);

#endif
