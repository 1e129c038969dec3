/* Checks a processed profile of Firefox Profiler. Source: report/formats/firefox.c names it. */
#ifndef REPORT_VERIFY_VERIFY_FIREFOX_H
#define REPORT_VERIFY_VERIFY_FIREFOX_H

#include "report/verify/verification.h"

/* As path_format::verify. @bytes: compressed by gzip or not. */
void verify_firefox(struct verification *verification, const uint8_t *bytes, size_t size);

#endif
