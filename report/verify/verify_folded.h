/* Checks folded stacks. Source: flamegraph.pl of github.com/brendangregg/FlameGraph. */
#ifndef REPORT_VERIFY_VERIFY_FOLDED_H
#define REPORT_VERIFY_VERIFY_FOLDED_H

#include "report/verify/verification.h"

/* As path_format::verify. */
void verify_folded(struct verification *verification, const uint8_t *bytes, size_t size);

#endif
