/* Whether the programs and libraries that run now have what names their functions. */
#ifndef COLLECTOR_DOCTOR_PROGRAM_CHECKS_H
#define COLLECTOR_DOCTOR_PROGRAM_CHECKS_H

#include "collector/doctor/diagnosis.h"

void check_function_names(struct diagnosis *diagnosis, const char *check);

#endif
