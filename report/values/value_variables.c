#include "report/values/value_variables.h"

#include <dwarf.h>
#include <string.h>

#define MAX_DEPTH 64    /* of blocks in each other */
#define MAX_DIES  65536 /* children of a function that are looked at */

struct list {
	struct value_variable *variables;
	size_t n;
	uint64_t vaddr;
	bool locals;
	const char *only; /* a name; NULL: all */
	unsigned n_dies;
};

static struct value_variable *find(const struct list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->variables[i].name, name) == 0)
			return &list->variables[i];
	return NULL;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute found;

	return dwarf_attr_integrate(die, DW_AT_name, &found) ? dwarf_formstring(&found) : NULL;
}

static void add(struct list *list, Dwarf_Die *die, bool is_parameter)
{
	const char *name = name_of(die);
	struct value_variable *same = name ? find(list, name) : NULL;
	const struct value_variable variable = { *die, name, is_parameter };

	if (list->only && (!name || strcmp(name, list->only) != 0))
		return;
	if (same)
		*same = variable;
	else if (name && list->n < VALUE_VARIABLES_MAX)
		list->variables[list->n++] = variable;
}

/* Adds the variables of a function or a block, and of the blocks in it. @depth: up to MAX_DEPTH. */
static void add_children(struct list *list, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die die;

	for (int err = dwarf_child(scope, &die); err == 0 && list->n_dies++ < MAX_DIES;
	     err = dwarf_siblingof(&die, &die)) {
		switch (dwarf_tag(&die)) {
		case DW_TAG_formal_parameter:
			add(list, &die, true);
			break;
		case DW_TAG_variable:
			if (list->locals)
				add(list, &die, false);
			break;
		case DW_TAG_lexical_block:
			if (list->locals && depth < MAX_DEPTH &&
			    dwarf_haspc(&die, list->vaddr) == 1)
				add_children(list, &die, depth + 1);
			break;
		default:
			break;
		}
	}
}

/* Whether it lies at one place for all copies of its function. */
static bool is_static(const struct list *list, Dwarf_Die *die)
{
	return list->locals && dwarf_tag(die) == DW_TAG_variable &&
	       (dwarf_hasattr(die, DW_AT_location) || dwarf_hasattr(die, DW_AT_const_value));
}

/* A copy of a function need not have those parameters that it does not use, nor static variables.
 */
static void add_missing(struct list *list, Dwarf_Die *function)
{
	Dwarf_Attribute found;
	Dwarf_Die origin, die;

	if (!dwarf_attr(function, DW_AT_abstract_origin, &found) ||
	    !dwarf_formref_die(&found, &origin))
		return;
	for (int err = dwarf_child(&origin, &die); err == 0 && list->n_dies++ < MAX_DIES;
	     err = dwarf_siblingof(&die, &die)) {
		const char *name = name_of(&die);

		const bool is_parameter = dwarf_tag(&die) == DW_TAG_formal_parameter;

		if ((is_parameter || is_static(list, &die)) && name && !find(list, name))
			add(list, &die, is_parameter);
	}
}

size_t value_variables_list(Dwarf_Die *function, uint64_t vaddr, bool locals,
			    struct value_variable *variables)
{
	struct list list = { .variables = variables, .vaddr = vaddr, .locals = locals };

	add_children(&list, function, 0);
	add_missing(&list, function);
	return list.n;
}

bool value_variables_find(Dwarf_Die *function, uint64_t vaddr, const char *name,
			  struct value_variable *variable_ret)
{
	struct list list = {
		.variables = variable_ret, .vaddr = vaddr, .locals = true, .only = name
	};

	add_children(&list, function, 0);
	add_missing(&list, function);
	return list.n;
}
