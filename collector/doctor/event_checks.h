/* Which events this user can open here: each check opens one and closes it. */
#ifndef COLLECTOR_DOCTOR_EVENT_CHECKS_H
#define COLLECTOR_DOCTOR_EVENT_CHECKS_H

#include "collector/doctor/diagnosis.h"

void check_own_programs(struct diagnosis *diagnosis, const char *check);
void check_kernel_code(struct diagnosis *diagnosis, const char *check);
void check_whole_machine(struct diagnosis *diagnosis, const char *check);
void check_hardware_events(struct diagnosis *diagnosis, const char *check);
void check_branches(struct diagnosis *diagnosis, const char *check);
void check_tracepoints(struct diagnosis *diagnosis, const char *check);
void check_probes(struct diagnosis *diagnosis, const char *check);
void check_breakpoints(struct diagnosis *diagnosis, const char *check);
void check_bpf(struct diagnosis *diagnosis, const char *check);

#endif
