/* Checks a trace of Chrome's format. Source: report/formats/chrome_trace.c names its description.
 */
#ifndef REPORT_VERIFY_VERIFY_CHROME_TRACE_H
#define REPORT_VERIFY_VERIFY_CHROME_TRACE_H

#include "report/verify/verification.h"

/* As path_format::verify. @bytes: compressed by gzip or not. */
void verify_chrome_trace(struct verification *verification, const uint8_t *bytes, size_t size);

#endif
