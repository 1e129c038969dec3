#include "collector/values/value_rows.h"

#include <stdio.h>

#include "report/values/value_expression.h"
#include "report/values/value_text.h"

/* How a row ends whose value was read a moment after the sample. */
#define LATER   ", read later"
#define ROW_MAX (VALUE_EXPRESSION_MAX + VALUE_TEXT_MAX + 48)

static void write_row(const struct value_rows *rows, const char *is, const char *text,
		      bool is_later, char *row)
{
	snprintf(row, ROW_MAX, "[%s%s%s%s]", rows->name, is, text, is_later ? LATER : "");
}

static uint32_t add_row(const struct value_rows *rows, const char *is, const char *text,
			bool is_later, struct profile *profile)
{
	char row[ROW_MAX];
	uint32_t id;
	bool is_new;

	write_row(rows, is, text, is_later, row);
	return string_ids_add(&profile->values, row, &id, &is_new) ? 0 : id + 1;
}

uint32_t value_rows_unknown(struct value_rows *rows, const char *reason, struct profile *profile)
{
	return add_row(rows, " not available: ", reason, false, profile);
}

uint32_t value_rows_find(struct value_rows *rows, const char *text, bool is_later,
			 struct profile *profile)
{
	const uint32_t n = profile->values.n_strings;
	uint32_t *others = &rows->others[is_later];
	char row[ROW_MAX];

	if (rows->n_values < VALUE_ROWS_MAX) {
		const uint32_t found = add_row(rows, " = ", text, is_later, profile);

		rows->n_values += profile->values.n_strings > n;
		return found;
	}
	write_row(rows, " = ", text, is_later, row);
	const uint32_t known = string_ids_find(&profile->values, row);
	if (known != STRING_IDS_NONE)
		return known + 1;
	profile->quality.counts[QUALITY_SPLIT_OTHERS]++;
	if (!*others)
		*others = add_row(rows, " = ", "other values", is_later, profile);
	return *others;
}
