/* A profile to which others are added, and how the parts of one of them are numbered in it. */
#ifndef CCT_MERGE_MERGE_STATE_H
#define CCT_MERGE_MERGE_STATE_H

#include "cct/base/pair_map.h"
#include "cct/model/profile.h"
#include "cct/text/string_ids.h"

/*
 * The sum, whose parts are numbered in the order in which they came. Texts that identify a part
 * lead to its number.
 */
struct merge_state {
	struct profile *into;
	uint32_t n_added; /* profiles */
	bool by_name;     /* code of functions that have names is identified by these */
	/* Of modules: the text's number plus 1 is the id. */
	struct string_ids modules;
	struct module_key *keys; /* [id - 1]: with the smallest path of those seen; owned */
	uint32_t n_keys;
	struct string_ids metrics;  /* names with units; several metrics may have one */
	struct pair_map metric_of;  /* (text's number, how many before it have the same) -> index */
	bool is_metric_order_mixed; /* the profiles do not all have the same metrics in one order */
	struct string_ids processes, threads; /* the text's number is the index */
	/* Of rows of samples. */
	struct string_ids runs, tasks; /* likewise */
	uint32_t max_rows;
	bool packs_rows;      /* when all have been added; until then they are packed in any case */
	uint32_t n_run_times; /* metrics of which each run has times */
	bool lacks_rows;      /* some profile had none, or they were too many */
	/* Of a sum whose tree was folded; NULL: it was not. */
	const bool *is_unused_code; /* by index in into->names->codes; borrowed */
};

/* What the numbers of a profile's parts are in the sum. */
struct merge_maps {
	const struct profile *from;
	bool by_name; /* as of the state */
	uint32_t *modules, *metrics, *processes, *threads, *wakers, *cgroups, *values;
	/* By index in from->names->codes: where frames with this code are. */
	uint32_t *code_modules;
	uint64_t *code_offsets;
};

/* The order in which a profile's parts are added, as indices: what is added first gets the lowest
 * number. */
struct merge_order {
	uint32_t *codes, *lacks;
	uint32_t n_codes; /* others are left out */
	uint32_t *nodes;  /* parents before their children */
};

#endif
