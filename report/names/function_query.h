/*
 * Finds functions by a name that the user typed: as shown (ns::foo), with parameters
 * (ns::foo(int)), mangled (_ZN2ns3fooEi), or without namespaces, template arguments and suffixes:
 * foo also finds ns::foo<int> and foo.cold. All forms work whatever form names are shown in. Names
 * for people (ns::bar<…>::foo, Fib.fib for "int Fib.fib(int)") and functions in names of runtimes
 * (fib for "JS:*fib /srv/fib.js:1:13" and for "int Fib.fib(int)") are found, too.
 */
#ifndef REPORT_NAMES_FUNCTION_QUERY_H
#define REPORT_NAMES_FUNCTION_QUERY_H

#include "report/names/symbolize.h"

struct function_query;

/* @wanted: borrowed. NULL: out of memory. */
struct function_query *function_query_create(const char *wanted);
void function_query_destroy(struct function_query *query);

enum function_match {
	FUNCTION_DIFFERS,
	FUNCTION_SIMILAR, /* except for a namespace, template arguments, the suffix of a clone, or
			     what a runtime adds */
	FUNCTION_MATCHES,
};

enum function_match function_query_match(const struct function_query *query,
					 const struct frame_name *name);
/* The last part of a name, without namespaces, template arguments and what a runtime adds.
 * *@size_ret: its length. */
const char *function_base_name(const char *name, size_t *size_ret);

#endif
