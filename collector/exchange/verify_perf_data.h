/*
 * Checks a perf.data file with callchains, in file mode or as perf writes it to a pipe. Format:
 * tools/perf/Documentation/perf.data-file-format.txt of the kernel's sources.
 */
#ifndef COLLECTOR_EXCHANGE_VERIFY_PERF_DATA_H
#define COLLECTOR_EXCHANGE_VERIFY_PERF_DATA_H

#include "report/verify/verification.h"

/* As path_format::verify. */
void verify_perf_data(struct verification *verification, const uint8_t *bytes, size_t size);

#endif
