#include "report/dwarf/debug_call_sites.h"

#include <dwarf.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

/* Compilers nest far less, and a function has fewer DIEs; only made-up files have more. */
#define MAX_DEPTH 128
#define MAX_DIES  (1u << 20)
#define MAX_SITES (1u << 20)
/* Tail calls from one function to the next that are followed. */
#define MAX_TAIL_CALLS 8
#define MAX_FOLLOWED   64

struct call_site {
	uint64_t return_vaddr; /* 0: not known */
	Dwarf_Die die;
	bool is_tail_call;
};

struct calling_function {
	const void *addr; /* of its DIE */
	struct call_site *sites;
	uint32_t n_sites, n_allocated;
	bool has_answer, may_recur;
};

struct debug_call_sites {
	void *tree; /* of tsearch(): struct calling_function */
	uint32_t n_sites;
};

struct debug_call_sites *debug_call_sites_create(void)
{
	return calloc(1, sizeof(struct debug_call_sites));
}

static void free_function(void *node)
{
	struct calling_function *function = node;

	free(function->sites);
	free(function);
}

void debug_call_sites_destroy(struct debug_call_sites *sites)
{
	if (!sites)
		return;
	tdestroy(sites->tree, free_function);
	free(sites);
}

static int compare_functions(const void *a, const void *b)
{
	const struct calling_function *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static bool has_flag(Dwarf_Die *die, unsigned name, unsigned gnu_name)
{
	Dwarf_Attribute found;
	bool flag;

	return (dwarf_attr(die, name, &found) || dwarf_attr(die, gnu_name, &found)) &&
	       dwarf_formflag(&found, &flag) == 0 && flag;
}

static void add_site(struct debug_call_sites *sites, struct calling_function *function,
		     Dwarf_Die *die)
{
	struct call_site site = { .die = *die };
	Dwarf_Attribute found;
	Dwarf_Addr addr;

	/* GNU's call sites have the return address as their low_pc. */
	if ((dwarf_attr(die, DW_AT_call_return_pc, &found) ||
	     dwarf_attr(die, DW_AT_low_pc, &found)) &&
	    dwarf_formaddr(&found, &addr) == 0)
		site.return_vaddr = addr;
	site.is_tail_call = has_flag(die, DW_AT_call_tail_call, DW_AT_GNU_tail_call);
	if (sites->n_sites == MAX_SITES ||
	    array_reserve(function->sites, function->n_sites, function->n_allocated, 1))
		return;
	function->sites[function->n_sites++] = site;
	sites->n_sites++;
}

static bool has_calls_inside(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* The DIEs of a tree are in the file's order, but a malformed DW_AT_sibling may lead anywhere. */
struct place {
	const void *furthest;
	uint32_t n_dies;
};

static bool is_ahead(struct place *place, const Dwarf_Die *die)
{
	if (die->addr <= place->furthest || ++place->n_dies > MAX_DIES)
		return false;
	place->furthest = die->addr;
	return true;
}

static void read_sites(struct debug_call_sites *sites, struct calling_function *function,
		       Dwarf_Die *root)
{
	struct place place = { .furthest = root->addr };
	Dwarf_Die levels[MAX_DEPTH];
	size_t depth = 0;

	if (dwarf_child(root, &levels[0]) != 0 || !is_ahead(&place, &levels[0]))
		return;
	for (;;) {
		Dwarf_Die *die = &levels[depth];
		int tag = dwarf_tag(die);

		if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site)
			add_site(sites, function, die);
		if (has_calls_inside(tag) && depth + 1 < MAX_DEPTH &&
		    dwarf_child(die, &levels[depth + 1]) == 0 &&
		    is_ahead(&place, &levels[depth + 1])) {
			depth++;
			continue;
		}
		while (dwarf_siblingof(&levels[depth], &levels[depth]) != 0 ||
		       !is_ahead(&place, &levels[depth]))
			if (!depth--)
				return;
	}
}

static int compare_sites(const void *a, const void *b)
{
	const struct call_site *x = a, *y = b;

	return (x->return_vaddr > y->return_vaddr) - (x->return_vaddr < y->return_vaddr);
}

/* NULL: out of memory. */
static struct calling_function *find_function(struct debug_call_sites *sites, Dwarf_Die *die)
{
	struct calling_function wanted = { .addr = die->addr }, *function;
	void **node = tfind(&wanted, &sites->tree, compare_functions);

	if (node)
		return *node;
	function = calloc(1, sizeof(*function));
	if (!function)
		return NULL;
	function->addr = die->addr;
	if (!tsearch(function, &sites->tree, compare_functions)) {
		free(function);
		return NULL;
	}
	read_sites(sites, function, die);
	if (function->n_sites)
		qsort(function->sites, function->n_sites, sizeof(*function->sites), compare_sites);
	return function;
}

bool debug_call_sites_find(struct debug_call_sites *sites, Dwarf_Die *function,
			   uint64_t return_vaddr, Dwarf_Die *site_ret)
{
	const struct calling_function *calling = find_function(sites, function);
	const struct call_site wanted = { .return_vaddr = return_vaddr };
	const struct call_site *site = calling && calling->n_sites
					       ? bsearch(&wanted, calling->sites, calling->n_sites,
							 sizeof(wanted), compare_sites)
					       : NULL;

	/* After a tail call nothing returns there. */
	if (!return_vaddr || !site || site->is_tail_call)
		return false;
	*site_ret = site->die;
	return true;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute found;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &found) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &found))
		return dwarf_formstring(&found);
	return dwarf_attr_integrate(die, DW_AT_name, &found) ? dwarf_formstring(&found) : NULL;
}

