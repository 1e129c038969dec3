/* Checks a profile for BOLT. report/feedback/bolt_profile.h describes it. */
#ifndef REPORT_FEEDBACK_VERIFY_BOLT_PROFILE_H
#define REPORT_FEEDBACK_VERIFY_BOLT_PROFILE_H

#include "report/verify/verification.h"

/* As path_format::verify. */
void verify_bolt_profile(struct verification *verification, const uint8_t *bytes, size_t size);

#endif
