/* Settings of this machine and of this process that limit recordings and reports. */
#ifndef COLLECTOR_DOCTOR_SYSTEM_CHECKS_H
#define COLLECTOR_DOCTOR_SYSTEM_CHECKS_H

#include "collector/doctor/diagnosis.h"

void check_kernel_names(struct diagnosis *diagnosis, const char *check);
void check_settings(struct diagnosis *diagnosis, const char *check);
void check_security(struct diagnosis *diagnosis, const char *check);
void check_sample_rate(struct diagnosis *diagnosis, const char *check);
void check_ring_memory(struct diagnosis *diagnosis, const char *check);
void check_open_files(struct diagnosis *diagnosis, const char *check);
void check_free_space(struct diagnosis *diagnosis, const char *check);
void check_debuginfod(struct diagnosis *diagnosis, const char *check);

#endif
