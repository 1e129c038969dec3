/* The order of an annotation's lists. */
#ifndef REPORT_ANNOTATE_ANNOTATE_ORDER_H
#define REPORT_ANNOTATE_ANNOTATE_ORDER_H

#include "report/annotate/annotation.h"

/* Sorts the lists as struct annotation describes them, when its costs are known, and gives each
 * function its range in them. */
void annotation_arrange(struct annotation *annotation);

#endif
