/* Checks profiles of OTLP. Source: the comments of profiles.proto (report/formats/otlp_fields.h).
 */
#ifndef REPORT_VERIFY_VERIFY_OTLP_H
#define REPORT_VERIFY_VERIFY_OTLP_H

#include "report/verify/verification.h"

/* As path_format::verify. */
void verify_otlp(struct verification *verification, const uint8_t *bytes, size_t size);

#endif
