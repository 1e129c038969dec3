#include "report/dwarf/debug_names.h"

#include <dwarf.h>
#include <search.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"

#define MAX_DEPTH 64
/* Bytes of one built name. Longer names would not help anybody, and there may be many. */
#define MAX_JOINED 8192
#define MAX_CHAIN  16 /* references from a concrete function to its first declaration */

/* A DIE that contains functions or other containers: a namespace, a type, a function. */
struct container {
	const void *start, *end; /* of its contents in the file; NULL end: the end of the unit */
	Dwarf_Die die;
	uint32_t parent; /* UINT32_MAX: only the unit is around it */
};

/* The containers of one unit in the file's order: outer ones come before those inside. */
struct unit_containers {
	const Dwarf_CU *unit; /* first, because trees are searched by it */
	struct container *containers;
	uint32_t n, n_allocated;
};

struct joined_name {
	const void *die; /* first */
	char name[];
};

static int compare_first(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	return (x > y) - (x < y);
}

static void free_unit(void *opaque)
{
	struct unit_containers *unit = opaque;

	free(unit->containers);
	free(unit);
}

void debug_names_deinit(struct debug_names *names)
{
	tdestroy(names->units, free_unit);
	tdestroy(names->joined, free);
	*names = (struct debug_names){ 0 };
}

static bool has_namespaces(int language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_ObjC_plus_plus:
	case DW_LANG_Rust:
	case DW_LANG_D:
		return true;
	default:
		return false;
	}
}

static bool is_container(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram;
}

static struct container *add_container(struct unit_containers *unit, const Dwarf_Die *die,
				       uint32_t parent)
{
	if (array_reserve(unit->containers, unit->n, unit->n_allocated, 1))
		return NULL;
	struct container *added = &unit->containers[unit->n++];
	*added = (struct container){ .start = die->addr, .die = *die, .parent = parent };
	return added;
}

/*
 * Adds @die if it is a container with children. Sets *@child to its first child and returns true if
 * the children should be read now.
 */
static bool enters(struct unit_containers *unit, Dwarf_Die *die, uint32_t parent, Dwarf_Die *child)
{
	int tag = dwarf_tag(die);

	return is_container(tag) && dwarf_haschildren(die) == 1 &&
	       add_container(unit, die, parent) && tag != DW_TAG_subprogram &&
	       dwarf_child(die, child) == 0;
}

/*
 * The sibling of @die. False if it does not follow @die in the file, as it must. libdw may read all
 * DIEs between the two, so they count as read.
 */
static bool next_sibling(struct debug_names *names, Dwarf_Die *die, Dwarf_Die *next)
{
	if (!names->budget || dwarf_siblingof(die, next) != 0 || next->addr <= die->addr)
		return false;
	uint64_t n_read = (uint64_t)((const char *)next->addr - (const char *)die->addr);
	names->budget -= n_read < names->budget ? n_read : names->budget;
	return true;
}

/* The DIE at @end is in @outer, so @container and those around it, up to @outer, end there. */
static void end_containers(struct unit_containers *unit, uint32_t container, uint32_t outer,
			   const void *end)
{
	for (; container != outer && container < unit->n;
	     container = unit->containers[container].parent)
		unit->containers[container].end = end;
}

/*
 * Finds the containers of a unit. Functions are containers, but their contents are only read when a
 * name inside is requested.
 */
static void read_containers(struct debug_names *names, struct unit_containers *unit,
			    Dwarf_Die *unit_die)
{
	Dwarf_Die levels[MAX_DEPTH], next;
	uint32_t parents[MAX_DEPTH];
	const void *furthest = unit_die->addr;
	int depth = 0;

	parents[0] = UINT32_MAX;
	if (dwarf_child(unit_die, &levels[0]) != 0)
		return;
	for (;;) {
		uint32_t innermost = parents[depth], added = unit->n;

		/*
		 * The DIEs of a tree are in the file's order; a step backwards means a malformed
		 * file.
		 */
		if (levels[depth].addr <= furthest)
			return;
		furthest = levels[depth].addr;
		if (enters(unit, &levels[depth], parents[depth], &next) && depth + 1 < MAX_DEPTH) {
			levels[++depth] = next;
			parents[depth] = added;
			continue;
		}
		if (added < unit->n)
			innermost = added;
		while (!next_sibling(names, &levels[depth], &next))
			if (!depth--)
				return;
		end_containers(unit, innermost, parents[depth], next.addr);
		levels[depth] = next;
	}
}

