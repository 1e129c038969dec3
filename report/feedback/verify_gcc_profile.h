/* Checks a profile for gcc -fauto-profile. report/feedback/gcc_profile.h describes it. */
#ifndef REPORT_FEEDBACK_VERIFY_GCC_PROFILE_H
#define REPORT_FEEDBACK_VERIFY_GCC_PROFILE_H

#include "report/verify/verification.h"

/* As path_format::verify. */
void verify_gcc_profile(struct verification *verification, const uint8_t *bytes, size_t size);

#endif
