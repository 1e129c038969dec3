/*
 * What timelines of the pages are marked with, as members of JSON: phases by name, and times in
 * which samples were lost or events throttled. Nanoseconds since the start of what is shown.
 */
#ifndef REPORT_HTML_PAGE_MARKS_H
#define REPORT_HTML_PAGE_MARKS_H

#include <stdio.h>

#include "cct/model/profile.h"

/* ,"losses":[[number of the kind, CPU or -1, start, end, samples or times], ...] */
void page_losses_write(FILE *out, const struct profile_info *info);
/* ,"phases":[[name, start, end], ...], of all runs since the profile's start. 0 or -ENOMEM. */
int page_phases_write(FILE *out, const struct profile *profile);
/* Likewise of one run, since its start. */
int page_phases_write_of_run(FILE *out, const struct profile *profile, uint32_t run);

#endif