/* The function that a call names. */
static bool named_function(Dwarf_Die *site, Dwarf_Die *named_ret)
{
	Dwarf_Attribute found;

	return (dwarf_attr(site, DW_AT_call_origin, &found) ||
		dwarf_attr(site, DW_AT_abstract_origin, &found)) &&
	       dwarf_formref_die(&found, named_ret);
}

static bool is_same_function(Dwarf_Die *a, Dwarf_Die *b)
{
	const char *name_a = name_of(a), *name_b = name_of(b);

	return a->addr == b->addr || (name_a && name_b && strcmp(name_a, name_b) == 0);
}

enum debug_called debug_call_site_called(Dwarf_Die *site, Dwarf_Die *function,
					 Dwarf_Attribute *target_ret)
{
	Dwarf_Die named;

	if (named_function(site, &named))
		return is_same_function(&named, function) ? DEBUG_CALLS_IT : DEBUG_CALLS_ANOTHER;
	if (dwarf_attr(site, DW_AT_call_target, target_ret) ||
	    dwarf_attr(site, DW_AT_GNU_call_site_target, target_ret))
		return DEBUG_CALLS_POINTER;
	return DEBUG_CALLS_UNKNOWN;
}

/* A search for a way back by tail calls. */
struct tail_search {
	struct debug_call_sites *sites;
	Dwarf_Die *wanted;
	unsigned n_followed;
};

/* In depth: at most MAX_TAIL_CALLS. */
static bool may_reach(struct tail_search *search, Dwarf_Die *from, unsigned depth)
{
	const struct calling_function *calling = find_function(search->sites, from);

	if (!calling || depth == MAX_TAIL_CALLS || ++search->n_followed > MAX_FOLLOWED)
		return true;
	for (uint32_t i = 0; i < calling->n_sites; i++) {
		Dwarf_Die site = calling->sites[i].die, named;

		if (!calling->sites[i].is_tail_call)
			continue;
		if (!named_function(&site, &named) || is_same_function(&named, search->wanted))
			return true;
		if (dwarf_haschildren(&named) && may_reach(search, &named, depth + 1))
			return true;
	}
	return false;
}

bool debug_call_sites_may_recur(struct debug_call_sites *sites, Dwarf_Die *function)
{
	struct calling_function *calling = find_function(sites, function);
	struct tail_search search = { .sites = sites, .wanted = function };

	if (!calling)
		return true;
	if (!calling->has_answer) {
		calling->may_recur = may_reach(&search, function, 0);
		calling->has_answer = true;
	}
	return calling->may_recur;
}

/* The register whose value is passed: an expression of one operation. */
static bool passed_register(Dwarf_Die *parameter, unsigned *reg_ret)
{
	Dwarf_Attribute found;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr(parameter, DW_AT_location, &found) ||
	    dwarf_getlocation(&found, &ops, &n) != 0 || n != 1)
		return false;
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		*reg_ret = ops[0].atom - DW_OP_reg0;
	else if (ops[0].atom == DW_OP_regx && ops[0].number <= UINT32_MAX)
		*reg_ret = (unsigned)ops[0].number;
	else
		return false;
	return true;
}

static bool is_passed(Dwarf_Die *die, const struct debug_passed *passed)
{
	Dwarf_Attribute found;
	Dwarf_Die named;
	unsigned reg;

	if (!passed->parameter)
		return passed_register(die, &reg) && reg == passed->reg;
	return (dwarf_attr(die, DW_AT_call_parameter, &found) ||
		dwarf_attr(die, DW_AT_abstract_origin, &found)) &&
	       dwarf_formref_die(&found, &named) && named.addr == passed->parameter->addr;
}

bool debug_call_site_value(Dwarf_Die *site, const struct debug_passed *passed,
			   Dwarf_Attribute *value_ret)
{
	struct place place = { .furthest = site->addr };
	Dwarf_Die die;

	for (int err = dwarf_child(site, &die); err == 0 && is_ahead(&place, &die);
	     err = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);

		if ((tag == DW_TAG_call_site_parameter || tag == DW_TAG_GNU_call_site_parameter) &&
		    is_passed(&die, passed))
			return dwarf_attr(&die, DW_AT_call_value, value_ret) ||
			       dwarf_attr(&die, DW_AT_GNU_call_site_value, value_ret);
	}
	return false;
}
