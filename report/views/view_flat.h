/* Builds the rows of the flat views from a fold. */
#ifndef REPORT_VIEWS_VIEW_FLAT_H
#define REPORT_VIEWS_VIEW_FLAT_H

#include "report/fold/fold.h"
#include "report/views/view_rows.h"

/* Whether tables of functions and of lines have rows for it: those for values are in paths alone.
 */
static inline bool view_flat_has_function(const struct fold_entity *entity)
{
	return entity_is_code(entity) && entity->frame_kind != FRAME_VALUE;
}

/* Fills view->root, which has the costs of the whole profile. 0 or -ENOMEM. */
int view_fill_flat(struct view *view, const struct fold *fold);
/* Likewise VIEW_PHASES, with a row for each phase, in which there may be no samples. */
int view_fill_phases(struct view *view, const struct fold *fold);

#endif
