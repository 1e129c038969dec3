/*
 * What functions pass to those that they call, as the compiler describes it (DWARF 5, 3.4; before
 * that, GNU's call sites). A parameter whose register the callee has used for something else is
 * known by this: the value that it had at entry is one that the caller can still compute.
 *
 * The call sites of a function are read when they are first requested. Not thread-safe.
 */
#ifndef REPORT_DWARF_DEBUG_CALL_SITES_H
#define REPORT_DWARF_DEBUG_CALL_SITES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct debug_call_sites;

/* NULL: out of memory. */
struct debug_call_sites *debug_call_sites_create(void);
void debug_call_sites_destroy(struct debug_call_sites *sites);
/* Finds the call in @function that returns to @return_vaddr. false: there is none. */
bool debug_call_sites_find(struct debug_call_sites *sites, Dwarf_Die *function,
			   uint64_t return_vaddr, Dwarf_Die *site_ret);
/*
 * Whether tail calls may lead from @function to itself: what it was called with then is not what
 * its present activation was. That is so, too, where a tail call does not name the function.
 */
bool debug_call_sites_may_recur(struct debug_call_sites *sites, Dwarf_Die *function);

enum debug_called {
	DEBUG_CALLS_IT,      /* the call names the function */
	DEBUG_CALLS_ANOTHER, /* a tail call has led to the function, with other values */
	DEBUG_CALLS_POINTER, /* what is called is in *@target_ret, if the compiler tells it */
	DEBUG_CALLS_UNKNOWN, /* it does not */
};
enum debug_called debug_call_site_called(Dwarf_Die *site, Dwarf_Die *function,
					 Dwarf_Attribute *target_ret);

/* A parameter of a call: that in a register, or the one that a DIE describes. */
struct debug_passed {
	unsigned reg;
	Dwarf_Die *parameter; /* NULL: by @reg */
};

/* The expression of the value that a call passes. false: the compiler tells none. */
bool debug_call_site_value(Dwarf_Die *site, const struct debug_passed *passed,
			   Dwarf_Attribute *value_ret);

#endif
