/* Writes what the variables of a function were: as text, or as JSON (docs/FORMAT.md). */
#ifndef REPORT_VALUES_VALUES_OUTPUT_H
#define REPORT_VALUES_VALUES_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/values/value_table.h"

struct values_options {
	const char *function; /* as it was asked for */
	uint32_t n_values;    /* of the commonest ones, shown for each variable */
	bool by_context;      /* parts are told apart */
	bool is_asked;        /* variables were named: text has a row of each, known or not */
};

/* After value_table_finish(). */
void values_write_text(FILE *out, const struct value_table *table,
		       const struct values_options *options);
void values_write_json(FILE *out, const struct value_table *table,
		       const struct values_options *options);

#endif
