/* Adds the costs of a profile to the slots of an annotation, each sample once for a slot. */
#ifndef REPORT_ANNOTATE_ANNOTATE_COSTS_H
#define REPORT_ANNOTATE_ANNOTATE_COSTS_H

#include "report/annotate/annotation.h"

/*
 * Fills annotation->costs, when all slots are known. @by_node: for each node of the tree the index
 * of its frame's hits in the annotation's maps, or ANNOTATE_NONE. 0 or -ENOMEM.
 */
int annotation_add_costs(struct annotation *annotation, const uint32_t *by_node);

#endif
