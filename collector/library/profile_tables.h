/* The tables of a profile that libdendro opens. */
#ifndef COLLECTOR_LIBRARY_PROFILE_TABLES_H
#define COLLECTOR_LIBRARY_PROFILE_TABLES_H

#include "collector/library/library_profile.h"

/* Fills what comes after ->arena, but the notes, from what is before it. 0 or -ENOMEM. */
int profile_tables_fill(struct dendro_profile *profile);

#endif
