/* What a database answered -> a profile with names, as a stored one: each host is a run, whose rows
 * are the sums of a process, event and path. */
#ifndef COLLECTOR_DATABASE_DB_PROFILE_H
#define COLLECTOR_DATABASE_DB_PROFILE_H

#include "collector/database/db_answers.h"

/* What the profile lacks, for a note. */
struct db_lacks {
	uint64_t n_samples; /* whose path the database does not have */
	uint32_t n_modules; /* likewise */
	bool is_part;       /* samples of the windows are left out, so that counters of their paths
			       are made of the paths alone */
	bool has_estimates; /* some event shared counters with others */
};

/* Names are taken out of the answers. 0 or -ENOMEM. */
int db_profile_make(struct db_answers *answers, struct profile **profile_ret,
		    struct db_lacks *lacks_ret);

#endif
