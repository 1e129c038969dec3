/*
 * The rows of a value in call paths, "[kind = STRING]": texts of the profile. The first
 * VALUE_ROWS_MAX values are told apart; others share one row and are counted. One thread only.
 */
#ifndef COLLECTOR_VALUES_VALUE_ROWS_H
#define COLLECTOR_VALUES_VALUE_ROWS_H

#include "cct/model/profile.h"

#define VALUE_ROWS_MAX 1000

struct value_rows {
	const char *name;  /* of what has the values; borrowed */
	uint32_t n_values; /* that are told apart */
	/* The rows of the others, plus 1; 0: none yet. [1]: of values that were read later. */
	uint32_t others[2];
};

/* The row of a value, by its text in the profile, plus 1. @is_later: it was read a moment after the
 * sample, which the row says. 0: out of memory. */
uint32_t value_rows_find(struct value_rows *rows, const char *text, bool is_later,
			 struct profile *profile);
/* The row of values that are not known for this reason, likewise. */
uint32_t value_rows_unknown(struct value_rows *rows, const char *reason, struct profile *profile);

#endif
