/* What a report in JSON begins with: its schema, and what was recorded where and when
 * (docs/FORMAT.md). */
#ifndef REPORT_EXPORT_JSON_RECORDING_H
#define REPORT_EXPORT_JSON_RECORDING_H

#include <stdio.h>

#include "cct/model/profile.h"

/*
 * The version of a report's layout. It becomes higher when a field is removed or renamed, or its
 * meaning changes; a new field does not change it.
 */
#define REPORT_SCHEMA 2

/* Writes members of an object, each with a comma after it. What is not known is left out. */
void json_write_recording(FILE *out, const struct profile_info *info);

#endif
