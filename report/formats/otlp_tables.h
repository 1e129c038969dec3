/*
 * The dictionary of OTLP's profiles. In each table the entry 0 is the zero value, which stands for
 * "none", and no entry is there twice.
 */
#ifndef REPORT_FORMATS_OTLP_TABLES_H
#define REPORT_FORMATS_OTLP_TABLES_H

#include "cct/base/pair_map.h"
#include "cct/encoding/byte_buffer.h"
#include "cct/paths/code_ranges.h"
#include "cct/text/string_ids.h"
#include "report/fold/node_index.h"
#include "report/names/symbolize.h"

/* A path of locations: its innermost one, and the path of the callers. */
struct otlp_step {        /* begins as struct node_key */
	uint32_t callers; /* path 0 is empty */
	uint32_t location;
	uint32_t stack; /* in the table of stacks; 0: not there yet */
};

struct otlp_tables {
	const struct profile *profile; /* borrowed, as is the next */
	struct symbolizer *symbolizer;
	struct byte_buffer dictionary;         /* the message ProfilesDictionary */
	struct byte_buffer entry, part, value; /* reused */
	struct string_ids strings, attributes;
	struct code_range *ranges; /* by module */
	uint32_t *mappings;        /* by module; 0: not there yet */
	uint32_t *locations;       /* by the frame's number in the tree; 0: not there yet */
	struct pair_map functions;
	struct node_index steps;
	struct otlp_step *path_steps; /* by path */
	uint32_t *paths;              /* by node of the profile's tree */
	uint32_t n_mappings, n_locations, n_functions, n_stacks, n_paths, n_paths_allocated;
	int err;
};

/* Finds the paths of all nodes. 0 or -ENOMEM; it may be deinitialized in any case. */
int otlp_tables_init(struct otlp_tables *tables, const struct profile *profile,
		     struct symbolizer *symbolizer);
void otlp_tables_deinit(struct otlp_tables *tables);
/* Numbers of entries, which are added if they are new. Errors persist in ->err. */
uint32_t otlp_tables_string(struct otlp_tables *tables, const char *text);
uint32_t otlp_tables_text(struct otlp_tables *tables, const char *key, const char *value);
uint32_t otlp_tables_number(struct otlp_tables *tables, const char *key, int64_t value);
/* Of the path that ends at a node of the profile's tree. */
uint32_t otlp_tables_stack(struct otlp_tables *tables, uint32_t node);
/* Adds a field with text as a terminal shows it; none for NULL. */
void otlp_tables_add_text(struct otlp_tables *tables, struct byte_buffer *message, unsigned field,
			  const char *text);

#endif
