/* Writes what dendro doctor found, as text or as JSON. */
#ifndef COLLECTOR_DOCTOR_DIAGNOSIS_OUTPUT_H
#define COLLECTOR_DOCTOR_DIAGNOSIS_OUTPUT_H

#include <stdio.h>

#include "collector/doctor/diagnosis.h"

#define DIAGNOSIS_SCHEMA 1

/* @titles: by check, as doctor_checks has them, up to a row of zeros. */
void diagnosis_write_text(FILE *out, const struct diagnosis *diagnosis,
			  const struct doctor_check *titles, unsigned width, bool utf8);
/* The settings of files, each with where it is, and which other one counts instead. */
void diagnosis_write_settings(FILE *out, const struct configuration *configuration, bool utf8);
/* docs/FORMAT.md describes it. */
void diagnosis_write_json(FILE *out, const struct diagnosis *diagnosis);

#endif