static struct unit_containers *containers_of(struct debug_names *names, Dwarf_CU *cu)
{
	struct unit_containers key = { .unit = cu }, *unit;
	void *found = tfind(&key, &names->units, compare_first);
	Dwarf_Die unit_die;

	if (found)
		return *(struct unit_containers **)found;
	unit = calloc(1, sizeof(*unit));
	if (!unit)
		return NULL;
	unit->unit = cu;
	if (!tsearch(unit, &names->units, compare_first)) {
		free(unit);
		return NULL;
	}
	if (dwarf_cu_info(cu, NULL, NULL, &unit_die, NULL, NULL, NULL, NULL) == 0)
		read_containers(names, unit, &unit_die);
	return unit;
}

/* The innermost container around @die, or UINT32_MAX. */
static uint32_t container_of(const struct unit_containers *unit, const Dwarf_Die *die)
{
	uint32_t low = sorted_count(unit->n, i, unit->containers[i].start < die->addr);
	uint32_t container = low - 1; /* UINT32_MAX if there is none */
	while (container != UINT32_MAX && unit->containers[container].end &&
	       unit->containers[container].end <= die->addr)
		container = unit->containers[container].parent;
	return container;
}

/* Finds the containers between a function and a DIE inside it, outermost first. */
static size_t inside_function(struct debug_names *names, Dwarf_Die *function, const Dwarf_Die *die,
			      Dwarf_Die *between, size_t max)
{
	Dwarf_Die at, next;
	size_t n = 0;

	if (dwarf_child(function, &at) != 0)
		return 0;
	while (at.addr < die->addr) {
		if (next_sibling(names, &at, &next) && next.addr <= die->addr) {
			at = next;
			continue;
		}
		if (is_container(dwarf_tag(&at)) && n < max)
			between[n++] = at;
		if (dwarf_child(&at, &next) != 0 || next.addr <= at.addr)
			return 0;
		at = next;
	}
	return at.addr == die->addr ? n : 0;
}

/* Finds the containers around @die, outermost first. */
static size_t parents_of(struct debug_names *names, const struct unit_containers *unit,
			 const Dwarf_Die *die, Dwarf_Die *parents)
{
	uint32_t container = container_of(unit, die);
	Dwarf_Die reversed[MAX_DEPTH];
	size_t n = 0, n_outer;

	for (uint32_t i = container; i != UINT32_MAX && n < MAX_DEPTH;
	     i = unit->containers[i].parent)
		reversed[n++] = unit->containers[i].die;
	n_outer = n;
	for (size_t i = 0; i < n; i++)
		parents[i] = reversed[n - 1 - i];
	if (n && dwarf_tag(&reversed[0]) == DW_TAG_subprogram)
		n += inside_function(names, &reversed[0], die, parents + n_outer,
				     MAX_DEPTH - n_outer);
	return n;
}

/* The function's declaration, which is in its namespace or type. */
static Dwarf_Die declaration_of(const Dwarf_Die *die)
{
	static const unsigned links[] = { DW_AT_abstract_origin, DW_AT_specification };
	Dwarf_Die at = *die, next;
	Dwarf_Attribute found;

	for (int i = 0; i < MAX_CHAIN; i++) {
		bool has_next = false;

		for (size_t k = 0; k < sizeof(links) / sizeof(links[0]) && !has_next; k++)
			has_next = dwarf_attr(&at, links[k], &found) &&
				   dwarf_formref_die(&found, &next);
		if (!has_next)
			break;
		at = next;
	}
	return at;
}

