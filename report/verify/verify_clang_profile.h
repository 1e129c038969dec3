/* Checks a sample profile for clang. Source: report/feedback/clang_profile.h describes it. */
#ifndef REPORT_VERIFY_VERIFY_CLANG_PROFILE_H
#define REPORT_VERIFY_VERIFY_CLANG_PROFILE_H

#include "report/verify/verification.h"

/* As path_format::verify. @bytes: compressed by gzip or not. */
void verify_clang_profile(struct verification *verification, const uint8_t *bytes, size_t size);

#endif
