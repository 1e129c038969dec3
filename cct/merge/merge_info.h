/*
 * What was recorded, of several profiles.
 *
 * Texts: if all have the same, or none, that; else the items of all, sorted, with "; " between
 * them, or "several" if they are many. Times: the first start and the last end of those whose dates
 * are known, as ns since 1970 if their clocks differ; if no date is known, clocks count as one. The
 * numbers of CPUs and of copied bytes are the largest. All of this is the same in any order.
 */
#ifndef CCT_MERGE_MERGE_INFO_H
#define CCT_MERGE_MERGE_INFO_H

#include "cct/model/profile.h"

/* @into: all zero for the first. 0 or -ENOMEM. */
int merge_info(struct profile_info *into, const struct profile_info *from);

#endif