/* The name of a container as a part of a qualified name. @inner: the name of the next part. */
static const char *part_name(Dwarf_Die *die, const char *inner)
{
	const char *name = dwarf_diename(die);

	if (name)
		return name;
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
		return "(anonymous namespace)";
	case DW_TAG_subprogram:
		return "(anonymous function)";
	default:
		return strcmp(inner, "operator()") == 0 ? "{lambda}" : "(anonymous type)";
	}
}

/* Appends a separator and a part. false: the name would become too long. */
static bool join(char *room, size_t *size, const char *separator, const char *part)
{
	size_t n_separator = strlen(separator), n_part = strnlen(part, MAX_JOINED);

	if (*size + n_separator + n_part >= MAX_JOINED)
		return false;
	memcpy(room + *size, separator, n_separator);
	memcpy(room + *size + n_separator, part, n_part);
	*size += n_separator + n_part;
	room[*size] = 0;
	return true;
}

static const char *keep_joined(struct debug_names *names, const void *die, const char *name,
			       size_t size)
{
	struct joined_name *joined = malloc(sizeof(*joined) + size + 1);

	if (!joined)
		return NULL;
	joined->die = die;
	memcpy(joined->name, name, size + 1);
	if (tsearch(joined, &names->joined, compare_first))
		return joined->name;
	free(joined);
	return NULL;
}

/*
 * Like parents_of(), but uses the declaration of an enclosing function, which may be in a namespace
 * elsewhere.
 */
static size_t all_parents_of(struct debug_names *names, const Dwarf_Die *die, Dwarf_Die *parents)
{
	const struct unit_containers *unit = containers_of(names, die->cu);
	size_t n = unit ? parents_of(names, unit, die, parents) : 0;
	Dwarf_Die outer[MAX_DEPTH];

	if (!n || dwarf_tag(&parents[0]) != DW_TAG_subprogram)
		return n;
	Dwarf_Die declaration = declaration_of(&parents[0]);
	unit = declaration.addr == parents[0].addr ? NULL : containers_of(names, declaration.cu);
	size_t n_outer = unit ? parents_of(names, unit, &declaration, outer) : 0;
	if (!n_outer || n_outer + n > MAX_DEPTH)
		return n;
	memmove(parents + n_outer, parents, n * sizeof(*parents));
	memcpy(parents, outer, n_outer * sizeof(*parents));
	return n + n_outer;
}

/* Builds a qualified name. NULL: use the plain name. */
static const char *joined_name(struct debug_names *names, const Dwarf_Die *die, const char *plain)
{
	const struct joined_name key = { .die = die->addr };
	void *found = tfind(&key, &names->joined, compare_first);
	Dwarf_Die parents[MAX_DEPTH];
	char room[MAX_JOINED];
	size_t size = 0;

	if (found)
		return (*(struct joined_name **)found)->name;
	size_t n = all_parents_of(names, die, parents);
	for (size_t i = 0; i < n; i++)
		if (!join(room, &size, i ? "::" : "",
			  part_name(&parents[i], i + 1 < n ? "" : plain)))
			return NULL;
	if (!n || !join(room, &size, "::", plain))
		return NULL;
	return keep_joined(names, die->addr, room, size);
}

const char *debug_names_find(struct debug_names *names, Dwarf_Die *die, int language)
{
	static const unsigned linkage[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute found;

	for (size_t i = 0; i < sizeof(linkage) / sizeof(linkage[0]); i++) {
		Dwarf_Attribute *at = dwarf_attr_integrate(die, linkage[i], &found);
		const char *name = at ? dwarf_formstring(at) : NULL;
		if (name)
			return name;
	}
	const char *plain = dwarf_diename(die);
	if (!plain || !has_namespaces(language))
		return plain;
	Dwarf_Die declaration = declaration_of(die);
	const char *joined = joined_name(names, &declaration, plain);
	return joined ? joined : plain;
}
