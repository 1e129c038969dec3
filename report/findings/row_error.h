/* How exact the costs of a view's rows are, as shares of the view's total. */
#ifndef REPORT_FINDINGS_ROW_ERROR_H
#define REPORT_FINDINGS_ROW_ERROR_H

#include "report/fold/share_error.h"
#include "report/views/view_rows.h"

enum share_kind { SHARE_SELF, SHARE_TOTAL, N_SHARE_KINDS };

/*
 * What the samples of a row's cost add up to. With view_options.errors their squares are exact,
 * else as if they had equal weights; a sum of self cost then needs row->self_samples. False: not
 * known.
 */
bool row_share_sum(const struct view *view, const struct view_row *row, uint32_t metric,
		   enum share_kind kind, struct share_sum *sum_ret);
/*
 * The error of a row's cost as a share of the view's total, from row_share_sum(); none where each
 * occurrence was recorded. False: not known, or the view has no cost.
 */
bool row_error(const struct view *view, const struct view_row *row, uint32_t metric,
	       enum share_kind kind, struct share_error *error_ret);

#endif
