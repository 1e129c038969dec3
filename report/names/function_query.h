/*
 * Functions asked for by name: as they are shown (ns::foo), with parameters (ns::foo(int)), as in
 * the file (_ZN2ns3fooEi), or without what stands before and behind: foo is ns::foo<int> and
 * foo.cold, too. That holds however names are shown.
 */
#ifndef REPORT_NAMES_FUNCTION_QUERY_H
#define REPORT_NAMES_FUNCTION_QUERY_H

#include "report/names/symbolize.h"

struct function_query;

/* @wanted: borrowed. NULL: no memory. */
struct function_query *function_query_create(const char *wanted);
void function_query_destroy(struct function_query *query);

enum function_match {
	FUNCTION_DIFFERS,
	FUNCTION_SIMILAR, /* but for a namespace, template arguments, or a clone's suffix */
	FUNCTION_MATCHES,
};

enum function_match function_query_match(const struct function_query *query,
					 const struct frame_name *name);
/* The last part of a name, without namespaces and template arguments. *@size_ret: its length. */
const char *function_base_name(const char *name, size_t *size_ret);

#endif
