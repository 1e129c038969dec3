/*
 * The nodes of rows of samples. Nodes are created as samples come, so the first row of a node has
 * mostly the node after the last one of its thread whose first row came; others are mostly of nodes
 * that the thread had lately, and that have samples left.
 */
#ifndef CCT_STORE_ROW_NODES_H
#define CCT_STORE_ROW_NODES_H

#include "cct/encoding/byte_buffer.h"
#include "cct/model/profile.h"
#include "cct/object/dwarf_reader.h"

/* A column over all rows, which are added in their order. */
struct row_nodes;

/* NULL without memory. */
struct row_nodes *row_nodes_create(const struct profile *profile);
/* NULL is fine. */
void row_nodes_destroy(struct row_nodes *nodes);
/* @sums: where rows are sums. */
void row_nodes_add(struct row_nodes *nodes, const struct sample_row *rows,
		   const struct row_sum *sums, uint32_t n);
/* If @nodes is NULL, @body lacks memory. */
void row_nodes_write(const struct row_nodes *nodes, struct byte_buffer *body);
/* Into profile->rows, whose tasks are known. 0, -ENOMEM, or -EINVAL: it is malformed. */
int row_nodes_read(struct dwarf_reader *body, const struct profile *profile);
/* Likewise of rows that are sums, with their numbers of samples. */
int row_nodes_read_sums(struct dwarf_reader *body, const struct profile *profile);
/* As version 3 of the format has it. */
int row_nodes_read_3(struct dwarf_reader *body, const struct profile *profile);
/* As versions 1 and 2 have it. */
int row_nodes_read_before_3(struct dwarf_reader *body, const struct profile *profile);

#endif
