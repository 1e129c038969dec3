#include "report/export/json_errors.h"

#include "report/findings/row_error.h"

static void write_error(FILE *out, const struct share_error *error, bool is_range)
{
	if (!error)
		fputs("null", out);
	else if (is_range)
		fprintf(out, "[%.6g,%.6g]", error->low, error->high);
	else
		fprintf(out, "%.6g", error->error);
}

static void write_metrics(FILE *out, const struct view *view, const struct view_row *row,
			  enum share_kind kind, bool is_range)
{
	putc('[', out);
	for (uint32_t i = 0; i < view->profile->n_metrics; i++) {
		struct share_error error;
		bool is_known = row_error(view, row, i, kind, &error);

		fputs(i ? "," : "", out);
		write_error(out, is_known ? &error : NULL, is_range);
	}
	putc(']', out);
}

void json_write_errors(FILE *out, const char *before, const struct view *view,
		       const struct view_row *row)
{
	fprintf(out, "%s\"self_error\":", before);
	write_metrics(out, view, row, SHARE_SELF, false);
	fputs(",\"self_range\":", out);
	write_metrics(out, view, row, SHARE_SELF, true);
	fputs(",\"total_error\":", out);
	write_metrics(out, view, row, SHARE_TOTAL, false);
	fputs(",\"total_range\":", out);
	write_metrics(out, view, row, SHARE_TOTAL, true);
}
