/*
 * pointers [SECONDS]: calls visit() with pointers to static memory whose names are known, a third
 * of the calls each: the beginning of a table, its third element, and a variable that has no other
 * name than its own. The text is in a variable that the program may write to, which no sample has.
 */
#include <stdio.h>

#include "tests/workloads/work.h"

struct element {
	long key, value;
};

static struct element table[8];   /* in .bss */
struct element single = { 1, 2 }; /* in .data */
static char label[] = "a label";
static volatile long visited;

FUNCTION static void visit(struct element *element, void (*call)(unsigned), const char *text,
			   const void *any, unsigned n_units)
{
	units(n_units);
	visited += element->key + text[0] + (any != NULL);
	call(1);
	KEEP_FRAME();
}

FUNCTION static void leaf(unsigned n)
{
	units(n);
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	struct element *const elements[3] = { table, &table[2], &single };
	struct rounds rounds = rounds_begin(argc, argv);

	for (unsigned n; (n = rounds_next(&rounds)) > 0;) {
		for (unsigned i = 0; i < 3; i++)
			visit(elements[i], leaf, label, &elements[i]->value, n);
	}
	return visited == 0;
}
